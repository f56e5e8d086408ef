/// What one radio does beside listening.
package struct PeerDuties: BitwiseCopyable, Sendable {
  package var settings: PeerSettings
  package var name: Name
  /// The radio's number: each radio asks a little later than the one before.
  package var index: Int
  /// The 48 bits of one address whose services are all to be read, wherever it is heard.
  package var errand: UInt64?
  package var transmissions = TransmitList(filledWith: TransmitSettings())

  @export(interface) package init(_ settings: PeerSettings, name: Name, index: Int = 0, errand: UInt64? = nil) {
    self.settings = settings
    self.name = name
    self.index = index
    self.errand = errand
  }

  /// Only listening.
  package static var none: PeerDuties { PeerDuties(PeerSettings(), name: Name()) }

  package var isEmpty: Bool { !settings.identify && !settings.serve && errand == nil && transmissions.isEmpty }
}

/// What a radio does beside listening: it asks devices for their ids, serves our own, and transmits beacons. Bytes and time in; packets
/// out.
///
/// It runs on its radio's thread beside `Controller`, which decides when each packet may go. README.md has the rules.
package struct Peers: ~Copyable {
  struct UnexpectedLink: BitwiseCopyable, Sendable {
    let handle: UInt16
    var isAsked = false
  }

  package let duties: PeerDuties
  private var isErrandDone = false
  var profile = Profile()
  var isAtWork = false
  private var candidates: Candidates
  private var deafness = Deafness()
  var called = Instant.zero
  /// The radio failed while it was connecting: perhaps it always does.
  private var isCutOff = false
  /// When there may be somebody to ask.
  private var nextCall = Instant.never
  var client: GATTClient
  /// Whose connections were held, and had to end.
  private var released = Bounded<8, Address>(filledWith: Address(word: 0))
  var server: GATTServer
  var beacons: AdvertisingSets
  /// Unexpected connections; they are ended.
  var unexpected = Bounded<4, UnexpectedLink>(filledWith: UnexpectedLink(handle: 0))
  /// The connection of a peer that wants encryption, until we have answered that there is no key.
  var keyless: UInt16?
  /// What was offered last, and the one command without an answer.
  var outgoing = Outgoing.none
  var pending: Pending?
  private var news = Bounded<32, PeerNews>(filledWith: .stranger(Address(word: 0)))
  /// The controller does not obey: only a reset helps.
  var isStuck = false

  /// Scanning stops before a connection attempt and resumes after it: seven commands.
  private static let interlude = Interval.milliseconds(15)
  /// Somebody waits at a terminal.
  private static let errandPatience = Interval.seconds(5)

  @export(interface) package init(_ duties: PeerDuties, in arena: inout Arena) {
    self.duties = duties
    let salt = duties.settings.serve ? duties.settings.ownID : 0
    let courtesy = Self.stagger(duties.name) + .milliseconds(150 * Int64(duties.index))
    candidates = Candidates(duties.settings.service, courtesy: courtesy, salt: salt, in: &arena)
    client = GATTClient(duties.settings)
    server = GATTServer(duties.settings, name: duties.name)
    beacons = AdvertisingSets(duties)
  }

  /// Gateways that hear a phone at the same moment do not all call it at that moment.
  private static func stagger(_ name: Name) -> Interval {
    var hash = Hash()
    hash.mix(name.bytes)
    return .milliseconds(Int64((hash.value >> 32) % 100))
  }

  package static var bytes: Int { Candidates.bytes }

  // MARK: Time

  package var nextDeadline: Instant {
    guard isAtWork else { return .never }
    return min(min(min(client.deadline, server.deadline), nextCall), min(beacons.deadline, pending?.until ?? .never))
  }

  @export(interface) package mutating func tick(_ profile: Profile, at now: Instant) {
    guard !duties.isEmpty else { return }
    if profile.isWhole != self.profile.isWhole || profile.generation != self.profile.generation { restart(profile) }
    if profile.silences != self.profile.silences {
      self.profile.silences = profile.silences
      beacons.renew()
    }
    guard isAtWork else { return }
    if isCutOff { deafness.spendFailure(of: now - called) }
    isCutOff = false
    if !client.tick(at: now) || !server.tick(at: now) || now >= pending?.until ?? .never { isStuck = true }
    beacons.tick(at: now)
    recordOutcome(at: now)
    if duties.settings.identify { choose(at: now) }
  }

  /// The radio was switched off: the next controller may be another one.
  package mutating func lost() { restart(Profile()) }

  /// A controller that was reset has no connections.
  private mutating func restart(_ profile: Profile) {
    self.profile = profile
    isAtWork = profile.isWhole
    (pending, outgoing, keyless, isStuck) = (nil, .none, nil, false)
    unexpected.removeAll()
    isCutOff = isCutOff || client.expectsConnection
    if client.isHolding { noteReleased() }
    client.interrupted()
    server.disconnected()
    beacons.restart(profile)
  }

  /// True when the controller must be reset. Then everything waits until that has happened.
  package mutating func takeStuck() -> Bool {
    defer { if isStuck { isAtWork = false } }
    return isStuck && isAtWork
  }

  private mutating func choose(at now: Instant) {
    nextCall = .never
    guard profile.connects, client.isIdle || client.isHolding else { return }
    guard let allowance = deafness.allowance(at: now) else { return nextCall = deafness.nextAllowance }
    guard let next = candidates.next(at: now, within: allowance) else {
      if client.isIdle && !candidates.isAnybodyWaiting(at: now) { holdAgain(at: now) }
      nextCall = candidates.nextCall(after: now)
      return
    }
    if client.isHolding {
      noteReleased()
      return client.release()
    }
    client.connect(to: next, for: min(allowance, candidates.patience(with: next)), isThorough: false)
  }

  private mutating func noteReleased() {
    if released.isFull { released.remove(at: 0) }
    _ = released.append(client.peer)
  }

  /// Nobody else is to be asked: who is still here is connected to once more.
  private mutating func holdAgain(at now: Instant) {
    for index in released.indices { candidates.askAgain(released[index], at: now) }
    released.removeAll()
  }

  /// Whether there is a connection.
  package var isOccupied: Bool { client.link != nil || server.link != nil }

  /// It expects no answer and has no connection, but perhaps one that is only held.
  package var isAtRest: Bool { pending == nil && server.link == nil && unexpected.isEmpty && (client.isIdle || client.isHolding) }

  // MARK: What becomes known

  package mutating func nextNews() -> PeerNews? {
    if let group = client.takeFound() { return .offers(client.peer, group) }
    if let news = beacons.takeNews() { return news }
    guard !news.isEmpty else { return nil }
    defer { news.remove(at: 0) }
    return news[0]
  }

  /// Another radio or gateway has asked it.
  package mutating func markKnown(_ address: Address, at now: Instant) { candidates.markKnown(address, at: now) }

  mutating func record(_ item: PeerNews) { _ = news.append(item) }

  mutating func recordOutcome(at now: Instant) {
    guard let outcome = client.takeOutcome() else { return }
    let peer = client.peer
    switch outcome {
    case .identified(let id):
      candidates.markKnown(peer, at: now)
      record(.identified(KnownPeer(address: peer, id: id)))
    case .stranger:
      candidates.markKnown(peer, at: now)
      record(.stranger(peer))
    // The radio failed, not the device.
    case .failed(.interrupted): isErrandDone = false
    case .failed(let failure):
      candidates.failed(peer, failure, at: now)
      record(.failed(peer, failure))
    }
  }

  // MARK: What the controller says

  @export(interface) package mutating func receive(_ packet: RawSpan, at now: Instant) {
    guard isAtWork, packet.byteCount > 0 else { return }
    if packet[0] == PacketType.acl.rawValue { return receive(data: packet, at: now) }
    guard packet[0] == PacketType.event.rawValue, let event = try? HCIEvent(packet) else { return }
    switch event {
    case .reports(var reports): while let report = try? reports.next() { receive(report, at: now) }
    case .commandComplete(let opcode, _, let result): answered(Opcode(opcode), result, at: now)
    case .commandStatus(let opcode, _, _): answered(Opcode(opcode), packet.extracting(3..<4), at: now)
    case .connected(let connection): connected(connection, at: now)
    case .disconnected(let handle, 0, _): disconnected(handle)
    case .packetsCompleted(var packets):
      while let (handle, count) = packets.next() {
        withLink(of: handle) { $0.completed(count) }
      }
    // Long Term Key Request. Core 6.0, Vol 4, Part E, 7.7.65.5.
    case .lowEnergy(0x05, let parameters): if parameters.byteCount >= 2 { keyless = parameters.little16(at: 0) & 0x0FFF }
    case .lowEnergy(0x03, let parameters): updated(parameters)
    // LE Advertising Set Terminated; with status 0 by a connection. Core 6.0, Vol 4, Part E, 7.7.65.18.
    case .lowEnergy(0x12, let parameters):
      if parameters.byteCount >= 2, parameters[0] != 0 { beacons.terminated(Int(parameters[1]), at: now) }
    case .disconnected, .hardwareError, .lowEnergy, .other: break
    }
    recordOutcome(at: now)
  }

  private mutating func receive(_ report: Report, at now: Instant) {
    if duties.settings.identify { candidates.observe(report, at: now) }
    guard let errand = duties.errand, !isErrandDone, report.address.word & 0xFFFF_FFFF_FFFF == errand, report.traits.contains(.connectable)
    else { return }
    guard client.isIdle, profile.connects else { return }
    isErrandDone = true
    client.connect(to: report.address, for: Self.errandPatience, isThorough: true)
  }

  private mutating func connected(_ connection: Connection, at now: Instant) {
    if connection.status == 0 && !connection.isCentral { beacons.centralConnected() }
    let isAnswer = client.expectsConnection && (connection.status != 0 || connection.isCentral)
    if isAnswer { deafness.spend(now - called + Self.interlude) }
    if connection.status != 0 {
      if isAnswer { client.connectFailed(.unreachable) }
    } else if isAnswer {
      client.connected(connection, at: now)
    } else if !connection.isCentral && duties.settings.serve && server.link == nil {
      server.accept(connection, at: now)
    } else {
      if unexpected.append(UnexpectedLink(handle: connection.handle)) != nil { isStuck = true }
    }
  }

  mutating func disconnected(_ handle: UInt16) {
    if client.link?.handle == handle { client.disconnected() }
    if server.link?.handle == handle { server.disconnected() }
    if keyless == handle { keyless = nil }
    for index in unexpected.indices.reversed() where unexpected[index].handle == handle { unexpected.remove(at: index) }
    if server.link == nil { beacons.centralDisconnected() }
  }

  /// LE Connection Update Complete. Core 6.0, Vol 4, Part E, 7.7.65.3.
  private mutating func updated(_ parameters: RawSpan) {
    guard parameters.byteCount >= 9, parameters[0] == 0 else { return }
    let timeout = parameters.little16(at: 7)
    withLink(of: parameters.little16(at: 1) & 0x0FFF) { $0.updated(supervisionTimeout: timeout) }
  }

  private mutating func withLink(of handle: UInt16, _ body: (inout ACLLink) -> Void) {
    if client.link?.handle == handle { body(&client.link!) }
    if server.link?.handle == handle { body(&server.link!) }
  }

  // MARK: Data

  private mutating func receive(data packet: RawSpan, at now: Instant) {
    guard let piece = try? AclPacket(packet) else { return }
    if let link = client.link, link.handle == piece.handle {
      guard client.link!.take(piece) else { return }
      let frame = client.link!.frames
      dispatch(frame, toVisitor: false, at: now)
    } else if let link = server.link, link.handle == piece.handle {
      guard server.link!.take(piece) else { return }
      let frame = server.link!.frames
      dispatch(frame, toVisitor: true, at: now)
    }
    recordOutcome(at: now)
  }

  private mutating func dispatch(_ frame: Reassembly, toVisitor: Bool, at now: Instant) {
    let payload = frame.payload
    switch frame.channel {
    case Att.channel: if payload.byteCount > 0 { attribute(payload, toVisitor: toVisitor, at: now) }
    case Att.signalling: if toVisitor { server.link?.refuse(signal: payload) } else { client.link?.refuse(signal: payload) }
    case Att.security: if toVisitor { server.link?.refuse(pairing: payload) } else { client.link?.refuse(pairing: payload) }
    default: break
    }
  }

  /// The peer of our client connection may send requests too.
  private mutating func attribute(_ pdu: RawSpan, toVisitor: Bool, at now: Instant) {
    if toVisitor { return server.receive(pdu, at: now) }
    if Att.isRequest(pdu[0]) { client.link?.send(server.answer(pdu, within: &client.mtu)) }
    if pdu[0] == Att.indication { client.link?.confirm() }
    client.receive(pdu, at: now)
  }
}
