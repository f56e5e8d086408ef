import Core
import Host

// Numbers, columns and names in text for people.

/// With exactly `places` decimals, 0 to 6, so that columns line up.
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

/// Metres, no more precise than the estimate is: 0.42, 1.5, 23.
func metres(_ distance: Meters) -> String {
  let value = distance.value
  return value < 1 ? fixed(value, 2) : value < 10 ? fixed(value, 1) : value < 10_000 ? fixed(value, 0) : "far"
}

extension String {
  /// How many characters it has, one column each.
  var columns: Int { utf8.reduce(0) { $1 & 0xC0 == 0x80 ? $0 : $0 + 1 } }

  func padded(to width: Int) -> String { self + String(repeating: " ", count: max(0, width - columns)) }
  func right(in width: Int) -> String { String(repeating: " ", count: max(0, width - columns)) + self }

  /// At most so many columns; an ellipsis marks a cut.
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

  /// The same without the middle: identities differ at their end.
  func shortened(to width: Int) -> String {
    guard columns > width, width > 4 else { return cut(to: width) }
    let tail = (width - 1) * 3 / 5
    return columnsOf(0..<(width - 1 - tail)) + "…" + columnsOf((columns - tail)..<columns)
  }

  private func columnsOf(_ range: Range<Int>) -> String {
    var bytes: [UInt8] = []
    var column = -1
    for byte in utf8 {
      if byte & 0xC0 != 0x80 { column += 1 }
      if range.contains(column) { bytes.append(byte) }
    }
    return String(decoding: bytes, as: UTF8.self)
  }
}

/// `1 sample`, `2 samples`, `2 approaches`.
func counted(_ number: Int, _ noun: String, _ more: String = "s") -> String { "\(number) \(noun)\(number == 1 ? "" : more)" }

func contains(_ text: String, _ part: String) -> Bool {
  let (bytes, wanted) = (Array(text.utf8), Array(part.utf8))
  guard bytes.count >= wanted.count else { return false }
  for start in 0...(bytes.count - wanted.count) where bytes[start..<(start + wanted.count)].elementsEqual(wanted) { return true }
  return false
}

/// For a terminal: a name from the air may hold controls, text that runs right to left, or characters two columns wide.
func shown(_ text: String) -> String {
  var shown: [UInt8] = []
  for scalar in text.unicodeScalars {
    let isPlain = 0x20..<0x7F ~= scalar.value || 0xA1..<0x300 ~= scalar.value && scalar.value != 0xAD
    shown += isPlain ? Array(UTF8.encode(scalar) ?? UTF8.encodedReplacementCharacter) : [UInt8(ascii: "?")]
  }
  return String(decoding: shown, as: UTF8.self)
}

extension Identity {
  var shown: String { forecourt.shown(text) }

  var text: String {
    var text = Text<128>()
    text.append(self)
    return String(text)
  }
}
