import Core
import Foundation
import Testing

@testable import Host

@Suite("an outbox that the disk refuses in the middle of its work") struct OutboxRefusalTests {
  let scratch = Scratch()

  /// What the connection does from now on instead of writing; what it had written stands until somebody rolls it back.
  private func refuse(_ what: String, in store: borrowing EventStore) throws {
    let database = try #require(store.outbox?.database)
    switch what {
    case "a third event":
      try database.run("CREATE TEMP TRIGGER no BEFORE INSERT ON event WHEN new.id % 3 = 0 BEGIN SELECT RAISE(FAIL, 'full'); END")
    case "an outcome":
      try database.run("CREATE TEMP TRIGGER no BEFORE UPDATE ON event WHEN new.id % 3 = 0 BEGIN SELECT RAISE(FAIL, 'full'); END")
    case "a visit's start": try database.run("CREATE TEMP TRIGGER no BEFORE INSERT ON visit BEGIN SELECT RAISE(FAIL, 'full'); END")
    case "a mark": try database.run("CREATE TEMP TRIGGER no BEFORE INSERT ON mark BEGIN SELECT RAISE(FAIL, 'full'); END")
    default: try database.run("PRAGMA max_page_count = 1")
    }
  }

  private func permit(_ what: String, in store: borrowing EventStore) throws {
    let database = try #require(store.outbox?.database)
    try what == "a page" ? database.run("PRAGMA max_page_count = 100000") : database.run("DROP TRIGGER no")
  }

  @Test(
    "every event is delivered once, counted right and stored as soon as the disk allows; the run after knows the open visits",
    arguments: ["a third event", "an outcome", "a visit's start", "a mark", "a page"])
  func refused(what: String) throws {
    var played = Played(scratch)
    played.push(2)
    try refuse(what, in: played.store)
    // A page is only wanted when those before it are full.
    for number in 0..<(what == "a page" ? 200 : 5) {
      played.push(2)
      if number == 3 { played.push(.begins, of: "irk:ann") }
    }
    played.publish(atMost: 4)
    for _ in 0..<4 { played.acknowledge() }
    let isInTrouble = what != "a mark"
    let isInMemory = isInTrouble && what != "an outcome"
    // At first, and at the next attempt.
    for pause in [0.0, 6] {
      played.pass(.seconds(pause))
      played.push(1)
      played.settle()
      #expect(played.counters.troubles.contains(.store) == isInTrouble)
      #expect((played.store.held.count > 0) == isInMemory, "what can be stored is stored")
    }
    played.store.mark("hello", 1)
    #expect(played.store.marked("hello") == (what == "a mark" ? nil : 1), "nothing is left half done")
    played.push(1)
    #expect((played.store.held.count > 0) == isInTrouble && played.counters.eventsLost.count == 0)
    try permit(what, in: played.store)
    played.drain()
    #expect(played.delivered.sorted() == played.pushed.sorted(), "once each")
    #expect(played.counters.troubles == [] && played.counters.eventsWaiting.count == 0 && played.store.held.count == 0)
    #expect(played.store.outbox?.waiting == 0)
    played.store.mark("hello", 8)
    #expect(played.store.marked("hello") == 8)
    played.store.close()
    var open: [String] = []
    try Outbox(played.settings.outbox, machine: 1).openVisits {
      open.append(String($0.id))
      return true
    }
    #expect(open == ["irk:ann"])
  }
  @Test("a new connection tries at once what the broker refused before, from the file and from memory", arguments: [true, false])
  func renewed(hasDisk: Bool) {
    let scratch = Scratch()
    var played = Played(scratch)
    if !hasDisk { played.reload { $0.outbox.path = scratch["no/such/outbox.db"] } }
    played.push(1)
    for pause in [1.0, 2, 4, 8] {
      let sent = played.publish()
      #expect(sent == 1)
      played.acknowledge(refusing: true)
      played.pass(.seconds(pause))
      played.store.flush(at: played.now)
      played.store.requeueRows()
    }
    played.publish()
    played.acknowledge(refusing: true)
    played.pass(.seconds(1))
    let before = played.publish()
    played.loseTheLine()
    let after = played.publish()
    #expect(before == 0 && after == 1)
  }

  @Test("what the broker refuses because of its topic goes in order once it is taken, from file and memory", arguments: [true, false])
  func ordered(hasDisk: Bool) {
    let scratch = Scratch()
    var played = Played(scratch)
    if !hasDisk { played.reload { $0.outbox.path = scratch["no/such/outbox.db"] } }
    played.push(.begins, of: "irk:ann")
    played.push(.ends, of: "irk:ann")
    func turn(_ seconds: Double, takes: Bool) -> Int {
      played.pass(.seconds(seconds))
      played.store.flush(at: played.now)
      let sent = played.publish()
      for _ in 0..<sent { played.acknowledge(refusing: !takes, holdsTopic: true) }
      return sent
    }
    var sent = [turn(0, takes: false)]
    // The second is tried no more before the first is taken, whose pauses have grown.
    for _ in 0..<8 { sent.append(turn(1, takes: false)) }
    #expect(sent[0] == 2 && sent.dropFirst().allSatisfy { $0 <= 1 } && sent.dropFirst().reduce(0, +) > 1, "\(sent)")
    for _ in 0..<12 { _ = turn(1, takes: true) }
    #expect(played.delivered == played.pushed, "\(played.delivered)")
  }

  @Test("of what the broker refused the first that is due is retried first, in the file and in memory") func retries() {
    var (held, rows) = (HeldEvents(), RefusedRows())
    let start = Instant.zero + .seconds(10)
    func moment(_ tenths: Int) -> Instant { start + .milliseconds(Int64(tenths) * 100) }
    for index in 0..<3 {
      #expect(held.add(Message(), at: Moment(at: start, wall: nil, isTrusted: false)) == 0)
      guard let event = held.next(isUrgent: false, at: start) else {
        Issue.record("nothing is held")
        return
      }
      held.send(event.number)
      #expect(held.refuse(event.number, at: moment(3 * index)) == moment(10 + 3 * index))
      #expect(rows.add(Int64(index), at: moment(3 * index), isUrgent: false) == moment(10 + 3 * index))
    }
    for (now, next) in [(6, moment(10)), (9, moment(10)), (10, moment(13)), (13, moment(16)), (16, .never)] as [(Int, Instant)] {
      #expect(held.nextRetry(after: moment(now)) == next && rows.next(after: moment(now)) == next, "\(now)")
    }
  }
}
