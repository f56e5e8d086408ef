import Core
import Foundation
import Testing

@testable import Host

@Suite("no event is stuck") struct EventStoreTests {
  let scratch = Scratch()

  @Test(
    "a reload that reopens the outbox loses no acknowledgement of events in flight, nor of those in another file",
    arguments: ["the same file", "another file", "another file and back"])
  func reopened(how: String) {
    var played = Played(scratch)
    played.push(5)
    played.publish()
    switch how {
    case "the same file": played.reload { $0.outbox.maxEvents = 500 }
    case "another file": played.reload { $0.outbox.path = scratch["other.db"] }
    default:
      played.reload { $0.outbox.path = scratch["other.db"] }
      played.reload { $0.outbox.path = scratch["outbox.db"] }
    }
    played.push(5)
    played.drain()
    #expect(played.counters.eventsWaiting.count == 0)
    #expect(Set(played.delivered) == Set(played.pushed))
  }

  @Test("events that wait in a file that is no longer the outbox are said, and delivered once it is again") func leftBehind() {
    var played = Played(scratch)
    played.push(3)
    _ = played.log.take()
    let path = String(played.settings.outbox.path)
    played.reload { $0.outbox.path = scratch["other.db"] }
    let words = "no longer the outbox. Events that wait there are delivered when its path is configured again: 3"
    #expect(played.log.take() == ["error: \(path): \(words)"])
    played.reload { $0.outbox.path = scratch["outbox.db"] }
    #expect(played.log.take() == [], "nothing waits in the other one")
    played.drain()
    #expect(Set(played.delivered) == Set(played.pushed))
  }

  @Test("a disk that failed counts as well again when something was written, even if nothing waits any more") func tried() throws {
    var played = Played(scratch)
    let database = try #require(played.store.outbox?.database)
    try database.run("PRAGMA query_only = 1")
    played.push(1)
    played.publish()
    played.acknowledge()
    for isAway in [true, true, false] {
      if !isAway { try database.run("PRAGMA query_only = 0") }
      played.pass(.seconds(6))
      played.store.flush(at: played.now)
      #expect(played.store.held.count == 0 && played.counters.troubles.contains(.store) == isAway)
    }
    #expect(played.delivered == played.pushed && played.store.marked("tried") == played.now.at.microseconds)
  }

  @Test("time that an event spent waiting for the courier counts: an old fire is not delivered", arguments: [false, true])
  func lateToTheDisk(hasDisk: Bool) {
    var played = Played(scratch)
    if !hasDisk { played.reload { $0.outbox.path = scratch["no/such/folder"] } }
    for age in [59.0, 61] {
      var message = Message()
      (message.care, message.isUrgent, message.at) = (.event, true, played.now.at - .seconds(age))
      message.expires = message.at + .seconds(60)
      (message.topic, message.payload) = (Topic("forecourt/site/gateway/trigger/pump-1"), Payload("\(age)"))
      played.store.add(message)
    }
    played.store.flush(at: played.now)
    played.publish()
    played.acknowledge()
    #expect(played.delivered == ["59.0"])
    played.drain()
    #expect(played.delivered == ["59.0"] && played.counters.eventsWaiting.count == 0 && played.counters.eventsExpired.count == 1)
  }

  @Test("an event of an earlier start waits until the time of day is known, and is looked at every five seconds") func undated() throws {
    var played = Played(scratch)
    played.store.close()
    do {
      let outbox = try Outbox(played.settings.outbox, machine: machineStart() &+ 1)
      var message = Message()
      (message.care, message.at, message.expires) = (.event, played.now.at, played.now.at + .hours(1))
      (message.topic, message.payload) = (Topic("forecourt/site/gateway/trigger/pump-1"), Payload("earlier"))
      try outbox.startTransaction(isDurable: true)
      try outbox.store(message, at: played.now)
      _ = try outbox.commit()
    }
    played = Played(scratch)
    played.now.isTrusted = false
    played.store.flush(at: played.now)
    #expect(played.publish() == 0 && played.store.nextDue == played.now.at + .seconds(5))
    #expect(played.store.isAllSent(at: played.now.at), "nothing can be sent now")
    played.pass(.seconds(5))
    played.now.isTrusted = true
    played.store.flush(at: played.now)
    #expect(!played.store.isAllSent(at: played.now.at) && played.publish() == 1)
    played.drain()
    #expect(played.delivered == ["earlier"] && played.store.isAllSent(at: played.now.at))
  }

  @Test("a disk that cannot delete what is old is said to fail") func aging() throws {
    var played = Played(scratch)
    played.push(1)
    played.drain()
    try #require(played.store.outbox?.database).run("PRAGMA query_only = 1")
    #expect(!played.counters.troubles.contains(.store))
    played.pass(.hours(2))
    played.store.flush(at: played.now)
    #expect(played.counters.troubles.contains(.store))
  }

  @Test("what is too old goes at once from another file, and when the disk works again") func oldOnes() throws {
    var played = Played(scratch)
    played.push(1)
    played.drain()
    played.store.flush(at: played.now)
    #expect(played.store.nextDue > played.now.at)
    played.reload { $0.outbox.path = scratch["another.db"] }
    #expect(played.store.nextDue <= played.now.at)
    played.reload { $0.outbox.path = scratch["outbox.db"] }
    // Half an hour before it is too old it was looked for last.
    played.pass(played.settings.outbox.maxAge - Interval.seconds(1_800))
    played.store.flush(at: played.now)
    let database = try #require(played.store.outbox?.database)
    try database.run("PRAGMA query_only = 1")
    played.pass(.seconds(1_860))
    played.push(1)
    #expect(played.counters.troubles.contains(.store))
    #expect(try database.number("SELECT count(*) FROM event") == 1)
    try database.run("PRAGMA query_only = 0")
    played.pass(.seconds(6))
    played.store.flush(at: played.now)
    #expect(!played.counters.troubles.contains(.store))
    #expect(try database.number("SELECT count(*) FROM event WHERE state <> 0") == 0)
  }

  @Test("after the whole history was deleted, the next event is delivered")
  func forgotten() {
    var played = Played(scratch)
    played.push(3)
    played.drain()
    played.pass(played.settings.outbox.maxAge + .hours(2))
    played.store.flush(at: played.now)
    played.push(2)
    played.drain()
    #expect(played.counters.eventsWaiting.count == 0)
    #expect(Set(played.delivered) == Set(played.pushed))
    #expect(played.counters.eventsDelivered.count == 5 && played.counters.eventsExpired.count == 0)
  }

  @Test("a refused event is retried after a second, then ever more rarely, also without a disk")
  func refused() {
    for (hasDisk, isUrgent) in [(true, false), (false, false), (true, true), (false, true)] {
      var played = Played(scratch)
      if !hasDisk { played.reload { $0.outbox.path = scratch["no/such/folder"] } }
      played.push(1, isUrgent: isUrgent, lasting: isUrgent ? .seconds(60) : nil)
      for pause in isUrgent ? [1.0, 2, 4, 5, 5, 5, 5, 5, 5, 5, 5, 5] : [1.0, 2, 4, 8, 16, 32, 60, 60] {
        #expect(played.publish() == 1)
        played.acknowledge(refusing: true)
        #expect(played.publish() == 0)
        played.pass(.seconds(pause - 0.1))
        played.store.flush(at: played.now)
        #expect(played.publish() == 0, "not before \(pause) s")
        played.pass(.seconds(0.2))
        played.store.flush(at: played.now)
      }
      played.drain()
      #expect(played.delivered == played.pushed && !played.store.hasRefused)
    }
  }

  @Test("trigger events go first, are dropped last, and find room when other events fill the rest")
  func ranks() {
    for hasDisk in [true, false] {
      var played = Played(scratch)
      played.reload { $0.outbox.maxEvents = 100 }
      if !hasDisk { played.reload { $0.outbox.path = scratch["no/such/folder"] } }
      played.push(3, isUrgent: true)
      played.push(1_200)
      played.push(2, isUrgent: true)
      let left = hasDisk ? 100 : HeldEvents.most
      #expect(played.counters.eventsLost.count == 1_205 - left && played.counters.troubles.contains(.lost))
      #expect(played.publish(atMost: 5) == 5)
      for _ in 0..<5 { played.acknowledge() }
      #expect(played.delivered == Array(played.pushed[0..<3]) + Array(played.pushed[1_203...]), "disk: \(hasDisk)")
    }
  }

  @Test("ten thousand expired events are marked a few at a time, and a valid one follows them")
  func manyOver() {
    var played = Played(scratch)
    played.push(10_000, lasting: .seconds(1))
    played.push(1)
    played.pass(.seconds(2))
    var turns = 0
    while played.publish() == 0, turns < 100 {
      turns += 1
      #expect(played.store.outcomes.count <= 256 && played.store.nextDue <= played.now.at)
      played.settle()
    }
    played.acknowledge()
    #expect(played.delivered == [played.pushed[10_000]] && turns == 39)
  }

  @Test("a visit is open until its end, even one delivered from memory alone; the next run learns what is open")
  func visits() throws {
    var played = Played(scratch)
    for id in ["irk:ann", "irk:bob", "irk:eve"] { played.push(.begins, of: id) }
    played.push(.ends, of: "irk:bob")
    played.drain()
    // The disk is away while one of them leaves.
    let path = played.settings.outbox.path
    try FileManager.default.moveItem(atPath: scratch.path, toPath: scratch.path + "-away")
    played.pass(.seconds(2))
    played.push(.ends, of: "irk:eve")
    played.drain()
    #expect(played.counters.troubles.contains(.store))
    try FileManager.default.moveItem(atPath: scratch.path + "-away", toPath: scratch.path)
    played.drain()
    #expect(!played.counters.troubles.contains(.store) && played.settings.outbox.path == path)
    // One of them comes back; the end of its first visit is recorded once.
    played.push(.begins, of: "irk:eve")
    played.push(1)
    played.drain()
    played.store.close()
    var settings = played.settings
    settings.boot = Text("another")
    var next = EventStore(settings, CourierCounters()) { _, _ in }
    next.open(at: played.now)
    #expect(next.unfinished?.map { String($0.id) }.sorted() == ["irk:ann", "irk:eve"])
    next.close()
    next.open(at: played.now)
    #expect(next.unfinished?.count == 2, "once")
  }

  @Test("an event on its way from memory when the disk recovers is stored once the line breaks, even if nothing else happens")
  func brokenLine() throws {
    var played = Played(scratch)
    let database = try #require(played.store.outbox?.database)
    try database.run("PRAGMA query_only = 1")
    played.push(1)
    #expect(played.publish() == 1 && played.counters.troubles.contains(.store))
    try database.run("PRAGMA query_only = 0")
    played.pass(.seconds(6))
    played.store.flush(at: played.now)
    #expect(played.store.held.count == 1 && !played.counters.troubles.contains(.store))
    played.loseTheLine()
    played.store.flush(at: played.now)
    #expect(played.store.held.count == 0 && played.counters.eventsWaiting.count == 1)
    played.drain()
    #expect(played.delivered == played.pushed)
  }

  @Test("events in any order are all delivered once the connection holds", arguments: 1...20 as ClosedRange<UInt64>)
  func anyOrder(seed: UInt64) {
    var dice = Dice(state: seed)
    var played = Played(scratch)
    for _ in 0..<250 {
      switch dice.roll(12) {
      case 0, 1, 2: played.push(1 + dice.roll(8))
      case 3, 4: played.publish(atMost: 1 + dice.roll(40))
      case 5, 6: for _ in 0..<dice.roll(10) { played.acknowledge(dice.roll(4)) }
      case 7: played.acknowledge(refusing: true)
      case 8: played.settle()
      case 9: if dice.roll(4) == 0 { played.loseTheLine() }
      case 10:
        played.pass(dice.roll(6) == 0 ? .hours(24 * 40) : .milliseconds(Int64(dice.roll(20_000))))
        played.store.flush(at: played.now)
      default:
        if dice.roll(2) == 0 { played.reload { $0.outbox.maxEvents += 1 } }
        // The disk goes away, and comes back.
        if dice.roll(6) == 0 {
          played.reload { $0.outbox.path = scratch["no/such/folder"] }
          played.push(1 + dice.roll(3))
          played.publish()
          played.reload { $0.outbox.path = scratch["outbox.db"] }
        }
      }
    }
    played.drain()
    #expect(Set(played.delivered) == Set(played.pushed), "seed \(seed)")
    #expect(played.counters.eventsWaiting.count == 0, "seed \(seed)")
  }

  private struct Dice {
    var state: UInt64

    mutating func roll(_ sides: Int) -> Int {
      state ^= state << 13
      state ^= state >> 7
      state ^= state << 17
      return Int(state % UInt64(sides))
    }
  }
}
