/// Swift source as far as tidiness needs it: the code without the words in it, and where functions begin and end.
struct SwiftText {
  /// The lines with comments and the contents of strings blanked; every byte keeps its line.
  let code: [String]

  init(_ text: String) {
    var mask = Mask(text)
    code = mask.blanked().split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
  }

  /// Lines, counted from zero, from the declaration to the closing brace.
  var functions: [ClosedRange<Int>] {
    code.indices.compactMap { first in
      guard declaresFunction(code[first]), let last = closingBrace(from: first) else { return nil }
      return first...last
    }
  }

  private static let modifiers: Set<Substring> = [
    "private", "fileprivate", "internal", "package", "public", "static", "class", "final", "mutating", "nonmutating", "borrowing",
    "consuming", "override", "required", "convenience", "prefix", "postfix",
  ]

  private func declaresFunction(_ line: String) -> Bool {
    for word in line.split(whereSeparator: { $0 == " " || $0 == "\t" }) {
      if Self.modifiers.contains(word) || word.hasPrefix("@") || word.hasPrefix("nonisolated") { continue }
      return ["func", "init", "deinit", "subscript", "var"].contains(word.prefix { $0.isLetter })
    }
    return false
  }

  /// The line that closes the body; nothing for a declaration without one, such as a protocol's or a stored property's.
  private func closingBrace(from first: Int) -> Int? {
    var parentheses = 0
    var braces = 0
    for line in first..<code.count {
      if line > first && braces == 0 && parentheses == 0 && !continues(code[line]) { return nil }
      for character in code[line] {
        switch character {
        case "(", "[": parentheses += 1
        case ")", "]": parentheses -= 1
        case "{" where parentheses == 0 || braces > 0: braces += 1
        case "}" where braces > 0:
          braces -= 1
          if braces == 0 { return line }
        default: break
        }
      }
    }
    return nil
  }

  private func continues(_ line: String) -> Bool {
    let start = line.drop { $0 == " " }
    return ["{", "where ", "->", "throws", ")"].contains { start.hasPrefix($0) }
  }
}

/// Walks over Swift source, knowing code from comments and strings, also inside interpolations.
private struct Mask {
  private enum Place {
    case code(parentheses: Int)
    case string(hashes: Int, quotes: Int)
    case lineComment
    case blockComment(depth: Int)
  }

  private var bytes: [UInt8]
  private var places: [Place] = [.code(parentheses: 0)]
  private var at = 0

  init(_ text: String) { bytes = Array(text.utf8) }

  mutating func blanked() -> String {
    while at < bytes.count {
      switch places[places.count - 1] {
      case .code(let parentheses): code(parentheses)
      case .string(let hashes, let quotes): string(hashes, quotes)
      case .lineComment: if bytes[at] == UInt8(ascii: "\n") { leave(0) } else { blank(1) }
      case .blockComment(let depth): comment(depth)
      }
    }
    return String(decoding: bytes, as: UTF8.self)
  }

  private mutating func code(_ parentheses: Int) {
    switch bytes[at] {
    case UInt8(ascii: "/") where sees("//"): places.append(.lineComment)
    case UInt8(ascii: "/") where sees("/*"): places.append(.blockComment(depth: 0))
    case UInt8(ascii: "\""), UInt8(ascii: "#"):
      guard let (hashes, quotes) = openingQuote() else { return at += 1 }
      places.append(.string(hashes: hashes, quotes: quotes))
      at += hashes + quotes
    case UInt8(ascii: "("): count(parentheses + 1)
    case UInt8(ascii: ")"): count(parentheses - 1)
    default: at += 1
    }
  }

  /// An interpolation ends with its own parenthesis; the file's outermost code never does.
  private mutating func count(_ parentheses: Int) {
    if places.count > 1 && parentheses == 0 { return leave(1) }
    if places.count > 1 { places[places.count - 1] = .code(parentheses: parentheses) }
    at += 1
  }

  private mutating func string(_ hashes: Int, _ quotes: Int) {
    let mark = String(repeating: "#", count: hashes)
    if sees(String(repeating: "\"", count: quotes) + mark) {
      leave(quotes + hashes)
    } else if sees("\\" + mark + "(") {
      blank(hashes + 2)
      places.append(.code(parentheses: 1))
    } else {
      blank(sees("\\" + mark) ? hashes + 2 : 1)
    }
  }

  private mutating func comment(_ depth: Int) {
    if sees("/*") {
      places[places.count - 1] = .blockComment(depth: depth + 1)
      blank(2)
    } else if sees("*/") {
      blank(2)
      if depth == 1 { leave(0) } else { places[places.count - 1] = .blockComment(depth: depth - 1) }
    } else {
      blank(1)
    }
  }

  private func sees(_ text: String) -> Bool { bytes[at...].starts(with: text.utf8) }

  private func openingQuote() -> (hashes: Int, quotes: Int)? {
    let hashes = bytes[at...].prefix { $0 == UInt8(ascii: "#") }.count
    let rest = bytes[(at + hashes)...]
    guard rest.first == UInt8(ascii: "\"") else { return nil }
    return (hashes, rest.starts(with: "\"\"\"".utf8) ? 3 : 1)
  }

  private mutating func leave(_ count: Int) {
    places.removeLast()
    at += count
  }

  private mutating func blank(_ count: Int) {
    for index in at..<min(at + count, bytes.count) where bytes[index] != UInt8(ascii: "\n") { bytes[index] = UInt8(ascii: " ") }
    at += count
  }
}
