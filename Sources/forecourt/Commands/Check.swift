import Core
import Host

/// `forecourt check`: examines the configuration and the machine; prints text or JSON.
extension Command {
  static var check: Command {
    Command(
      name: "check", summary: "examine the configuration and the machine",
      description: [
        "Reads the configuration as the gateway would and lists everything that is wrong with it: FILE:LINE:COLUMN, the table, and what to do. Unknown keys are errors. Warnings do not fail the check; they include what physics forbids, such as a fire_m too small for any level to show, and what can never work, such as a trigger while authorization is \"denied\", and credentials that only the service can read.",
        "Then, if the configuration is correct, examines this machine: the kernel's Bluetooth; each adapter, which process holds it, and whether this user may use it; the clock; the outbox and its free space; whether the shipped service may write where the configuration says; the broker and whether it lets us write. Says what to do about each fault. Run it as the gateway's user, or as root: then it judges files with the permissions of the user who owns the outbox's folder.",
        "Starts and changes nothing. The broker gets one message, on BASE/check, and with a group two about nobody on SITE/claim; adapters in use by a running gateway are left alone.",
      ],
      options: [.config, .json, Option("lint", .none, "Check only the configuration, not the machine.")],
      examples: [
        Example(line: "forecourt check", words: "Before the first start."),
        Example(line: "forecourt check --lint --config config.toml", words: "Check a file before it goes to a board."),
        Example(line: "forecourt check --json", words: "The same for a script."),
      ],
      exits: [.done, .failed, .usage, .unavailable, .forbidden, .configuration],
      run: { invocation throws(Exit) in try runCheck(invocation) })
  }
}

private func runCheck(_ invocation: Invocation) throws(Exit) {
  let source = try source(invocation)
  let configuration = try configuration(source, invocation)
  let owner = invocation.has("lint") ? nil : Owner(ofFolderOf: String(configuration.host.outbox.path))
  if let owner { try reread(as: owner, invocation) }
  let bar = invocation.out.bar
  let machine = invocation.has("lint") ? [] : Examined.machine(configuration.core, configuration.host, as: owner) { bar.show(nil) }
  bar.clear()
  printFindings(inOrder(configuration.warnings + configuration.futile), machine, source, isCorrect: true, invocation)
  if !invocation.has("json") { printText(configuration, machine, source.name, invocation) }
  if let exit = worst(machine) { throw exit }
}

private func source(_ invocation: Invocation) throws(Exit) -> ConfigurationText {
  do throws(SourceRefusal) {
    return try ConfigurationText(named: invocation.value("config"), scope: .examined)
  } catch {
    if invocation.has("json") { invocation.out.line("{\"v\":1,\"ok\":false,\"error\":\(json(error.sentence)),\"findings\":[]}") }
    say("forecourt: " + error.sentence)
    throw error.exit
  }
}

private func configuration(_ source: ConfigurationText, _ invocation: Invocation) throws(Exit) -> Configuration {
  do throws(Configuration.Refusal) {
    return try Configuration(reading: source)
  } catch {
    printFindings(error.findings, [], source, isCorrect: false, invocation)
    throw error.exit
  }
}

/// Root may read files that the gateway's user may not: reads everything again as that user.
private func reread(as owner: Owner, _ invocation: Invocation) throws(Exit) {
  guard owner.enter() else { return }
  defer { Owner.leave() }
  say("forecourt: files are read as \(owner.name), who owns the outbox's folder")
  _ = try configuration(try source(invocation), invocation)
}

/// A missing permission counts more than a missing thing: with the permission, the thing may be there.
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

private func printText(_ configuration: borrowing Configuration, _ machine: [Examined], _ name: String, _ invocation: Invocation) {
  guard !invocation.has("lint") else { return invocation.out.line(summary(of: configuration, name)) }
  let width = machine.reduce(6) { max($0, $1.subject.columns) } + 2
  let state = configuration.host.unreadCredentials.isEmpty ? "ok" : "warning"
  invocation.out.line("config".padded(to: width) + state.padded(to: 9) + summary(of: configuration, name))
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

private func printFindings(
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
  let parts = [
    counted(configuration.core.radios.count, "radio"), counted(configuration.core.regions.count, "region"),
    counted(configuration.core.triggers.count, "trigger"),
  ]
  let unread = configuration.host.unreadCredentials
  let rest = unread.isEmpty ? "" : ", but not all could be examined: " + listed(unread, with: "and")
  return "\(name): no errors (\(listed(parts, with: "and")))\(rest)"
}
