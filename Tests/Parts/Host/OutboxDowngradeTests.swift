import Core
import Foundation
import Testing

@testable import Host

@Suite("an outbox that a newer version wrote") struct OutboxDowngradeTests {
  private let scratch = Scratch()

  private func said(_ played: Played) -> [String] { played.log.take().map { $0.replacing(scratch.path + "/", with: "") } }

  @Test("is set aside by an older one, which goes on; what waits there is sent once when the newer one is back") func back() throws {
    var played = Played(scratch)
    played.push(3)
    played.store.close()
    try Database(path: scratch["outbox.db"]).run("PRAGMA user_version = 99")
    #expect((try? OutboxHistory(path: scratch.path + "/outbox.db")) == nil)
    played.store.open(at: played.now)
    let words = "a newer version wrote the outbox. What waits there is sent once such a one runs again; it is set aside as"
    #expect(said(played) == ["error: outbox.db: \(words) outbox.db.newer-1"])
    #expect(played.counters.troubles == .setAside && played.counters.eventsWaiting.count == 0)
    played.push(2)
    played.drain()
    #expect(played.delivered == Array(played.pushed.suffix(2)))
    played.store.close()
    played.store.open(at: played.now)
    #expect(said(played) == [] && scratch.names.contains("outbox.db.newer-1"), "nobody here can read it")
    played.store.close()
    try Database(path: scratch["outbox.db.newer-1"]).run("PRAGMA user_version = 2")
    played.store.open(at: played.now)
    let sums = "waiting events, open visits, fires: 3, 0, 0"
    #expect(said(played) == ["info: outbox.db: taken from the outbox that an older version had set aside: \(sums)"])
    #expect(scratch.names.contains("outbox.db.newer-1.taken-1") && !scratch.names.contains("outbox.db.newer-1"))
    played.drain()
    #expect(played.delivered.sorted() == played.pushed.sorted() && played.counters.eventsLost.count == 0)
    played.store.close()
    played.store.open(at: played.now)
    #expect(played.counters.eventsWaiting.count == 0, "once is enough")
  }

  @Test("is one of many when that happens often: all are taken at once, whatever their numbers") func many() throws {
    var played = Played(scratch)
    for _ in 1...11 {
      played.push()
      played.store.close()
      try Database(path: scratch["outbox.db"]).run("PRAGMA user_version = 99")
      played.store.open(at: played.now)
    }
    played.store.close()
    // The owner has looked at one of them, and deleted it.
    try FileManager.default.removeItem(atPath: scratch.path + "/outbox.db.newer-4")
    for number in 1...11 where number != 4 { try Database(path: scratch["outbox.db.newer-\(number)"]).run("PRAGMA user_version = 2") }
    played.store.open(at: played.now)
    #expect((1...11).allSatisfy { !scratch.names.contains("outbox.db.newer-\($0)") })
    played.drain()
    #expect(played.delivered.sorted() == played.pushed.filter { $0 != played.pushed[3] }.sorted())
  }

  @Test("is named by check") func examined() throws {
    var host = HostSettings()
    host.outbox.path = scratch["outbox.db"]
    for (version, isNewer) in [("PRAGMA user_version = 2", false), ("PRAGMA user_version = 3", true)] as [(StaticString, Bool)] {
      do { _ = try Outbox(host.outbox, machine: 1) }
      try Database(path: host.outbox.path).run(version)
      let words = Examined.outbox(host, as: "nobody")[0].words
      #expect(words.hasSuffix(isNewer ? "until such a one runs again, and start a new one" : ": can be written"), "\(words)")
    }
  }
}
