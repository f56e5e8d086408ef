package import Core

/// Writes a btsnoop file: H4 packets of one controller (datalink 1002), as btmon and Wireshark read them.
/// RFC 1761 with another name, and time in microseconds since the year 0.
package struct CaptureFile {
  private let file: NewFile
  /// From `Instant` to the file's time.
  private let shift: Int64
  /// 1970 in microseconds since the year 0, as BlueZ counts it.
  private static let epoch: Int64 = 0x00DC_DDB3_0F2F_8000

  /// `epoch` is the wall clock, in microseconds since 1970, at `Instant.zero`; without one, what it is now.
  package init(creating path: String, epoch: Int64? = nil, _ manner: NewFile.Manner) throws(FileRefusal) {
    file = try NewFile(creating: path, mode: 0o640, manner)
    shift = Self.epoch + (epoch ?? Clock.wallMicroseconds() - Clock.now().microseconds)
    // "btsnoop", terminated.
    append(0x6274_736E_6F6F_7000, bytes: 8)
    append(1, bytes: 4)
    append(1_002, bytes: 4)
  }

  package var failure: CInt { file.failure }
  /// In bytes, including those not yet written.
  package var size: Int64 { file.size }

  /// `dropped`: how many packets are missing so far.
  package func append(_ packet: RawSpan, at moment: Instant, dropped: Int) {
    let type = packet.byteCount > 0 ? packet[0] : 0
    let isData = type == PacketType.acl.rawValue
    // Data goes both ways; its handle tells which.
    let isReceived = type != PacketType.command.rawValue
    append(UInt64(packet.byteCount), bytes: 4)
    append(UInt64(packet.byteCount), bytes: 4)
    append((isReceived ? 1 : 0) | (isData ? 0 : 2), bytes: 4)
    append(UInt64(dropped), bytes: 4)
    append(UInt64(bitPattern: moment.microseconds + shift), bytes: 8)
    file.append(packet)
    file.mark()
    file.flushIfFull()
  }

  package func flush() { file.flush() }
  /// The file is complete and takes its place. 0, or the errno.
  @discardableResult
  package func keep() -> CInt { file.keep() }

  /// After a failure: keeps the records that were written whole, if there are any, and says where.
  package func keepRecords() -> Kept? {
    file.keepWhole().map { Kept(path: $0.path, bytes: $0.bytes, packets: $0.marks) }
  }

  package struct Kept: Sendable {
    package let path: String
    package let bytes: Int64
    package let packets: Int
  }

  private func append(_ number: UInt64, bytes count: Int) {
    for index in 0..<count { file.append(UInt8(truncatingIfNeeded: number >> UInt64(8 * (count - 1 - index)))) }
  }
}
