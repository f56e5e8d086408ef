import Core
import Host

extension Command {
  static var check: Command {
    Command(
      name: "check", summary: "examine the configuration and the machine",
      description: [
        "Reads the configuration as the gateway would and lists everything that is wrong with it: FILE:LINE:COLUMN, the table, and what to do. Unknown keys are errors. Warnings are listed, too, but do not count as errors: among them what physics forbids, such as a fire_m that no level can tell.",
        "Then examines this machine, unless the configuration is wrong: the kernel's Bluetooth, each adapter, who holds it and whether this user may use it, the clock, the outbox and the room for it, the broker and whether it lets us write; each with what to do. Run it as the user that the gateway runs as, or as root: then files are judged as whom the outbox's folder belongs to would find them.",
        "Nothing is started and nothing is changed. The broker gets one message, on BASE/check; adapters that a running gateway has are left alone.",
      ],
      options: [.config, .json, Option("lint", .none, "Only the configuration: before a file goes to a board, or in a repository.")],
      examples: [
        Example(line: "forecourt check", words: "Before the first start."),
        Example(line: "forecourt check --lint --config config.toml", words: "Examine a file before it goes to a board."),
        Example(line: "forecourt check --json", words: "All of it for a script."),
      ],
      exits: [.done, .failed, .usage, .unavailable, .forbidden, .configuration],
      run: { invocation throws(Exit) in try examine(invocation) })
  }
}

private func examine(_ invocation: Invocation) throws(Exit) {
  let source = try source(invocation)
  let configuration = try configuration(source, invocation)
  let owner = invocation.has("lint") ? nil : Owner(ofFolderOf: String(configuration.host.outbox.path))
  if let owner { try reread(as: owner, invocation) }
  let bar = invocation.out.bar
  let machine = invocation.has("lint") ? [] : Examined.machine(configuration.core, configuration.host, as: owner) { bar.show(nil) }
  bar.clear()
  report(configuration.warnings, machine, source, isCorrect: true, invocation)
  if !invocation.has("json") { tell(configuration, machine, source.name, invocation) }
  if let exit = worst(machine) { throw exit }
}

private func source(_ invocation: Invocation) throws(Exit) -> ConfigurationText {
  do throws(SourceRefusal) {
    return try ConfigurationText(named: invocation.value("config"), scope: .whole)
  } catch {
    if invocation.has("json") { invocation.out.line("{\"v\":1,\"ok\":false,\"error\":\(json(error.sentence)),\"findings\":[]}") }
    say("forecourt: " + error.sentence)
    throw error.isForbidden ? .forbidden : .configuration
  }
}

private func configuration(_ source: ConfigurationText, _ invocation: Invocation) throws(Exit) -> Configuration {
  do throws(Configuration.Refusal) {
    return try Configuration(reading: source)
  } catch {
    report(error.findings, [], source, isCorrect: false, invocation)
    throw .configuration
  }
}

/// What root may read, the gateway's user may not.
private func reread(as owner: Owner, _ invocation: Invocation) throws(Exit) {
  guard owner.enter() else { return }
  defer { Owner.leave() }
  say("forecourt: files are judged as \(owner.name) would find them, whose the outbox's folder is")
  _ = try configuration(try source(invocation), invocation)
}

/// A missing permission before a missing thing: with it, the thing may be there.
private func worst(_ machine: [Examined]) -> Exit? {
  var worst: Exit?
  for examined in machine {
    guard case .bad(let failure) = examined.verdict else { continue }
    switch failure {
    case .forbidden: return .forbidden
    case .unavailable: worst = .unavailable
    case .other: worst = worst ?? .failed
    }
  }
  return worst
}

private func tell(_ configuration: borrowing Configuration, _ machine: [Examined], _ name: String, _ invocation: Invocation) {
  guard !invocation.has("lint") else { return invocation.out.line(summary(of: configuration, name)) }
  let width = machine.reduce(6) { max($0, $1.subject.columns) } + 2
  invocation.out.line("config".padded(to: width) + "ok       " + summary(of: configuration, name))
  for examined in machine {
    invocation.out.line(examined.subject.padded(to: width) + examined.verdict.state.padded(to: 9) + examined.words)
  }
}

extension Examined.Verdict {
  fileprivate var state: String {
    switch self {
    case .good: "ok"
    case .doubtful: "warning"
    case .bad: "error"
    }
  }

  fileprivate var isBad: Bool { if case .bad = self { true } else { false } }
}

private func report(
  _ findings: [Finding], _ machine: [Examined], _ source: ConfigurationText, isCorrect: Bool, _ invocation: Invocation
) {
  guard invocation.has("json") else {
    for finding in findings { say(finding.line(in: source.name)) }
    return
  }
  var line = "{\"v\":1,\"ok\":\(isCorrect && !machine.contains { $0.verdict.isBad }),\"config\":\(json(source.name)),\"findings\":["
  for (index, finding) in findings.enumerated() {
    line += index > 0 ? "," : ""
    line +=
      "{\"severity\":\"\(finding.severity == .error ? "error" : "warning")\",\"line\":\(finding.at.line),\"column\":\(finding.at.column),"
    line += "\"subject\":\(json(finding.subject)),\"message\":\(json(finding.words))}"
  }
  line += "]"
  for (index, examined) in machine.enumerated() {
    line += index > 0 ? "," : ",\"machine\":["
    line += "{\"subject\":\(json(examined.subject)),\"state\":\"\(examined.verdict.state)\",\"message\":\(json(examined.words))}"
  }
  invocation.out.line(line + (machine.isEmpty ? "}" : "]}"))
}

private func summary(of configuration: borrowing Configuration, _ name: String) -> String {
  func count(_ number: Int, _ noun: String) -> String { "\(number) \(noun)\(number == 1 ? "" : "s")" }
  let parts = [
    count(configuration.core.radios.count, "radio"), count(configuration.core.regions.count, "region"),
    count(configuration.core.triggers.count, "trigger"),
  ]
  return "\(name): no errors (\(listed(parts, with: "and")))"
}
