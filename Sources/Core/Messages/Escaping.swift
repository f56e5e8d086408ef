// Names come from the air and may hold any bytes. What leaves here is safe in JSON, and valid UTF-8.

extension Text {
  /// Escapes what JSON forbids. Bytes outside well-formed UTF-8 become U+FFFD.
  package mutating func append(escaping bytes: RawSpan) {
    var index = 0
    while index < bytes.byteCount {
      let length = bytes.characterLength(at: index)
      switch (length, bytes[index]) {
      case (0, _):
        append("\u{FFFD}")
        index += 1
        continue
      case (1, UInt8(ascii: "\"")): append("\\\"")
      case (1, UInt8(ascii: "\\")): append("\\\\")
      case (1, 0..<0x20), (1, 0x7F):
        append("\\u00")
        append(hex: bytes[index])
      default: append(bytes.extracting(index..<index + length))
      }
      index += length
    }
  }
}

extension RawSpan {
  /// So many bytes at most `append(escaping:)` makes of these. Others choose their words.
  @inline(never) @_optimize(size)
  var mostEscaped: Int {
    var most = 0
    for index in 0..<byteCount {
      switch self[index] {
      case UInt8(ascii: "\""), UInt8(ascii: "\\"): most += 2
      case 0x20...0x7E: most += 1
      default: most += 6
      }
    }
    return most
  }

  /// The length of the well-formed UTF-8 character at `index`, 0 if there is none. Unicode 15, table 3-7.
  package func characterLength(at index: Int) -> Int {
    let first = self[index]
    if first < 0x80 { return 1 }
    let (length, second): (Int, ClosedRange<UInt8>) =
      switch first {
      case 0xC2...0xDF: (2, 0x80...0xBF)
      case 0xE0: (3, 0xA0...0xBF)
      case 0xED: (3, 0x80...0x9F)
      case 0xE1...0xEF: (3, 0x80...0xBF)
      case 0xF0: (4, 0x90...0xBF)
      case 0xF4: (4, 0x80...0x8F)
      case 0xF1...0xF3: (4, 0x80...0xBF)
      default: (0, 0x80...0xBF)
      }
    guard length > 0, index + length <= byteCount, second.contains(self[index + 1]) else { return 0 }
    for offset in 2..<max(length, 2) where self[index + offset] & 0xC0 != 0x80 { return 0 }
    return length
  }
}
