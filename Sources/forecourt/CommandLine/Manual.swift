import Host

/// The text of --help, made from what the commands declare, in the form of a manual page.
enum Manual {
  static let usage =
    "Usage: forecourt COMMAND [OPTION]…; commands: \(listed(Command.all.map { $0.name }, with: "and")). More: forecourt --help"

  /// As wide as pages usually are; a narrower terminal would break them within words.
  private static let width = max(min(Screen.terminalSize.columns, 80), 40)
  private static let indent = 7

  static func page() -> String {
    var text = "NAME\n" + paragraph("forecourt - a Bluetooth proximity gateway") + "\n"
    text += "SYNOPSIS\n"
    for command in Command.all { text += paragraph(command.synopsis, hanging: 10) }
    text += "\nDESCRIPTION\n"
    text += paragraph(
      "Listens to Bluetooth adverts, estimates which devices are near and how near, decides when one has arrived at a pump, a door or a till, and publishes that once over MQTT, with the evidence."
    )
    text += "\nCOMMANDS\n"
    for command in Command.all { text += entry(command.name, command.summary + ".") }
    text += "\n" + paragraph("forecourt COMMAND --help describes each.")
    return text + ending([.done, .failed, .usage, .unreadable, .unavailable, .forbidden, .configuration], true)
  }

  static func page(for command: Command) -> String {
    var text = "NAME\n" + paragraph("forecourt \(command.name) - \(command.summary)")
    text += "\nSYNOPSIS\n" + paragraph(command.synopsis, hanging: 10)
    text += "\nDESCRIPTION\n"
    for (index, words) in command.description.enumerated() { text += (index > 0 ? "\n" : "") + paragraph(words) }
    text += "\nOPTIONS\n"
    for option in command.options { text += entry(option.written, option.help) }
    text += entry("--help", "Print this page.")
    if !command.examples.isEmpty { text += "\nEXAMPLES\n" }
    for example in command.examples { text += entry(example.line, example.words) }
    return text + ending(command.exits, command.options.contains { same($0.name, "config") })
  }

  private static func ending(_ exits: [Exit], _ readsConfiguration: Bool) -> String {
    var text = "\nEXIT STATUS\n"
    for exit in exits { text += entry("\(exit.rawValue)", exit.meaning, column: 6) }
    guard readsConfiguration else { return text }
    text += "\nENVIRONMENT\n" + entry("FORECOURT_CONFIG", "The configuration, when --config names none.")
    text += entry("CREDENTIALS_DIRECTORY", "The folder where systemd keeps what the configuration calls credential:NAME.")
    text += "\nFILES\n" + entry(ConfigurationText.systemPlace, "This machine's configuration.")
    return text + entry("./" + ConfigurationText.localPlace, "The configuration when no other is named or installed.")
  }

  /// A term and its explanation: beside it if there is room, else below.
  private static func entry(_ term: String, _ words: String, column: Int = 16) -> String {
    let start = spaces(indent) + term
    let gap = column - term.columns
    return start + (gap >= 2 ? spaces(gap) : "\n" + spaces(indent + column)) + filled(words, from: indent + column)
  }

  private static func paragraph(_ words: String, hanging: Int = 0) -> String {
    spaces(indent) + filled(words, from: indent, hanging: hanging)
  }

  /// Words in lines of `width` from column `margin` on; all lines but the first are indented by `hanging` more.
  private static func filled(_ text: String, from margin: Int, hanging: Int = 0) -> String {
    var lines = ""
    var column = margin
    for word in words(of: text) {
      let length = word.columns
      if !lines.utf8.isEmpty {
        let fits = column + 1 + length <= width
        lines += fits ? " " : "\n" + spaces(margin + hanging)
        column = fits ? column + 1 : margin + hanging
      }
      lines += word
      column += length
    }
    return lines + "\n"
  }

  /// Split at spaces, but never inside brackets: `[--config FILE]` stays whole.
  private static func words(of text: String) -> [String] {
    var words: [String] = []
    var word: [UInt8] = []
    var depth = 0
    for byte in text.utf8 {
      if byte == UInt8(ascii: "[") { depth += 1 }
      if byte == UInt8(ascii: "]") { depth -= 1 }
      if byte == UInt8(ascii: " ") && depth <= 0 {
        words.append(String(decoding: word, as: UTF8.self))
        word = []
      } else {
        word.append(byte)
      }
    }
    return words + [String(decoding: word, as: UTF8.self)]
  }

  private static func spaces(_ count: Int) -> String { String(repeating: " ", count: count) }
}
