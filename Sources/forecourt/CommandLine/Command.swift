import Host

/// One command: everything that its parsing, its help, the manual page and the completion must know, and what it does.
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
  /// What `done` and failures mean here, where the usual words do not say enough.
  var exits: [Exit] = [.done, .usage]
  let run: (Invocation) throws(Exit) -> Void

  /// Every command that works. A command is one file and one row here.
  static var all: [Command] {
    [
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
    for option in options { line += " [\(option.written)]" + (option.isRepeatable ? "…" : "") }
    return line
  }
}
