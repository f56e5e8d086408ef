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
    "a wrong selector is refused, with the reason",
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

  private func named(_ name: [UInt8]) -> Identity {
    var identity = Identity(.name, name.span.bytes)
    for byte in [0, 0x0A, 0x1B, 0x2C, 0x3D, 0x4E, 0x5F] as [UInt8] { identity.append(byte) }
    return identity
  }

  private func written(_ identity: Identity) -> Text<128> {
    var text = Text<128>()
    text.append(identity)
    return text
  }

  @Test(
    "a name is written as it is, but for what could not be read back",
    arguments: [
      ("Bus 7", "Bus 7"), ("Caf\u{E9}*a", "Caf\u{E9}*a"), ("50%", "50%25"), ("Cafe*", "Cafe%2A"), ("*", "%2A"), ("**", "*%2A"),
      ("%2A", "%252A"), ("a@*", "a@%2A"), ("a/b+#", "a/b+#"),
    ]) func names(name: String, text: String) throws
  {
    #expect(written(named(name.utf8Bytes)) == Text<128>("name:\(text)@0a:1b:2c:3d:4e:5f".utf8Bytes.span.bytes))
    #expect(try identity("name:\(text)@0a:1b:2c:3d:4e:5f") == named(name.utf8Bytes))
  }

  @Test("bytes of a name that are no UTF-8 are written as %XX") func garbledNames() throws {
    let latin = named(Array("Caf".utf8) + [0xE9] + Array(" tag".utf8))
    #expect(written(latin) == Text<128>("name:Caf%E9 tag@0a:1b:2c:3d:4e:5f"))
    for pattern in ["name:Caf*@*", "name:Caf%E9*@*", "name:Caf%e9 tag@*", "name:Caf%E9 tag@0a:1b:2c:3d:4e:5f"] {
      #expect(try selector(pattern).matches(latin), "\(pattern)")
    }
    // Cut in the middle of a character, as a shortened name may be.
    #expect(written(named([0x61, 0xC3])) == Text<128>("name:a%C3@0a:1b:2c:3d:4e:5f"))
    // A % that nobody wrote for a byte stands for itself.
    for pattern in ["name:50%*@*", "name:50% *@*", "name:50% of@*", "name:50%25 *@*"] {
      #expect(try selector(pattern).matches(named("50% of".utf8Bytes)), "\(pattern)")
    }
    let long = String(repeating: "%FF", count: 33)
    #expect(try identity("name:\(long)@0a:1b:2c:3d:4e:5f") == named([UInt8](repeating: 0xFF, count: 33)))
    #expect(throws: Unreadable.nameTooLong) { try selector("name:\(long)a@*") }
    #expect(throws: Unreadable.name) { try selector("name:a%00@*") }
  }

  @Test("a name of any bytes is read as it was written, in UTF-8") func anyName() throws {
    var state: UInt64 = 11
    let odd = Array("%*@/0aAé\u{7F}\"".utf8)
    for _ in 0..<20_000 {
      let count = 1 + Int(next(&state) % UInt64(Identity.mostNameBytes))
      let isOdd = next(&state) % 2 == 0
      let name = (0..<count).map { _ in
        isOdd ? odd[Int(next(&state) % UInt64(odd.count))] : 1 + UInt8(next(&state) % 255)
      }
      let (named, text) = (named(name), written(named(name)))
      #expect(!text.overflowed && String(validating: (0..<text.count).map { text[$0] }, as: UTF8.self) != nil, "\(name)")
      #expect((try? Identity(written: text.bytes)) == named, "\(name)")
      var open = text
      open.truncate(to: text.count - 17)
      open.append(byte: UInt8(ascii: "*"))
      let pattern = try? Selector(written: open.bytes)
      #expect(pattern?.matches(named) == true && pattern?.prefix.length == named.length - 6, "\(name)")
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
