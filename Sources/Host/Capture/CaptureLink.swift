import Core

/// How a capture wraps its packets.
enum CaptureLink: BitwiseCopyable {
  /// Each packet starts with its H4 type.
  case h4
  /// The same behind four bytes that give the direction.
  case h4WithDirection
  /// btsnoop 1001: the record's flags tell the type.
  case flags
  /// Linux's monitor: controller and kind stand in the record's flags (btsnoop 2001) or in front of the packet (pcap 254).
  case monitor(isInFront: Bool)

  init?(btsnoop number: UInt32) {
    switch number {
    case 1_001: self = .flags
    case 1_002: self = .h4
    case 2_001: self = .monitor(isInFront: false)
    default: return nil
    }
  }

  init?(pcap number: UInt32) {
    switch number {
    case 187: self = .h4
    case 201: self = .h4WithDirection
    case 254: self = .monitor(isInFront: true)
    default: return nil
    }
  }

  /// Finds the packet in a record of `length` bytes whose header ends at `start`; `flags` are those of a btsnoop record.
  func locate(_ source: borrowing CaptureSource, length: Int, start: Int, end: Int, time: Int64?, flags: UInt32 = 0) -> CaptureRecord {
    switch self {
    case .h4: return CaptureRecord(length: length, start: start, end: end, time: time)
    case .h4WithDirection:
      guard end - start > 4 else { return .other(length) }
      return CaptureRecord(length: length, start: start + 4, end: end, time: time)
    case .flags:
      let isControl = flags & 2 != 0
      let isReceived = flags & 1 != 0
      let type: PacketType = isControl ? (isReceived ? .event : .command) : .acl
      return CaptureRecord(length: length, start: start, end: end, time: time, type: type.rawValue)
    case .monitor(isInFront: false):
      return monitored(flags & 0xFFFF, by: flags >> 16, length: length, start: start, end: end, time: time)
    case .monitor(isInFront: true):
      guard end - start >= 4 else { return .other(length) }
      let head = source.bytes(start + 4).big32(at: start)
      return monitored(head & 0xFFFF, by: head >> 16, length: length, start: start + 4, end: end, time: time)
    }
  }

  /// BlueZ, doc/btsnoop.txt, and src/shared/btsnoop.h: what its monitor writes.
  private func monitored(_ kind: UInt32, by controller: UInt32, length: Int, start: Int, end: Int, time: Int64?) -> CaptureRecord {
    let type: PacketType
    switch kind {
    case 2: type = .command
    case 3: type = .event
    case 4, 5: type = .acl
    case 6, 7: type = .synchronous
    case 18, 19: type = .isochronous
    default: return .other(length)
    }
    return CaptureRecord(length: length, start: start, end: end, time: time, type: type.rawValue, controller: Int(controller))
  }
}
