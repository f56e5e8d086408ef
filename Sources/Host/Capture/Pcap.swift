import Core

/// libpcap's format, either byte order, micro- or nanoseconds. IETF, draft-ietf-opsawg-pcap.
struct Pcap: BitwiseCopyable {
  private let isBig: Bool
  private let ticks: UInt64
  private let link: CaptureLink

  private static let headBytes = 24
  private static let recordBytes = 16

  init(_ source: inout CaptureSource, isBig: Bool, ticks: UInt64) throws(CaptureFault) {
    guard try source.has(Self.headBytes) else { throw source.failure(.truncated) }
    // The upper bits describe check sums behind the packets, which Bluetooth captures lack.
    let number = source.head(Self.headBytes).bytes.number32(at: 20, isBig: isBig) & 0xFFFF
    guard let link = CaptureLink(pcap: number) else { throw source.failure(.otherLink(number)) }
    self.isBig = isBig
    self.ticks = ticks
    self.link = link
    _ = source.pass(Self.headBytes)
  }

  func next(_ source: inout CaptureSource) throws(CaptureFault) -> CaptureRecord? {
    guard let (head, length) = try source.record(Self.recordBytes, lengthAt: 8, isBig: isBig) else { return nil }
    let fraction = UInt64(head.bytes.number32(at: 4, isBig: isBig)) * 1_000_000 / ticks
    let time = Int64(UInt64(head.bytes.number32(at: 0, isBig: isBig)) * 1_000_000 + fraction)
    return link.locate(source, length: length, start: Self.recordBytes, end: length, time: time)
  }
}

extension RawSpan {
  func number16(at offset: Int, isBig: Bool) -> UInt16 { isBig ? big16(at: offset) : little16(at: offset) }
  func number32(at offset: Int, isBig: Bool) -> UInt32 { isBig ? big32(at: offset) : little32(at: offset) }
}
