/// FNV-1a, 64 bits. Whoever chooses what is hashed does not know the seed.
package struct Hash: BitwiseCopyable, Sendable {
  package private(set) var value: UInt64

  @inline(always) package init(seed: UInt64 = 0) { value = 0xCBF2_9CE4_8422_2325 ^ seed }

  @inline(always) package mutating func mix(_ byte: UInt64) { value = (value ^ byte) &* 0x0000_0100_0000_01B3 }

  package mutating func mix(_ bytes: RawSpan) { for index in 0..<bytes.byteCount { mix(UInt64(bytes[index])) } }
}
