import Host

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

extension Invocation {
  /// Refuses, before anything is done, to write over what is being read, and over what is there unless that is wanted.
  func mayWrite(_ path: String, reading inputs: [String]) throws(Exit) {
    for input in inputs where Files.isSame(path, input) {
      throw refused("\(path) is \(input), which is read or written, too: name another file")
    }
    do throws(FileRefusal) { try Files.mustBeFree(path, force: has("force")) } catch {
      say("forecourt \(command.name): \(path) \(error.sentence)")
      throw .failed
    }
  }

  /// How a file is written that somebody named.
  var manner: NewFile.Manner { .asked(force: has("force")) }
}

extension Option {
  static var config: Option {
    Option(
      "config", .text("FILE"),
      "The configuration. Without it: $FORECOURT_CONFIG, /etc/forecourt/config.toml, ./config.toml; the first that is there.")
  }
  static var force: Option { Option("force", .none, "Replace files that are there.") }
  static var json: Option { Option("json", .none, "Print JSON for scripts instead of text for people.") }
}
