extension String {
  /// In ASCII, a column for each, for a terminal that knows nothing else.
  var plain: String {
    var bytes: [UInt8] = []
    for scalar in unicodeScalars { bytes.append(scalar.isASCII ? UInt8(truncatingIfNeeded: scalar.value) : scalar.likeness) }
    return String(decoding: bytes, as: UTF8.self)
  }
}

extension Unicode.Scalar {
  /// What the table is drawn with; letters of a name have none.
  fileprivate var likeness: UInt8 {
    switch value {
    // The eight bars of the levels.
    case 0x2581...0x2588: UInt8(ascii: "1") + UInt8(truncatingIfNeeded: value - 0x2581)
    case 0x2013: UInt8(ascii: "-")
    case 0x2026: UInt8(ascii: "~")
    case 0x25B2: UInt8(ascii: "^")
    case 0x25BC: UInt8(ascii: "v")
    case 0x25C2: UInt8(ascii: "<")
    // The keys that do the same as the arrows.
    case 0x2191: UInt8(ascii: "k")
    case 0x2193: UInt8(ascii: "j")
    default: UInt8(ascii: "?")
    }
  }
}
