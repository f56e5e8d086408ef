/// The vocabulary of the Attribute Protocol. Core 6.0, Vol 3, Part F, 3.4.
enum Att {
  /// Its fixed L2CAP channel. Core 6.0, Vol 3, Part A, 2.1.
  static let channel: UInt16 = 4
  static let signalling: UInt16 = 5
  static let security: UInt16 = 6

  static let smallestMTU = 23
  /// The MTU that we offer: eleven long services in one answer, in one packet of a controller with long ones.
  static let mtu = 247
  /// What both sides take: the other side's request or answer says what it takes.
  static func settledMTU(_ exchange: RawSpan) -> Int { min(max(Int(exchange.little16(at: 1)), smallestMTU), mtu) }

  static let error: UInt8 = 0x01
  static let exchangeMTU: UInt8 = 0x02
  static let findInformation: UInt8 = 0x04
  static let findByTypeValue: UInt8 = 0x06
  static let readByType: UInt8 = 0x08
  static let read: UInt8 = 0x0A
  static let readBlob: UInt8 = 0x0C
  static let readByGroupType: UInt8 = 0x10
  static let write: UInt8 = 0x12
  static let notification: UInt8 = 0x1B
  static let indication: UInt8 = 0x1D
  static let confirmation: UInt8 = 0x1E

  static let invalidHandle: UInt8 = 0x01
  static let writeNotPermitted: UInt8 = 0x03
  static let invalidPDU: UInt8 = 0x04
  static let notSupported: UInt8 = 0x06
  static let invalidOffset: UInt8 = 0x07
  static let notFound: UInt8 = 0x0A
  static let unsupportedGroup: UInt8 = 0x10
  /// Insufficient authentication, authorization or encryption.
  static func asksForPairing(_ error: UInt8) -> Bool { error == 0x05 || error == 0x08 || error == 0x0F }

  /// Commands and signed writes need no answer. 3.3.1.
  static func isCommand(_ opcode: UInt8) -> Bool { opcode & 0x40 != 0 }
  /// Requests are even, responses odd.
  static func isRequest(_ opcode: UInt8) -> Bool { opcode & 0x41 == 0 && opcode != confirmation }

  static let primaryService: UInt16 = 0x2800
  static let characteristic: UInt16 = 0x2803
}

/// One attribute PDU of ours. Our table's longest answer and our longest request are shorter.
typealias AttPDU = Text<64>

extension Text {
  /// The lowest `count` bytes, lowest first, as on the air.
  mutating func append(little number: UInt64, bytes count: Int) {
    for index in 0..<count { append(byte: UInt8(truncatingIfNeeded: number >> UInt64(8 * index))) }
  }

  /// A service as in ATT and in adverts: sixteen bytes, the least significant first.
  mutating func append(onAir uuid: ServiceUUID) {
    append(little: uuid.low, bytes: 8)
    append(little: uuid.high, bytes: 8)
  }
}

/// One primary service of a peer: its handles and its UUID.
package struct ServiceGroup: Equatable, BitwiseCopyable, Sendable {
  package let first: UInt16
  package let last: UInt16
  package let uuid: ServiceUUID
}

/// The services of one Read By Group Type Response, one after another. Core 6.0, Vol 3, Part F, 3.4.4.10.
package struct ServiceGroups: ~Escapable {
  private var cursor: Cursor
  private let width: Int
  private var previous: UInt16

  /// `parameters` follow the opcode. Handles must rise, from the one that was asked for: otherwise a peer could answer for ever.
  @_lifetime(copy parameters)
  package init(_ parameters: RawSpan, from handle: UInt16) throws(Malformed) {
    cursor = Cursor(parameters)
    width = Int(try cursor.byte())
    guard width == 6 || width == 20, cursor.remaining > 0, cursor.remaining % width == 0 else { throw .impossible }
    previous = handle &- 1
  }

  @_lifetime(self: copy self)
  package mutating func next() throws(Malformed) -> ServiceGroup? {
    guard cursor.remaining > 0 else { return nil }
    let entry = try cursor.take(width)
    let group = ServiceGroup(
      first: entry.little16(at: 0), last: entry.little16(at: 2), uuid: ServiceUUID(onAir: entry.extracting(droppingFirst: 4)))
    guard group.first > previous, group.last >= group.first else { throw .impossible }
    previous = group.last
    return group
  }
}

extension ServiceUUID {
  /// The last 32 bits, if the rest equals `prefix`.
  package func installation(behind prefix: ServiceUUID) -> UInt32? {
    high == prefix.high && low >> 32 == prefix.low >> 32 ? UInt32(truncatingIfNeeded: low) : nil
  }
}
