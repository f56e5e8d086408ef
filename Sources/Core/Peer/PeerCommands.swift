// What goes to the controller, one packet after another, each when its turn has come.

extension Opcode {
  static let cancelConnect = Opcode(0x200E)
  static let disconnect = Opcode(0x0406)
  static let readLevel = Opcode(0x1405)
  static let denyKey = Opcode(0x201B)
}

extension Peers {
  enum Turn: BitwiseCopyable, Sendable {
    case none
    case data(toVisitor: Bool)
    case connect
    case recall
    case part(handle: UInt16)
    case level(handle: UInt16)
    case denyKey(handle: UInt16)
    case advertise(RadioCommand)
  }

  struct Pending: BitwiseCopyable, Sendable {
    let turn: Turn
    let opcode: Opcode
    let until: Instant
  }

  /// Linux waits as long for an answer.
  private static let answerPatience = Interval.seconds(2)

  /// The next packet for the controller, with its H4 type. Then say `sent` or `turnedAway`, or ask again later.
  package mutating func next(at now: Instant) -> Text<260>? {
    turn = .none
    guard isAtWork, !isStuck else { return nil }
    if let piece = nextPiece() { return piece }
    guard pending == nil else { return nil }
    turn = nextTurn()
    guard let command = command(for: turn) else { return nil }
    var packet = Text<260>()
    packet.append(command.packet)
    return packet
  }

  package mutating func sent(at now: Instant) {
    switch turn {
    case .none: return
    case .data(let toVisitor):
      let pieceLength = pieceLength
      if toVisitor { server.link?.pieceWent(upTo: pieceLength) } else { conversation.link?.pieceWent(upTo: pieceLength) }
      return
    case .connect:
      conversation.called(at: now)
      called = now
    case .recall: conversation.recalled()
    case .part(let handle): asked(toPart: handle, at: now)
    case .level: conversation.levelAsked(at: now)
    case .denyKey: keyless = nil
    case .advertise: break
    }
    guard let opcode = command(for: turn)?.opcode else { return }
    pending = Pending(turn: turn, opcode: opcode, until: now + Self.answerPatience)
  }

  /// The controller is on its way to a reset: all that was begun ends with it.
  package mutating func turnedAway() { isAtWork = false }

  private mutating func asked(toPart handle: UInt16, at now: Instant) {
    if conversation.link?.handle == handle { conversation.link?.partAsked(at: now) }
    if server.link?.handle == handle { server.link?.partAsked(at: now) }
    for index in strays.indices where strays[index].handle == handle { strays[index].isAsked = true }
  }

  // MARK: Data

  /// Core 6.0, Vol 4, Part E, 7.8.2: longer packets than the controller has room for are never sent; our own have room for 255 bytes.
  private var pieceLength: Int { min(profile.aclLength, 251) }

  private mutating func nextPiece() -> Text<260>? {
    let inFlight = (conversation.link?.inFlight ?? 0) + (server.link?.inFlight ?? 0)
    guard inFlight < profile.aclCount else { return nil }
    if let link = conversation.link, link.hasUnsent {
      turn = .data(toVisitor: false)
      return link.piece(upTo: pieceLength)
    }
    if let link = server.link, link.hasUnsent {
      turn = .data(toVisitor: true)
      return link.piece(upTo: pieceLength)
    }
    return nil
  }

  // MARK: Commands

  private mutating func nextTurn() -> Turn {
    if let link = conversation.link, link.wantsToPart { return .part(handle: link.handle) }
    if let link = server.link, link.wantsToPart { return .part(handle: link.handle) }
    for index in strays.indices where !strays[index].isAsked { return .part(handle: strays[index].handle) }
    if conversation.wantsToRecall { return .recall }
    if let keyless { return .denyKey(handle: keyless) }
    if conversation.wantsToCall { return .connect }
    if let link = conversation.link, conversation.wantsLevel { return .level(handle: link.handle) }
    if let command = beacons.nextCommand(profile) { return .advertise(command) }
    return .none
  }

  private func command(for turn: Turn) -> RadioCommand? {
    switch turn {
    case .none, .data: return nil
    case .connect: return connect
    case .recall: return RadioCommand(.cancelConnect)
    case .advertise(let command): return command
    case .part(let handle):
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

  /// Core 6.0, Vol 4, Part E, 7.8.12 and 7.8.66: on 1M, listening for it all the time.
  private var connect: RadioCommand {
    var command = RadioCommand(profile.isExtended ? .connectExtended : .connect)
    let kind: UInt8 = conversation.peer.kind == .random ? 1 : 0
    if profile.isExtended {
      command.append(0)
      command.append(profile.ownAddressType)
      command.append(kind)
      command.append(conversation.peer.word, bytes: 6)
      command.append(1)
      appendListening(to: &command)
    } else {
      appendListening(to: &command)
      command.append(0)
      command.append(kind)
      command.append(conversation.peer.word, bytes: 6)
      command.append(profile.ownAddressType)
    }
    // An interval of 15 to 30 ms.
    command.append(12, bytes: 2)
    command.append(24, bytes: 2)
    // No latency; lost after two seconds; events as long as they like.
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
    switch pending.turn {
    case .none, .data, .recall, .denyKey: break
    case .advertise: beacons.answered(result, profile, at: now)
    case .connect:
      guard status != 0 else { break }
      conversation.unreached(.refused)
      report(at: now)
    // There is no such connection any more.
    case .part(let handle): if status == 0x02 { disconnected(handle) }
    case .level:
      // 127: not available. Core 6.0, Vol 4, Part E, 7.5.4.
      if status == 0, result.byteCount >= 4, result.signed(at: 3) <= 20 { tell(.level(conversation.peer, result.signed(at: 3))) }
    }
  }
}
