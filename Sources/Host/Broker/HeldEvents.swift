import Core

/// Events that only memory holds, because the disk does not; and, of those delivered from here, what they begin or end, until the disk
/// can note it.
struct HeldEvents {
  struct Event {
    let number: UInt64
    let until: Instant
    let message: Message
    var isOnItsWay = false
    var rest = Rest()

    /// As it is stored late: its time has been running since it was held.
    func late(at now: Instant) -> Message {
      var message = message
      message.at = now
      message.expires = until
      return message
    }
  }

  /// A megabyte and a half.
  static let most = 1_024

  private(set) var events: [Event] = []
  private(set) var notes: [Message] = []
  private var ever: UInt64 = 0

  var count: Int { events.count }
  var hasRefused: Bool { events.contains { $0.rest.isNeeded } }
  func isAllSent(at now: Instant) -> Bool { !events.contains { !$0.isOnItsWay && $0.rest.due <= now } }

  /// Returns how many had to go to make room: the oldest, and those that nobody waits for before the others.
  mutating func add(_ message: Message, at now: Moment) -> Int {
    ever += 1
    let until = message.expires == .never ? Instant.never : now.at + (message.expires - message.at)
    events.append(Event(number: ever, until: until, message: message))
    guard events.count > Self.most else { return 0 }
    events.remove(at: events.firstIndex { !$0.message.isUrgent } ?? 0)
    return 1
  }

  /// Those on their way stay: what becomes of them is told by their number.
  mutating func stored() {
    events.removeAll { !$0.isOnItsWay }
    notes.removeAll()
  }

  /// Returns how many are over.
  mutating func expire(at now: Instant) -> Int {
    let before = events.count
    events.removeAll { !$0.isOnItsWay && $0.until <= now }
    return before - events.count
  }

  func next(isUrgent: Bool, at now: Instant) -> Event? {
    events.first { !$0.isOnItsWay && $0.rest.due <= now && $0.message.isUrgent == isUrgent }
  }

  mutating func send(_ number: UInt64) { change(number) { $0.isOnItsWay = true } }

  /// Returns when it may be tried again.
  mutating func refuse(_ number: UInt64, at now: Instant) -> Instant {
    var due = Instant.never
    change(number) { event in
      event.isOnItsWay = false
      event.rest.begin(at: now, isUrgent: event.message.isUrgent)
      due = event.rest.due
    }
    return due
  }

  func nextRested(after now: Instant) -> Instant {
    var next = Instant.never
    for event in events where event.rest.due > now { next = min(next, event.rest.due) }
    return next
  }

  mutating func acknowledge(_ number: UInt64) {
    guard let index = events.firstIndex(where: { $0.number == number }) else { return }
    let message = events.remove(at: index).message
    if message.visit != .none, notes.count < Self.most { notes.append(message) }
  }

  mutating func recall() {
    for index in events.indices {
      events[index].isOnItsWay = false
      events[index].rest = Rest()
    }
  }

  private mutating func change(_ number: UInt64, _ body: (inout Event) -> Void) {
    for index in events.indices where events[index].number == number { body(&events[index]) }
  }
}
