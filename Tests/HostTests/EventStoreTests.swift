import Core
import Foundation
import Testing

@testable import Host

/// The courier's side of the outbox with a broker that is played: what is on its way, acknowledged, refused or lost is up to the test.
private struct Played {
  var settings: CourierSettings
  let figures = CourierFigures()
  var store: EventStore
  var inFlight = InFlight()
  var now = Moment(at: Instant(microseconds: 50_000_000), wall: 1_790_000_000_000_000, isTrusted: true)
  var pushed: [String] = []
  var delivered: [String] = []
  private var onTheWire: [(identifier: Int32, payload: String)] = []
  private var identifier: Int32 = 0

  init(_ scratch: Scratch) {
    var settings = CourierSettings()
    settings.outbox.path = scratch["outbox.db"]
    self.settings = settings
    store = EventStore(settings, figures) { _, _ in }
    store.open(at: now)
  }

  mutating func pass(_ interval: Interval) {
    now.at = now.at + interval
    now.wall = now.wall.map { $0 + interval.microseconds }
  }

  mutating func push(_ count: Int = 1) {
    for _ in 0..<count {
      var message = Message()
      message.care = .event
      message.at = now.at
      message.topic = Topic("forecourt/site/gateway/trigger/pump-1")
      message.payload = Payload(#"{"v":1,"number":\#(pushed.count)}"#)
      pushed.append(String(message.payload))
      store.add(message)
    }
    store.keep(at: now)
  }

  /// As the courier does it; how many went out.
  @discardableResult
  mutating func publish(atMost most: Int = 120) -> Int {
    var count = 0
    while count < most, inFlight.room > 8, let event = store.next(besides: inFlight, at: now) {
      identifier = identifier % 200 + 1
      inFlight.add(identifier, event.delivery, at: now.at)
      onTheWire.append((identifier, String(event.payload)))
      store.sent(event.delivery)
      count += 1
    }
    return count
  }

  mutating func acknowledge(_ index: Int = 0, refusing: Bool = false) {
    guard onTheWire.indices.contains(index) else { return }
    let (identifier, payload) = onTheWire.remove(at: index)
    if !refusing { delivered.append(payload) }
    guard let (delivery, isCertain) = inFlight.take(identifier) else { return }
    if refusing {
      store.refuse(delivery, at: now.at)
    } else if isCertain {
      store.acknowledge(delivery)
    } else {
      store.recall()
    }
  }

  mutating func settle() { store.settle(at: now) }

  mutating func loseTheLine() {
    onTheWire.removeAll()
    inFlight.removeAll()
    store.recall()
  }

  mutating func adopt(_ change: (inout CourierSettings) -> Void) {
    change(&settings)
    store.adopt(settings, at: now)
  }

  /// The line holds, the broker takes everything, and time goes on: nothing may stay behind.
  mutating func drain() {
    for _ in 0..<6 {
      store.keep(at: now)
      repeat {
        publish()
        while !onTheWire.isEmpty { acknowledge() }
        settle()
      } while store.next(besides: inFlight, at: now) != nil
      pass(.seconds(31))
    }
  }
}

@Suite("no event is stuck") struct EventStoreTests {
  let scratch = Scratch()

  @Test(
    "while events are on their way a reload opens the outbox anew: they are settled, and so are those of another file",
    arguments: ["the same file", "another file", "another file and back"])
  func reopened(how: String) {
    var played = Played(scratch)
    played.push(5)
    played.publish()
    switch how {
    case "the same file": played.adopt { $0.outbox.maxEvents = 500 }
    case "another file": played.adopt { $0.outbox.path = scratch["other.db"] }
    default:
      played.adopt { $0.outbox.path = scratch["other.db"] }
      played.adopt { $0.outbox.path = scratch["outbox.db"] }
    }
    played.push(5)
    played.drain()
    #expect(played.figures.eventsWaiting.count == 0)
    #expect(Set(played.delivered) == Set(played.pushed))
  }

  @Test("when all history has been forgotten, what comes next is delivered")
  func forgotten() {
    var played = Played(scratch)
    played.push(3)
    played.drain()
    played.pass(played.settings.outbox.maxAge + .hours(2))
    played.store.keep(at: played.now)
    played.push(2)
    played.drain()
    #expect(played.figures.eventsWaiting.count == 0)
    #expect(Set(played.delivered) == Set(played.pushed))
  }

  @Test("what the broker refuses is tried again in a minute and not before, also without a disk")
  func refused() {
    for hasDisk in [true, false] {
      var played = Played(scratch)
      if !hasDisk { played.adopt { $0.outbox.path = scratch["no/such/folder"] } }
      played.push(2)
      #expect(played.publish() == 2)
      played.acknowledge(refusing: true)
      played.acknowledge(refusing: true)
      #expect(played.publish() == 0)
      played.pass(.seconds(61))
      played.drain()
      #expect(Set(played.delivered) == Set(played.pushed))
    }
  }

  @Test("whatever comes in whatever order, everything is delivered once the line holds", arguments: 1...20 as ClosedRange<UInt64>)
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
        played.store.keep(at: played.now)
      default:
        if dice.roll(2) == 0 { played.adopt { $0.outbox.maxEvents += 1 } }
        // The disk goes away, and comes back.
        if dice.roll(6) == 0 {
          played.adopt { $0.outbox.path = scratch["no/such/folder"] }
          played.push(1 + dice.roll(3))
          played.publish()
          played.adopt { $0.outbox.path = scratch["outbox.db"] }
        }
      }
    }
    played.drain()
    #expect(Set(played.delivered) == Set(played.pushed), "seed \(seed)")
    #expect(played.figures.eventsWaiting.count == 0, "seed \(seed)")
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
