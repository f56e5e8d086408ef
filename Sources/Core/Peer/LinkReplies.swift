// The replies that every connection needs beside attributes.

extension ACLLink {
  /// An indication needs a confirmation. Core 6.0, Vol 3, Part F, 3.4.7.3.
  mutating func confirm() {
    var answer = Text<16>()
    answer.append(byte: Att.confirmation)
    send(answer)
  }

  /// An L2CAP signal. Core 6.0, Vol 3, Part A, 4: connection parameters stay, all else is rejected.
  mutating func refuse(signal: RawSpan) {
    guard signal.byteCount >= 4, signal.byteCount == 4 + Int(signal.little16(at: 2)) else { return }
    var answer = Text<16>()
    switch signal[0] {
    // Responses and rejects need no answer.
    case 0x01, 0x13, 0x15, 0x18, 0x1A: return
    // Connection Parameter Update Request: rejected.
    case 0x12:
      answer.append(byte: 0x13)
      answer.append(byte: signal[1])
      answer.append(little: 2, bytes: 2)
      answer.append(little: 1, bytes: 2)
    // Command Reject: not understood.
    default:
      answer.append(byte: 0x01)
      answer.append(byte: signal[1])
      answer.append(little: 2, bytes: 2)
      answer.append(little: 0, bytes: 2)
    }
    send(answer, on: Att.signalling)
  }

  /// A request to pair. Core 6.0, Vol 3, Part H, 3.5.5: Pairing Not Supported.
  mutating func refuse(pairing: RawSpan) {
    guard pairing.byteCount > 0, pairing[0] == 0x01 || pairing[0] == 0x0B else { return }
    var answer = Text<16>()
    answer.append(byte: 0x05)
    answer.append(byte: 0x05)
    send(answer, on: Att.security)
  }
}
