import Foundation
import Testing

@testable import Core

@Suite("JSON as it is written") struct JSONTests {
  private func number(_ value: Float, _ places: Int) -> String {
    var text = Text<64>()
    text.append(number: value, places: places)
    return String(text)
  }

  /// By Foundation: rounded away from zero at a tie, without trailing zeros.
  private func expected(_ value: Float, _ places: Int) -> String {
    let scale = pow(10, Double(places))
    let scaled = (Double(value.magnitude) * scale).rounded(.toNearestOrAwayFromZero)
    var words = String(format: "%.\(places)f", scaled / scale)
    if places > 0 {
      while words.hasSuffix("0") { words.removeLast() }
      if words.hasSuffix(".") { words.removeLast() }
    }
    return (value < 0 && scaled > 0 ? "-" : "") + words
  }

  @Test("a number has at most the places that are asked for, rounded, and no zeros behind", arguments: 0...8)
  func numbers(places: Int) {
    var chance = Seeded(UInt64(places))
    for value in [0, -0, 0.5, -0.5, 1.5, 2.5, 0.05, 0.25, 0.125, 99.995, 999.96, -0.04, 123_456.78, 1e-9] as [Float] {
      #expect(number(value, places) == expected(value, places), "\(value)")
    }
    for _ in 0..<2_000 {
      let value = Float(Int64(bitPattern: chance.next()) % 10_000_000) / [1, 16, 1_000, 4_096][Int(chance.next() % 4)]
      // Beyond 53 bits a double is no witness.
      guard Double(value.magnitude) * pow(10, Double(places)) < 1e15 else { continue }
      #expect(number(value, places) == expected(value, places), "\(value)")
    }
    #expect(number(.infinity, places) == "null" && number(.nan, places) == "null" && number(1e9, places) == "null")
    #expect(number(9.9e8, places) == "990000000" && number(-9.9e8, places) == "-990000000")
  }

  @Test("a count of decimal units is written exactly") func decimals() {
    for (value, decimals, words) in [
      (0, 3, "0"), (1, 3, "0.001"), (-1, 3, "-0.001"), (1_000, 3, "1"), (-12_340, 3, "-12.34"), (5, 0, "5"), (105, 1, "10.5"),
    ] as [(Int64, Int, String)] {
      var text = Text<64>()
      text.member("n", value, decimals: decimals)
      #expect(String(text) == "\"n\":" + words)
    }
  }

  private func bytes(_ chance: inout Seeded) -> [UInt8] {
    var bytes: [UInt8] = []
    let isText = chance.next() % 2 == 0
    for _ in 0..<chance.next() % 20 {
      if isText {
        bytes += Array(
          String(Unicode.Scalar(UInt32(chance.next() % [0x100, 0x900, 0x1_1000, 0x11_0000][Int(chance.next() % 4)])) ?? "x").utf8)
      } else {
        bytes += [UInt8(0xC0 + chance.next() % 0x40), UInt8(0x70 + chance.next() % 0x60)].prefix(Int(1 + chance.next() % 2))
      }
    }
    return bytes
  }

  @Test("any bytes become a string that is read back; what is well-formed stays, each byte of the rest becomes U+FFFD", arguments: 0..<20)
  func strings(seed: UInt64) throws {
    var chance = Seeded(seed)
    for _ in 0..<200 {
      let bytes = bytes(&chance)
      var payload = Payload()
      payload.openObject()
      payload.member("a", text: bytes.span.bytes)
      payload.member("b", text: bytes.span.bytes, upTo: 12)
      payload.array("c")
      payload.element("x")
      payload.element(text: bytes.span.bytes, upTo: 12)
      payload.closeArray()
      payload.object("d")
      payload.memberNull("e")
      payload.member("f", true)
      payload.closeObject()
      payload.member("g", Int64.min)
      payload.closeObject()
      let json = try #require(try JSONSerialization.jsonObject(with: Data(String(payload).utf8)) as? [String: Any], "\(String(payload))")
      let whole = try #require(json["a"] as? String)
      if let wellFormed = String(validating: bytes, as: UTF8.self) {
        #expect(whole == wellFormed)
      } else {
        #expect(whole.unicodeScalars.contains("\u{FFFD}"))
      }
      let cut = try #require(json["b"] as? String)
      #expect(whole.unicodeScalars.starts(with: cut.unicodeScalars) && cut.utf8.count <= 12 && (json["c"] as? [String]) == ["x", cut])
      let inner = try #require(json["d"] as? [String: Any])
      #expect(inner["e"] is NSNull && inner["f"] as? Bool == true && json["g"] as? Int64 == .min && json.count == 5)
    }
  }
}
