// The packets for the controller, one after another, and its answers.

extension Opcode {
  static let cancelConnect = Opcode(0x200E)
  static let disconnect = Opcode(0x0406)
  static let readLevel = Opcode(0x1405)
  static let denyKey = Opcode(0x201B)
}

extension Peers {
  enum Outgoing: BitwiseCopyable, Sendable {
    case none
    case data(toVisitor: Bool)
    case connect
    case cancelConnect
    case disconnect(handle: UInt16)
    case level(handle: UInt16)
    case denyKey(handle: UInt16)
    case advertise(RadioCommand)
  }

  struct Pending: BitwiseCopyable, Sendable {
    let outgoing: Outgoing
    let opcode: Opcode
    let until: Instant
  }

  /// As long as Linux waits.
  private static let answerPatience = Interval.seconds(2)

  /// The next packet for the controller, with its H4 type. The caller then calls `sent` or `turnedAway`, or asks again later.
  package mutating func next() -> Text<260>? {
    outgoing = .none
    guard isAtWork, !isStuck else { return nil }
    if let piece = nextPiece() { return piece }
    guard pending == nil else { return nil }
    outgoing = nextOutgoing()
    guard let command = command(for: outgoing) else { return nil }
    var packet = Text<260>()
    packet.append(command.packet)
    return packet
  }

  package mutating func sent(at now: Instant) {
    switch outgoing {
    case .none: return
    case .data(let toVisitor):
      let pieceLength = pieceLength
      if toVisitor { server.link?.pieceWent(upTo: pieceLength) } else { client.link?.pieceWent(upTo: pieceLength) }
      return
    case .connect:
      client.connectSent(at: now)
      called = now
    case .cancelConnect: client.cancelSent()
    case .disconnect(let handle): disconnectSent(to: handle, at: now)
    case .level: client.levelAsked(at: now)
    case .denyKey: keyless = nil
    case .advertise: break
    }
    guard let opcode = command(for: outgoing)?.opcode else { return }
    pending = Pending(outgoing: outgoing, opcode: opcode, until: now + Self.answerPatience)
  }

  /// The controller is about to be reset: everything ends.
  package mutating func turnedAway() { isAtWork = false }

  private mutating func disconnectSent(to handle: UInt16, at now: Instant) {
    if client.link?.handle == handle { client.link?.disconnectSent(at: now) }
    if server.link?.handle == handle { server.link?.disconnectSent(at: now) }
    for index in unexpected.indices where unexpected[index].handle == handle { unexpected[index].isAsked = true }
  }

  // MARK: Data

  /// Core 6.0, Vol 4, Part E, 7.8.2: no packet exceeds the controller's buffers; ours have room for 255 bytes.
  private var pieceLength: Int { min(profile.aclLength, 251) }

  private mutating func nextPiece() -> Text<260>? {
    let inFlight = (client.link?.inFlight ?? 0) + (server.link?.inFlight ?? 0)
    guard inFlight < profile.aclCount else { return nil }
    if let link = client.link, link.hasUnsent {
      outgoing = .data(toVisitor: false)
      return link.piece(upTo: pieceLength)
    }
    if let link = server.link, link.hasUnsent {
      outgoing = .data(toVisitor: true)
      return link.piece(upTo: pieceLength)
    }
    return nil
  }

  // MARK: Commands

  private mutating func nextOutgoing() -> Outgoing {
    if let link = client.link, link.wantsToDisconnect { return .disconnect(handle: link.handle) }
    if let link = server.link, link.wantsToDisconnect { return .disconnect(handle: link.handle) }
    for index in unexpected.indices where !unexpected[index].isAsked { return .disconnect(handle: unexpected[index].handle) }
    if client.wantsToCancel { return .cancelConnect }
    if let keyless { return .denyKey(handle: keyless) }
    if client.wantsToConnect { return .connect }
    if let link = client.link, client.wantsLevel { return .level(handle: link.handle) }
    if let command = beacons.nextCommand(profile) { return .advertise(command) }
    return .none
  }

  private func command(for outgoing: Outgoing) -> RadioCommand? {
    switch outgoing {
    case .none, .data: return nil
    case .connect: return connect
    case .cancelConnect: return RadioCommand(.cancelConnect)
    case .advertise(let command): return command
    case .disconnect(let handle):
      var command = RadioCommand(.disconnect)
      command.append(UInt64(handle), bytes: 2)
      // Remote User Terminated Connection: the polite reason.
      command.append(0x13)
      return command
    case .level(let handle):
      var command = RadioCommand(.readLevel)
      command.append(UInt64(handle), bytes: 2)
      return command
    case .denyKey(let handle):
      var command = RadioCommand(.denyKey)
      command.append(UInt64(handle), bytes: 2)
      return command
    }
  }

  /// Core 6.0, Vol 4, Part E, 7.8.12 and 7.8.66: on 1M, scanning all the time.
  private var connect: RadioCommand {
    var command = RadioCommand(profile.isExtended ? .connectExtended : .connect)
    let kind: UInt8 = client.peer.kind == .random ? 1 : 0
    if profile.isExtended {
      command.append(0)
      command.append(profile.ownAddressType)
      command.append(kind)
      command.append(client.peer.word, bytes: 6)
      command.append(1)
      appendListening(to: &command)
    } else {
      appendListening(to: &command)
      command.append(0)
      command.append(kind)
      command.append(client.peer.word, bytes: 6)
      command.append(profile.ownAddressType)
    }
    // An interval of 15 to 30 ms.
    command.append(12, bytes: 2)
    command.append(24, bytes: 2)
    // No latency; lost after two seconds; events of any length.
    command.append(0, bytes: 2)
    command.append(200, bytes: 2)
    command.append(0, bytes: 4)
    return command
  }

  private func appendListening(to command: inout RadioCommand) {
    command.append(96, bytes: 2)
    command.append(96, bytes: 2)
  }

  // MARK: Answers

  mutating func answered(_ opcode: Opcode, _ result: RawSpan, at now: Instant) {
    guard let pending, pending.opcode == opcode else { return }
    self.pending = nil
    let status = result.byteCount > 0 ? result[0] : 0xFF
    switch pending.outgoing {
    case .none, .data, .cancelConnect, .denyKey: break
    case .advertise: beacons.answered(result, profile, at: now)
    case .connect: if status != 0 { client.connectFailed(.refused) }
    // The connection no longer exists.
    case .disconnect(let handle): if status == 0x02 { disconnected(handle) }
    case .level where status == 0x02: if let handle = client.link?.handle { disconnected(handle) }
    case .level:
      // 127: not available. Core 6.0, Vol 4, Part E, 7.5.4.
      if status == 0, result.byteCount >= 4, result.signed(at: 3) <= 20 { record(.level(client.peer, result.signed(at: 3))) }
    }
  }
}
