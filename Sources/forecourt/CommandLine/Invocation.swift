import Host

/// A command with its options and operands from the command line. Code can ask only for options that the command declares.
struct Invocation {
  let command: Command
  let out: Output
  private(set) var operands: [String] = []
  private(set) var asksForHelp = false
  private var given: [(name: String, value: String)] = []

  init(_ command: Command, _ arguments: [String], _ out: Output) throws(Exit) {
    self.command = command
    self.out = out
    try read(arguments)
    if !asksForHelp { try checkOperands() }
  }

  func has(_ name: String) -> Bool { !values(name).isEmpty }
  func value(_ name: String) -> String? { values(name).last }
  func number(_ name: String) -> Int? { value(name).flatMap { decimal($0) } }

  func values(_ name: String) -> [String] {
    precondition(declares(name), "a command asks only for options that it declares")
    return given.filter { same($0.name, name) }.map { $0.value }
  }

  func declares(_ name: String) -> Bool { option(name) != nil }

  /// The command line is wrong: says why and where to read more; the caller throws what it returns.
  func refused(_ sentence: String) -> Exit {
    say("forecourt \(command.name): \(sentence)")
    say("Try: forecourt \(command.name) --help")
    return .usage
  }

  private func option(_ name: String) -> Option? { command.options.first { same($0.name, name) } }

  private mutating func read(_ arguments: [String]) throws(Exit) {
    var index = 0
    var onlyOperands = false
    while index < arguments.count {
      let argument = arguments[index]
      index += 1
      if onlyOperands || same(argument, "-") || argument.utf8.first != UInt8(ascii: "-") {
        operands.append(argument)
      } else if same(argument, "--") {
        onlyOperands = true
      } else if same(argument, "--help") || same(argument, "-h") {
        asksForHelp = true
      } else {
        try read(argument, arguments, &index)
      }
    }
  }

  /// `--name`, `--name VALUE` or `--name=VALUE`.
  private mutating func read(_ argument: String, _ arguments: [String], _ index: inout Int) throws(Exit) {
    let equals = argument.utf8.firstIndex(of: UInt8(ascii: "="))
    let word = equals.map { String(argument[..<$0]) } ?? argument
    guard let name = word.rest(after: "--"), let option = option(name) else { throw unknown(word) }
    if !option.isRepeatable && has(option.name) { throw refused("--\(option.name) is given twice") }
    guard let placeholder = option.placeholder else {
      if equals != nil { throw refused("--\(option.name) takes no value") }
      return given.append((option.name, ""))
    }
    var value = equals.map { String(argument[argument.utf8.index(after: $0)...]) }
    if value == nil, index < arguments.count {
      value = arguments[index]
      index += 1
    }
    guard let value, !value.utf8.isEmpty else { throw refused("--\(option.name) needs a value: --\(option.name) \(placeholder)") }
    if case .number(_, let range) = option.value {
      guard let number = decimal(value), range.contains(number) else {
        throw refused("--\(option.name) \(value): must be a whole number from \(range.lowerBound) to \(range.upperBound)")
      }
    }
    given.append((option.name, value))
  }

  private func unknown(_ word: String) -> Exit {
    let known = command.options.map { "--" + $0.name } + ["--help"]
    guard let meant = suggestion(for: word, among: known) else { return refused("unknown option \(word)") }
    return refused("unknown option \(word); did you mean \(meant)?")
  }

  private func checkOperands() throws(Exit) {
    switch command.operands {
    case .none:
      guard let extra = operands.first else { return }
      let isConfiguration = extra.bytes.suffix(5).elementsEqual(".toml".bytes) && declares("config") && !has("config")
      throw refused("\"\(extra)\" is one word too many" + (isConfiguration ? ": write --config \(extra)" : ""))
    case .one(let name):
      if operands.isEmpty { throw refused("\(name) is missing") }
      if operands.count > 1 { throw refused("\"\(operands[1])\" is one word too many") }
    case .oneOrMore(let name):
      if operands.isEmpty { throw refused("\(name) is missing") }
    }
  }
}
