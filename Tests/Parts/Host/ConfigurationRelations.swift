import Foundation
import Testing

@testable import Host

@Suite("what must make no difference to a mistake's answer") struct ConfigurationRelations {
  /// All line numbers, also those in sentences, so many lines further down; the first line stays.
  private func moved(_ line: String, by count: Int) -> String {
    var line = line
    for pattern in [#/config\.toml:(\d+):/#, #/line (\d+)/#] {
      line.replace(pattern) { match in
        let number = Int(match.output.1) ?? 0
        return match.output.0.replacing("\(number)", with: "\(number > 1 ? number + count : number)")
      }
    }
    return line
  }

  private func broken(_ mistake: WrittenMistake) -> [String] { mistake.lines.map { "config.toml:" + $0 } }

  @Test("where it stands: below three lines of comment it is the same three lines further down", arguments: WrittenMistake.all)
  func place(mistake: WrittenMistake) {
    let lines = mistake.toml.components(separatedBy: "\n")
    let later = ([lines[0], "# one", "", "# three"] + lines.dropFirst()).joined(separator: "\n")
    #expect(findings(later) == broken(mistake).map { moved($0, by: 3) })
  }

  @Test("how lines end", arguments: WrittenMistake.all) func ends(mistake: WrittenMistake) {
    #expect(findings(mistake.toml.replacing("\n", with: "\r\n")) == broken(mistake))
  }

  @Test("what comes later: another mistake below it is answered, too", arguments: WrittenMistake.all)
  func more(mistake: WrittenMistake) {
    // Nothing behind these can be read.
    guard
      !["no value", "a table in braces over two lines", "JSON", "YAML", "a list twice, the second over several lines"].contains(
        mistake.name)
    else { return }
    let line = mistake.toml.components(separatedBy: "\n").count
    let found = findings(mistake.toml + "[ranging]\ninterval_s = 1,5\n")
    #expect(found.contains { $0.hasPrefix("config.toml:\(line + 1):14: a number has a point, not a comma") }, "\(found)")
    #expect(found.filter { !$0.contains("config.toml:\(line + 1):") && !$0.contains("config.toml:\(line):") } == broken(mistake))
  }
}

@Suite("the selector that was meant") struct SelectorMeantTests {
  private static let uuid = "2f234454-cf6d-4a0f-adf2-f4911ba9ffa6"

  @Test(
    "by an alias, a bare number, another word for its kind, or an ending that is not quite right",
    arguments: [
      ("anna", "irk:anna"), (" bob ", "irk:bob"), ("zoe", nil), ("Anna", nil), ("", nil),
      ("aa:bb:cc:dd:ee:ff", "address:aa:bb:cc:dd:ee:ff"),
      ("AA-BB-CC-DD-EE-FF", "address:AA:BB:CC:DD:EE:FF"), ("aa:bb:cc:dd:ee", nil), (uuid, "ibeacon:\(uuid):*"),
      ("BC00BD17", "peer:BC00BD17"),
      ("BC00BD1", nil), (String(repeating: "a1", count: 20), "altbeacon:" + String(repeating: "a1", count: 20)),
      (String(repeating: "a1", count: 16), nil), ("mac:aa:bb:cc:dd:ee:ff", "address:aa:bb:cc:dd:ee:ff"), ("app:BC00BD17", "peer:BC00BD17"),
      ("addr:aa-bb-cc-dd-ee-ff", "address:aa:bb:cc:dd:ee:ff"), ("uuid:\(uuid)", "ibeacon:\(uuid):*"),
      ("beacon:\(uuid):7", "ibeacon:\(uuid):7:*"),
      ("uid:edd1ebeac04e5defa017", "eddystone:edd1ebeac04e5defa017:*"), ("IBEACON:*", "ibeacon:*"), ("ibeacon", nil), ("irk", nil),
      ("ibeacon:", "ibeacon:*"), ("irk: anna", "irk:anna"), ("name:Bus", "name:Bus@*"), ("name:Bus*", "name:Bus*@*"),
      ("name:Bus@aa:bb:*", nil), ("service:feaa", "service:feaa@*"), ("service:feaa*", "service:feaa@*"),
      ("service:0xFD6F", "service:FD6F@*"), ("service:0Xfd6f@*", "service:fd6f@*"), ("service:FD6", nil), ("service:0x", nil),
      ("address:aa:bb", "address:aa:bb:*"),
      ("address:aa:bb*", "address:aa:bb:*"), ("bluetooth:7", nil), ("ibecon:*", "ibeacon:*"),
    ] as [(String, String?)]) func meant(text: String, selector: String?)
  {
    #expect(selectorMeant(by: text, aliases: ["bob", "anna"]) == selector)
  }
}
