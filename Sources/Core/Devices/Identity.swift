/// What subscribers know a device by. Kinds are in order: the most specific that applies wins.
///
/// The bytes are laid out so that every selector is a prefix of them: an iBeacon's UUID, major, minor; a name, a zero and the address; and
/// so on.
package struct Identity: BitwiseCopyable, Sendable {
  package enum Kind: UInt8, BitwiseCopyable, Sendable {
    case irk, peer, eid, iBeacon, altBeacon, eddystone, service, name, address
  }

  package static let mostBytes = 40

  package let kind: Kind
  package private(set) var length: UInt8 = 0
  package private(set) var bytes = InlineArray<40, UInt8>(repeating: 0)

  package init(_ kind: Kind) { self.kind = kind }

  package init(_ kind: Kind, _ span: RawSpan) {
    self.kind = kind
    append(span)
  }

  package init(_ kind: Kind, _ address: Address) {
    self.kind = kind
    append(address)
  }

  package mutating func append(_ byte: UInt8) {
    precondition(length < Self.mostBytes, "an identity is at most 40 bytes")
    bytes[Int(length)] = byte
    length += 1
  }

  package mutating func append(_ span: RawSpan) {
    precondition(span.byteCount <= Self.mostBytes - Int(length), "an identity is at most 40 bytes")
    for index in 0..<span.byteCount { bytes[Int(length) + index] = span[index] }
    length += UInt8(truncatingIfNeeded: span.byteCount)
  }

  package mutating func append(_ service: ServiceUUID) {
    for index in 0..<16 { append(service.byte(index)) }
  }

  package mutating func append(_ address: Address) {
    for index in 0..<6 { append(address.written(index)) }
  }

  /// Known by its address alone, whatever else it says of itself: another address would be another device.
  package var isBoundToAddress: Bool { kind.isBoundToAddress }

  /// The address that it is bound to, as a number; it does not say of which type.
  var addressBits: UInt64? {
    guard isBoundToAddress, length >= 6 else { return nil }
    var bits: UInt64 = 0
    for index in Int(length) - 6..<Int(length) { bits = bits << 8 | UInt64(bytes[index]) }
    return bits
  }

  /// With a final mix: identities are made rarely, looked up by hash, and chosen by their senders.
  package func hash(seed: UInt64) -> UInt32 {
    var hash = Hash(seed: seed ^ UInt64(kind.rawValue))
    for index in 0..<Int(length) { hash.mix(UInt64(bytes[index])) }
    let mixed = (hash.value ^ hash.value >> 32) &* 0x9E37_79B9_7F4A_7C15
    return UInt32(truncatingIfNeeded: mixed >> 32)
  }
}

extension Identity.Kind {
  package static var all: InlineArray<9, Self> { [.irk, .peer, .eid, .iBeacon, .altBeacon, .eddystone, .service, .name, .address] }

  var isBoundToAddress: Bool {
    switch self {
    case .service, .name, .address: true
    case .irk, .peer, .eid, .iBeacon, .altBeacon, .eddystone: false
    }
  }

  var isBeacon: Bool {
    switch self {
    case .iBeacon, .altBeacon, .eddystone: true
    case .irk, .peer, .eid, .service, .name, .address: false
    }
  }
}

extension Identity: Equatable {
  package static func == (a: Self, b: Self) -> Bool {
    guard a.kind == b.kind, a.length == b.length else { return false }
    for index in 0..<Int(a.length) where a.bytes[index] != b.bytes[index] { return false }
    return true
  }
}

extension Identity {
  /// Core 6.0, Vol 6, Part B, 1.3.2: private addresses begin with the bits 00 or 01. Some public ones do too; they are never renewed.
  var hasPrivateAddress: Bool { isBoundToAddress && length >= 6 && bytes[Int(length) - 6] < 0x80 }

  /// Whether one phone may have both identities, before and after it renewed its address: the same kind of private address, all else equal.
  func mayBeSamePhone(to other: Identity) -> Bool {
    if other.kind == .peer { return kind == .service }
    guard kind == other.kind, length == other.length, hasPrivateAddress, other.hasPrivateAddress else { return false }
    let address = Int(length) - 6
    for index in 0..<address where bytes[index] != other.bytes[index] { return false }
    return bytes[address] >> 6 == other.bytes[address] >> 6
  }
}
