import Testing

@testable import Core

@Suite("selectors and identities as people write them")
struct SelectorTextTests {
  private static let uuid = "2f234454-cf6d-4a0f-adf2-f4911ba9ffa6"

  private func selector(_ text: String) throws(Unreadable) -> Selector { try Selector(written: text.utf8Bytes.span.bytes) }
  private func identity(_ text: String) throws(Unreadable) -> Identity { try Identity(written: text.utf8Bytes.span.bytes) }

  private static let identities = [
    "irk:anna", "irk:a:b", "peer:BC00BD17", "eid:van-7", "ibeacon:\(uuid):0:65535", "altbeacon:000102030405060708090a0b0c0d0e0f10111213",
    "eddystone:edd1ebeac04e5defa017:0123456789ab", "service:\(uuid)@0a:1b:2c:3d:4e:5f", "name:Bus 7@0a:1b:2c:3d:4e:5f",
    "name:a@b@0a:1b:2c:3d:4e:5f", "name:é@0a:1b:2c:3d:4e:5f", "address:0a:1b:2c:3d:4e:5f",
  ]

  @Test("an identity keeps its text when read and written", arguments: identities) func roundTrip(_ text: String) throws {
    var written = Text<128>()
    written.append(try identity(text))
    #expect(written == Text<128>(text.utf8Bytes.span.bytes))
    #expect(try selector(text).isWhole)
    #expect(try selector(text).matches(try identity(text)))
  }

  @Test("case does not matter where digits are hexadecimal") func upperCase() throws {
    for text in Self.identities where !text.hasPrefix("irk") && !text.hasPrefix("eid") && !text.hasPrefix("name") {
      let colon = text.firstIndex(of: ":")!
      #expect(try identity(text) == identity(String(text[...colon]) + text[colon...].dropFirst().uppercased()))
    }
  }

  @Test("a prefix matches what begins so, and nothing else") func prefixes() throws {
    for (pattern, matched, others) in [
      ("*", Self.identities, []),
      ("ibeacon:*", ["ibeacon:\(Self.uuid):7:1"], ["altbeacon:000102030405060708090a0b0c0d0e0f10111213"]),
      ("ibeacon:\(Self.uuid):*", ["ibeacon:\(Self.uuid):7:1"], ["ibeacon:3f234454-cf6d-4a0f-adf2-f4911ba9ffa6:7:1"]),
      ("ibeacon:\(Self.uuid):7:*", ["ibeacon:\(Self.uuid):7:1"], ["ibeacon:\(Self.uuid):8:1", "ibeacon:\(Self.uuid):1799:1"]),
      (
        "eddystone:edd1ebeac04e5defa017:*", ["eddystone:edd1ebeac04e5defa017:0123456789ab"], ["eddystone:edd1ebeac04e5defa018:0123456789ab"]
      ),
      ("service:\(Self.uuid)@*", ["service:\(Self.uuid)@0a:1b:2c:3d:4e:5f"], ["address:0a:1b:2c:3d:4e:5f"]),
      ("name:Bus@*", ["name:Bus@0a:1b:2c:3d:4e:5f"], ["name:Bus 7@0a:1b:2c:3d:4e:5f", "name:Bu@0a:1b:2c:3d:4e:5f"]),
      ("name:Bus*@*", ["name:Bus@0a:1b:2c:3d:4e:5f", "name:Bus 7@0a:1b:2c:3d:4e:5f"], ["name:bus@0a:1b:2c:3d:4e:5f"]),
      ("address:0a:1b:*", ["address:0a:1b:2c:3d:4e:5f"], ["address:0a:1c:2c:3d:4e:5f"]),
      ("irk:*", ["irk:anna"], ["eid:anna"]), ("irk:anna", ["irk:anna"], ["irk:ann", "irk:annabel"]),
    ] as [(String, [String], [String])] {
      for text in matched { #expect(try selector(pattern).matches(identity(text)), "\(pattern) and \(text)") }
      for text in others { #expect(try !selector(pattern).matches(identity(text)), "\(pattern) and \(text)") }
    }
  }

  @Test("a service is recognised whatever follows it") func services() throws {
    #expect(try selector("service:180f@*").service == ServiceUUID(short: 0x180F))
    #expect(try selector("service:0000180f-0000-1000-8000-00805f9b34fb@*").service == ServiceUUID(short: 0x180F))
    #expect(try selector("service:\(Self.uuid)@0a:1b:2c:3d:4e:5f").service == ServiceUUID(0x2F23_4454_CF6D_4A0F, 0xADF2_F491_1BA9_FFA6))
    #expect(try selector("service:*").service == nil)
    #expect(try selector("ibeacon:\(Self.uuid):*").service == nil)
  }

  @Test(
    "what is no selector is refused, with the reason",
    arguments: [
      ("", .empty), ("ibeacon", .kind), ("IBEACON:*", .kind), ("*:*", .kind), ("**", .kind), ("irk:", .alias),
      ("name:@0a:1b:2c:3d:4e:5f", .name),
      ("irk:" + String(repeating: "a", count: 33), .alias),
      ("peer:BC00BD1", .hex), ("peer:BC00BD1g", .hex), ("peer:BC00BD1700", .ending), ("peer:BC*", .hex), ("ibeacon:180f:*", .uuid),
      ("ibeacon:\(uuid)", .number),
      ("ibeacon:\(uuid)*", .uuid), ("ibeacon:\(uuid):7", .number), ("ibeacon:\(uuid):7:65536", .number), ("ibeacon:\(uuid):7:", .number),
      ("ibeacon:\(uuid):7:1:*", .ending),
      ("ibeacon:\(uuid):-1:*", .number), ("ibeacon:2f2344-54cf6d-4a0f-adf2-f4911ba9ffa6:*", .uuid), ("service:\(uuid)", .ending),
      ("service:18-0f@*", .uuid),
      ("service:\(uuid)@0a:1b", .address), ("eddystone:edd1ebeac04e5defa017", .ending), ("name:Bus*", .name),
      ("name:Bus*@0a:1b:2c:3d:4e:5f", .ending),
      ("name:a\0b@*", .name), ("name:" + String(repeating: "a", count: 34) + "@*", .nameTooLong), ("address:0a:1b:2c:3d:4e", .address),
      ("address:0a:1b:2c:3d:4e:5f:60", .ending), ("address:0a-1b-2c-3d-4e-5f", .address), ("address:*:5f", .address),
    ] as [(String, Unreadable)]) func refused(_ text: String, _ reason: Unreadable)
  {
    #expect(throws: reason) { try selector(text) }
  }

  @Test("a prefix is not an identity") func wholeness() { #expect(throws: Unreadable.ending) { try identity("irk:*") } }

  @Test("any bytes give a selector or an error") func anything() {
    var state: UInt64 = 7
    let alphabet = Array("irkpeeribeaconaddresservicename:@*-0123456789abcdefAF\0".utf8)
    for _ in 0..<20_000 {
      var bytes: [UInt8] = []
      let start = Self.identities[Int(next(&state) % UInt64(Self.identities.count))].utf8
      bytes.append(contentsOf: start.prefix(Int(next(&state) % 64)))
      for _ in 0..<Int(next(&state) % 12) { bytes.append(alphabet[Int(next(&state) % UInt64(alphabet.count))]) }
      guard let selector = try? Selector(written: bytes.span.bytes) else { continue }
      #expect(!selector.isWhole || selector.matches(selector.prefix))
    }
  }

  private func next(_ state: inout UInt64) -> UInt64 {
    state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
    return state >> 33
  }
}

extension String {
  fileprivate var utf8Bytes: [UInt8] { Array(utf8) }
}
