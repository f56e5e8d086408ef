/// Others' packets for the controller: identification, connections, advertising. The radio's own packets go first.
package enum Offer: BitwiseCopyable, Sendable {
  /// Send it now.
  case pass
  /// Offer it again after the next packet or deadline.
  case later
  /// Send this one first, then offer it again: scanning stops for a connection attempt.
  case first(RadioCommand)
  /// It cannot be sent: the controller is not up, or only the radio itself may send such a command.
  case refuse
}

extension Controller {
  /// `packet` begins with its H4 type.
  @export(interface) package mutating func offer(_ packet: RawSpan, at now: Instant) -> Offer {
    let verdict = judge(packet, at: now)
    if case .refuse = verdict { recoveries.turnedAway &+= 1 }
    return verdict
  }

  private mutating func judge(_ packet: RawSpan, at now: Instant) -> Offer {
    guard packet.byteCount >= 4, profile.isWhole else { return .refuse }
    if packet[0] == PacketType.acl.rawValue { return .pass }
    let opcode = Opcode(packet.little16(at: 1))
    guard packet[0] == PacketType.command.rawValue, !opcode.isOurs else { return .refuse }
    guard credits > 0 else { return .later }
    switch phase {
    case .listening:
      credits -= 1
      guard !opcode.connects else {
        phase = .yielding(deadline: now + BringUpStep.stopScan.patience)
        return .first(BringUpStep.stopScan.command(profile, settings))
      }
    case .yielded:
      credits -= 1
      if opcode.connects { phase = .yielded(deadline: now + Self.connectPatience) }
    case .asking, .yielding: return .later
    case .closed, .opening: return .refuse
    }
    if credits == 0 { answerDue = now + Self.commandPatience }
    return .pass
  }
}

extension Controller {
  /// The controller took another part's command and did not carry it out: a connection that never ends, an attempt that cannot be
  /// cancelled.
  package mutating func stuck(at now: Instant) -> Action {
    recoveries.unanswered &+= 1
    return fail(.notAnswering, at: now)
  }
}
