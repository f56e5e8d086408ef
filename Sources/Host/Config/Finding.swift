/// Something about a configuration that its author should know, and where it stands.
package struct Finding {
  package let severity: Severity
  package let at: Position
  /// `trigger "pump-3"`, or empty when it is about the file.
  package let subject: String
  package let words: String

  /// `config.toml:12:5: trigger "pump-3": leave_m (1.0) must be greater than fire_m (1.5)`
  package func line(in file: String) -> String {
    var line = "\(file):\(at.line):\(at.column): "
    if severity == .warning { line += "warning: " }
    if !subject.isEmpty { line += subject + ": " }
    return line + words
  }
}

/// One reading of one configuration: what its sections share.
final class Findings {
  let source: ConfigurationText
  private(set) var findings: [Finding] = []

  init(_ source: ConfigurationText) { self.source = source }

  /// To know whether a step found anything: what is wrong already need not be compared with anything else.
  var count: Int { findings.count }

  var isRefused: Bool { findings.contains { $0.severity == .error } }

  func note(_ severity: Severity, at position: Position, _ subject: String, _ words: String) {
    findings.append(Finding(severity: severity, at: position, subject: subject, words: words))
  }

  /// In the order of the file; of two at one place, in the order they were found.
  func sorted() -> [Finding] {
    var sorted: [Finding] = []
    for finding in findings {
      var place = sorted.count
      while place > 0, finding.at < sorted[place - 1].at { place -= 1 }
      sorted.insert(finding, at: place)
    }
    return sorted
  }
}
