/// Asks one device for its id: connect, exchange MTU, read services until one holds the id, then disconnect or hold the connection.
///
/// Each step has a deadline, and so has the whole: whatever the peer does, the radio is free again.
struct GATTClient: BitwiseCopyable, Sendable {
  enum Question: Equatable, BitwiseCopyable, Sendable {
    case mtu
    case services(from: UInt16)
  }

  enum Phase: BitwiseCopyable, Sendable {
    case idle
    /// The connect command waits to be sent.
    case waiting(for: Interval)
    case connecting(until: Instant)
    /// The device did not answer: the attempt is being cancelled.
    case cancelling(isSent: Bool, until: Instant)
    case asking(Question, until: Instant, atMost: Instant)
    /// `isDue`: read the level as soon as possible.
    case holding(next: Instant, isDue: Bool)
    /// Done; the connection is being ended.
    case disconnecting
  }

  enum Outcome: BitwiseCopyable, Sendable {
    case identified(UInt32)
    case stranger
    case failed(PeerFailure)
  }

  private(set) var phase = Phase.idle
  private(set) var peer = Address(word: 0)
  private(set) var outcome: Outcome?
  /// Its latest services, for a thorough reading; as many as one answer holds.
  private(set) var found = Bounded<40, ServiceGroup>(filledWith: ServiceGroup(first: 0, last: 0, uuid: ServiceUUID()))
  var link: ACLLink?
  /// Of the connection, for both directions. Core 6.0, Vol 3, Part F, 3.4.2.2.
  var mtu = Att.smallestMTU
  private let prefix: ServiceUUID
  private let holds: Bool
  private var isThorough = false
  private var id: UInt32?
  /// Frames so far: a phone needs a dozen.
  private var frames = 0

  /// The connection interval is 15 to 30 ms; a request and its answer take two or three of them.
  private static let stepPatience = Interval.milliseconds(1_500)
  /// From the connection to the last answer. Observed: 0.9 s cold, 45 ms warm.
  private static let patience = Interval.seconds(4)
  /// For the controller's answer to a cancelled attempt.
  private static let cancelPatience = Interval.seconds(2)
  private static let mostFrames = 200
  private static let holdInterval = Interval.seconds(1)

  init(_ settings: PeerSettings) {
    prefix = settings.idPrefix
    holds = settings.hold
  }

  var isIdle: Bool { if case .idle = phase { true } else { false } }
  var wantsToConnect: Bool { if case .waiting = phase { true } else { false } }
  var wantsToCancel: Bool { if case .cancelling(false, _) = phase { true } else { false } }
  var isHolding: Bool { if case .holding = phase { true } else { false } }
  /// Whether the next new connection is ours.
  var expectsConnection: Bool {
    switch phase {
    case .connecting, .cancelling: true
    case .idle, .waiting, .asking, .holding, .disconnecting: false
    }
  }

  var deadline: Instant {
    let own: Instant =
      switch phase {
      case .idle, .waiting, .disconnecting: .never
      case .connecting(let until), .cancelling(_, let until): until
      case .asking(_, let until, let atMost): min(until, atMost)
      case .holding(_, true): .never
      case .holding(let next, false): next
      }
    return min(own, link?.deadline ?? .never)
  }

  // MARK: The call

  /// `isThorough`: report every service, even after the id.
  mutating func connect(to address: Address, for patience: Interval, isThorough: Bool) {
    precondition(isIdle && link == nil, "one connection of ours at a time")
    (peer, self.isThorough, id, frames, outcome) = (address, isThorough, nil, 0, nil)
    phase = .waiting(for: patience)
  }

  mutating func connectSent(at now: Instant) {
    if case .waiting(let patience) = phase { phase = .connecting(until: now + patience) }
  }

  mutating func cancelSent() {
    if case .cancelling(_, let until) = phase { phase = .cancelling(isSent: true, until: until) }
  }

  /// The controller refused to connect, or the connection failed.
  mutating func connectFailed(_ failure: PeerFailure) { end(.failed(failure)) }

  mutating func connected(_ connection: Connection, at now: Instant) {
    (link, mtu) = (ACLLink(connection), Att.smallestMTU)
    ask(.mtu, at: now, atMost: now + Self.patience)
  }

  mutating func disconnected() {
    let isUnfinished = if case .asking = phase { true } else { false }
    link = nil
    if isUnfinished { end(.failed(.hungUp)) }
    phase = .idle
  }

  /// The controller was reset.
  mutating func interrupted() {
    switch phase {
    case .idle, .holding, .disconnecting: break
    case .waiting, .connecting, .cancelling, .asking: end(.failed(.interrupted))
    }
    (phase, link) = (.idle, nil)
  }

  mutating func takeOutcome() -> Outcome? {
    defer { outcome = nil }
    return outcome
  }

  mutating func takeFound() -> ServiceGroup? {
    guard !found.isEmpty else { return nil }
    defer { found.remove(at: 0) }
    return found[0]
  }

  // MARK: Questions and answers

  private mutating func ask(_ question: Question, at now: Instant, atMost: Instant) {
    var request = AttPDU()
    switch question {
    case .mtu:
      request.append(byte: Att.exchangeMTU)
      request.append(little: UInt64(Att.mtu), bytes: 2)
    case .services(let first):
      request.append(byte: Att.readByGroupType)
      request.append(little: UInt64(first), bytes: 2)
      request.append(little: 0xFFFF, bytes: 2)
      request.append(little: UInt64(Att.primaryService), bytes: 2)
    }
    link?.send(request)
    phase = .asking(question, until: now + Self.stepPatience, atMost: atMost)
  }

  /// An attribute PDU: the answer to our request, or something unasked.
  mutating func receive(_ pdu: RawSpan, at now: Instant) {
    frames += 1
    guard case .asking(let question, _, let atMost) = phase else { return }
    if frames > Self.mostFrames { return end(.failed(.flooded)) }
    if pdu[0] == Att.notification || pdu[0] == Att.indication || Att.isRequest(pdu[0]) || Att.isCommand(pdu[0]) { return }
    do throws(Malformed) {
      switch question {
      case .mtu: try receive(mtu: pdu, at: now, atMost: atMost)
      case .services(let first): try receive(services: pdu, from: first, at: now, atMost: atMost)
      }
    } catch { end(.failed(.garbled)) }
  }

  /// A server without MTU exchange keeps to the smallest. Core 6.0, Vol 3, Part F, 3.4.2.2.
  private mutating func receive(mtu pdu: RawSpan, at now: Instant, atMost: Instant) throws(Malformed) {
    let isAnswer = pdu[0] == Att.exchangeMTU + 1 && pdu.byteCount == 3
    guard isAnswer || pdu.isError(about: Att.exchangeMTU) != nil else { throw .impossible }
    if isAnswer { mtu = Att.settledMTU(pdu) }
    ask(.services(from: 1), at: now, atMost: atMost)
  }

  private mutating func receive(services pdu: RawSpan, from first: UInt16, at now: Instant, atMost: Instant) throws(Malformed) {
    if let code = pdu.isError(about: Att.readByGroupType) {
      if Att.asksForPairing(code) { return end(.failed(.wantsPairing)) }
      guard code == Att.notFound else { throw .impossible }
      return conclude(at: now)
    }
    guard pdu[0] == Att.readByGroupType + 1 else { throw .impossible }
    var groups = try ServiceGroups(pdu.extracting(droppingFirst: 1), from: first)
    var last = first
    while let group = try groups.next() {
      last = group.last
      if let id = group.uuid.installation(behind: prefix) { self.id = self.id ?? id }
      if isThorough { _ = found.append(group) }
      if id != nil && !isThorough { return conclude(at: now) }
    }
    if last == 0xFFFF { return conclude(at: now) }
    ask(.services(from: last + 1), at: now, atMost: atMost)
  }

  private mutating func conclude(at now: Instant) {
    guard let id else { return end(.stranger) }
    guard holds && !isThorough else { return end(.identified(id)) }
    outcome = .identified(id)
    phase = .holding(next: now, isDue: true)
  }

  private mutating func end(_ outcome: Outcome) {
    self.outcome = outcome
    phase = link == nil ? .idle : .disconnecting
    link?.disconnect()
  }

  // MARK: Time

  /// False when only a reset of the controller helps.
  mutating func tick(at now: Instant) -> Bool {
    guard now >= deadline else { return true }
    if let link, now >= link.deadline { return false }
    switch phase {
    case .connecting: phase = .cancelling(isSent: false, until: now + Self.cancelPatience)
    case .cancelling: return false
    case .asking: end(.failed(.silent))
    case .holding(let next, _): phase = .holding(next: next, isDue: true)
    case .idle, .waiting, .disconnecting: break
    }
    return true
  }

  // MARK: Holding

  var wantsLevel: Bool { if case .holding(_, true) = phase { true } else { false } }

  mutating func levelAsked(at now: Instant) {
    if isHolding { phase = .holding(next: now + Self.holdInterval, isDue: false) }
  }

  /// Another device is to be asked.
  mutating func release() {
    guard isHolding else { return }
    phase = .disconnecting
    link?.disconnect()
  }
}

extension RawSpan {
  /// The code of an Error Response to this request. Core 6.0, Vol 3, Part F, 3.4.1.1.
  fileprivate func isError(about request: UInt8) -> UInt8? {
    byteCount == 5 && self[0] == Att.error && self[1] == request ? self[4] : nil
  }
}
