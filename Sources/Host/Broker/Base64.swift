import Core

extension Text {
  /// RFC 4648, section 4.
  mutating func append(base64 bytes: borrowing Span<UInt8>) {
    for start in stride(from: 0, to: bytes.count, by: 3) {
      let left = bytes.count - start
      let group = UInt32(bytes[start]) << 16 | (left > 1 ? UInt32(bytes[start + 1]) << 8 : 0) | (left > 2 ? UInt32(bytes[start + 2]) : 0)
      append(base64: group >> 18)
      append(base64: group >> 12)
      if left > 1 { append(base64: group >> 6) } else { append(byte: UInt8(ascii: "=")) }
      if left > 2 { append(base64: group) } else { append(byte: UInt8(ascii: "=")) }
    }
  }

  private mutating func append(base64 word: UInt32) {
    switch UInt8(word & 63) {
    case let value where value < 26: append(byte: UInt8(ascii: "A") + value)
    case let value where value < 52: append(byte: UInt8(ascii: "a") + value - 26)
    case let value where value < 62: append(byte: UInt8(ascii: "0") + value - 52)
    case 62: append(byte: UInt8(ascii: "+"))
    default: append(byte: UInt8(ascii: "/"))
    }
  }
}
