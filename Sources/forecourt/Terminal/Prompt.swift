import CLinux
import Host

/// Asks a person on the terminal. A signal to stop, or the end of the input, ends the asking.
struct Prompt {
  enum Reply {
    case line(String)
    /// The person takes the answer before back.
    case back
    case ended
  }

  let signals: Signals

  static var isPossible: Bool { isatty(STDIN_FILENO) == 1 }

  func ask(_ words: String, indent: Int = 0) -> Reply {
    writeError(filled(words, indent) + " ")
    guard let line = line() else {
      writeError("\n")
      return .ended
    }
    return same(line, "<") ? .back : .line(line)
  }

  /// nil: somebody ends the program instead.
  func agrees(to question: String, otherwise standard: Bool, indent: Int = 0) -> Bool? {
    while case .line(let line) = ask(question + (standard ? " [Y/n]" : " [y/N]"), indent: indent) {
      if line.utf8.isEmpty { return standard }
      if same(line, "y") || same(line, "yes") { return true }
      if same(line, "n") || same(line, "no") { return false }
    }
    return nil
  }

  /// The same without showing what is typed.
  func hidden(_ words: String, indent: Int = 0) -> String? {
    // Before the question: whoever types at once is not seen, either.
    let isHidden = Shell.run("stty -echo")
    writeError(String(repeating: " ", count: indent) + words + " ")
    defer {
      if isHidden { _ = Shell.run("stty echo") }
      writeError("\n")
    }
    return line()
  }

  /// What was typed, without spaces around it; nil at the end of the input.
  func line() -> String? {
    var bytes: [UInt8] = []
    while true {
      if let order = signals.next(), case .stop = order { return nil }
      guard signals.waits(forInput: STDIN_FILENO) else { continue }
      guard let byte = Keys.byte() else { return nil }
      if byte == UInt8(ascii: "\n") { return trimmed(bytes) }
      bytes.append(byte)
    }
  }

  private func trimmed(_ bytes: [UInt8]) -> String {
    guard let first = bytes.firstIndex(where: { $0 > 0x20 }), let last = bytes.lastIndex(where: { $0 > 0x20 }) else { return "" }
    return String(decoding: bytes[first...last], as: UTF8.self)
  }
}

/// Words for people in lines that fit the terminal, broken between words.
func sayFilled(_ words: String, indent: Int = 0) { say(filled(words, indent)) }

private func filled(_ words: String, _ indent: Int) -> String {
  let width = min(Screen.terminalSize.columns, 100) - 1
  let margin = String(repeating: " ", count: indent)
  var (text, column) = ("", 0)
  for word in split(words, at: " ") {
    if column == 0 || column + 1 + word.columns > width {
      text += (column == 0 ? "" : "\n") + margin + word
      column = indent + word.columns
    } else {
      text += " " + word
      column += 1 + word.columns
    }
  }
  return text
}
