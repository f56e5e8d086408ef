import Core
import Host

extension Command {
  static var check: Command {
    Command(
      name: "check", summary: "examine the configuration",
      description: [
        "Reads the configuration as the gateway would and lists everything that is wrong with it: FILE:LINE:COLUMN, the table, and what to do. Unknown keys are errors. Warnings are listed, too, but do not count as errors.",
        "Nothing is started and nothing is changed. Files that the configuration names are opened to see whether they can be read, and whether secrets among them are kept from others.",
      ],
      options: [.config, .json],
      examples: [
        Example(line: "forecourt check --config config.toml", words: "Examine a file before it goes to a board."),
        Example(line: "forecourt check --json", words: "The same for a script, about the configuration in force."),
      ],
      exits: [.done, .usage, .forbidden, .configuration],
      run: { invocation throws(Exit) in try examine(invocation) })
  }
}

private func examine(_ invocation: Invocation) throws(Exit) {
  let source: Source
  do throws(SourceRefusal) {
    source = try Source(named: invocation.value("config"), scope: .whole)
  } catch {
    if invocation.has("json") { invocation.out.line("{\"v\":1,\"ok\":false,\"error\":\(json(error.sentence)),\"findings\":[]}") }
    say("forecourt: " + error.sentence)
    throw error.isForbidden ? .forbidden : .configuration
  }
  do throws(Configuration.Refusal) {
    let configuration = try Configuration(reading: source)
    report(configuration.warnings, source, isCorrect: true, invocation)
    if !invocation.has("json") { invocation.out.line(summary(of: configuration, source.name)) }
  } catch {
    report(error.findings, source, isCorrect: false, invocation)
    throw .configuration
  }
}

private func report(_ findings: [Finding], _ source: Source, isCorrect: Bool, _ invocation: Invocation) {
  guard invocation.has("json") else {
    for finding in findings { say(finding.line(in: source.name)) }
    return
  }
  var line = "{\"v\":1,\"ok\":\(isCorrect),\"config\":\(json(source.name)),\"findings\":["
  for (index, finding) in findings.enumerated() {
    line += index > 0 ? "," : ""
    line +=
      "{\"severity\":\"\(finding.severity == .error ? "error" : "warning")\",\"line\":\(finding.at.line),\"column\":\(finding.at.column),"
    line += "\"subject\":\(json(finding.subject)),\"message\":\(json(finding.words))}"
  }
  invocation.out.line(line + "]}")
}

private func summary(of configuration: borrowing Configuration, _ name: String) -> String {
  func count(_ number: Int, _ noun: String) -> String { "\(number) \(noun)\(number == 1 ? "" : "s")" }
  let parts = [
    count(configuration.core.radios.count, "radio"), count(configuration.core.regions.count, "region"),
    count(configuration.core.triggers.count, "trigger"),
  ]
  return "\(name): no errors (\(listed(parts, with: "and")))"
}
