/// The first byte of a packet between host and controller. Core 6.0, Vol 4, Part A, 2.
package enum PacketType: UInt8, BitwiseCopyable, Sendable {
  case command = 1, acl, synchronous, event, isochronous

  /// How many bytes there are between the type and the content, the length included.
  var headerBytes: Int {
    switch self {
    case .command, .synchronous: 3
    case .acl, .isochronous: 4
    case .event: 2
    }
  }

  /// How many bytes follow a header. Core 6.0, Vol 4, Part E, 5.4.
  func contentBytes(header: RawSpan) -> Int {
    switch self {
    case .command, .synchronous: Int(header[2])
    case .acl: Int(header.little16(at: 2))
    case .event: Int(header[1])
    case .isochronous: Int(header.little16(at: 2) & 0x3FFF)
    }
  }
}

/// Cuts a controller's byte stream into packets, in whatever pieces it arrives, and resynchronises after damage.
///
///     var bytes = Cursor(chunk)
///     while stream.advance(through: &bytes) { ring.push(stream.packet) }
package struct PacketStream: BitwiseCopyable, Sendable {
  private var gathered = Text<260>()
  private var isWhole = false
  /// Whether the stream is at a packet's start. After a loss only what must be an event is accepted.
  private var isAligned = true
  /// Bytes that belonged to no packet.
  package private(set) var discarded: UInt64 = 0

  package init() {}

  /// The packet that `advance` has just completed, with its type.
  package var packet: RawSpan {
    @_addressableSelf
    @_lifetime(borrow self)
    get { gathered.bytes }
  }

  /// Whether a packet has begun and not ended.
  package var isPartial: Bool { !isWhole && gathered.count > 0 }

  /// The line fell silent inside a packet: its rest will not come.
  package mutating func abandon() {
    guard isPartial else { return }
    discarded += UInt64(gathered.count)
    gathered.truncate(to: 0)
  }

  /// Reads on. True when a packet is complete, false when the bytes are used up.
  @_lifetime(bytes: copy bytes)
  package mutating func advance(through bytes: inout Cursor) -> Bool {
    if isWhole { gathered.truncate(to: 0) }
    isWhole = false
    while true {
      guard let missing = missing() else {
        lose()
        continue
      }
      if missing == 0 {
        isWhole = true
        isAligned = true
        return true
      }
      guard let piece = try? bytes.take(min(missing, bytes.remaining)), piece.byteCount > 0 else { return false }
      gathered.append(piece)
    }
  }

  /// How many bytes the packet, or first its header, still lacks; nil when the bytes so far are no packet.
  ///
  /// Controllers send only events until there is a connection, and never audio, which nobody requests. A packet longer than a `Packet` is
  /// noise too: to believe a length of 64 kB after a lost byte would make the gateway deaf. So would an LE event of an impossible length:
  /// it would swallow the events behind it.
  private func missing() -> Int? {
    guard gathered.count > 0 else { return 1 }
    guard let type = PacketType(rawValue: gathered[0]), type == .event || (type == .acl && isAligned) else { return nil }
    let header = 1 + type.headerBytes
    if gathered.count < header { return header - gathered.count }
    let content = type.contentBytes(header: gathered.bytes.extracting(1..<header))
    if type == .event {
      guard isPlausible(code: gathered[1], length: content) else { return nil }
      if gathered[1] == 0x3E {
        guard gathered.count > header else { return 1 }
        guard isPlausible(subevent: gathered[3], length: content) else { return nil }
      }
    }
    return header + content <= Packet.mostBytes ? header + content - gathered.count : nil
  }

  /// Drops one byte. At most four are left, and every acceptable event is longer: nothing of the next packet is lost.
  private mutating func lose() {
    discarded += 1
    isAligned = false
    let rest = gathered
    gathered.truncate(to: 0)
    gathered.append(rest.bytes.extracting(droppingFirst: 1))
  }

  /// Whether an event may have this code and length. Core 6.0, Vol 4, Part E, 7.7; 0xFF is the vendor's.
  private func isPlausible(code: UInt8, length: Int) -> Bool {
    switch code {
    case 0x3E: length >= 1
    case 0x0E: length >= 3
    case 0x05, 0x0F: length == 4
    case 0x10: length == 1
    case 0x13: length >= 5
    case 0x01...0x58, 0xFF: isAligned
    default: false
    }
  }

  /// The same for an LE event; subevents that are not listed have no fixed length. Core 6.0, Vol 4, Part E, 7.7.65.
  private func isPlausible(subevent: UInt8, length: Int) -> Bool {
    switch subevent {
    case 0x00: false
    case 0x01: length == 19
    case 0x03: length == 10
    case 0x04: length == 12
    case 0x05: length == 13
    case 0x06, 0x07: length == 11
    case 0x08: length == 66
    case 0x09: length == 34
    case 0x0A: length == 31
    case 0x0C, 0x12: length == 6
    case 0x0E: length == 16
    case 0x10: length == 3
    case 0x11: length == 1
    case 0x13: length == 9
    case 0x14: length == 4
    default: length >= 2
    }
  }
}
