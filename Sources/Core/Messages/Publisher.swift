/// Composes messages and passes them to the courier through rings. A full ring is reported to `whenFull`; if it stays full, it drops the
/// message and counts it.
package struct Publisher: ~Copyable {
  private let messages: Ring<Message>
  /// Urgent messages have their own ring: the rest cannot crowd them out.
  private let urgent: Ring<Message>
  private let whenFull: WhenFull?
  private var message = Message()
  package private(set) var topics = Topics()
  private var simulated = false
  private var unknown = PublishSettings.Unknown.ignore
  private var pseudonyms: Pseudonyms
  package let boot: Boot
  private var sequence: UInt64 = 0
  package private(set) var dropped: UInt64 = 0
  /// Events among the dropped, and events that `RateLimits` did not allow.
  package private(set) var eventsDropped: UInt64 = 0
  package private(set) var eventsLeftOut: UInt64 = 0
  private var paces = RateLimits(seed: 0)
  package var clock: WallClock

  /// Distinguishes this run from every other, so that no event id is ever used twice.
  package typealias Boot = Text<16>

  /// Makes room in the ring if it can: a thousand visits may end at one moment, and each of them must be told.
  package typealias WhenFull = (Ring<Message>) -> Void

  /// Without a ring of their own urgent messages go with the rest, in order.
  package init(
    into messages: Ring<Message>, urgent: Ring<Message>? = nil, boot: Boot, clock: WallClock, pseudonyms: Pseudonyms,
    whenFull: WhenFull? = nil
  ) {
    self.messages = messages
    self.urgent = urgent ?? messages
    self.whenFull = whenFull
    self.pseudonyms = pseudonyms
    self.boot = boot
    self.clock = clock
  }

  package mutating func reload(_ settings: borrowing Settings) {
    simulated = settings.gateway.simulated
    unknown = settings.publish.unknown
    topics = Topics(settings)
    paces.reset()
  }

  /// What subscribers may know a device by. Empty when nothing: a name that changes daily needs the date.
  package mutating func name(of device: Device, at now: Instant) -> Text<128> {
    if isPseudonym(device.interest) {
      return clock.day(at: now).map { pseudonyms.name(of: device.identity, on: $0) } ?? Text<128>()
    }
    var text = Text<128>()
    text.append(device.identity)
    return text
  }

  @inline(__always)
  func isPseudonym(_ interest: Interest) -> Bool { unknown == .hash && !interest.isMatched }

  // MARK: One message: compose, members, publish

  package mutating func compose(_ care: Message.Care, _ topic: Topic, at now: Instant) {
    message.care = care
    message.isUrgent = false
    message.visit = .none
    message.at = now
    message.expires = .never
    message.sequence = 0
    message.isForSite = false
    message.topic = topic
    message.payload.truncate(to: 0)
    json.openObject()
    json.member("v", 1)
  }

  /// Somebody waits for it at a pump.
  package mutating func markUrgent() { message.isUrgent = true }

  /// The event starts or ends a visit.
  package mutating func mark(_ visit: Message.VisitEdge, otherName: Identity? = nil) {
    (message.visit, message.otherName) = (visit, otherName)
  }

  /// Whether an event that nobody waits for may be published. Refusals are counted.
  package mutating func mayPublish(of identity: Identity, at place: RateLimits.Place, _ now: Instant) -> Bool {
    if paces.allow(identity, at: place, now) { return true }
    eventsLeftOut += 1
    return false
  }

  package mutating func setPaces(seed: UInt64) { paces = RateLimits(seed: seed) }

  /// A message to the site's other gateways, on a topic beside our own.
  mutating func composeSiteMessage(_ topic: Topic, at now: Instant) {
    compose(.fleeting, topic, at: now)
    message.isForSite = true
  }

  package var json: Payload {
    _read { yield message.payload }
    _modify { yield &message.payload }
  }

  /// The members of every event: its id, and its time.
  package mutating func identifyEvent() {
    sequence += 1
    message.sequence = sequence
    var id = Text<40>(boot.bytes)
    id.append(byte: UInt8(ascii: "-"))
    id.append(decimal: sequence)
    json.member("event_id", text: id.bytes)
    stamp("at", message.at)
    json.member("uptime_s", (clock.uptime(at: message.at).microseconds + 500) / 1_000, decimals: 3)
  }

  package mutating func expire(at deadline: Instant) {
    message.expires = deadline
    stamp("expires", deadline)
  }

  /// A moment as people write it; null while the clock is not set.
  package mutating func stamp(_ key: StaticString, _ moment: Instant) {
    json.key(key)
    clock.write(moment, to: &json)
  }

  /// The installation id that one of our radios read at an address: neighbours need not ask again.
  mutating func publish(_ peer: KnownPeer, _ settings: borrowing Settings, at now: Instant) {
    compose(.state, topics.peer(peer.address, gateway: settings.gateway.name), at: now)
    message.expires = now + Candidates.lifetime
    message.isForSite = true
    message.payload.members(of: peer)
    let boot = boot
    json.member("boot", text: boot.bytes)
    json.member("uptime_s", Float(clock.uptime(at: now).seconds), places: 3)
    publish()
  }

  /// False when the ring was full.
  @discardableResult
  package mutating func publish() -> Bool {
    if simulated { json.member("simulated", true) }
    json.closeObject()
    precondition(!message.payload.overflowed && !message.topic.overflowed, "a message outgrew its bounds")
    return push()
  }

  /// Clears the message that the broker retains under one of our topics. A rehearsal has none there, and an empty message cannot say that it
  /// is one: it would clear what the real gateway of its name has told.
  @discardableResult @inline(never) @_optimize(size)
  package mutating func clear(_ topic: Topic, isUrgent: Bool = false, at now: Instant) -> Bool {
    if simulated { return true }
    compose(.state, topic, at: now)
    message.isUrgent = isUrgent
    message.payload.truncate(to: 0)
    return push()
  }

  private mutating func push() -> Bool {
    let ring = message.isUrgent ? urgent : messages
    guard ring.push(message) != nil else { return true }
    // A message of the moment is not worth a wait.
    if message.care != .fleeting, let whenFull {
      whenFull(ring)
      guard ring.push(message) != nil else { return true }
    }
    dropped += 1
    if message.care == .event { eventsDropped += 1 }
    return false
  }
}
