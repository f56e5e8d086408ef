package import Core

// Between Core's fixed texts and Swift's strings. Core never sees a String.

extension String {
  /// For all but the simplest questions: what is generic over `utf8` takes one to three kilobytes for each of them.
  package var bytes: [UInt8] {
    @inline(never) get { Array(utf8) }
  }

  /// The path's folder with its slash; empty for a name alone. By bytes: Swift's characters would add 15 kB to the program.
  package var folder: String {
    let bytes = bytes
    return bytes.lastIndex(of: UInt8(ascii: "/")).map { String(decoding: bytes[...$0], as: UTF8.self) } ?? ""
  }

  package init<let capacity: Int>(_ text: Text<capacity>) {
    var bytes: [UInt8] = []
    for index in 0..<text.count { bytes.append(text[index]) }
    self.init(decoding: bytes, as: UTF8.self)
  }

  /// A number for people: at most three decimals, no trailing zeros.
  package init(number value: Double) {
    if value == value.rounded(), value.magnitude < 1e15 {
      self = "\(Int64(value))"
      return
    }
    var text = Text<32>()
    text.append(number: Float(value), places: 3)
    self.init(text)
  }
}

extension Text {
  package init(_ words: String) {
    self.init()
    for byte in words.utf8 { append(byte: byte) }
  }
}

/// A text as a JSON string, quotes and all.
package func json(_ text: String) -> String {
  var bytes = [UInt8(ascii: "\"")]
  for byte in text.utf8 {
    switch byte {
    case UInt8(ascii: "\""), UInt8(ascii: "\\"): bytes += [UInt8(ascii: "\\"), byte]
    case 0..<0x20, 0x7F:
      var escape = Text<8>("\\u00")
      escape.append(hex: byte)
      for index in 0..<escape.count { bytes.append(escape[index]) }
    default: bytes.append(byte)
    }
  }
  return String(decoding: bytes + [UInt8(ascii: "\"")], as: UTF8.self)
}
