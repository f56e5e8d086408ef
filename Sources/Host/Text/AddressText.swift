package import Core

extension Address {
  /// A public one, "AA:BB:CC:DD:EE:FF", in capitals or not; nil for anything else.
  package init?(written text: String) {
    let bytes = Array(text.utf8)
    guard bytes.count == 17 else { return nil }
    var bits: UInt64 = 0
    for (index, byte) in bytes.enumerated() {
      if index % 3 == 2 {
        guard byte == UInt8(ascii: ":") else { return nil }
      } else {
        guard let digit = hexDigit(byte) else { return nil }
        bits = bits << 4 | UInt64(digit)
      }
    }
    self.init(bits, type: 0)
  }

  /// In capitals, as hciconfig shows it.
  package var written: String {
    var text = Text<17>()
    for index in 0..<6 {
      if index > 0 { text.append(byte: UInt8(ascii: ":")) }
      text.append(hex: written(index), upperCase: true)
    }
    return String(text)
  }
}
