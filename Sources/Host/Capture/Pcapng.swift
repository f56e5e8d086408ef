import Core

/// Wireshark's format: blocks of many kinds, sections in either byte order, interfaces with clocks of their own.
/// IETF, draft-ietf-opsawg-pcapng.
struct Pcapng {
  private struct Interface {
    /// nil: it carries no HCI packets.
    var link: CaptureLink?
    var clock = Timestamps()
  }

  /// How an interface counts time.
  struct Timestamps {
    /// Ticks a second: a power of ten or, with the top bit set, of two.
    var resolution: UInt8 = 6
    /// In seconds.
    var offset: Int64 = 0
  }

  private var isBig = false
  private var interfaces: [Interface] = []
  /// The first link type that is not HCI, for the message if there are no HCI packets.
  private var other: UInt32?
  private var hasPackets = false

  private static let mostInterfaces = 256
  /// The header and both lengths of a block.
  private static let frameBytes = 12

  init() {}

  mutating func next(_ source: inout CaptureSource) throws(CaptureFault) -> CaptureRecord? {
    while true {
      guard try source.has(1) else {
        if let other, !hasPackets { throw source.failure(.otherLink(other)) }
        return nil
      }
      guard try source.has(Self.frameBytes) else { throw source.failure(.truncated) }
      let head = source.head(Self.frameBytes)
      if head.bytes.big32(at: 0) == 0x0A0D_0D0A { try startSection(head.bytes, source) }
      let kind = head.bytes.number32(at: 0, isBig: isBig)
      let length = head.bytes.number32(at: 4, isBig: isBig)
      guard length >= UInt32(Self.frameBytes), length & 3 == 0 else { throw source.failure(.damaged) }
      guard length <= UInt32(CaptureSource.mostBytes) else {
        // Only blocks that are skipped may be longer than the window.
        guard kind != 1, kind != 2, kind != 3, kind != 6 else { throw source.failure(.damaged) }
        guard try source.skip(UInt64(length)) else { throw source.failure(.truncated) }
        continue
      }
      guard try source.has(Int(length)) else { throw source.failure(.truncated) }
      if let record = try read(kind, source.bytes(Int(length)), source) { return record }
      _ = source.pass(Int(length))
    }
  }

  /// A section begins with its byte order, and with no interfaces.
  private mutating func startSection(_ head: RawSpan, _ source: borrowing CaptureSource) throws(CaptureFault) {
    switch head.big32(at: 8) {
    case 0x1A2B_3C4D: isBig = true
    case 0x4D3C_2B1A: isBig = false
    default: throw source.failure(.damaged)
    }
    interfaces.removeAll(keepingCapacity: true)
  }

  private mutating func read(_ kind: UInt32, _ block: RawSpan, _ source: borrowing CaptureSource) throws(CaptureFault) -> CaptureRecord? {
    // The length stands at both ends.
    guard block.number32(at: block.byteCount - 4, isBig: isBig) == UInt32(block.byteCount) else { throw source.failure(.damaged) }
    switch kind {
    case 1: try describe(block, source)
    case 2: return try packet(block, head: 28, interface: UInt32(try number16(block, at: 8, source)), source)
    case 3: return try simplePacket(block, source)
    case 6: return try packet(block, head: 28, interface: try number32(block, at: 8, source), source)
    default: break
    }
    return nil
  }

  /// Interface Description Block.
  private mutating func describe(_ block: RawSpan, _ source: borrowing CaptureSource) throws(CaptureFault) {
    let number = UInt32(try number16(block, at: 8, source))
    guard block.byteCount >= 20, interfaces.count < Self.mostInterfaces else { throw source.failure(.damaged) }
    var interface = Interface(link: CaptureLink(pcap: number))
    if interface.link == nil { other = other ?? number }
    var place = 16
    while place + 4 <= block.byteCount - 4 {
      let option = block.number16(at: place, isBig: isBig)
      let length = Int(block.number16(at: place + 2, isBig: isBig))
      let value = place + 4
      guard option != 0 else { break }
      guard value + length <= block.byteCount - 4 else { throw source.failure(.damaged) }
      if option == 9, length == 1 { interface.clock.resolution = block[value] }
      if option == 14, length == 8 { interface.clock.offset = offset(block, at: value) }
      place = value + (length + 3) & ~3
    }
    guard interface.clock.isReadable else { throw source.failure(.damaged) }
    interfaces.append(interface)
  }

  private func offset(_ block: RawSpan, at place: Int) -> Int64 {
    Int64(bitPattern: isBig ? block.big64(at: place) : block.little64(at: place))
  }

  /// Enhanced Packet Block, and the obsolete Packet Block, which has time and length at the same places.
  private mutating func packet(
    _ block: RawSpan, head: Int, interface: UInt32, _ source: borrowing CaptureSource
  ) throws(CaptureFault) -> CaptureRecord? {
    guard block.byteCount >= head + 4, interface < UInt32(interfaces.count) else { throw source.failure(.damaged) }
    let captured = block.number32(at: 20, isBig: isBig)
    guard captured <= UInt32(block.byteCount - head - 4) else { throw source.failure(.damaged) }
    guard let link = interfaces[Int(interface)].link else { return nil }
    hasPackets = true
    let ticks = UInt64(block.number32(at: 12, isBig: isBig)) << 32 | UInt64(block.number32(at: 16, isBig: isBig))
    let time = interfaces[Int(interface)].clock.microseconds(ticks)
    return link.locate(source, length: block.byteCount, start: head, end: head + Int(captured), time: time)
  }

  /// Simple Packet Block: from the first interface, without a time.
  private mutating func simplePacket(_ block: RawSpan, _ source: borrowing CaptureSource) throws(CaptureFault) -> CaptureRecord? {
    let original = try number32(block, at: 8, source)
    guard let first = interfaces.first else { throw source.failure(.damaged) }
    guard let link = first.link else { return nil }
    hasPackets = true
    let captured = min(original, UInt32(block.byteCount - 16))
    return link.locate(source, length: block.byteCount, start: 12, end: 12 + Int(captured), time: nil)
  }

  private func number16(_ block: RawSpan, at place: Int, _ source: borrowing CaptureSource) throws(CaptureFault) -> UInt16 {
    guard place + 2 <= block.byteCount - 4 else { throw source.failure(.damaged) }
    return block.number16(at: place, isBig: isBig)
  }

  private func number32(_ block: RawSpan, at place: Int, _ source: borrowing CaptureSource) throws(CaptureFault) -> UInt32 {
    guard place + 4 <= block.byteCount - 4 else { throw source.failure(.damaged) }
    return block.number32(at: place, isBig: isBig)
  }
}

extension Pcapng.Timestamps {
  /// 64 bits count no finer than 10⁻¹⁹ or 2⁻⁶³.
  var isReadable: Bool { resolution & 0x80 == 0 ? resolution <= 19 : resolution & 0x7F <= 63 }

  func microseconds(_ ticks: UInt64) -> Int64 {
    let power = Int(resolution & 0x7F)
    var microseconds: UInt64
    if resolution & 0x80 != 0 {
      let fraction = (ticks & ((1 << UInt64(power)) - 1)).multipliedFullWidth(by: 1_000_000)
      let seconds = (ticks >> UInt64(power)) &* 1_000_000
      microseconds = power == 0 ? seconds : seconds &+ (fraction.high << UInt64(64 - power) | fraction.low >> UInt64(power))
    } else {
      var scale: UInt64 = 1
      for _ in 0..<abs(power - 6) { scale *= 10 }
      microseconds = power <= 6 ? ticks &* scale : ticks / scale
    }
    return Int64(bitPattern: microseconds) &+ offset &* 1_000_000
  }
}
