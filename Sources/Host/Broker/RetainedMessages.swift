import Core

/// The latest word on every retained topic: told again whenever the broker may have forgotten it. While the broker is away only
/// the latest counts.
struct RetainedMessages {
  /// A status, for each of 64 regions and 64 triggers a state and a discovery, and 300 discoveries of matched identities; the rest is
  /// for what is shared with neighbours.
  static let capacity = 640

  private struct Place {
    var hash: UInt64
    /// The number of the latest word. What was sent and what the broker acknowledged are earlier or equal ones; 0: none.
    var version: UInt32
    var sent: UInt32 = 0
    var told: UInt32 = 0
    var until: Instant
    /// After the broker's refusal.
    var rest = Rest()
    var message: Message

    /// A word that no longer counts, or one that took the topic away: its place may go to another.
    func isSpent(at now: Instant) -> Bool { until <= now || (message.payload.isEmpty && told == version) }
  }

  private var places: [Place] = []
  private var words: UInt32 = 0
  private(set) var unsent = 0

  var isAllTold: Bool { unsent == 0 && !places.contains { $0.told != $0.version } }

  /// False when there is no place for another topic.
  mutating func put(_ message: Message, at now: Instant) -> Bool {
    words += 1
    let hash = Self.hash(message.topic)
    let until = message.expires == .never ? .never : now + (message.expires - message.at)
    for index in places.indices where places[index].hash == hash && places[index].message.topic == message.topic {
      if places[index].sent == places[index].version { unsent += 1 }
      places[index].version = words
      places[index].until = until
      places[index].message = message
      return true
    }
    let place = Place(hash: hash, version: words, until: until, message: message)
    if places.count < Self.capacity {
      places.append(place)
    } else if let spent = places.indices.first(where: { places[$0].isSpent(at: now) }) {
      if places[spent].sent != places[spent].version { unsent -= 1 }
      places[spent] = place
    } else {
      return false
    }
    unsent += 1
    return true
  }

  /// The oldest word that has not been sent.
  mutating func next(at now: Instant) -> (slot: Int, version: UInt32, message: Message, left: Interval?)? {
    guard unsent > 0 else { return nil }
    for index in places.indices where places[index].sent != places[index].version {
      let place = places[index]
      if place.rest.due > now { continue }
      if place.until > now { return (index, place.version, place.message, place.until == .never ? nil : place.until - now) }
      places[index].sent = place.version
      places[index].told = place.version
      unsent -= 1
    }
    return nil
  }

  mutating func send(slot: Int, version: UInt32) {
    places[slot].sent = version
    unsent -= 1
  }

  mutating func acknowledge(slot: Int, version: UInt32) {
    places[slot].told = version
    places[slot].rest = Rest()
  }

  /// The broker would not have it: told again after a rest, if it is still the latest word.
  mutating func refuse(slot: Int, version: UInt32, at now: Instant) {
    places[slot].rest.begin(at: now, isUrgent: places[slot].message.isUrgent)
    recall(slot: slot, version: version)
  }

  var hasRefused: Bool { places.contains { $0.rest.isNeeded } }

  /// When one that rests may be told again.
  func nextRested(after now: Instant) -> Instant {
    var next = Instant.never
    guard unsent > 0 else { return next }
    for place in places where place.sent != place.version && place.rest.due > now { next = min(next, place.rest.due) }
    return next
  }

  /// The connection went: what the broker did not acknowledge is to be sent again, and all of it if the broker knows us no more.
  mutating func recall(everything: Bool) {
    unsent = 0
    for index in places.indices {
      if everything { places[index].told = 0 }
      places[index].rest = Rest()
      places[index].sent = places[index].told
      if places[index].sent != places[index].version { unsent += 1 }
    }
  }

  /// The last will has taken this topic's place at the broker.
  mutating func recall(_ topic: Topic) {
    for index in places.indices where places[index].message.topic == topic && places[index].sent == places[index].version {
      places[index].sent = 0
      places[index].told = 0
      unsent += 1
    }
  }

  /// Whether the broker took a word is not known: it is told again.
  mutating func recall(slot: Int, version: UInt32) {
    guard places[slot].version == version, places[slot].sent == version else { return }
    places[slot].sent = 0
    unsent += 1
  }

  private static func hash(_ topic: Topic) -> UInt64 {
    var hash: UInt64 = 0xCBF2_9CE4_8422_2325
    for index in 0..<topic.count { hash = (hash ^ UInt64(topic[index])) &* 0x0000_0100_0000_01B3 }
    return hash
  }
}
