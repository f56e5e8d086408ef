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
  /// The command does nothing without it.
  let isNeeded: Bool
  let help: String

  init(_ name: String, _ value: Value, repeatable isRepeatable: Bool = false, needed isNeeded: Bool = false, _ help: String) {
    self.name = name
    self.value = value
    self.isRepeatable = isRepeatable
    self.isNeeded = isNeeded
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
  /// Refuses, before any work, to overwrite an input, and any file unless --force is given; or where no file can be made.
  func mayWrite(_ path: String, reading inputs: [String]) throws(Exit) {
    try mustNameFile(path)
    for input in inputs where FileSystem.isSame(path, input) {
      throw refused("\(path) is the same file as \(input): name another one")
    }
    do throws(FileRefusal) {
      try FileSystem.mustBeFree(path, force: has("force"))
      try FileSystem.mustTakeFile(path)
    } catch { throw unwritable(path, error) }
  }

  /// Several captures get names made from this one: `build.pump-1` would stand beside the folder `build`.
  func mustNameFile(_ path: String) throws(Exit) {
    if same(path, "-") { throw refused("- would be a file of that name: name another one, or /dev/stdout") }
    guard FileSystem.isFolder(Path(path)) else { return }
    say("forecourt \(command.name): \(path) is a folder, not a file: name one in it")
    throw .failed
  }

  func unwritable(_ path: String, _ refusal: FileRefusal) -> Exit {
    say("forecourt \(command.name): \(path) \(refusal.sentence)")
    return refusal.isForbidden ? .forbidden : .failed
  }

  func unwritable(_ path: String, code: Int32) -> Exit {
    say("forecourt \(command.name): \(path) cannot be written: \(systemWords(code))")
    return .failed
  }

  /// How to write a file that the command line names.
  var manner: NewFile.Manner { .asked(force: has("force")) }
}

extension Option {
  static var config: Option {
    Option(
      "config", .text("FILE"),
      "The configuration. Without it $FORECOURT_CONFIG, or else the first that exists of /etc/forecourt/config.toml and ./config.toml.")
  }
  static var force: Option { Option("force", .none, "Replace files that exist.") }
  static var json: Option { Option("json", .none, "Print JSON for scripts instead of text for people.") }
}
