import Foundation
import Testing

@testable import Host

/// values.txt: what somebody may write behind a key, for one key of each kind, and the answer. With FORECOURT_ACCEPT in the environment the
/// answers are kept anew: read the difference before you commit it.
@Suite("every way to write a value, for every kind of key")
struct ConfigurationValues {
  private static let place = repository.appending(path: "Tests/Parts/Host/values.txt")

  /// What is written above the key, and the key.
  private static let keys: [(above: [String], key: String)] = [
    (["[gateway]"], "name"), (["[average]"], "stale_s"), (["[zones]"], "near_m"), (["[mqtt]"], "port"), (["[command]"], "enabled"),
    (["[[region]]", "name = \"r\""], "match"), (["[[radio]]", "name = \"r\""], "window_ms"),
    (["[[radio]]", "name = \"r\""], "adapter"), (["[calibration]"], "measured_power_dbm"),
  ]

  private struct Kept {
    let key: String
    /// A value, and behind it what is answered: `VALUE -> ANSWER | ANSWER`.
    var lines: [(value: String, answers: String)] = []
  }

  private static func kept() throws -> [Kept] {
    var all: [Kept] = []
    for line in try String(contentsOf: place, encoding: .utf8).components(separatedBy: "\n") where !line.isEmpty {
      if line.hasPrefix("== ") { all.append(Kept(key: String(line.dropFirst(3)))) }
      let parts = line.components(separatedBy: " -> ")
      if parts.count == 2, !all.isEmpty { all[all.count - 1].lines.append((parts[0], parts[1])) }
    }
    return all
  }

  private static func text(_ above: [String], _ line: String) -> String {
    let purpose = above[0] == "[gateway]" ? ["[gateway]", "purpose = \"x\""] : ["gateway.purpose = \"x\""] + above
    return (purpose + [line]).joined(separator: "\n") + "\n"
  }

  /// Places are left out: mistakes.txt has them.
  private static func answers(_ above: [String], _ line: String) -> [String] {
    found(source(text(above, line))).map { ($0.subject.isEmpty ? "" : $0.subject + ": ") + $0.words }
  }

  @Test("each has its answer") func answered() throws {
    var anew: [String] = []
    for kept in try Self.kept() {
      let (above, key) = try #require(Self.keys.first { $0.key == kept.key })
      anew += ["", "== \(key)"]
      for (value, answers) in kept.lines {
        let told = Self.answers(above, "\(key) = \(value)").joined(separator: " | ")
        anew.append("\(value) -> \(told.isEmpty ? "right" : told)")
        #expect((told.isEmpty ? "right" : told) == answers, "\(key) = \(value)")
      }
    }
    #expect(anew.count > 400)
    guard ProcessInfo.processInfo.environment["FORECOURT_ACCEPT"] != nil else { return }
    let head = try String(contentsOf: Self.place, encoding: .utf8).components(separatedBy: "\n").prefix { !$0.hasPrefix("== ") }
    let text = (head.reversed().drop { $0.isEmpty }.reversed() + anew).joined(separator: "\n") + "\n"
    try text.write(to: Self.place, atomically: true, encoding: .utf8)
  }

  /// Whoever writes what the answer says must not be told of another mistake of form; that a number is no text is another matter.
  @Test("what an answer says to write can be read") func right() throws {
    var tried = 0
    for kept in try Self.kept() {
      let (above, key) = try #require(Self.keys.first { $0.key == kept.key })
      for (value, _) in kept.lines {
        for answer in Self.answers(above, "\(key) = \(value)") {
          guard let advice = answer.components(separatedBy: ": write \(key) = ").dropFirst().first, advice != "\"…\"" else { continue }
          tried += 1
          let again = Self.answers(above, "\(key) = \(advice)").filter { !$0.contains("must be a string, not ") }
          #expect(!again.contains { $0.contains(": write ") || $0.contains("syntax error") }, "\(value), then \(advice): \(again)")
        }
      }
    }
    #expect(tried > 200)
  }
}
