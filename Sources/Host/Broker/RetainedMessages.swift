import Core

/// The latest message of every retained topic, sent again over each new connection and every ten minutes. While the broker is away only the
/// latest counts.
struct RetainedMessages {
  /// A status, a state and a discovery for each of 64 regions and 64 triggers, 300 discoveries of matched identities; the rest is for what
  /// neighbours share.
  static let capacity = 640

  private struct Place {
    var hash: UInt64
    /// The number of the latest message. `sent` and `acknowledged` are earlier or equal numbers; 0: none.
    var version: UInt64
    var sent: UInt64 = 0
    var acknowledged: UInt64 = 0
    var until: Instant
    /// After a refusal.
    var backoff = RefusalBackoff()
    var message: Message

    /// It has expired, or it cleared its topic: another topic may have its place.
    func isSpent(at now: Instant) -> Bool { until <= now || (message.payload.isEmpty && acknowledged == version) }
  }

  private var places: [Place] = []
  private var lastVersion: UInt64 = 0
  private(set) var unsent = 0

  /// But for what the broker refuses.
  var isAllAcknowledged: Bool { !places.contains { $0.acknowledged != $0.version && !$0.backoff.wasRefused } }

  /// How many are sent and not acknowledged.
  var awaited: Int { places.count { $0.sent == $0.version && $0.acknowledged != $0.version } }

  /// False if there is no place for another topic.
  mutating func put(_ message: Message, at now: Instant) -> Bool {
    lastVersion += 1
    let hash = Self.hash(message.topic)
    let until = message.expires == .never ? .never : now + (message.expires - message.at)
    for index in places.indices where places[index].hash == hash && places[index].message.topic == message.topic {
      if places[index].sent == places[index].version { unsent += 1 }
      places[index].version = lastVersion
      places[index].until = until
      places[index].message = message
      return true
    }
    let place = Place(hash: hash, version: lastVersion, until: until, message: message)
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

  /// The next message that has not been sent.
  mutating func next(at now: Instant) -> (slot: Int, version: UInt64, message: Message, left: Interval?)? {
    guard unsent > 0 else { return nil }
    for index in places.indices where places[index].sent != places[index].version {
      let place = places[index]
      if place.backoff.due > now { continue }
      if place.until > now { return (index, place.version, place.message, place.until == .never ? nil : place.until - now) }
      places[index].sent = place.version
      places[index].acknowledged = place.version
      // A refusal ends with it.
      places[index].backoff = RefusalBackoff()
      unsent -= 1
    }
    return nil
  }

  mutating func send(slot: Int, version: UInt64) {
    places[slot].sent = version
    unsent -= 1
  }

  mutating func acknowledge(slot: Int, version: UInt64) {
    places[slot].acknowledged = version
    places[slot].backoff = RefusalBackoff()
  }

  /// The broker refused it: retried after a pause, if it is still the latest.
  mutating func refuse(slot: Int, version: UInt64, at now: Instant) {
    places[slot].backoff.start(at: now, isUrgent: places[slot].message.isUrgent)
    requeue(slot: slot, version: version)
  }

  /// nil if there is a later one.
  func message(slot: Int, version: UInt64) -> Message? { places[slot].version == version ? places[slot].message : nil }

  func isRefused(_ publication: Publication) -> Bool {
    if case .state(let slot, _) = publication { places[slot].backoff.wasRefused } else { false }
  }

  var hasRefused: Bool { places.contains { $0.backoff.wasRefused } }

  /// When the next refused one may be retried.
  func nextRetry(after now: Instant) -> Instant {
    var next = Instant.never
    guard unsent > 0 else { return next }
    for place in places where place.sent != place.version && place.backoff.due > now { next = min(next, place.backoff.due) }
    return next
  }

  /// What the broker has goes again: somebody may have replaced it.
  mutating func refresh() {
    for index in places.indices where places[index].acknowledged == places[index].version && places[index].message.payload.count > 0 {
      (places[index].sent, places[index].acknowledged) = (0, 0)
      unsent += 1
    }
  }

  /// Everything goes again. After a lost connection the will has replaced the status, and a broker that was killed may know our session but
  /// only have an older copy of what it retained.
  mutating func requeue(keepingRefusals: Bool = false) {
    unsent = 0
    for index in places.indices {
      // What is cleared stays cleared: by now the topic may be another gateway's again. Our own are put here again (AnnouncedStore).
      if places[index].message.payload.count > 0 { places[index].acknowledged = 0 }
      if !keepingRefusals { places[index].backoff = RefusalBackoff() }
      places[index].sent = places[index].acknowledged
      if places[index].sent != places[index].version { unsent += 1 }
    }
  }

  /// Whether the broker took it is unknown: it goes again.
  mutating func requeue(slot: Int, version: UInt64) {
    guard places[slot].version == version, places[slot].sent == version else { return }
    places[slot].sent = 0
    unsent += 1
  }

  private static func hash(_ topic: Topic) -> UInt64 {
    var hash = Hash()
    hash.mix(topic.bytes)
    return hash.value
  }
}
