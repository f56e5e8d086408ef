/// A controller's event, borrowed from its packet. What no part of this program needs stays bytes.
package enum HCIEvent: ~Escapable {
  case reports(Reports)
  case commandComplete(opcode: UInt16, credits: UInt8, result: RawSpan)
  case commandStatus(opcode: UInt16, credits: UInt8, status: UInt8)
  case connected(Connection)
  case disconnected(handle: UInt16, status: UInt8, reason: UInt8)
  case packetsCompleted(CompletedPackets)
  case hardwareError(code: UInt8)
  case lowEnergy(subevent: UInt8, parameters: RawSpan)
  case other(code: UInt8, parameters: RawSpan)

  /// `packet` begins with its H4 type. Bytes beyond the event's own length are refused: they would belong to another packet.
  @_lifetime(copy packet)
  @inline(__always) package init(_ packet: RawSpan) throws(Malformed) {
    guard packet.byteCount >= 3 else { throw .truncated }
    guard packet[0] == PacketType.event.rawValue else { throw .unknownPacket }
    guard packet.byteCount - 3 >= Int(packet[2]) else { throw .truncated }
    guard packet.byteCount - 3 == Int(packet[2]) else { throw .impossible }
    if packet[1] == 0x3E, packet.byteCount >= 5, let form = Report.Form(rawValue: packet[3]) {
      self = .reports(try Reports(form, count: packet[4], packet.inner(from: 5, leavingOut: 0)))
    } else if packet[1] == 0x3E {
      self = try HCIEvent(lowEnergy: packet.extracting(droppingFirst: 3))
    } else {
      self = try HCIEvent(code: packet[1], packet.extracting(droppingFirst: 3))
    }
  }

  /// Core 6.0, Vol 4, Part E, 7.7.65.
  @_lifetime(copy parameters)
  private init(lowEnergy parameters: RawSpan) throws(Malformed) {
    var cursor = Cursor(parameters)
    let subevent = try cursor.byte()
    switch subevent {
    case 0x02, 0x0B, 0x0D: throw .truncated
    // Plain, enhanced, and enhanced version 2: the same fields, then more.
    case 0x01, 0x0A, 0x29: self = .connected(try Connection(&cursor))
    default: self = .lowEnergy(subevent: subevent, parameters: cursor.unread)
    }
  }

  /// Core 6.0, Vol 4, Part E, 7.7.5, 7.7.14 to 7.7.16 and 7.7.19.
  @_lifetime(copy parameters)
  private init(code: UInt8, _ parameters: RawSpan) throws(Malformed) {
    var cursor = Cursor(parameters)
    switch code {
    case 0x05:
      let fixed = try cursor.take(4)
      self = .disconnected(handle: fixed.little16(at: 1) & 0x0FFF, status: fixed[0], reason: fixed[3])
    case 0x0E:
      let fixed = try cursor.take(3)
      self = .commandComplete(opcode: fixed.little16(at: 1), credits: fixed[0], result: cursor.unread)
    case 0x0F:
      let fixed = try cursor.take(4)
      self = .commandStatus(opcode: fixed.little16(at: 2), credits: fixed[1], status: fixed[0])
    case 0x10: self = .hardwareError(code: try cursor.byte())
    case 0x13: self = .packetsCompleted(try CompletedPackets(parameters))
    default: self = .other(code: code, parameters: parameters)
    }
  }
}

/// A connection, or its failure: then `status` is not zero and the rest means nothing.
package struct Connection: BitwiseCopyable, Sendable {
  package let status: UInt8
  package let handle: UInt16
  package let isCentral: Bool
  /// In units of 10 ms.
  package let supervisionTimeout: UInt16

  /// Core 6.0, Vol 4, Part E, 7.7.65.1 and 7.7.65.10: the enhanced one has twelve bytes of resolvable addresses in the middle.
  @_lifetime(cursor: copy cursor)
  fileprivate init(_ cursor: inout Cursor) throws(Malformed) {
    let head = try cursor.take(11)
    if cursor.remaining > 7 { try cursor.skip(12) }
    let tail = try cursor.take(7)
    guard head[0] != 0 || head[3] <= 1 && head[4] <= 3 else { throw .impossible }
    status = head[0]
    handle = head.little16(at: 1) & 0x0FFF
    isCentral = head[3] == 0
    supervisionTimeout = tail.little16(at: 4)
  }
}

/// How many packets of each connection have left the controller. Core 6.0, Vol 4, Part E, 7.7.19.
package struct CompletedPackets: ~Escapable {
  private var cursor: Cursor

  @_lifetime(copy parameters)
  fileprivate init(_ parameters: RawSpan) throws(Malformed) {
    cursor = Cursor(parameters)
    let connections = Int(try cursor.byte())
    cursor = Cursor(try cursor.take(connections * 4))
  }

  @_lifetime(self: copy self)
  package mutating func next() -> (handle: UInt16, count: UInt16)? {
    guard let pair = try? cursor.take(4) else { return nil }
    return (pair.little16(at: 0) & 0x0FFF, pair.little16(at: 2))
  }
}

/// A piece of a connection's data. Core 6.0, Vol 4, Part E, 5.4.2.
package struct AclPacket: ~Escapable {
  package let handle: UInt16
  /// Whether it continues the L2CAP frame of the piece before.
  package let isContinuation: Bool
  package let data: RawSpan

  /// `packet` begins with its H4 type.
  @_lifetime(copy packet)
  package init(_ packet: RawSpan) throws(Malformed) {
    var cursor = Cursor(packet)
    let head = try cursor.take(5)
    guard head[0] == PacketType.acl.rawValue else { throw .unknownPacket }
    handle = head.little16(at: 1) & 0x0FFF
    isContinuation = (head[2] >> 4) & 3 == 1
    data = try cursor.take(Int(head.little16(at: 3)))
    guard cursor.remaining == 0 else { throw .impossible }
  }
}
