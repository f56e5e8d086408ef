import Core
import Testing

@testable import Host

@Suite("A stranger's JSON is measured before it is parsed") struct JSONObjectTests {
  private func refusal(_ bytes: [UInt8]) -> String {
    let span = bytes.span
    do throws(JSONObject.Refusal) {
      _ = try JSONObject(span.bytes)
      return ""
    } catch { return "\(error)" }
  }

  private func refusal(_ text: String) -> String { refusal(Array(text.utf8)) }

  @Test("a kilobyte, four levels, and nothing but UTF-8 without control characters in its strings") func measured() {
    let frame = #"{"a":""}"#.utf8.count
    for (count, wanted) in [(1_024, ""), (1_025, "tooLarge")] {
      #expect(refusal(#"{"a":"\#(String(repeating: "x", count: count - frame))"}"#) == wanted, "\(count)")
    }
    #expect(refusal(#"{"a":[[[1]]],"b":{"c":[{}]},"d":[]}"#) == "" && refusal(#"{"a":[[[[1]]]]}"#) == "tooDeep")
    #expect(refusal(#"{"a":"[[[[[[{{{\"[[[["}"#) == "", "inside a string they are letters")
    for wrong in [[0xFF], [0xC3], [0xC0, 0x80], [0xED, 0xA0, 0x80], [0xF4, 0x90, 0x80, 0x80]] as [[UInt8]] {
      #expect(refusal(Array(#"{"a":""#.utf8) + wrong + Array(#""}"#.utf8)) == "notUTF8", "\(wrong)")
      #expect(refusal(Array("{".utf8) + wrong + Array("}".utf8)) == "notUTF8", "\(wrong)")
    }
    #expect(refusal(#"{"a":"größer 🚪"}"#) == "")
    for byte in [0x00, 0x09, 0x0A, 0x1F] as [UInt8] {
      #expect(refusal(Array(#"{"a":""#.utf8) + [byte] + Array(#""}"#.utf8)) == "malformed", "\(byte)")
    }
    for text in [#"{"a":"pump-3\u0000-x"}"#, #"{"a":"\\\u0000"}"#, #"{"a\u0000b":1}"#, #"{"a":["\u0000"]}"#] {
      #expect(refusal(text) == "malformed", "cJSON would end the text there: \(text)")
    }
    for text in [#"{"a":"\u0001 \u0100 \\u0000 \n"}"#, #"{"a":"\u000a"}"#] { #expect(refusal(text) == "", "\(text)") }
    #expect(refusal(#"{"a":"\u000"#) == "malformed" && refusal(#"{"a":"\"#) == "malformed")
    #expect(refusal(Array("{}".utf8) + [0]) == "malformed" && refusal("{} \n\t") == "" && refusal("{} x") == "malformed")
    #expect(
      refusal("[]") == "notAnObject" && refusal("1") == "notAnObject" && refusal("") == "malformed" && refusal("{\"a\"") == "malformed")
  }
}
