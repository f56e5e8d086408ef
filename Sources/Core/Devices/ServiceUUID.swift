/// A service UUID, always as 128 bits, most significant first.
package struct ServiceUUID: Hashable, BitwiseCopyable, Sendable {
  package var high: UInt64
  package var low: UInt64

  package init(_ high: UInt64 = 0, _ low: UInt64 = 0) {
    self.high = high
    self.low = low
  }

  /// A 16- or 32-bit UUID stands for one on the Bluetooth base UUID. Core 6.0, Vol 3, Part B, 2.5.1.
  package init(short: UInt32) { self.init(UInt64(short) << 32 | 0x1000, 0x8000_0080_5F9B_34FB) }

  package func byte(_ index: Int) -> UInt8 {
    UInt8(truncatingIfNeeded: index < 8 ? high >> UInt64((7 - index) * 8) : low >> UInt64((15 - index) * 8))
  }
}

extension ServiceUUID {
  /// Two, four or sixteen bytes as the air sends them: the least significant first.
  package init(onAir bytes: RawSpan) {
    switch bytes.byteCount {
    case 2: self.init(short: UInt32(bytes.little16(at: 0)))
    case 4: self.init(short: bytes.little32(at: 0))
    default: self.init(bytes.little64(at: 8), bytes.little64(at: 0))
    }
  }
}
