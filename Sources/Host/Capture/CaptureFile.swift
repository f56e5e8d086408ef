import CLinux
package import Core

/// A btsnoop file that is being written: H4 packets of one controller (datalink 1002), as btmon and Wireshark read them.
/// The format: RFC 1761 in all but the name, and the time in microseconds since the year 0.
package struct CaptureFile: ~Copyable {
  private let descriptor: CInt
  private var waiting: [UInt8] = []
  /// From `Instant` to the file's time.
  private let shift: Int64
  package private(set) var failure: CInt = 0
  /// In bytes, with what is still to be written.
  package private(set) var size = 16

  /// Fewer, larger writes spare an SD card.
  private static let enough = 32_768
  /// 1970 in microseconds since the year 0, as BlueZ counts it.
  private static let epoch: Int64 = 0x00DC_DDB3_0F2F_8000

  /// `epoch` is the wall clock, in microseconds since 1970, at `Instant.zero`; without one, what it is now.
  package init(creating path: String, epoch: Int64? = nil) throws(FileRefusal) {
    // SAFETY: the name is terminated and lives while it is used.
    descriptor = unsafe path.withCString { unsafe linux_open($0, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o640) }
    guard descriptor >= 0 else { throw FileRefusal(errno: linux_errno()) }
    shift = Self.epoch + (epoch ?? Clock.wallMicroseconds() - Clock.now().microseconds)
    waiting.reserveCapacity(Self.enough + 512)
    waiting += [0x62, 0x74, 0x73, 0x6E, 0x6F, 0x6F, 0x70, 0]
    append(1, bytes: 4)
    append(1_002, bytes: 4)
  }

  deinit { close(descriptor) }

  /// `dropped` packets are missing so far.
  package mutating func append(_ packet: RawSpan, at moment: Instant, dropped: Int) {
    let type = packet.byteCount > 0 ? packet[0] : 0
    let isData = type == PacketType.acl.rawValue
    // Data goes both ways; whoever wants to know looks at its handle.
    let isReceived = type != PacketType.command.rawValue
    size += 24 + packet.byteCount
    append(UInt64(packet.byteCount), bytes: 4)
    append(UInt64(packet.byteCount), bytes: 4)
    append((isReceived ? 1 : 0) | (isData ? 0 : 2), bytes: 4)
    append(UInt64(dropped), bytes: 4)
    append(UInt64(bitPattern: moment.microseconds + shift), bytes: 8)
    for index in 0..<packet.byteCount { waiting.append(packet[index]) }
    if waiting.count >= Self.enough { flush() }
  }

  package mutating func flush() {
    var written = 0
    while written < waiting.count, failure == 0 {
      let rest = waiting[written...]
      // SAFETY: the count is the slice's own.
      let count = unsafe rest.withUnsafeBytes { unsafe write(descriptor, $0.baseAddress, $0.count) }
      if count >= 0 {
        written += count
      } else if linux_errno() != EINTR {
        failure = linux_errno()
      }
    }
    waiting.removeAll(keepingCapacity: true)
  }

  private mutating func append(_ number: UInt64, bytes count: Int) {
    for index in 0..<count { waiting.append(UInt8(truncatingIfNeeded: number >> UInt64(8 * (count - 1 - index)))) }
  }
}
