import Core

/// BlueZ's and Android's capture format: RFC 1761 with its own link types. All numbers are big-endian.
struct Btsnoop: BitwiseCopyable {
  private let link: CaptureLink

  /// 1970 in microseconds since the year 0, as BlueZ counts them.
  static let epoch: UInt64 = 0x00DC_DDB3_0F2F_8000
  private static let headBytes = 16
  private static let recordBytes = 24

  init(_ source: inout CaptureSource) throws(CaptureFault) {
    guard try source.has(Self.headBytes) else { throw source.failure(.truncated) }
    let head = source.head(Self.headBytes)
    guard head.bytes.big64(at: 0) == 0x6274_736E_6F6F_7000, head.bytes.big32(at: 8) == 1 else { throw source.failure(.unknownFormat) }
    guard let link = CaptureLink(btsnoop: head.bytes.big32(at: 12)) else { throw source.failure(.otherLink(head.bytes.big32(at: 12))) }
    self.link = link
    _ = source.pass(Self.headBytes)
  }

  func next(_ source: inout CaptureSource) throws(CaptureFault) -> CaptureRecord? {
    guard let (head, length) = try source.record(Self.recordBytes, lengthAt: 4, isBig: true) else { return nil }
    let flags = head.bytes.big32(at: 8)
    let time = Int64(bitPattern: head.bytes.big64(at: 16) &- Self.epoch)
    return link.locate(source, length: length, start: Self.recordBytes, end: length, time: time, flags: flags)
  }
}
