import Core

/// A number as people write it, and as TOML has it: `1,5`, `.5`, `1.5 m`, `500ms`.
struct RightNumber {
  private(set) var bytes: [UInt8] = []
  private let hasComma: Bool
  private let hasUnit: Bool
  private let lacksDigits: Bool

  /// Without a unit of its own and in decimal: it needs no key that counts in something.
  var isPlain: Bool { !hasUnit && !hasComma }

  /// `unit`: in what the key counts. nil if this is no number, or nobody can tell which.
  init?(_ text: [UInt8], _ unit: String?, isCount: Bool = false) {
    var index = 0
    let isNegative = text.first == UInt8(ascii: "-")
    if isNegative || text.first == UInt8(ascii: "+") { index += 1 }
    while index < text.count, isBlank(text[index]) { index += 1 }
    let whole = Self.digits(text, &index)
    var fraction: [UInt8] = []
    var point: UInt8?
    if index < text.count, text[index] == UInt8(ascii: ".") || text[index] == UInt8(ascii: ",") {
      point = text[index]
      index += 1
      fraction = Self.digits(text, &index)
    }
    guard whole.count + fraction.count > 0, whole.count + fraction.count <= 15 else { return nil }
    // 007 is somebody's number, not a count.
    if unit == nil, !isCount, whole.count > 1, whole[0] == UInt8(ascii: "0") { return nil }
    hasComma = point == UInt8(ascii: ",")
    lacksDigits = whole.isEmpty || point != nil && fraction.isEmpty
    let written = String(decoding: trimmed(text[index...]).map { $0 | 0x20 }, as: UTF8.self)
    hasUnit = !written.utf8.isEmpty
    // Three digits behind a comma may be thousands.
    if hasComma && fraction.count == 3 && (unit == nil || same(unit!, "ms")) { return nil }
    guard let factor = hasUnit ? Self.factor(written, unit) : 1 else { return nil }
    bytes = isNegative ? [UInt8(ascii: "-")] : []
    guard factor == 1 else {
      let digits = (whole + fraction).reduce(0.0) { $0 * 10 + Double($1 & 0x0F) }
      let scale = fraction.reduce(1.0) { scale, _ in scale * 10 }
      bytes += Array(String(number: digits / scale * factor).utf8)
      return
    }
    let stripped = Array(whole.drop { $0 == UInt8(ascii: "0") })
    bytes += stripped.isEmpty ? [UInt8(ascii: "0")] : stripped
    if !fraction.isEmpty { bytes += [UInt8(ascii: ".")] + fraction }
  }

  func reason(_ key: [UInt8]) -> String {
    if hasUnit { return "a number has no unit, the key's name has it" }
    if hasComma { return "a number has a point, not a comma" }
    return lacksDigits ? "a number has digits on both sides of its point" : "this is no number as TOML writes it"
  }

  private static func digits(_ text: [UInt8], _ index: inout Int) -> [UInt8] {
    let start = index
    while index < text.count, UInt8(ascii: "0")...UInt8(ascii: "9") ~= text[index] { index += 1 }
    return Array(text[start..<index])
  }

  /// From the unit that is written, in small letters, to the key's.
  private static func factor(_ written: String, _ unit: String?) -> Double? {
    guard let unit else { return nil }
    let known: [(unit: String, written: String, factor: Double)] = [
      ("s", "s", 1), ("s", "sec", 1), ("s", "seconds", 1), ("s", "ms", 0.001), ("s", "min", 60), ("s", "h", 3_600), ("ms", "ms", 1),
      ("ms", "s", 1_000), ("m", "m", 1), ("m", "meters", 1), ("m", "metres", 1), ("m", "cm", 0.01), ("dbm", "dbm", 1), ("dbm", "db", 1),
      ("db", "db", 1), ("hz", "hz", 1), ("hz", "/s", 1),
    ]
    return known.first { same($0.unit, unit) && same($0.written, written) }?.factor
  }
}
