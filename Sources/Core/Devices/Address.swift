/// A Bluetooth device address with its type, in one word: the key of the address table.
package struct Address: Hashable, BitwiseCopyable, Sendable {
  /// The address in bits 0…47 as the air sends it (first byte lowest), its type in bits 48…50.
  package let word: UInt64

  package init(word: UInt64) { self.word = word & 0x0007_FFFF_FFFF_FFFF }

  package init(_ bits: UInt64, type: UInt8) { word = bits | UInt64(type & 7) << 48 }

  /// As reports number them. Core 6.0, Vol 4, Part E, 7.7.65.13; an anonymous advertisement, 0xFF there, has no address at all.
  package enum Kind: UInt8, BitwiseCopyable, Sendable { case `public`, random, publicIdentity, randomIdentity, anonymous }

  package var kind: Kind { Kind(rawValue: UInt8(truncatingIfNeeded: word >> 48)) ?? .anonymous }

  /// Core 6.0, Vol 6, Part B, 1.3.2.2: the two most significant bits of a resolvable private address are 01.
  package var isResolvable: Bool { kind == .random && (word >> 46) & 0b11 == 0b01 }

  /// A public address that one controller alone should have: neither none at all nor a place left blank.
  package var isDistinctive: Bool { kind == .public && word != 0 && word != 0xFFFF_FFFF_FFFF }

  /// Byte `index` as people write it: 0 is the leftmost.
  package func written(_ index: Int) -> UInt8 { UInt8(truncatingIfNeeded: word >> UInt64((5 - index) * 8)) }
}
