import Host

/// The help, made from what the commands declare; it reads like a manual page.
enum Manual {
  static let usage =
    "Usage: forecourt COMMAND [OPTION]…; commands: \(listed(Command.all.map { $0.name }, with: "and")). More: forecourt --help"

  private static let width = 80
  private static let indent = 7

  static func page() -> String {
    var text = "NAME\n" + paragraph("forecourt - a Bluetooth proximity gateway") + "\n"
    text += "SYNOPSIS\n"
    for command in Command.all { text += paragraph(command.synopsis, hanging: 10) }
    text += "\nDESCRIPTION\n"
    text += paragraph(
      "Listens to a Bluetooth controller, knows who is near and how near, decides the moment that matters and tells MQTT subscribers, once, with the evidence."
    )
    text += "\nCOMMANDS\n"
    for command in Command.all { text += entry(command.name, command.summary + ".") }
    text += "\n" + paragraph("forecourt COMMAND --help tells more about each.")
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
    text += "\nENVIRONMENT\n" + entry("FORECOURT_CONFIG", "The configuration, where --config does not name one.")
    text += entry("CREDENTIALS_DIRECTORY", "Where systemd keeps what the configuration calls credential:NAME.")
    text += "\nFILES\n" + entry(ConfigurationText.systemPlace, "The configuration of the machine.")
    return text + entry("./" + ConfigurationText.localPlace, "The configuration, where there is no other.")
  }

  /// A term and its explanation, beside it where there is room, below it where not.
  private static func entry(_ term: String, _ words: String, column: Int = 16) -> String {
    let start = spaces(indent) + term
    let gap = column - characters(term)
    return start + (gap >= 2 ? spaces(gap) : "\n" + spaces(indent + column)) + filled(words, from: indent + column)
  }

  private static func paragraph(_ words: String, hanging: Int = 0) -> String {
    spaces(indent) + filled(words, from: indent, hanging: hanging)
  }

  /// Words in lines of `width`, begun at column `margin`; the lines below the first stand `hanging` further in.
  private static func filled(_ words: String, from margin: Int, hanging: Int = 0) -> String {
    var text = ""
    var column = margin
    for word in pieces(of: words) {
      let length = characters(word)
      if !text.utf8.isEmpty {
        let fits = column + 1 + length <= width
        text += fits ? " " : "\n" + spaces(margin + hanging)
        column = fits ? column + 1 : margin + hanging
      }
      text += word
      column += length
    }
    return text + "\n"
  }

  /// Split at spaces, but never inside brackets: `[--config FILE]` stays whole.
  private static func pieces(of words: String) -> [String] {
    var pieces: [String] = []
    var piece: [UInt8] = []
    var depth = 0
    for byte in words.utf8 {
      if byte == UInt8(ascii: "[") { depth += 1 }
      if byte == UInt8(ascii: "]") { depth -= 1 }
      if byte == UInt8(ascii: " ") && depth <= 0 {
        pieces.append(String(decoding: piece, as: UTF8.self))
        piece = []
      } else {
        piece.append(byte)
      }
    }
    return pieces + [String(decoding: piece, as: UTF8.self)]
  }

  private static func characters(_ text: String) -> Int { text.utf8.reduce(0) { $1 & 0xC0 == 0x80 ? $0 : $0 + 1 } }
  private static func spaces(_ count: Int) -> String { String(repeating: " ", count: count) }
}
