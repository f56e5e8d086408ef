import Core

/// A value as it should be written, and what is wrong with the file's.
struct RightValue {
  let bytes: [UInt8]
  let reason: String

  init(_ bytes: [UInt8], _ reason: String) { (self.bytes, self.reason) = (bytes, reason) }
}

private let quote = UInt8(ascii: "\"")
private let apostrophe = UInt8(ascii: "'")
private let comma = UInt8(ascii: ",")

extension Assignment {
  /// nil: the value is right, or nobody can tell what is meant.
  var rightValue: RightValue? {
    switch value.first {
    case nil, UInt8(ascii: "{"): nil
    case quote, apostrophe: rightText
    case UInt8(ascii: "["): rightList
    default: rightWord
    }
  }

  private static let nothingFollows = "nothing but a comment (#) may follow a value"

  // MARK: Behind a quotation mark

  private var rightText: RightValue? {
    let mark = value[0]
    guard let end = Self.end(of: value, from: 0) else {
      var content = trimmed(value.dropFirst())
      if let last = content.last, last == quote || last == apostrophe { content.removeLast() }
      if content.suffix(3).elementsEqual("”".bytes) { content.removeLast(3) }
      return RightValue(quoted(content), "the quotation mark that begins here has no counterpart")
    }
    let rest = trimmed(value[(end + 1)...])
    guard let next = rest.first else {
      guard mark == quote, value.contains(UInt8(ascii: "\\")) else { return nil }
      return RightValue(quoted(Array(value[1..<end])), "\\ has a meaning between \" and \"")
    }
    let text = Array(value[...end])
    if next == comma && rest.count > 1 { return RightValue(list(value), "several values are a list") }
    if rest.starts(with: "//".bytes) || rest.starts(with: "--".bytes) || next == UInt8(ascii: ";") && rest.count > 1 {
      return RightValue(text, "a comment begins with #")
    }
    if rest.count > 1, rest.last == mark {
      return RightValue(quoted(Array(value[1..<(value.count - 1)])), "quotation marks inside a text would end it")
    }
    return RightValue(text, Self.nothingFollows)
  }

  /// The closing mark of the string that opens at `start`.
  private static func end(of bytes: [UInt8], from start: Int) -> Int? {
    var index = start + 1
    while index < bytes.count, bytes[index] != bytes[start] {
      if bytes[index] == UInt8(ascii: "\\"), bytes[start] == quote { index += 1 }
      index += 1
    }
    return index < bytes.count ? index : nil
  }

  private func quoted(_ content: [UInt8]) -> [UInt8] {
    guard content.contains(quote) || content.contains(UInt8(ascii: "\\")) else { return [quote] + content + [quote] }
    guard content.contains(apostrophe) else { return [apostrophe] + content + [apostrophe] }
    var escaped: [UInt8] = [quote]
    for byte in content { escaped += byte == quote || byte == UInt8(ascii: "\\") ? [UInt8(ascii: "\\"), byte] : [byte] }
    return escaped + [quote]
  }

  // MARK: Lists

  private var rightList: RightValue? {
    guard let end = value.lastIndex(of: UInt8(ascii: "]")) else {
      return RightValue(list(Array(value.dropFirst())), "the list has no ]")
    }
    var inside = Array(value[1..<end])
    if inside.last == UInt8(ascii: "]") {
      inside.removeLast()
      return RightValue(list(inside), "one ] is too many")
    }
    if end < value.count - 1 { return RightValue(list(inside), Self.nothingFollows) }
    let right = list(inside)
    let marks = { (bytes: [UInt8]) in bytes.count { $0 == quote || $0 == apostrophe } }
    let lacksMarks = marks(right) > marks(inside)
    return RightValue(right, lacksMarks ? "texts in a list stand in quotation marks" : "a comma stands between two values")
  }

  /// These members, with the marks and commas that they lack.
  private func list(_ members: [UInt8]) -> [UInt8] {
    var written: [[UInt8]] = []
    var rest = trimmed(members)
    while let first = rest.first {
      if first == comma {
        rest = trimmed(rest.dropFirst())
        continue
      }
      var end = rest.firstIndex(of: comma) ?? rest.count
      if first == quote || first == apostrophe { end = Self.end(of: rest, from: 0).map { $0 + 1 } ?? end }
      written.append(member(trimmed(rest[..<end])))
      rest = trimmed(rest[end...])
    }
    return [UInt8(ascii: "[")] + Array(written.joined(separator: ", ".utf8)) + [UInt8(ascii: "]")]
  }

  private func member(_ text: [UInt8]) -> [UInt8] {
    if let first = text.first, first == quote || first == apostrophe, text.count > 1, text.last == first { return text }
    let bare = text.filter { $0 != quote && $0 != apostrophe }
    if RightNumber(bare, nil)?.isPlain ?? false { return bare }
    return quoted(isAddress(bare) ? address(bare) : bare)
  }

  private func address(_ text: [UInt8]) -> [UInt8] {
    if same(name, "match") { return Array(("address:" + colons(text)).utf8) }
    return same(name, "adapter") ? Array(colons(text).utf8) : text
  }

  // MARK: Words and numbers without quotation marks

  private var rightWord: RightValue? {
    if let behind = place(of: "//") ?? place(of: "--") ?? place(of: ";") {
      let value = trimmed(self.value[..<behind])
      let reason = behind == self.value.count - 1 ? Self.nothingFollows : "a comment begins with #"
      return RightValue(rightWord(value)?.bytes ?? value, reason)
    }
    if value.last == comma {
      let value = trimmed(value.dropLast())
      return RightValue(rightWord(value)?.bytes ?? value, Self.nothingFollows)
    }
    return rightWord(value)
  }

  private func rightWord(_ value: [UInt8]) -> RightValue? {
    let word = String(decoding: value.map { UInt8(ascii: "A")...UInt8(ascii: "Z") ~= $0 ? $0 | 0x20 : $0 }, as: UTF8.self)
    for right in ["true", "false"] where same(word, right) { return RightValue(Array(right.utf8), "true and false have small letters") }
    let isYes = ["yes", "on"].contains { same($0, word) }
    if !wantsNumber, isYes || ["no", "off"].contains(where: { same($0, word) }) {
      return RightValue(Array((isYes ? "true" : "false").utf8), "a switch is true or false")
    }
    if isAddress(value) { return RightValue(quoted(address(value)), "text stands in quotation marks") }
    let number = RightNumber(value, unit, isCount: wantsNumber)
    if let number, wantsNumber || number.isPlain { return RightValue(number.bytes, number.reason(key)) }
    if wantsNumber { return nil }
    if value.contains(comma), ["match", "gateways", "phys"].contains(where: { same($0, name) }) {
      return RightValue(list(value), "several texts are a list, each in quotation marks")
    }
    return RightValue(quoted(value.filter { $0 != quote }), "text stands in quotation marks")
  }

  /// Behind a blank, or at the end for a `;`.
  private func place(of sign: String) -> Int? {
    let sign = Array(sign.utf8)
    guard value.count > sign.count else { return nil }
    for index in 1...(value.count - sign.count) where value[index...].starts(with: sign) {
      if isBlank(value[index - 1]) || sign.count == 1 && index == value.count - 1 { return index }
    }
    return nil
  }
}

/// Six pairs of digits with colons or hyphens between.
func isAddress(_ text: [UInt8]) -> Bool {
  guard text.count == 17 else { return false }
  for (index, byte) in text.enumerated() {
    let isSeparator = byte == UInt8(ascii: ":") || byte == UInt8(ascii: "-")
    if index % 3 == 2 ? !isSeparator : hexDigit(byte) == nil { return false }
  }
  return true
}
