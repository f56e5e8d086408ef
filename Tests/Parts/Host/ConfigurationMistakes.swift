import Foundation
import Testing

@testable import Host

/// mistakes.txt: files that somebody wrote wrong, and every line of the answer.
struct WrittenMistake: CustomTestStringConvertible {
  let name: String
  let toml: String
  let lines: [String]

  var testDescription: String { name }

  /// Every file begins with this line.
  static let first = "gateway.purpose = \"x\"\n"

  static let all: [WrittenMistake] = {
    let file = repository.appending(path: "Tests/Parts/Host/mistakes.txt")
    let text = (try? String(contentsOf: file, encoding: .utf8)) ?? ""
    return text.components(separatedBy: "\n== ").dropFirst().map { block in
      let lines = block.components(separatedBy: "\n").filter { !$0.isEmpty }
      let toml = lines.dropFirst().filter { !$0.hasPrefix("-> ") }.joined(separator: "\n")
      return WrittenMistake(
        name: lines[0], toml: first + toml + "\n", lines: lines.filter { $0.hasPrefix("-> ") }.map { String($0.dropFirst(3)) })
    }
  }()
}

@Suite("a mistake gets the answer")
struct ConfigurationMistakes {
  @Test("every mistake of mistakes.txt has its place and what to write", arguments: WrittenMistake.all)
  func answered(_ mistake: WrittenMistake) {
    #expect(!mistake.lines.isEmpty)
    #expect(findings(mistake.toml) == mistake.lines.map { "config.toml:" + $0 })
  }

  @Test("there are at least 64 kinds of them") func many() { #expect(WrittenMistake.all.count >= 64) }

  @Test(
    "a value that is right is not blamed for a comment that is wrong",
    arguments: [
      "mqtt.port = 1883", "zones.near_m = 1.5", "zones.near_m = -1", "command.enabled = true", "gateway.name = \"a\"", "gateway.name = 'a'",
      "publish.gateways = [\"a\", \"b\"]",
    ])
  func comments(line: String) {
    let found = findings(WrittenMistake.first + line + " # \u{1}\n")
    #expect(found.count == 1 && found[0].contains("syntax error in comment: control characters"), "\(found)")
  }

  @Test("a key in a mistaken line is never repeated") func secrets() {
    for line in [
      "key = ec0234a357c8ad05341010a60a397d9b", "key = \"ec0234a357c8ad05341010a60a397d9b", "key: ec0234a357c8ad05341010a60a397d9b",
      "key = “ec0234a357c8ad05341010a60a397d9b”", "alias = ec0234a357c8ad05341010a60a397d9b", "key ec0234a357c8ad05341010a60a397d9b",
      "key_file = ec0234a357c8ad05341010a60a397d9b", "key = 000102030405060708090a0b0c0d0e0f", "key = 0x000102030405060708090a0b0c0d0e0f",
    ] {
      let found = findings(WrittenMistake.first + "[[key.irk]]\n" + line + "\n")
      #expect(!found.isEmpty && !found.contains { $0.contains("ec0234") || $0.contains("00010203") }, "\(line): \(found)")
    }
    for line in ["host = user:secret@broker", "password_file = secret", "password: secret", "host = “user:secret@broker”"] {
      let found = findings(WrittenMistake.first + "[mqtt]\n" + line + "\n")
      #expect(!found.isEmpty && !found.contains { $0.contains("secret") }, "\(line): \(found)")
    }
  }
}
