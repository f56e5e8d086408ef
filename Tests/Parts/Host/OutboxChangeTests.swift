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

  @Test(
    "a file that cannot be told at once that its visits go on elsewhere is told when it can be, or when it is used again",
    arguments: [false, true])
  func unforgotten(isUsedAgain: Bool) throws {
    var played = Played(scratch)
    for id in ["irk:ann", "irk:bob"] { played.push(.begins, of: id) }
    played.drain()
    let database = try #require(played.store.outbox?.database)
    try database.run("PRAGMA query_only = 1")
    played.reload { $0.outbox.path = scratch["other.db"] }
    played.push(.ends, of: "irk:ann")
    played.drain()
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

  @Test("when new settings name a file that opens, the disk is well at once") func mended() {
    var played = Played(scratch)
    played.reload { $0.outbox.path = scratch["no/such/other.db"] }
    #expect(played.counters.troubles.contains(.store))
    played.reload { $0.outbox.path = scratch["outbox.db"] }
    played.store.flush(at: played.now)
    #expect(!played.counters.troubles.contains(.store))
  }
}
