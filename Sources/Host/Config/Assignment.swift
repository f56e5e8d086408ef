import Core

/// A line `key = value # comment`, read leniently: any of its parts may be wrong.
struct Assignment {
  /// With the blanks in front of it, so that columns stay.
  let indent: [UInt8]
  let key: [UInt8]
  /// As written between key and value, without blanks: `=` if it is right.
  let sign: [UInt8]
  /// Without the comment and the blanks around it.
  let value: [UInt8]
  /// Where the value begins, in bytes.
  let valueStart: Int
  let comment: [UInt8]

  /// nil if no key begins here.
  init?(_ line: [UInt8]) {
    var index = line.firstIndex { !isBlank($0) } ?? line.count
    indent = Array(line[..<index])
    let start = index
    while index < line.count, isBare(line[index]) { index += 1 }
    guard index > start else { return nil }
    key = Array(line[start..<index])
    while index < line.count, isBlank(line[index]) { index += 1 }
    let signStart = index
    while index < line.count, "=:>".bytes.contains(line[index]) { index += 1 }
    sign = Array(line[signStart..<index])
    while index < line.count, isBlank(line[index]) { index += 1 }
    valueStart = index
    let end = Self.startOfComment(line, from: index)
    value = trimmed(line[index..<end])
    comment = Array(line[end...])
  }

  init?(_ key: String, _ value: [UInt8]) { self.init(Array(key.utf8) + Array(" = ".utf8) + value) }

  /// The key for a message.
  var title: String { withoutKey(String(decoding: key, as: UTF8.self)) }

  var isNothing: Bool {
    let word = value.map { UInt8(ascii: "A")...UInt8(ascii: "Z") ~= $0 ? $0 | 0x20 : $0 }
    return ["null", "none", "nil", "undefined", "~"].contains { $0.bytes == word }
  }

  /// The last part of a dotted key.
  var name: String { String(decoding: key.split(separator: UInt8(ascii: ".")).last ?? [], as: UTF8.self) }

  /// `key = value` as it should be. The comment stays.
  func line(_ key: [UInt8], _ value: [UInt8]) -> [UInt8] {
    indent + key + Array(" = ".utf8) + value + (comment.isEmpty ? [] : [0x20] + comment)
  }

  func line(_ value: [UInt8]) -> [UInt8] { line(key, value) }

  /// The same for a message: without what may be a secret.
  func advice(_ value: [UInt8]) -> String {
    let text = String(decoding: value, as: UTF8.self)
    let name = name
    let isLogin = same(name, "host") && value.contains(UInt8(ascii: "@"))
    let isSecret = isLogin || same(name, "key") || ["_key", "_file", "password"].contains { ends(name, with: $0) }
    return title + " = " + (isSecret ? "\"…\"" : short(text))
  }

  private func short(_ text: String) -> String {
    let bare = text.bytes.filter { $0 != UInt8(ascii: "\"") && $0 != UInt8(ascii: "[") && $0 != UInt8(ascii: "]") }
    let word = String(decoding: bare, as: UTF8.self)
    return same(withoutKey(word), printable(word)) ? printable(text) : "\"…\""
  }

  /// A number belongs here, whatever stands here.
  var wantsNumber: Bool {
    let name = name
    let words = [
      "port", "version", "devices", "min_samples", "window_samples", "max_events", "path_loss_exponent", "major", "minor", "clock",
      "exponent",
    ]
    return unit != nil || words.contains { same($0, name) }
  }

  /// In what the key's number counts, as its name says.
  var unit: String? {
    for unit in ["ms", "s", "m", "dbm", "db", "hz"] where ends(name, with: "_" + unit) { return unit }
    return nil
  }

  private static func startOfComment(_ line: [UInt8], from start: Int) -> Int {
    var quote: UInt8?
    for index in start..<line.count {
      switch line[index] {
      case let byte where byte == quote: quote = nil
      case UInt8(ascii: "\""), UInt8(ascii: "'"): if quote == nil, opens(line, index, from: start) { quote = line[index] }
      case UInt8(ascii: "#"):
        // A quotation mark without its counterpart must not swallow the comment.
        let isClosed = quote == nil || !line[index...].contains(quote!)
        if isClosed, index == start || isBlank(line[index - 1]) { return index }
      default: break
      }
    }
    return line.count
  }

  /// An apostrophe inside a word opens nothing.
  private static func opens(_ line: [UInt8], _ index: Int, from start: Int) -> Bool {
    index == start || isBlank(line[index - 1]) || line[index - 1] == UInt8(ascii: ",") || line[index - 1] == UInt8(ascii: "[")
  }
}

func isBlank(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x09 }

private func isBare(_ byte: UInt8) -> Bool {
  switch byte {
  case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "0")...UInt8(ascii: "9"): true
  case UInt8(ascii: "_"), UInt8(ascii: "-"), UInt8(ascii: "."): true
  default: false
  }
}

func trimmed(_ bytes: some BidirectionalCollection<UInt8>) -> [UInt8] {
  var rest = Array(bytes.drop { isBlank($0) })
  while let last = rest.last, isBlank(last) { rest.removeLast() }
  return rest
}

func ends(_ text: String, with end: String) -> Bool { text.bytes.suffix(end.utf8.count).elementsEqual(end.bytes) }
