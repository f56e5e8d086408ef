package import Core

/// A capture, packet after packet: btsnoop, pcap or pcapng, whichever its first bytes say. Files longer than memory stream.
///
///     var capture = try CaptureReader(opening: path)
///     while try capture.advance() { use(capture.packet) }
package struct CaptureReader: ~Copyable {
  private var source: CaptureSource
  private var format: CaptureFormat
  /// Where the packet is, starting with its H4 type.
  private var place = 0..<0
  private var at = Instant.zero
  private var controller = 0
  /// Whose the first report was.
  private var reporter: Int?
  /// Whether reports come from more controllers than one.
  package private(set) var hasSeveral = false
  private var last: Int64 = 0
  /// By how much the stamps have leapt.
  private var leapt: Int64 = 0
  /// Whether a stamp is further from the one before than a recording's can be.
  package private(set) var hasLeapt = false
  /// Microseconds since 1970 at the first packet; nil before there is one.
  package private(set) var epoch: Int64?

  /// A second back: packets of several radios may be written out of order, but not by so much. And 12 hours: nobody records for so long
  /// without one packet. Otherwise the clock was set, or a stamp is damaged. No time passes there.
  private static let possible: ClosedRange<Int64> = -1_000_000...43_200_000_000

  /// Bytes read, and bytes in all; 0 if that is unknown.
  package var progress: (behind: UInt64, all: UInt64) { (source.offset, source.size) }

  /// `orPipe`: also a pipe, waiting for the program that writes it.
  package init(opening path: String, orPipe: Bool = true) throws(CaptureFault) {
    var source = try CaptureSource.opened(path, orPipe: orPipe)
    format = try CaptureFormat(of: &source)
    self.source = source
  }

  /// Goes to the next HCI packet; false at the end. Skips all other records.
  package mutating func advance() throws(CaptureFault) -> Bool {
    while true {
      guard let record = try format.next(&source) else { return false }
      if let type = record.type { source.put(type, before: record.start) }
      let passed = source.pass(record.length)
      guard record.isPacket, record.end > record.start else { continue }
      let start = passed.lowerBound + record.start - (record.type == nil ? 0 : 1)
      place = start..<passed.lowerBound + record.end
      controller = record.controller
      if isReport(source.passed(place)) {
        hasSeveral = hasSeveral || reporter ?? controller != controller
        reporter = controller
      }
      // A record without a time has the time of the one before.
      let time = record.time ?? last
      let first = epoch ?? time
      let step = epoch == nil ? 0 : time &- last
      if !Self.possible.contains(step) { (leapt, hasLeapt) = (leapt &+ step, true) }
      (epoch, last) = (first, time)
      at = Instant(microseconds: time &- first &- leapt)
      return true
    }
  }

  /// Bluetooth's monitor also has what a second controller does besides: only adverts count.
  private func isReport(_ packet: RawSpan) -> Bool {
    packet.byteCount > 3 && packet[0] == PacketType.event.rawValue && packet[1] == 0x3E && Report.Form(rawValue: packet[3]) != nil
  }

  /// The same, with a copy of the packet; skips packets that are longer than the machine handles.
  package mutating func next(into packet: inout Packet) throws(CaptureFault) -> Bool {
    while try advance() {
      guard place.count <= Packet.mostBytes else { continue }
      packet.at = at
      packet.bytes = Text(source.passed(place))
      return true
    }
    return false
  }

  package var packet: CapturedPacket {
    @_lifetime(borrow self)
    get { CapturedPacket(at: at, controller: controller, bytes: source.passed(place)) }
  }
}

/// One H4 packet as it was captured.
package struct CapturedPacket: ~Escapable {
  /// Since the capture's first packet.
  package let at: Instant
  /// Which controller; mostly the only one, 0.
  package let controller: Int
  /// With its H4 type in front.
  package let bytes: RawSpan

  @_lifetime(copy bytes)
  fileprivate init(at: Instant, controller: Int, bytes: RawSpan) {
    self.at = at
    self.controller = controller
    self.bytes = bytes
  }
}

/// The record at the front of the source.
struct CaptureRecord: BitwiseCopyable {
  /// Of the record; `start` and `end` are the packet's.
  var length: Int
  var start = 0
  var end = 0
  /// In microseconds since 1970; nil if the record has none.
  var time: Int64?
  /// nil: the packet starts with it; otherwise it overwrites the byte before the packet, which belongs to a header.
  var type: UInt8?
  var isPacket = true
  var controller = 0

  /// A record without an HCI packet.
  static func other(_ length: Int) -> Self { Self(length: length, isPacket: false) }
}

/// One of the formats, with its state.
enum CaptureFormat: ~Copyable {
  case btsnoop(Btsnoop)
  case pcap(Pcap)
  case pcapng(Pcapng)

  init(of source: inout CaptureSource) throws(CaptureFault) {
    guard try source.has(4) else { throw source.failure(.unknownFormat) }
    switch source.head(4).bytes.big32(at: 0) {
    case 0x6274_736E: self = .btsnoop(try Btsnoop(&source))
    case 0xA1B2_C3D4: self = .pcap(try Pcap(&source, isBig: true, ticks: 1_000_000))
    case 0xD4C3_B2A1: self = .pcap(try Pcap(&source, isBig: false, ticks: 1_000_000))
    case 0xA1B2_3C4D: self = .pcap(try Pcap(&source, isBig: true, ticks: 1_000_000_000))
    case 0x4D3C_B2A1: self = .pcap(try Pcap(&source, isBig: false, ticks: 1_000_000_000))
    case 0x0A0D_0D0A: self = .pcapng(Pcapng())
    default: throw source.failure(.unknownFormat)
    }
  }

  /// nil at the end.
  mutating func next(_ source: inout CaptureSource) throws(CaptureFault) -> CaptureRecord? {
    switch consume self {
    case .btsnoop(let format):
      self = .btsnoop(format)
      return try format.next(&source)
    case .pcap(let format):
      self = .pcap(format)
      return try format.next(&source)
    case .pcapng(var format):
      do throws(CaptureFault) {
        let record = try format.next(&source)
        self = .pcapng(format)
        return record
      } catch {
        self = .pcapng(format)
        throw error
      }
    }
  }
}
