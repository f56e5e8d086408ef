import Core
import Foundation
import Testing

@testable import Host

@Suite("what a damaged outbox holds goes on in a new one") struct OutboxSalvageTests {
  let scratch = Scratch()

  /// Changes the kind of a page, which no reader survives; returns what it held.
  private func spoil(page: Int, of path: String) throws -> Data {
    let file = try #require(FileHandle(forUpdatingAtPath: path))
    defer { try? file.close() }
    try file.seek(toOffset: UInt64(page) * 4_096)
    let held = try #require(try file.read(upToCount: 4_096))
    try file.seek(toOffset: UInt64(page) * 4_096)
    file.write(Data([held[0] ^ 0x40]))
    return held
  }

  private func path(_ played: Played) -> String { String(played.settings.outbox.path) }

  @Test(
    "of a file of which one table cannot be read the others go on: events wait, visits are open, whoever was served rests",
    arguments: ["mark", "visit", "fire", "event", "waiting"], [.max, 0] as [Int64])
  func table(name: String, checkedAtOnce: Int64) throws {
    var played = Played(scratch) { $0.outbox.longestRest = .seconds(60) }
    played.push(.begins, of: "irk:ann")
    played.push(4)
    var roots: [String: Int64] = [:]
    do {
      let query = try #require(played.store.outbox).database.statement("SELECT name, rootpage FROM sqlite_schema")
      while try query.step() { roots[String(query.text(0) as Text<32>)] = query.integer(1) }
    }
    played.store.close()
    _ = try spoil(page: Int(try #require(roots[name])) - 1, of: path(played))
    var settings = played.settings
    settings.boot = Text("another")
    (played.store, played.settings) = (EventStore(settings, played.counters) { [log = played.log] in log.append($0, $1) }, settings)
    _ = played.log.take()
    played.store.checkedAtOnce = checkedAtOnce
    played.store.open(at: played.now)
    if checkedAtOnce == 0, name == "waiting" {
      #expect(played.store.outbox == nil, "a large file's events are not looked through at once: the first of them fails")
      played.pass(.seconds(5))
      played.store.flush(at: played.now)
    }
    #expect(played.counters.troubles.contains(.setAside) && played.counters.eventsWaiting.count == (name == "event" ? 0 : 5))
    #expect(played.store.unfinished?.map { String($0.id) } == (name == "visit" ? [] : ["irk:ann"]))
    #expect(played.store.recentFires.map { String($0.id) } == (name == "fire" ? [] : ["irk:ann"]))
    let lines = played.log.take()
    let isUnread = lines.contains { $0.contains("whoever was served may be served again") }
    #expect(isUnread == (name == "visit" || name == "fire"), "\(lines)")
    #expect(played.counters.eventsLost.count == (name == "event" ? 5 : 0), "the index has counted them")
    played.drain()
    #expect(played.delivered == (name == "event" ? [] : played.pushed) && played.counters.eventsWaiting.count == 0)
  }

  @Test("of a file whose tables the disk has renamed what SQLite can still read goes on") func misshapen() throws {
    var played = Played(scratch)
    played.push(4)
    played.store.close()
    let path = path(played)
    var content = try Data(contentsOf: URL(fileURLWithPath: path))
    let table = try #require(content.range(of: Data("CREATE TABLE visit".utf8)))
    let column = try #require(content.range(of: Data(" at INTEGER".utf8), in: table.upperBound..<content.count))
    content[column.lowerBound + 1] ^= 2
    try content.write(to: URL(fileURLWithPath: path))
    _ = played.log.take()
    played.store = EventStore(played.settings, played.counters) { [log = played.log] in log.append($0, $1) }
    played.store.open(at: played.now)
    let said = played.log.take()
    #expect(said.contains { $0.contains("was set aside") } && played.store.outbox?.waiting == 4, "\(said)")
  }

  @Test("around a page of events that cannot be read all others are delivered once, those in it are counted", arguments: [false, true])
  func page(isRunning: Bool) throws {
    var played = Played(scratch)
    played.push(200)
    try #require(played.store.outbox).database.run("PRAGMA wal_checkpoint(TRUNCATE)")
    if isRunning {
      played.publish(atMost: 3)
      played.acknowledge()
      try #require(played.store.outbox).database.run("PRAGMA shrink_memory")
    } else {
      played.store.close()
    }
    let file = try Data(contentsOf: URL(filePath: path(played)))
    let number = try #require(file.range(of: Data("\"number\":100}".utf8)))
    let held = try spoil(page: number.lowerBound / 4_096, of: path(played))
    if isRunning {
      while played.counters.storeFailures.count == 0 {
        played.publish()
        if played.counters.storeFailures.count == 0 { played.acknowledge() }
      }
      played.pass(.seconds(5))
      played.store.flush(at: played.now)
    } else {
      played.store.open(at: played.now)
    }
    played.drain()
    // Bytes: as a text, what follows an event may join its last character.
    let wanted = played.pushed.filter { held.range(of: Data($0.utf8)) == nil }
    #expect(wanted.count < 200 && wanted.count > 150 && played.delivered == wanted)
    #expect(played.counters.eventsLost.count == 200 - wanted.count && played.counters.troubles.contains(.lost))
    #expect(played.counters.troubles.contains(.setAside) && played.counters.eventsWaiting.count == 0)
    #expect(!played.counters.troubles.contains(.touched) && !played.counters.troubles.contains(.store))
  }

  @Test("while the disk fails they wait in the file that was set aside", arguments: [false, true])
  func failing(isFull: Bool) throws {
    var played = Played(scratch)
    played.push(200)
    played.store.close()
    Outbox.rename(played.settings.outbox.path, played.settings.outbox.path, ".unread-")
    let opened = try Outbox(played.settings.outbox, machine: 1)
    try opened.database.run(isFull ? "PRAGMA max_page_count = 1" : "PRAGMA query_only = 1")
    #expect(throws: StoreFault.self) { try played.store.salvage(into: opened) }
    opened.rollBack()
    #expect(scratch.names.contains("outbox.db.unread-1") && opened.waiting == 0)
    try opened.database.run(isFull ? "PRAGMA max_page_count = 1000000" : "PRAGMA query_only = 0")
    try played.store.salvage(into: opened)
    #expect(scratch.names.contains("outbox.db.damaged-1") && !scratch.names.contains("outbox.db.unread-1") && opened.waiting == 200)
  }

  @Test("the next run reads a file that was set aside, if this one comes to its end before it has, and reads it once")
  func killed() throws {
    var played = Played(scratch)
    played.push(.begins, of: "irk:ann")
    played.push(200)
    played.store.close()
    _ = try spoil(page: 0, of: path(played))
    // The end comes right behind the renaming.
    #expect(try Outbox(played.settings.outbox, machine: 1).setAside == scratch["outbox.db.unread-1"])
    _ = try spoil(page: 0, of: path(played) + ".unread-1")
    func next() -> Played {
      Played(scratch) { $0.boot = Text("another") }
    }
    var other = next()
    #expect(other.counters.eventsWaiting.count == 201 && other.counters.troubles.contains(.setAside))
    #expect(other.store.unfinished?.map { String($0.id) } == ["irk:ann"])
    other.store.close()
    // The end comes right behind the transaction.
    try FileManager.default.moveItem(atPath: path(played) + ".damaged-1", toPath: path(played) + ".unread-1")
    other = next()
    #expect(other.counters.eventsWaiting.count == 201 && scratch.names.contains("outbox.db.damaged-1"))
    other.drain()
    #expect(other.delivered == played.pushed)
  }

  @Test("of a file that somebody changes in use all goes on that can be read: once, and in its order", arguments: [false, true])
  func touched(isDamaged: Bool) throws {
    var played = Played(scratch)
    played.push(3_000)
    played.publish(atMost: 5)
    for _ in 0..<2 { played.acknowledge() }
    var held = Data()
    if isDamaged {
      try #require(played.store.outbox).database.run("PRAGMA wal_checkpoint(TRUNCATE); PRAGMA shrink_memory")
      let file = try Data(contentsOf: URL(filePath: path(played)))
      let number = try #require(file.range(of: Data("\"number\":1500}".utf8)))
      held = try spoil(page: number.lowerBound / 4_096, of: path(played))
    } else {
      try FileManager.default.setAttributes([.modificationDate: Date(timeIntervalSince1970: 0)], ofItemAtPath: path(played))
    }
    played.pass(.seconds(2))
    played.store.flush(at: played.now)
    #expect(played.counters.troubles == (isDamaged ? [.touched, .lost] : .touched))
    #expect(scratch.names.contains("outbox.db.damaged-1") && !scratch.names.contains("outbox.db.unread-1"))
    #expect(played.store.held.count == 0)
    played.drain()
    let wanted = played.pushed.filter { held.range(of: Data($0.utf8)) == nil }
    #expect(wanted.count > 2_900 && played.delivered == wanted && played.counters.eventsLost.count == 3_000 - wanted.count)
    #expect(played.counters.eventsWaiting.count == 0)
  }

  @Test("whatever bytes a disk has changed, nothing hangs, and nothing is sent that was not stored") func garbage() throws {
    var played = Played(scratch)
    played.push(.begins, of: "irk:ann")
    played.push(60)
    played.store.close()
    let whole = try Data(contentsOf: URL(filePath: path(played)))
    var state: UInt64 = 1
    func random(below limit: Int) -> Int {
      state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      return Int(state >> 33) % limit
    }
    for round in 0..<60 {
      var bytes = [UInt8](whole)
      for _ in 0...(round % 20) {
        let start = 100 + random(below: bytes.count - 100)
        for index in start..<min(start + 1 + round, bytes.count) { bytes[index] = UInt8(random(below: 256)) }
      }
      let scratch = Scratch()
      scratch.write("outbox.db", bytes)
      var other = Played(scratch)
      other.drain()
      #expect(Set(other.delivered).isSubset(of: played.pushed), "round \(round)")
    }
  }
}
