import Core
import Testing

@testable import Host

@Suite("What is wrong with a selector") struct SelectorWordsTests {
  @Test(
    "each mistake has its own sentence",
    arguments: [
      ("", "is empty; \"*\" matches every device"), ("beacon:1", "must begin with irk: peer: eid: ibeacon: altbeacon: eddystone: "),
      ("ibeacon:180f:*", "has no UUID where one belongs"),
      ("ibeacon:2f234454-cf6d-4a0f-adf2-f4911ba9ffa6:70000", "has no number from 0 to 65535 where one belongs"),
      ("peer:BC00BD1", "has too few hexadecimal digits, or something else among them"),
      ("address:0a-1b-2c-3d-4e-5f", "has no address where one belongs"), ("irk:", "has no alias of at most 32 bytes"),
      ("name:Bus*", "is no name selector; write \"name:NAME@*\" or \"name:NAME*@*\""),
      ("name:" + String(repeating: "a", count: 34) + "@*", "has a name longer than "),
      ("peer:BC00BD1700", "does not end where an identity ends; a * stands in place of whole parts"),
    ])
  func sentences(text: String, words: String) {
    do throws(Unreadable) {
      _ = try Selector(written: Array(text.utf8).span.bytes)
      Issue.record("\(text) is a selector")
    } catch { #expect(error.words.hasPrefix(words), "\(text): \(error.words)") }
  }
}
