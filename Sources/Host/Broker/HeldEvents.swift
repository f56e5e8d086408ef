import Core

/// Events that are only in memory, because the disk fails. Of those that leave it otherwise than to the disk it keeps the start or end of a
/// visit, until the disk can record that.
struct HeldEvents {
  struct Event {
    let number: UInt64
    let until: Instant
    fileprivate(set) var message: Message
    var isOnItsWay = false
    var backoff = RefusalBackoff()
  }

  /// A megabyte and a half.
  static let most = 1_024

  private(set) var events: [Event] = []
  /// Of what has left: the last start or end of each visit.
  private var ended: [(id: Text<128>, event: Event)] = []
  private var lastNumber: UInt64 = 0

  var count: Int { events.count }
  /// Something is here alone, and no acknowledgement of it is on its way.
  var hasUnsent: Bool { events.contains { !$0.isOnItsWay } }
  var hasRefused: Bool { events.contains { $0.backoff.wasRefused } }
  func isAllSent(at now: Instant) -> Bool { !events.contains { !$0.isOnItsWay && $0.backoff.due <= now } }

  /// The starts and ends of visits that the disk does not know, in their order: also of events that are on their way.
  var visits: [Message] {
    (ended.map { $0.event } + events).filter { $0.message.visit != .none }.sorted { $0.number < $1.number }.map { $0.message }
  }

  /// Returns how many were evicted: the oldest that is not urgent, else the oldest.
  mutating func add(_ message: Message, at now: Moment) -> Int {
    lastNumber += 1
    events.append(Event(number: lastNumber, until: message.expiry(at: now.at), message: message))
    guard events.count > Self.most else { return 0 }
    end(events.firstIndex { !$0.message.isUrgent } ?? 0)
    return 1
  }

  /// The disk has them now, and all visits. Those on their way stay: their acknowledgements name their numbers.
  mutating func stored() {
    events.removeAll { !$0.isOnItsWay }
    for index in events.indices { events[index].message.visit = .none }
    ended.removeAll()
  }

  /// Returns how many have expired.
  mutating func expire(at now: Instant) -> Int {
    let before = events.count
    while let index = events.firstIndex(where: { !$0.isOnItsWay && $0.until <= now }) { end(index) }
    return before - events.count
  }

  func next(isUrgent: Bool, at now: Instant) -> Event? {
    var heldTopics: [UInt64] = []
    for event in events where event.message.isUrgent == isUrgent {
      let topic = event.message.topic.hash
      if heldTopics.contains(topic) { continue }
      if !event.isOnItsWay && event.backoff.due <= now { return event }
      if event.backoff.holdsTopic { heldTopics.append(topic) }
    }
    return nil
  }

  mutating func send(_ number: UInt64) { change(number) { $0.isOnItsWay = true } }

  /// Returns when to retry.
  mutating func refuse(_ number: UInt64, holdsTopic: Bool = false, at now: Instant) -> Instant {
    var due = Instant.never
    change(number) { event in
      event.isOnItsWay = false
      event.backoff.start(at: now, isUrgent: event.message.isUrgent, holdsTopic: holdsTopic)
      due = event.backoff.due
    }
    return due
  }

  func nextRetry(after now: Instant) -> Instant {
    var next = Instant.never
    for event in events where event.backoff.due > now { next = min(next, event.backoff.due) }
    return next
  }

  /// Whether it was here.
  mutating func acknowledge(_ number: UInt64) -> Bool {
    guard let index = events.firstIndex(where: { $0.number == number }) else { return false }
    end(index)
    return true
  }

  private mutating func end(_ index: Int) {
    let event = events.remove(at: index)
    guard event.message.visit != .none else { return }
    let id = Outbox.identity(in: event.message.payload) ?? Text()
    if !id.isEmpty { ended.removeAll { $0.id == id && $0.event.message.topic == event.message.topic && $0.event.number < event.number } }
    if ended.count < Self.most { ended.append((id, event)) }
  }

  func isRefused(_ number: UInt64) -> Bool { events.contains { $0.number == number && $0.backoff.wasRefused } }

  mutating func requeue(keepingRefusals: Bool = false) {
    for index in events.indices {
      events[index].isOnItsWay = false
      if !keepingRefusals { events[index].backoff = RefusalBackoff() }
    }
  }

  private mutating func change(_ number: UInt64, _ body: (inout Event) -> Void) {
    for index in events.indices where events[index].number == number { body(&events[index]) }
  }
}
