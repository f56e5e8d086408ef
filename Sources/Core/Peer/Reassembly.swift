/// Puts the pieces of L2CAP frames together. Core 6.0, Vol 3, Part A, 3.1 and 7.2.
///
/// A frame that is too long is passed over, piece by piece, and refused once.
package struct Reassembly: BitwiseCopyable, Sendable {
  /// Our largest attribute PDU with its header.
  private var frame = Text<251>()
  private var received = 0
  private var isPartial = false

  package init() {}

  package var channel: UInt16 { UInt16(frame[2]) | UInt16(frame[3]) << 8 }

  /// What `take` has just completed.
  package var payload: RawSpan {
    @_addressableSelf
    @_lifetime(borrow self)
    get { frame.bytes.extracting(droppingFirst: 4) }
  }

  /// True when a frame is whole: then `channel` and `payload` are its own.
  package mutating func take(_ piece: borrowing AclPacket) throws(Malformed) -> Bool {
    if piece.isContinuation {
      guard isPartial else { throw .impossible }
    } else {
      frame.truncate(to: 0)
      received = 0
    }
    received += piece.data.byteCount
    frame.append(piece.data)
    isPartial = true
    guard frame.count >= 4 else { return false }
    let whole = 4 + (Int(frame[0]) | Int(frame[1]) << 8)
    guard received >= whole else { return false }
    isPartial = false
    guard received == whole, !frame.overflowed else { throw .impossible }
    return true
  }
}
