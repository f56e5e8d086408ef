import Host

// In CI 50000 runs: a configuration is a long text.

/// Whatever the text: an answer, and every finding points into the text.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzz(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
  let text = Array(UnsafeBufferPointer(start: start, count: count))
  do throws(Configuration.Refusal) {
    let configuration = try Configuration(reading: ConfigurationText(name: "config.toml", text: text, scope: .hearing))
    precondition(configuration.core.gateway.purpose.count > 0, "no purpose, no configuration")
    precondition(configuration.core.radios.count == configuration.host.adapters.count, "every radio has its adapter")
  } catch {
    var before = Position(line: 1, column: 1)
    for finding in error.findings {
      precondition(isInside(finding.at, text), "a finding points into the text")
      precondition(before <= finding.at, "findings come in the order of the text")
      before = finding.at
      _ = finding.line(in: "config.toml")
    }
  }
  return 0
}

private func isInside(_ at: Position, _ text: [UInt8]) -> Bool {
  let lines = text.split(separator: 0x0A, omittingEmptySubsequences: false)
  guard at.line >= 1, at.line <= lines.count, at.column >= 1 else { return false }
  return at.column <= lines[at.line - 1].filter { $0 & 0xC0 != 0x80 }.count + 1
}
