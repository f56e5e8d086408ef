import Host

/// One command: what it does, and what its parsing, help, manual page and completion need to know.
struct Command {
  enum Operands {
    case none
    case one(String)
    case oneOrMore(String)
  }

  struct Example {
    let line: String
    let words: String
  }

  let name: String
  /// One line, without a full stop.
  let summary: String
  let description: [String]
  var operands = Operands.none
  var options: [Option] = []
  var examples: [Example] = []
  /// The exit codes that it may end with.
  var exits: [Exit] = [.done, .failed, .usage]
  let run: (Invocation) throws(Exit) -> Void

  /// Every command: a file in Commands and a row here.
  static var all: [Command] {
    [
      .setup,
      .run,
      .replay,
      .scan,
      .simulate,
      .capture,
      .identify,
      .explain,
      .calibrate,
      .check,
      .events,
      .version,
    ]
  }

  static func named(_ name: String) -> Command? { all.first { same($0.name, name) } }

  /// `forecourt check [--config FILE] [--json]`
  var synopsis: String {
    var line = "forecourt " + name
    switch operands {
    case .none: break
    case .one(let name): line += " " + name
    case .oneOrMore(let name): line += " " + name + "…"
    }
    for option in options {
      line += option.isNeeded ? " " + option.written : " [\(option.written)]"
      line += option.isRepeatable ? "…" : ""
    }
    return line
  }
}
