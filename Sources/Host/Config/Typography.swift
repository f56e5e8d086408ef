import Core

// Characters that a word processor or a web page puts in place of plain ones: “ ” ’ – and blanks that only look like one.

private enum Typographic {
  case mark(UInt8)
  case dash, blank

  init?(_ character: UInt32) {
    switch character {
    case 0x201C...0x201F, 0xAB, 0xBB, 0x2033: self = .mark(UInt8(ascii: "\""))
    case 0x2018...0x201B, 0x60, 0xB4, 0x2032: self = .mark(UInt8(ascii: "'"))
    case 0x2010...0x2015, 0x2212: self = .dash
    case 0xA0, 0x2000...0x200B, 0x202F, 0x205F, 0x3000, 0xFEFF: self = .blank
    default: return nil
    }
  }

  var plain: UInt8 {
    switch self {
    case .mark(let mark): mark
    case .dash: UInt8(ascii: "-")
    case .blank: 0x20
    }
  }
}

extension Draft {
  func typographic(_ index: Int) -> Mistake? {
    let line = lines[index]
    if line.starts(with: "```".bytes) {
      let words = "``` is no part of the file: delete the line"
      return Mistake(at: place(index, 0), words: words, corrections: [.replace(line: index, by: [])])
    }
    guard let (plain, first, byte) = Self.plain(line) else { return nil }
    let assignment = Assignment(plain)
    let value = assignment?.rightValue?.bytes ?? assignment?.value ?? []
    let corrected = value.isEmpty ? plain : assignment!.line(value)
    let advice = value.isEmpty ? "" : ": write " + assignment!.advice(value)
    let character = String(decoding: Array(Unicode.UTF8.encode(first)!), as: UTF8.self)
    let words =
      switch Typographic(first.value) {
      case .mark: "\(character) is no quotation mark here, only \" and ' are" + advice
      case .dash: "\(character) is no minus sign, only - is" + advice
      default: "this blank is none (U+\(hex(first.value))), as web pages have them" + (advice.utf8.isEmpty ? ": write a plain one" : advice)
      }
    return Mistake(at: place(index, byte), words: words, corrections: [.replace(line: index, by: corrected)])
  }

  /// The line with plain characters outside of its strings and its comment, and the first that was none; nil if all are plain.
  private static func plain(_ line: [UInt8]) -> (line: [UInt8], first: Unicode.Scalar, byte: Int)? {
    var plain: [UInt8] = []
    var first: (Unicode.Scalar, Int)?
    /// The mark that closes the string; any typographic one closes what a typographic one has opened.
    var open: (mark: UInt8, isTypographic: Bool)?
    var byte = 0
    for character in String(decoding: line, as: UTF8.self).unicodeScalars {
      let bytes = Unicode.UTF8.encode(character).map { Array($0) } ?? []
      defer { byte += bytes.count }
      if open == nil, character.value == 0x23 {
        plain += line[min(byte, line.count)...]
        break
      }
      guard let typographic = Typographic(character.value), open?.isTypographic ?? true else {
        plain += bytes
        guard let mark = bytes.first, mark == UInt8(ascii: "\"") || mark == UInt8(ascii: "'") else { continue }
        if open == nil { open = (mark, false) } else if open?.mark == mark { open = nil }
        continue
      }
      if case .mark(let mark) = typographic {
        // An apostrophe in a text.
        if let open, open.mark != mark {
          plain += bytes
          continue
        }
        open = open == nil ? (mark, true) : nil
      } else if open != nil {
        plain += bytes
        continue
      }
      plain.append(typographic.plain)
      if first == nil { first = (character, byte) }
    }
    guard let first else { return nil }
    return (plain, first.0, first.1)
  }
}

private func hex(_ value: UInt32) -> String {
  let digits = Array("0123456789ABCDEF".utf8)
  return String(decoding: [12, 8, 4, 0].map { digits[Int(value >> $0 & 15)] }, as: UTF8.self)
}
