/// One option of a command: how it is parsed, and what its help says.
struct Option {
  enum Value {
    case none
    case text(String)
    case number(String, ClosedRange<Int>)
  }

  let name: String
  let value: Value
  let isRepeatable: Bool
  let help: String

  init(_ name: String, _ value: Value, repeatable isRepeatable: Bool = false, _ help: String) {
    self.name = name
    self.value = value
    self.isRepeatable = isRepeatable
    self.help = help
  }

  /// What stands for its value in the help; nil for a flag.
  var placeholder: String? {
    switch value {
    case .none: nil
    case .text(let name), .number(let name, _): name
    }
  }

  /// `--config FILE`
  var written: String { "--" + name + (placeholder.map { " " + $0 } ?? "") }
}

extension Option {
  static var config: Option {
    Option(
      "config", .text("FILE"),
      "The configuration. Without it: $FORECOURT_CONFIG, /etc/forecourt/config.toml, ./config.toml; the first that is there.")
  }
  static var json: Option { Option("json", .none, "Print JSON for scripts instead of text for people.") }
}
