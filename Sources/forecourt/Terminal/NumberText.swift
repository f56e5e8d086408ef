import Core
import Host

// Numbers and columns for tables that people read.

/// With exactly `places` decimals, 0 to 6, so that columns stand in line.
func fixed(_ value: Double, _ places: Int) -> String {
  guard value.isFinite, value.magnitude < 1e12 else { return "–" }
  var scale = 1.0
  for _ in 0..<places { scale *= 10 }
  let units = Int64((value * scale).rounded())
  let whole = Int64(scale)
  let sign = units < 0 ? "-" : ""
  guard places > 0 else { return "\(units)" }
  let fraction = "\(units.magnitude % whole.magnitude)"
  return sign + "\(units.magnitude / whole.magnitude)." + String(repeating: "0", count: places - fraction.utf8.count) + fraction
}

func fixed(_ value: Float, _ places: Int) -> String { fixed(Double(value), places) }

/// Metres as precisely as they are known: 0.42, 1.5, 23.
func metres(_ distance: Meters) -> String {
  let value = distance.value
  return value < 1 ? fixed(value, 2) : value < 10 ? fixed(value, 1) : value < 10_000 ? fixed(value, 0) : "far"
}

extension String {
  /// Its characters, one column each.
  var columns: Int { utf8.reduce(0) { $1 & 0xC0 == 0x80 ? $0 : $0 + 1 } }

  func padded(to width: Int) -> String { self + String(repeating: " ", count: max(0, width - columns)) }
  func right(in width: Int) -> String { String(repeating: " ", count: max(0, width - columns)) + self }

  /// At most so many columns; what is cut off leaves a mark.
  func cut(to width: Int) -> String {
    guard columns > width, width > 0 else { return width > 0 ? self : "" }
    var bytes: [UInt8] = []
    var count = 0
    for byte in utf8 {
      if byte & 0xC0 != 0x80 { count += 1 }
      if count == width { break }
      bytes.append(byte)
    }
    return String(decoding: bytes, as: UTF8.self) + "…"
  }
}

/// `1 sample`, `2 samples`.
func count(_ number: Int, _ noun: String) -> String { "\(number) \(noun)\(number == 1 ? "" : "s")" }

extension Identity {
  /// For a terminal: names come from the air, and may hold what moves cursors, turns lines round or fills two columns.
  var shown: String {
    var shown: [UInt8] = []
    for scalar in text.unicodeScalars {
      let isPlain = 0x20..<0x7F ~= scalar.value || 0xA1..<0x300 ~= scalar.value && scalar.value != 0xAD
      shown += isPlain ? Array(UTF8.encode(scalar) ?? UTF8.encodedReplacementCharacter) : [UInt8(ascii: "?")]
    }
    return String(decoding: shown, as: UTF8.self)
  }

  var text: String {
    var text = Text<128>()
    text.append(self)
    return String(text)
  }
}
