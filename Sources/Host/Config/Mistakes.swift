import Core

// What stands on a line that toml++ refuses: one mistake, and the line as it should be.

extension Draft {
  func mistake(at: Position, _ words: String) -> Mistake? {
    let index = at.line - 1
    guard lines.indices.contains(index), !holds(words, "utf-8"), !holds(words, "zero byte"), !holds(words, "64 dots") else { return nil }
    let line = lines[index]
    if let mistake = openList(above: index, words) ?? typographic(index) { return mistake }
    // A text over several lines: nobody can tell where it should have ended.
    if holds(words, "end-of-file"), lines.contains(where: { holds($0, "\"\"\"") || holds($0, "'''") }) { return nil }
    let start = line.firstIndex { !isBlank($0) } ?? line.count
    switch start < line.count ? line[start] : 0 {
    case UInt8(ascii: "["): return header(index, words)
    case UInt8(ascii: "/"), UInt8(ascii: ";"), UInt8(ascii: "*"), UInt8(ascii: "%"):
      return Mistake(at: place(index, start), words: "a comment begins with #", corrections: [.replace(line: index, by: [])])
    case UInt8(ascii: "{"):
      let words = "this looks like JSON: the file is TOML, write key = value on a line of its own, and [table] above"
      return Mistake(at: place(index, start), words: words, corrections: [])
    default: break
    }
    if line[start...].starts(with: "- ".bytes) {
      let words = "this looks like YAML: the file is TOML, write [[table]] above each member, and key = value below"
      return Mistake(at: place(index, start), words: words, corrections: [])
    }
    guard let assignment = Assignment(line) else { return nil }
    return mistake(of: assignment, index, words)
  }

  func place(_ line: Int, _ byte: Int) -> Position { Position(line: line + 1, column: characters(lines[line].prefix(byte)) + 1) }

  private func mistake(of assignment: Assignment, _ index: Int, _ words: String) -> Mistake? {
    let keyPlace = place(index, assignment.indent.count)
    if holds(words, "cannot redefine") { return twice(assignment, index, keyPlace) }
    if assignment.sign.isEmpty, assignment.value.first == UInt8(ascii: "]") { return header(index, words) }
    let right = assignment.rightValue
    let value = right?.bytes ?? assignment.value
    guard !value.isEmpty else {
      let words = "\(assignment.title) has no value: write one behind =, or delete the line"
      return Mistake(at: keyPlace, words: words, corrections: [])
    }
    guard same(String(decoding: assignment.sign, as: UTF8.self), "=") else {
      if let mistake = blankInKey(assignment, index, keyPlace) { return mistake }
      let words = "= stands between a key and its value: write " + assignment.advice(value)
      return Mistake(at: keyPlace, words: words, corrections: [.replace(line: index, by: assignment.line(value))])
    }
    let valuePlace = place(index, assignment.valueStart)
    if value.first == UInt8(ascii: "{") {
      let words = "a table in { } ends on its line: write [[\(printable(assignment.name))]] above, and each key on a line of its own"
      return Mistake(at: valuePlace, words: words, corrections: [])
    }
    if assignment.isNothing {
      let words = "there is no such value: delete the line, and the default holds"
      return Mistake(at: valuePlace, words: words, corrections: [.replace(line: index, by: [])])
    }
    guard let right else {
      guard assignment.wantsNumber, value.first != UInt8(ascii: "[") else { return nil }
      let words = "\(assignment.title) wants a number, and this is none"
      return Mistake(at: valuePlace, words: words, corrections: [.replace(line: index, by: [])])
    }
    // It is right as it stands: something else on the line is wrong.
    guard right.bytes != assignment.value else { return nil }
    return Mistake(
      at: valuePlace, words: "\(right.reason): write " + assignment.advice(right.bytes),
      corrections: [.replace(line: index, by: assignment.line(right.bytes))])
  }

  /// `fire m = 1.5`
  private func blankInKey(_ assignment: Assignment, _ index: Int, _ at: Position) -> Mistake? {
    guard assignment.sign.isEmpty, let rest = Assignment(assignment.value), same(String(decoding: rest.sign, as: UTF8.self), "=") else {
      return nil
    }
    let key = assignment.key + [UInt8(ascii: "_")] + rest.key
    let value = rest.rightValue?.bytes ?? rest.value
    let words = "a key has no blanks: write \(printable(String(decoding: key, as: UTF8.self))) = …"
    return Mistake(at: at, words: words, corrections: [.replace(line: index, by: assignment.line(key, value))])
  }

  private func twice(_ assignment: Assignment, _ index: Int, _ at: Position) -> Mistake? {
    let key = assignment.title
    var above = index - 1
    while above >= 0, lines[above].first(where: { !isBlank($0) }) != UInt8(ascii: "[") {
      if let other = Assignment(lines[above]), other.key == assignment.key {
        let words = "\(key) stands in line \(numbers[above]) already: delete one of the two"
        // A list may go on below.
        let isOpen = assignment.value.first == UInt8(ascii: "[") && assignment.value.last != UInt8(ascii: "]")
        return Mistake(at: at, words: words, corrections: isOpen ? [] : [.replace(line: index, by: [])])
      }
      above -= 1
    }
    return nil
  }

  /// A list that a line above begins, and that this line cannot continue.
  private func openList(above index: Int, _ words: String) -> Mistake? {
    var begin = index - 1
    while begin >= 0 {
      if let first = lines[begin].first(where: { !isBlank($0) }), first == UInt8(ascii: "[") { return nil }
      if let assignment = Assignment(lines[begin]), assignment.sign == [UInt8(ascii: "=")] {
        guard assignment.value.first == UInt8(ascii: "["), !assignment.value.contains(UInt8(ascii: "]")) else { return nil }
        for between in (begin + 1)..<max(index, begin + 1) where lines[between].contains(UInt8(ascii: "]")) { return nil }
        return unfinished(assignment, begin, index, words)
      }
      begin -= 1
    }
    return nil
  }

  private func unfinished(_ assignment: Assignment, _ begin: Int, _ index: Int, _ words: String) -> Mistake? {
    let isNext = Assignment(lines[index])?.sign == [UInt8(ascii: "=")] || trimmed(lines[index]).first == UInt8(ascii: "[")
    guard isNext || trimmed(lines[index]).isEmpty else { return member(index, words) }
    var last = begin
    for line in begin..<index where !trimmed(lines[line]).isEmpty && trimmed(lines[line]).first != UInt8(ascii: "#") { last = line }
    let answer = "the list that begins here has no ]: write one behind its last value"
    let closed = last == begin ? assignment.line(assignment.value + [UInt8(ascii: "]")]) : lines[last] + Array("]".utf8)
    return Mistake(at: place(begin, assignment.valueStart), words: answer, corrections: [.replace(line: last, by: closed)])
  }

  /// A line of a list: `"a"` without its comma above, or a text without its marks.
  private func member(_ index: Int, _ words: String) -> Mistake? {
    let text = trimmed(lines[index])
    let start = lines[index].firstIndex { !isBlank($0) } ?? 0
    if holds(words, "expected comma"), index > 0, let above = lines[index - 1].last, "\"'".bytes.contains(above) {
      return Mistake(
        at: place(index, start), words: "a comma stands between two values: write one at the end of line \(numbers[index - 1])",
        corrections: [.replace(line: index - 1, by: lines[index - 1] + [UInt8(ascii: ",")])])
    }
    let bare = text.last == UInt8(ascii: ",") ? Array(text.dropLast()) : text
    guard !bare.isEmpty, !bare.contains(where: { "\"'[]{}#,=".bytes.contains($0) }) else { return nil }
    let word = withoutKey(String(decoding: bare, as: UTF8.self))
    let right = Array(lines[index][..<start]) + Array("\"".utf8) + bare + Array("\",".utf8)
    return Mistake(
      at: place(index, start), words: "texts in a list stand in quotation marks: write \"\(word)\",",
      corrections: [.replace(line: index, by: right)])
  }
}

/// Whether toml++'s sentence holds these words.
func holds(_ words: String, _ part: String) -> Bool { holds(Array(words.utf8), part) }

private func holds(_ words: [UInt8], _ part: String) -> Bool {
  let part = Array(part.utf8)
  guard words.count >= part.count else { return false }
  return (0...(words.count - part.count)).contains { words[$0...].starts(with: part) }
}
