import Core
import Foundation

@testable import Host

/// What was logged, and how gravely; on one thread.
final class Said: @unchecked Sendable {
  private(set) var lines: [String] = []

  func append(_ severity: Severity, _ words: Sentence) { lines.append("\(severity): \(String(words))") }
  func take() -> [String] {
    defer { lines = [] }
    return lines
  }
}

/// The courier's side of the outbox with a played broker: the test decides what is in flight, acknowledged, refused or lost.
struct Played {
  var settings: CourierSettings
  let counters = CourierCounters()
  let log = Said()
  var store: EventStore
  var inFlight = InFlight()
  var now = Moment(at: Instant(microseconds: 50_000_000), wall: 1_790_000_000_000_000, isTrusted: true)
  var pushed: [String] = []
  var delivered: [String] = []
  private var onTheWire: [(identifier: Int32, payload: String)] = []
  private var identifier: Int32 = 0

  init(_ scratch: Scratch, _ change: (inout CourierSettings) -> Void = { _ in }) {
    var settings = CourierSettings()
    settings.outbox.path = scratch["outbox.db"]
    change(&settings)
    self.settings = settings
    store = EventStore(settings, counters) { [log] in log.append($0, $1) }
    store.open(at: now)
  }

  mutating func pass(_ interval: Interval) {
    now.at = now.at + interval
    now.wall = now.wall.map { $0 + interval.microseconds }
  }

  mutating func push(_ count: Int = 1, isUrgent: Bool = false, lasting: Interval? = nil) {
    for _ in 0..<count {
      var message = Message()
      message.care = .event
      message.isUrgent = isUrgent
      message.at = now.at
      if let lasting { message.expires = now.at + lasting }
      message.topic = Topic("forecourt/site/gateway/trigger/pump-1")
      message.payload = Payload(#"{"v":1,"number":\#(pushed.count)}"#)
      pushed.append(String(message.payload))
      store.add(message)
    }
    store.flush(at: now)
  }

  /// A visit begins or ends.
  mutating func push(_ edge: Message.VisitEdge, of id: String, ago: Interval = .zero) {
    var message = Message()
    (message.care, message.at, message.visit, message.isUrgent) = (.event, now.at - ago, edge, true)
    (message.topic, message.payload) = (Topic("forecourt/site/gateway/trigger/pump-1"), Payload(#"{"id":"\#(id)"}"#))
    pushed.append(String(message.payload))
    store.add(message)
    store.flush(at: now)
  }

  /// As the courier does it; how many went out.
  @discardableResult
  mutating func publish(atMost most: Int = 120) -> Int {
    var count = 0
    while count < most, inFlight.room > 8, let event = store.next(besides: inFlight, at: now) {
      identifier = identifier % 200 + 1
      inFlight.add(identifier, event.publication, at: now.at)
      precondition(event.topic == Topic("forecourt/site/gateway/trigger/pump-1"), "all that is pushed here has one topic")
      onTheWire.append((identifier, String(event.payload)))
      store.sent(event.publication)
      count += 1
    }
    return count
  }

  var isTalking: Bool { !onTheWire.isEmpty }

  mutating func acknowledge(_ index: Int = 0, refusing: Bool = false, holdsTopic: Bool = false, isForbidden: Bool = false) {
    guard onTheWire.indices.contains(index) else { return }
    let (identifier, payload) = onTheWire.remove(at: index)
    if !refusing { delivered.append(payload) }
    guard let (delivery, isCertain) = inFlight.take(identifier) else { return }
    if refusing {
      store.refuse(delivery, holdsTopic: holdsTopic, isForbidden: isForbidden, at: now.at)
    } else if isCertain {
      store.acknowledge(delivery)
    } else {
      store.requeue()
    }
  }

  mutating func settle() { store.recordOutcomes(at: now) }

  mutating func loseTheLine() {
    onTheWire.removeAll()
    inFlight.removeAll()
    store.requeue()
  }

  mutating func reload(_ change: (inout CourierSettings) -> Void) {
    change(&settings)
    store.reload(settings, at: now)
  }

  /// The line holds, the broker takes everything, and time goes on: nothing may stay behind.
  mutating func drain() {
    for _ in 0..<6 {
      store.flush(at: now)
      repeat {
        publish()
        while !onTheWire.isEmpty { acknowledge() }
        settle()
      } while store.next(besides: inFlight, at: now) != nil
      pass(.seconds(31))
    }
  }
}
