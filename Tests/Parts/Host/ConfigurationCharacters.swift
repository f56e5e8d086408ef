import Core
import Foundation
import Testing

@testable import Host

@Suite("what becomes of each character") struct ConfigurationCharacters {
  /// Which scalars are so, as `FIRST-LAST`, in hexadecimal.
  private func ranges(_ scalars: [ClosedRange<UInt32>], where isSo: (Unicode.Scalar) -> Bool) -> [String] {
    var found: [(first: UInt32, last: UInt32)] = []
    for value in scalars.joined() {
      guard let scalar = Unicode.Scalar(value), isSo(scalar) else { continue }
      if let last = found.last, last.last + 1 == value { found[found.count - 1].last = value } else { found.append((value, value)) }
    }
    return found.map { $0.first == $0.last ? String($0.first, radix: 16) : String($0.first, radix: 16) + "-" + String($0.last, radix: 16) }
  }

  @Test("a path in a command to type is read by the shell as it is, and stands without marks where none are needed") func shell() throws {
    var paths = (UInt8(1)...126).map { "a" + String(UnicodeScalar($0)) + "b" }
    paths += ["'", "''a", "a'", "-", "é", "a b'c\"d$e"]
    let shell = Process()
    let output = Pipe()
    shell.executableURL = URL(filePath: "/bin/sh")
    shell.arguments = ["-c", "printf '%s\\1\\2' " + paths.map(quotedForShell).joined(separator: " ")]
    shell.standardOutput = output
    try shell.run()
    let said = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
    shell.waitUntilExit()
    #expect(said.components(separatedBy: "\u{1}\u{2}").dropLast() == paths[...])
    #expect(ranges([1...126]) { quotedForShell(String($0)) == String($0) } == ["2d-39", "41-5a", "5f", "61-7a"])
  }

  @Test("a name may hold what neither topics nor brokers forbid") func names() {
    let around: [ClosedRange<UInt32>] = [0...0xFF, 0xFDC0...0xFE00, 0xFFF0...0x1_000F, 0x1_FFF0...0x2_000F, 0x10_FFF0...0x10_FFFF]
    func refused(_ words: String) -> [String] { ranges(around) { faultOfName("a\($0)b")?.contains(words) == true } }
    #expect(refused("must not contain / + # or *") == ["23", "2a-2b", "2f"])
    #expect(refused("control characters") == ["0-1f", "7f-9f"])
    #expect(refused("no character") == ["fdd0-fdef", "fffe-ffff", "1fffe-1ffff", "10fffe-10ffff"])
    #expect(faultOfName("") == "must not be empty" && faultOfName("a") == nil)
    #expect(faultOfName(String(repeating: "n", count: 32)) == nil)
    #expect(faultOfName(String(repeating: "n", count: 33)) == "is longer than 32 bytes")
  }

  @Test("a message holds no control character, and no more than sixty bytes of what somebody wrote") func messages() {
    #expect(ranges([0...0x17F]) { printable("a\($0)b") == "a?b" } == ["0-1f", "3f", "7f-9f"])
    #expect(ranges([0...0x17F]) { printable("a\($0)b") != "a?b" && printable("a\($0)b") != "a\($0)b" } == [])
    let text = String(repeating: "n", count: 60)
    #expect(printable(text) == text && printable(text + "n") == text + "…" && printable(String(text.dropLast())) == String(text.dropLast()))
    #expect(printable(text.dropLast() + "üüü") == text.dropLast() + "ü…")
  }

  @Test("a message holds nothing that may be a key, whatever stands in front of it or between its digits") func keys() {
    let digits = "ec0234a357c8ad05341010a60a397d9b"
    func isHidden(_ text: String) -> Bool { withoutKey(text).hasSuffix("…") && !withoutKey(text).contains("ec") }
    let pairs = stride(from: 0, to: 32, by: 2).map { String(digits.dropFirst($0).prefix(2)) }
    for between in ["", ":", "-", " ", "\n", "\r\n"] {
      for before in ["", "irk:", "eid:", "0x", "0X", "irk:0x", "eid:0X"] {
        #expect(withoutKey(before + pairs.joined(separator: between)) == before + "…", "\(before) \(between)")
        #expect(withoutKey(before + pairs.dropLast().joined(separator: between)) != before + "…", "fifteen bytes are no key")
      }
    }
    #expect(isHidden(digits + "00") && isHidden(digits.uppercased()))
    #expect(!isHidden(digits + "0") && !isHidden(digits + "g0") && !isHidden(pairs.joined(separator: ".")))
    let uuid = "2f234454-cf6d-4a0f-adf2-f4911ba9ffa6"
    #expect(withoutKey(uuid) == uuid && withoutKey("irk:" + uuid) == "irk:" + uuid && withoutKey(uuid + "00") == "…")
    #expect(withoutKey("irk:anna") == "irk:anna" && withoutKey("") == "" && withoutKey("irk:") == "irk:")
  }

  @Test("characters that only look like a quotation mark, a hyphen or a blank are told by their names") func lookalikes() {
    let around: [ClosedRange<UInt32>] = [0x5F...0x61, 0xA0...0xC0, 0x1FFF...0x2070, 0x2211...0x2213, 0x2FFF...0x3001, 0xFEFE...0xFF00]
    func told(_ words: String) -> [String] {
      ranges(around) { character in
        findings("gateway.purpose = \"x\"\ngateway.name = \(character)a\n").contains {
          $0.contains(words) && ($0.contains("\(character)") || $0.contains("U+" + String(format: "%04X", character.value)))
        }
      }
    }
    #expect(told("is no quotation mark here") == ["60", "ab", "b4", "bb", "2018-201f", "2032-2033"])
    #expect(told("is no minus sign") == ["2010-2015", "2212"])
    #expect(told("this blank is none") == ["a0", "2000-200b", "202f", "205f", "3000", "feff"])
  }

  @Test("a number has one to nine digits, and nothing else") func decimals() {
    #expect(ranges([1...127]) { decimal("1\($0)") != nil } == ["30-39"])
    #expect((0...9).map { decimal("\($0)") } == Array(0...9) && decimal("") == nil && decimal("007") == 7)
    #expect(decimal("123456789") == 123_456_789 && decimal("999999999") == 999_999_999 && decimal("1000000000") == nil)
  }
}
