/// One error or warning about a configuration, and its place.
package struct Finding {
  package let severity: Severity
  package let at: Position
  /// `trigger "pump-3"`; empty if it concerns the file.
  package let subject: String
  package let words: String
  /// Nothing is wrong with the configuration: the system could not read a file, and another try may.
  package var isPassing = false

  /// `config.toml:12:5: trigger "pump-3": leave_m (1.0) must be greater than fire_m (1.5)`
  package func line(in file: String) -> String {
    var line = "\(file):\(at.line):\(at.column): "
    if severity == .warning { line += "warning: " }
    if !subject.isEmpty { line += subject + ": " }
    return line + words
  }
}

/// All that one reading of a configuration found; its sections share it.
final class Findings {
  let source: ConfigurationText
  private(set) var findings: [Finding] = []
  /// Mistakes of form, which are found before all others.
  private var forms: [Finding] = []
  /// What can never work: warnings for `check`.
  private(set) var futile: [Finding] = []
  /// The keys of credentials that only the service has.
  var unreadCredentials: [String] = []
  /// Every file that was named so far.
  var files: [NamedFile] = []
  /// And no scenario.
  var isConfiguration = false
  /// The keys of the table that was read first.
  var keysOfFirst: [String] = []
  /// Empty until a key is lost.
  var homes: [KeyHome] = []
  /// Set when mistakes of form were corrected for the reading: places are in it then.
  var draft: Draft?

  init(_ source: ConfigurationText) { self.source = source }

  /// Compare before and after a step to see whether it found anything: a wrong value needs no further checks.
  var count: Int { findings.count }

  var isRefused: Bool { !forms.isEmpty || findings.contains { $0.severity == .error } }

  func record(_ severity: Severity, at position: Position, _ subject: String, _ words: String, isPassing: Bool = false) {
    let place = draft.map { $0.original(position) } ?? position
    findings.append(Finding(severity: severity, at: place, subject: subject, words: words, isPassing: isPassing))
  }

  /// A mistake of form, at its place in the file.
  func recordForm(at position: Position, _ words: String) {
    forms.append(Finding(severity: .error, at: position, subject: "", words: words))
  }

  /// The corrected value is of the wrong kind: what is said of its kind says what to write, too. `key`: where the value's key begins.
  func forgetForm(ofValueBehind key: Position) {
    guard let place = draft?.original(key) else { return }
    forms.removeAll { $0.at.line == place.line && $0.at > place }
  }

  /// A word of letters alone as the file has it, where a correction may have made another of it: `yes` and not `true`.
  func word(behind key: Position) -> [UInt8]? {
    guard let place = draft?.original(key) else { return nil }
    let lines = source.text.split(separator: 0x0A, omittingEmptySubsequences: false)
    guard let value = Assignment(lines[place.line - 1].filter { $0 != 0x0D })?.value, !value.isEmpty else { return nil }
    return value.allSatisfy { UInt8(ascii: "a")...UInt8(ascii: "z") ~= $0 | 0x20 } ? value : nil
  }

  func recordFutile(at position: Position, _ subject: String, _ words: String) {
    futile.append(Finding(severity: .warning, at: position, subject: subject, words: words))
  }

  func sorted() -> [Finding] { inOrder(forms + findings) }
}

/// In the order of the file; at one place in the order of discovery.
package func inOrder(_ findings: [Finding]) -> [Finding] {
  var sorted: [Finding] = []
  for finding in findings {
    var place = sorted.count
    while place > 0, finding.at < sorted[place - 1].at { place -= 1 }
    sorted.insert(finding, at: place)
  }
  return sorted
}
