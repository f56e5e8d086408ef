import Core
import Foundation
import Testing

@testable import Host

@Suite("another outbox in mid-visit") struct OutboxChangeTests {
  let scratch = Scratch()

  /// What the next run finds open in a file.
  private func open(_ path: Path, _ played: Played) -> [String] {
    var settings = played.settings
    (settings.boot, settings.outbox.path) = (Text("another"), path)
    var next = EventStore(settings, CourierCounters()) { _, _ in }
    next.open(at: played.now)
    defer { next.close() }
    return next.unfinished?.map { String($0.id) }.sorted() ?? ["unknown"]
  }

  @Test("visits that are open go along to another file: their ends are recorded there, and the old file starts none again")
  func moved() {
    var played = Played(scratch)
    for id in ["irk:ann", "irk:bob"] { played.push(.begins, of: id) }
    played.drain()
    played.reload { $0.outbox.path = scratch["other.db"] }
    played.push(.ends, of: "irk:bob")
    played.drain()
    played.store.close()
    #expect(open(scratch["other.db"], played) == ["irk:ann"])
    #expect(open(scratch["outbox.db"], played) == [])
  }

  @Test("of however many visits that are open each goes along to another file") func crowd() throws {
    var played = try crowded(5_000)
    played.reload { $0.outbox.path = scratch["other.db"] }
    played.store.close()
    #expect(try count(scratch["other.db"]) == 5_000 && count(scratch["outbox.db"]) == 0)
  }

  @Test("visits that go along to a file from which others could not be removed replace those") func replaced() throws {
    var (played, _) = try left()
    played.reload { $0.outbox.path = scratch["outbox.db"] }
    played.store.close()
    #expect(open(scratch["outbox.db"], played) == ["irk:bob"], "without anything to write")
    #expect(open(scratch["other.db"], played) == [])
  }

  @Test("a file that does not take the visits at once takes them when it can") func refused() throws {
    var played = Played(scratch)
    played.push(.begins, of: "irk:ann")
    var settings = OutboxSettings()
    settings.path = scratch["other.db"]
    _ = try Outbox(settings, machine: 1)
    let lock = try Database(path: scratch["other.db"])
    try lock.run("BEGIN IMMEDIATE")
    played.reload { $0.outbox.path = scratch["other.db"] }
    try lock.run("ROLLBACK")
    played.pass(.seconds(6))
    played.store.flush(at: played.now)
    played.store.close()
    #expect(open(scratch["other.db"], played) == ["irk:ann"])
    #expect(open(scratch["outbox.db"], played) == [])
  }

  /// Two visits have gone along to another file, where one has ended; the first file was told nothing of it.
  private func left() throws -> (Played, Database) {
    var played = Played(scratch)
    for id in ["irk:ann", "irk:bob"] { played.push(.begins, of: id) }
    played.drain()
    let database = try #require(played.store.outbox?.database)
    try database.run("PRAGMA query_only = 1")
    played.reload { $0.outbox.path = scratch["other.db"] }
    played.push(.ends, of: "irk:ann")
    played.drain()
    return (played, database)
  }

  /// With a crowd that the run before has served.
  private func crowded(_ number: Int) throws -> Played {
    let played = Played(scratch)
    let outbox = try #require(played.store.outbox)
    try outbox.startTransaction(isDurable: false)
    for number in 0..<number {
      var visit = Outbox.OpenVisit()
      (visit.topic, visit.boot) = (Topic("forecourt/site/gateway/trigger/pump"), Text("before"))
      visit.id = Text(Array("irk:\(number)".utf8).span.bytes)
      try outbox.record(visit)
    }
    try outbox.commitStates()
    return played
  }

  private func count(_ path: Path) throws -> Int64 { try Database(path: path).number("SELECT count(*) FROM visit") }

  @Test(
    "a file that cannot be told at once that its visits go on elsewhere is told when it can be, or when it is used again",
    arguments: [false, true])
  func unforgotten(isUsedAgain: Bool) throws {
    var (played, database) = try left()
    if isUsedAgain {
      played.reload { $0.outbox.path = scratch["outbox.db"] }
      played.push(1)
    } else {
      try database.run("PRAGMA query_only = 0")
    }
    played.drain()
    played.store.close()
    #expect(open(scratch["outbox.db"], played) == (isUsedAgain ? ["irk:bob"] : []))
    #expect(open(scratch["other.db"], played) == (isUsedAgain ? [] : ["irk:bob"]))
  }

  @Test("what is in flight, or was acknowledged meanwhile, does not go again when its file is named again") func thereAndBack() {
    var played = Played(scratch)
    played.push(4)
    played.publish(atMost: 3)
    // The file does not know it yet.
    played.acknowledge()
    played.reload { $0.outbox.path = scratch["other.db"] }
    played.push(2)
    #expect(played.publish() == 2)
    played.acknowledge()
    played.reload { $0.outbox.path = scratch["outbox.db"] }
    #expect(played.publish() == 1, "the fourth")
    played.drain()
    #expect(played.delivered == [0, 1, 2, 4, 5, 3].map { played.pushed[$0] } && played.counters.eventsWaiting.count == 0)
    played.reload { $0.outbox.path = scratch["other.db"] }
    played.push(1)
    played.drain()
    #expect(played.delivered.count == 7 && played.counters.eventsWaiting.count == 0 && played.counters.eventsDelivered.count == 7)
  }

  @Test("what is in flight from a file that is gone says nothing of another in its place", arguments: [false, true])
  func gone(isMarked: Bool) throws {
    var played = Played(scratch)
    played.push(2)
    played.publish()
    played.reload { $0.outbox.path = scratch["other.db"] }
    for name in scratch.names where name.hasPrefix("outbox.db") { try FileManager.default.removeItem(atPath: scratch.path + "/" + name) }
    var other = Played(scratch)
    other.push(2)
    if isMarked { try #require(other.store.outbox).mark("left", 7) }
    other.store.close()
    played.reload { $0.outbox.path = scratch["outbox.db"] }
    #expect(played.publish() == 2)
    for _ in 0..<2 { played.acknowledge() }
    played.loseTheLine()
    played.settle()
    #expect(played.counters.eventsWaiting.count == 2 && played.publish() == 2)
  }

  @Test("a row whose event is in flight, and was evicted, is no other event's after a return") func evicted() {
    var played = Played(scratch)
    played.push(1, isUrgent: true)
    played.push(1)
    played.publish()
    played.reload { $0.outbox.maxEvents = 1 }
    played.push(1)
    #expect(played.counters.eventsLost.count == 2)
    played.reload { $0.outbox.path = scratch["other.db"] }
    played.reload {
      $0.outbox.path = scratch["outbox.db"]
      $0.outbox.maxEvents = 100
    }
    played.push(1)
    for _ in 0..<2 { played.acknowledge() }
    #expect(played.publish() == 1)
    played.drain()
    #expect(played.delivered == [0, 1, 3].map { played.pushed[$0] })
  }

  @Test("what the broker refuses of one file does not hold up another's") func refusedElsewhere() {
    var played = Played(scratch)
    played.push(1)
    played.publish()
    played.reload { $0.outbox.path = scratch["other.db"] }
    played.acknowledge(refusing: true)
    played.push(1)
    #expect(played.publish() == 1)
  }

  @Test("a mark outside any transaction is our own change of the file") func marked() throws {
    let played = Played(scratch)
    let outbox = try #require(played.store.outbox)
    try outbox.mark("tried", 7)
    #expect(try outbox.marked("tried") == 7 && outbox.isUntouched)
  }

  @Test("when the new file cannot be opened, the disk is in trouble until it can, and the visits are not lost") func late() throws {
    var played = Played(scratch)
    played.push(.begins, of: "irk:ann")
    played.drain()
    played.reload { $0.outbox.path = scratch["no/such/other.db"] }
    #expect(played.counters.troubles.contains(.store))
    try FileManager.default.createDirectory(atPath: scratch.path + "/no/such", withIntermediateDirectories: true)
    played.pass(.seconds(6))
    played.store.flush(at: played.now)
    #expect(!played.counters.troubles.contains(.store))
    played.store.close()
    #expect(open(scratch["no/such/other.db"], played) == ["irk:ann"])
  }

  @Test("when the new file cannot be opened, the old one keeps its visits and fires until another has them", arguments: [false, true])
  func kept(isUsedAgain: Bool) throws {
    var played = Played(scratch)
    played.push(.begins, of: "irk:ann")
    played.reload { $0.outbox.path = scratch["no/such/other.db"] }
    played.pass(.seconds(6))
    played.push(1)
    func count(_ table: StaticString) throws -> Int64 { try Database(path: scratch["outbox.db"]).number(table) }
    // The run may be over here.
    #expect(try count("SELECT count(*) FROM visit") == 1 && count("SELECT count(*) FROM fire") == 1)
    let name = isUsedAgain ? "outbox.db" : "third.db"
    played.reload { $0.outbox.path = scratch[name] }
    played.store.flush(at: played.now)
    if !isUsedAgain { #expect(try count("SELECT count(*) FROM visit") == 0 && count("SELECT count(*) FROM fire") == 0) }
    played.store.close()
    #expect(open(scratch[name], played) == ["irk:ann"])
  }

  @Test("when new settings name a file that opens, the disk is well at once") func mended() {
    var played = Played(scratch)
    played.reload { $0.outbox.path = scratch["no/such/other.db"] }
    #expect(played.counters.troubles.contains(.store))
    played.reload { $0.outbox.path = scratch["outbox.db"] }
    played.store.flush(at: played.now)
    #expect(!played.counters.troubles.contains(.store))
  }
}
