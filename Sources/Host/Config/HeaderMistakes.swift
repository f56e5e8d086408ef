import Core

// [table] and [[list]]: written wrong, or written twice.

extension Draft {
  /// Tables of which a file may have several.
  private static let lists = [
    "radio", "device", "region", "trigger", "transmit", "key.irk", "key.eid", "calibration.device", "phone", "pump", "traveller",
  ]

  func header(_ index: Int, _ words: String) -> Mistake? {
    let line = lines[index]
    guard let header = Header(line) else { return nil }
    let at = place(index, header.start)
    let name = String(decoding: header.name, as: UTF8.self)
    let isList = Self.lists.contains { same($0, name) }
    if holds(words, "cannot redefine") { return twice(header, name, isList: isList, index, at) }
    let right = Header.written(header.name, isList: isList || header.isList)
    let answer = "a table's name stands alone on its line: write " + printable(String(decoding: right, as: UTF8.self))
    if header.rest.first == UInt8(ascii: "#") || header.rest.isEmpty {
      let rest = header.rest.isEmpty ? [] : [0x20] + header.rest
      guard right + rest != trimmed(line) else { return nil }
      return Mistake(at: at, words: answer, corrections: [.replace(line: index, by: right + rest)])
    }
    guard Assignment(header.rest)?.sign == [UInt8(ascii: "=")] else {
      return Mistake(at: at, words: answer, corrections: [.replace(line: index, by: right)])
    }
    return Mistake(at: at, words: answer + ", and the key below", corrections: [.split(line: index, into: right, header.rest)])
  }

  private func twice(_ header: Header, _ name: String, isList: Bool, _ index: Int, _ at: Position) -> Mistake? {
    let title = printable(name)
    let above = (0..<index).filter { Header(lines[$0])?.name == header.name }
    if isList {
      let right = Header.written(header.name, isList: true)
      let corrections = (above + [index]).map { Correction.replace(line: $0, by: right) }
      return Mistake(at: at, words: "there may be several of \(title): write [[\(title)]] above each", corrections: corrections)
    }
    if let first = above.first {
      let range = (index + 1)..<end(of: index)
      let words = "[\(title)] stands in line \(numbers[first]) already: move the keys below this line there, and delete this line"
      let move: [Correction] = range.isEmpty ? [] : [.move(range, below: end(of: first) - 1)]
      return Mistake(at: at, words: words, corrections: [.replace(line: index, by: [])] + move)
    }
    return dotted(header, title, index, at)
  }

  /// `gateway.purpose = "…"` at the top, and `[gateway]` below.
  private func dotted(_ header: Header, _ title: String, _ index: Int, _ at: Position) -> Mistake? {
    let prefix = header.name + [UInt8(ascii: ".")]
    let top = lines.firstIndex { trimmed($0).first == UInt8(ascii: "[") } ?? index
    let begun = (0..<min(top, index)).filter { Assignment(lines[$0])?.key.starts(with: prefix) ?? false }
    guard let first = begun.first else { return nil }
    let key = printable(String(decoding: Assignment(lines[first])!.key.dropFirst(prefix.count), as: UTF8.self))
    let words = "line \(numbers[first]) has begun this table already: write \(key) = … below [\(title)], without \"\(title).\""
    var corrections: [Correction] = []
    for line in begun {
      let assignment = Assignment(lines[line])!
      let blanks = [UInt8](repeating: 0x20, count: assignment.indent.count + prefix.count)
      corrections.append(.replace(line: line, by: blanks + lines[line].dropFirst(blanks.count)))
    }
    // From the last to the first, so that the numbers of the others stay.
    for (moved, line) in begun.reversed().enumerated() { corrections.append(.move(line..<(line + 1), below: index - moved)) }
    return Mistake(at: at, words: words, corrections: corrections)
  }

  /// Behind the last line that belongs to the header in this line.
  private func end(of index: Int) -> Int {
    var end = index + 1
    while end < lines.count, Header(lines[end]) == nil { end += 1 }
    return end
  }
}

/// `[name]` or `[[name]]`, read leniently.
struct Header {
  let start: Int
  let name: [UInt8]
  let isList: Bool
  /// What follows the brackets.
  let rest: [UInt8]

  init?(_ line: [UInt8]) {
    start = line.firstIndex { !isBlank($0) } ?? line.count
    var index = start
    while index < line.count, line[index] == UInt8(ascii: "[") || isBlank(line[index]) { index += 1 }
    let opened = line[start..<index].count { $0 == UInt8(ascii: "[") }
    let begin = index
    while index < line.count, Self.isName(line[index]) { index += 1 }
    name = Array(line[begin..<index])
    while index < line.count, isBlank(line[index]) { index += 1 }
    let end = index
    while index < line.count, line[index] == UInt8(ascii: "]") { index += 1 }
    let closed = index - end
    rest = trimmed(line[index...])
    isList = max(opened, closed) > 1
    guard !name.isEmpty, opened > 0 || closed > 0 else { return nil }
    // A member of a list: `["a"]`, `[1, 2]`.
    guard rest.isEmpty || closed > 0 || rest.first == UInt8(ascii: "#") else { return nil }
  }

  static func written(_ name: [UInt8], isList: Bool) -> [UInt8] {
    Array((isList ? "[[" : "[").utf8) + name + Array((isList ? "]]" : "]").utf8)
  }

  private static func isName(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "0")...UInt8(ascii: "9"): true
    case UInt8(ascii: "_"), UInt8(ascii: "-"), UInt8(ascii: "."): true
    default: false
    }
  }
}
