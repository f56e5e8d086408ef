// JSON straight into a fixed text: no tree, no allocation. A comma is written unless the text ends with an opening bracket.

extension Text {
  package mutating func object(_ key: StaticString) {
    self.key(key)
    append(byte: UInt8(ascii: "{"))
  }

  package mutating func openObject() {
    separate()
    append(byte: UInt8(ascii: "{"))
  }

  package mutating func closeObject() { append(byte: UInt8(ascii: "}")) }

  package mutating func array(_ key: StaticString) {
    self.key(key)
    append(byte: UInt8(ascii: "["))
  }

  package mutating func closeArray() { append(byte: UInt8(ascii: "]")) }

  package mutating func member(_ key: StaticString, _ value: Bool) {
    self.key(key)
    append(value ? "true" : "false" as StaticString)
  }

  package mutating func member(_ key: StaticString, _ value: Int64) {
    self.key(key)
    append(integer: value)
  }

  package mutating func member(_ key: StaticString, _ value: StaticString) {
    self.key(key)
    append(byte: UInt8(ascii: "\""))
    append(value)
    append(byte: UInt8(ascii: "\""))
  }

  /// At most `places` decimals, without trailing zeros; `null` for what is not a number.
  package mutating func member(_ key: StaticString, _ value: Float, places: Int) {
    self.key(key)
    append(number: value, places: places)
  }

  /// The same under a name that somebody chose.
  package mutating func member(key: Name, _ value: Float, places: Int) {
    separate()
    append(byte: UInt8(ascii: "\""))
    append(escaping: key.bytes)
    append("\":" as StaticString)
    append(number: value, places: places)
  }

  /// `value` counts units of ten to the minus `decimals`; written exactly, without trailing zeros.
  package mutating func member(_ key: StaticString, _ value: Int64, decimals: Int) {
    self.key(key)
    if value < 0 { append(byte: UInt8(ascii: "-")) }
    var scale: UInt64 = 1
    for _ in 0..<decimals { scale *= 10 }
    append(decimal: value.magnitude / scale)
    append(fraction: value.magnitude % scale, of: scale)
  }

  /// A string in an array.
  package mutating func element(_ value: StaticString) {
    separate()
    append(byte: UInt8(ascii: "\""))
    append(value)
    append(byte: UInt8(ascii: "\""))
  }

  /// A string of any bytes in an array, cut likewise.
  package mutating func element(text: RawSpan, upTo limit: Int) {
    separate()
    append(text, upTo: limit)
  }

  package mutating func memberNull(_ key: StaticString) {
    self.key(key)
    append("null")
  }

  /// A string of any bytes: escaped, and valid UTF-8.
  package mutating func member(_ key: StaticString, text: RawSpan) {
    self.key(key)
    append(byte: UInt8(ascii: "\""))
    append(escaping: text)
    append(byte: UInt8(ascii: "\""))
  }

  /// The same, cut at a character where the escaped form would exceed `limit` bytes.
  package mutating func member(_ key: StaticString, text: RawSpan, upTo limit: Int) {
    self.key(key)
    append(text, upTo: limit)
  }

  private mutating func append(_ text: RawSpan, upTo limit: Int) {
    append(byte: UInt8(ascii: "\""))
    let start = count
    var index = 0
    while index < text.byteCount {
      let before = count
      let length = max(text.characterLength(at: index), 1)
      append(escaping: text.extracting(index..<index + length))
      if count - start > limit {
        truncate(to: before)
        break
      }
      index += length
    }
    append(byte: UInt8(ascii: "\""))
  }

  package mutating func member(_ key: StaticString, _ identity: Identity) {
    var text = Text<128>()
    text.append(identity)
    member(key, text: text.bytes)
  }

  package mutating func key(_ key: StaticString) {
    separate()
    append(byte: UInt8(ascii: "\""))
    append(key)
    append("\":")
  }

  package mutating func append(integer value: Int64) {
    if value < 0 { append(byte: UInt8(ascii: "-")) }
    append(decimal: value.magnitude)
  }

  /// Exact: a Float's 24 bits times a power of ten up to 10⁸ fit the 53 of a Double, so ties are true ties, rounded away from zero.
  package mutating func append(number value: Float, places: Int) {
    precondition(0...8 ~= places, "a number is written with at most eight decimals")
    guard value.isFinite, value.magnitude < 1e9 else { return append("null") }
    var scale: UInt64 = 1
    for _ in 0..<places { scale *= 10 }
    let scaled = (Double(value.magnitude) * Double(scale)).nearest
    if value < 0 && scaled > 0 { append(byte: UInt8(ascii: "-")) }
    append(decimal: scaled / scale)
    append(fraction: scaled % scale, of: scale)
  }

  private mutating func append(fraction: UInt64, of scale: UInt64) {
    guard fraction > 0 else { return }
    append(byte: UInt8(ascii: "."))
    var (fraction, scale) = (fraction, scale)
    while fraction > 0 {
      scale /= 10
      append(byte: UInt8(ascii: "0") + UInt8(truncatingIfNeeded: fraction / scale))
      fraction %= scale
    }
  }
}

extension Double {
  /// `rounded()` would call libm.
  fileprivate var nearest: UInt64 {
    let whole = UInt64(self)
    return self - Double(whole) < 0.5 ? whole : whole + 1
  }
}
