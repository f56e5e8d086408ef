import Core
import Testing

@Suite("The device behind an address") struct AddressBookTests {
  static let beacon = bytes("1AFF4C000215 2F234454CF6D4A0FADF2F4911BA9FFA6 0007 0102 C5")
  static let other = bytes("1AFF4C000215 2F234454CF6D4A0FADF2F4911BA9FFA6 0007 0103 C5")
  static let uid = bytes("1516AAFE 00 E7 2F234454F4911BA9FFA6 000000000001")
  static let name = bytes("0409427573")

  @Test("a repeated advert is decoded once", arguments: [0, 1, 7, 8, 15, 16, 17, 30, 31]) func memo(length: Int) throws {
    let desk = AddressDesk()
    // One field of unknown type, to the byte.
    let data = length < 2 ? [UInt8](repeating: 0, count: length) : [UInt8(length - 1), 0x1B] + [UInt8](repeating: 9, count: length - 2)
    for _ in 0..<3 { #expect(try desk.hear(advert(data)) == "address:c1:22:33:44:55:66") }
    #expect(desk.readings == 1)
    // Any other byte, and any other length, is another advert.
    for place in 0..<length {
      var changed = data
      changed[place] ^= 0x40
      let before = desk.readings
      try desk.hear(advert(changed))
      try desk.hear(advert(data))
      #expect(desk.readings == before + 2)
    }
    try desk.hear(advert(data + [0]))
    #expect(desk.readings == 3 + 2 * length - 1)
  }

  @Test("an advert that is too long to keep, or damaged, is decoded every time") func unremembered() throws {
    let desk = AddressDesk()
    for data in [[31, 0x1B] + [UInt8](repeating: 9, count: 30), [9, 9, 0x42]] {
      let before = desk.readings
      for _ in 0..<3 { try desk.hear(advert(data)) }
      #expect(desk.readings == before + 3)
    }
  }

  @Test("a scan response adds to its advert, whichever comes first") func scanResponse() throws {
    for events in [[0, 4], [4, 0]] as [[UInt8]] {
      let desk = AddressDesk()
      for event in events { try desk.hear(advert(event == 4 ? Self.name : bytes("020106"), event: event)) }
      for _ in 0..<3 {
        #expect(try desk.hear(advert(bytes("020106"))) == "name:Bus@c1:22:33:44:55:66")
        #expect(try desk.hear(advert(Self.name, event: 4)) == "name:Bus@c1:22:33:44:55:66")
      }
      #expect(desk.readings <= 4)
    }
  }

  @Test("alternating frames are one device under the more specific identity") func turns() throws {
    let desk = AddressDesk()
    for _ in 0..<3 {
      _ = try desk.hear(advert(Self.uid))
      #expect(try desk.hear(advert(Self.beacon))?.hasPrefix("ibeacon:") == true)
    }
    #expect(try desk.hear(advert(Self.uid))?.hasPrefix("ibeacon:") == true)
    #expect(try desk.hear(advert(bytes("020106")))?.hasPrefix("ibeacon:") == true)
  }

  @Test("two iBeacons from one address are two devices, each heard by its own adverts") func twoBeacons() throws {
    let desk = AddressDesk()
    for _ in 0..<4 {
      #expect(try desk.hear(advert(Self.beacon))?.hasSuffix(":258") == true)
      #expect(try desk.hear(advert(Self.other))?.hasSuffix(":259") == true)
      // One of them in the scan response makes no difference.
      #expect(try desk.hear(advert(Self.beacon, event: 4))?.hasSuffix(":258") == true)
    }
    #expect(desk.identities.count == 2)
  }

  @Test("a shortened name does not replace the whole one") func shortName() throws {
    let desk = AddressDesk()
    try desk.hear(advert(bytes("0308426F")))
    for _ in 0..<2 {
      #expect(try desk.hear(advert(Self.name, event: 4)) == "name:Bus@c1:22:33:44:55:66")
      #expect(try desk.hear(advert(bytes("0308426F"))) == "name:Bus@c1:22:33:44:55:66")
    }
  }

  @Test("an app in the foreground and in the background is one device") func background() throws {
    let desk = AddressDesk(services: [DecodeIdentityTests.pocket])
    let expected = "service:2f234454-cf6d-4a0f-adf2-f4911ba9ffa6@c1:22:33:44:55:66"
    #expect(try desk.hear(advert(bytes("14FF4C0001 0000000000000000000008 0000000000"))) == expected)
    #expect(try desk.hear(advert(bytes("1107A6FFA91B91F4F2AD0F4A6DCF5444232F"))) == expected)
    #expect(try desk.hear(advert(bytes("06FF4C00100101"))) == expected)
    #expect(desk.identities == [expected])
  }

  @Test("a key is tried once in an address's lifetime, and wins over everything") func keys() throws {
    var key = KeySettings()
    key.alias = Name("phone")
    let desk = AddressDesk(keys: [key])
    let resolvable = address("41:22:33:00:00:00")
    #expect(try desk.hear(advert(Self.beacon, from: resolvable)) == "irk:phone")
    #expect(try desk.hear(advert(Self.name, from: resolvable, event: 4)) == "irk:phone")
    #expect(try desk.hear(advert(Self.beacon, from: address("41:22:33:00:00:01")))?.hasPrefix("ibeacon:") == true)
  }

  @Test("the better source of power is kept, whichever frame had it") func power() throws {
    let desk = AddressDesk()
    try desk.hear(advert(bytes("020AF4")))
    #expect(desk.power(of: "c1:22:33:44:55:66") == -53)
    try desk.hear(advert(Self.beacon))
    #expect(desk.power(of: "c1:22:33:44:55:66") == -59)
    try desk.hear(advert(bytes("020AF4")))
    #expect(desk.power(of: "c1:22:33:44:55:66") == -59)
    try desk.hear(extended([], from: address("C7:22:33:44:55:66"), power: 8))
    #expect(desk.power(of: "c7:22:33:44:55:66") == -33)
  }

  @Test("the longest unheard address is evicted, but a wanted one not for strangers") func eviction() throws {
    let desk = AddressDesk(capacity: 4)
    let names = (1...6).map { "c0:00:00:00:00:0\($0)" }
    for index in 0..<4 { try desk.hear(advert([], from: address(names[index])), at: 2 * Int64(index), isMatched: index == 0) }
    try desk.hear(advert([], from: address(names[1])), at: 10)
    try desk.hear(advert([], from: address(names[4])), at: 12)
    #expect(names.map(desk.knows) == [true, true, false, true, true, false])
    for second in 7..<20 { try desk.hear(advert([], from: Address(UInt64(second), type: 1)), at: 2 * Int64(second)) }
    #expect(desk.knows(names[0]) && desk.count == 4 && desk.evictions == 14)
  }

  @Test("anonymous adverts are not remembered") func anonymous() throws {
    let desk = AddressDesk()
    let nobody = Address(0, type: 4)
    #expect(try desk.hear(extended(Self.beacon, from: nobody)) == nil)
    #expect(desk.identities.count == 1)
    #expect(try desk.hear(extended(Self.name, from: nobody)) == nil)
    #expect(desk.identities.count == 1)
  }

  @Test("a flood of strangers never loses or mixes up a line", arguments: 0..<4 as Range<UInt64>) func flood(seed: UInt64) throws {
    let desk = AddressDesk(capacity: 64)
    var random = Seeded(seed)
    for step in 0..<4_000 {
      let sender = Address(UInt64.random(in: 0..<200, using: &random) * 0x0001_0001_0001, type: 1)
      #expect(try desk.hear(advert([], from: sender), at: 2 * Int64(step)) == "address:" + written(sender))
    }
    #expect(desk.count == 64)
  }
}
