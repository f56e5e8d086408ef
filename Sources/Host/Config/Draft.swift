import Core

/// The text of a file in lines, while its mistakes of form are corrected one after the other: so the rest of the file can be read, and
/// one reading lists everything. Nobody writes it back.
struct Draft {
  /// Without their ends. A correction may move a line or split it.
  private(set) var lines: [[UInt8]] = []
  /// Where each line stands in the file, from 1.
  private(set) var numbers: [Int] = []
  /// How many characters each line of the file has.
  private let widths: [Int]

  init(_ text: [UInt8]) {
    lines = text.split(separator: 0x0A, omittingEmptySubsequences: false).map { $0.last == 0x0D ? Array($0.dropLast()) : Array($0) }
    numbers = Array(1...lines.count)
    widths = lines.map(characters)
  }

  var text: [UInt8] { Array(lines.joined(separator: [0x0A])) }

  /// The place in the file. What a correction has made longer ends where the file's line ends.
  func original(_ at: Position) -> Position {
    guard numbers.indices.contains(at.line - 1) else { return at }
    let line = numbers[at.line - 1]
    return Position(line: line, column: min(at.column, widths[line - 1] + 1))
  }

  /// What makes the text readable again.
  enum Correction {
    case replace(line: Int, by: [UInt8])
    /// Two lines of the draft for one of the file.
    case split(line: Int, into: [UInt8], [UInt8])
    /// These lines move below that one, which stands outside of them.
    case move(Range<Int>, below: Int)
  }

  mutating func apply(_ correction: Correction) {
    switch correction {
    case .replace(let line, let bytes): lines[line] = bytes
    case .split(let line, let first, let second):
      lines[line] = first
      lines.insert(second, at: line + 1)
      numbers.insert(numbers[line], at: line + 1)
    case .move(let range, let target):
      let (moved, their) = (Array(lines[range]), Array(numbers[range]))
      lines.removeSubrange(range)
      numbers.removeSubrange(range)
      let place = (target < range.lowerBound ? target : target - range.count) + 1
      lines.insert(contentsOf: moved, at: place)
      numbers.insert(contentsOf: their, at: place)
    }
  }
}

/// One mistake of form: what toml++ could not read, in the words of somebody who wants to write it right.
struct Mistake {
  /// In the draft.
  let at: Position
  let words: String
  /// Empty: nothing behind it can be read.
  let corrections: [Draft.Correction]
}

extension Document {
  /// Beyond this many mistakes of form nobody reads the rest of the list.
  private static let mostMistakes = 64

  /// Records every mistake of form that it finds; the document is what remains after their correction.
  static func read(_ reading: Findings) -> Document {
    var document = Document(reading: reading.source.text)
    guard document.error != nil else { return document }
    var draft = Draft(reading.source.text)
    var before: Mistake?
    for _ in 0..<mostMistakes {
      guard let (at, words) = document.error else { break }
      guard let mistake = draft.mistake(at: at, words) else {
        reading.recordForm(at: draft.original(at), plain(words))
        break
      }
      // A correction that corrects nothing.
      if let before, before.at == mistake.at, same(before.words, mistake.words) { break }
      before = mistake
      reading.recordForm(at: draft.original(mistake.at), mistake.words)
      guard !mistake.corrections.isEmpty else { break }
      for correction in mistake.corrections { draft.apply(correction) }
      document = Document(reading: draft.text)
    }
    reading.draft = draft
    return document
  }

  /// Without the place, which toml++ repeats, and without anything that may be a key.
  private static func plain(_ words: String) -> String {
    // `'0x00…' is not representable in 64 bits`: a key without its quotation marks, which must not reach a journal.
    let bytes = Array(words.utf8)
    let quote = UInt8(ascii: "'")
    var plain = words
    if let first = bytes.firstIndex(of: quote), let last = bytes.lastIndex(of: quote), last - first > 8 {
      let quoted = bytes[(first + 1)..<last]
      if quoted.allSatisfy({ hexDigit($0) != nil || "xXoO_+-.eE".bytes.contains($0) }) {
        plain = String(decoding: bytes[...first] + Array("…".utf8) + bytes[last...], as: UTF8.self)
      }
    }
    if let rest = plain.rest(after: "Error while parsing ") { return "syntax error in " + rest }
    return "syntax error: " + plain + (holds(words, "utf-8") ? ": save the file as UTF-8" : "")
  }
}

func characters(_ bytes: some Sequence<UInt8>) -> Int { bytes.reduce(0) { $0 + ($1 & 0xC0 == 0x80 ? 0 : 1) } }
