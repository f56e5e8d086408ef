import Core
import Testing

/// An address book with a device table behind it, as the machine has them.
private final class Desk {
  private let loan = Loan(bytes: 4 << 20)
  private var book: AddressBook
  private var keys: IdentityKeys
  private let services: WatchedServices
  private var devices: Devices
  private let settings = Settings()
  private(set) var identities: [String] = []
  /// How often an advert's fields were read.
  private(set) var readings = 0

  init(capacity: Int = 4, services: [ServiceUUID] = [], keys all: [KeySettings] = []) {
    var arena = loan.arena
    var list = ServiceList(filledWith: ServiceUUID())
    for service in services { _ = list.append(service) }
    var keyList = KeyList(filledWith: KeySettings())
    for key in all { _ = keyList.append(key) }
    book = AddressBook(capacity: capacity, seed: 7, in: &arena)
    // Turns the key's first byte into the hash: 00 00 00 is what key 0 makes of everything.
    keys = IdentityKeys(keyList, cipher: { key, _ in Block(repeating: key[0]) }, in: &arena)
    self.services = WatchedServices(list, in: &arena)
    devices = Devices(capacity: 4_096, radios: 1, seed: 7, in: &arena)
  }

  var evictions: UInt64 { book.evictions }
  var count: Int { book.count }

  /// Hears an event; the identity of the device that its last report is from.
  @discardableResult
  func hear(_ packet: [UInt8], at second: Int64 = 0, isMatched: Bool = false) throws -> String? {
    var heard: String?
    try forEachReport(in: packet) { report in
      let (slot, _, isRepeated, isLater) = book.resolve(report, at: Instant(microseconds: second * 2_000_000), keys)
      if isLater { book.touch(slot) }
      if book[slot].device == .none || !isRepeated {
        if book[slot].device == .none { book.release(slot) }
        readings += 1
        let recognition = services.recognise(report)
        if let identity = book.learn(recognition, from: report, in: slot, at: .zero, services, &keys, unixTime: nil) {
          book.assign(slot, to: device(identity), isMatched: isMatched)
        }
      }
      heard = devices.slot(of: book[slot].device).map { written(devices[$0].identity) }
    }
    return heard
  }

  func knows(_ text: String) -> Bool { book.find(address(text)) != nil }

  func power(of text: String) -> Float? { book.find(address(text)).flatMap { book[$0].power?.level.value } }

  private func device(_ identity: Identity) -> DeviceReference {
    if let slot = devices.find(identity) { return devices.reference(to: slot) }
    identities.append(written(identity))
    return devices.reference(to: devices.insert(identity, settings))
  }
}

@Suite("The device behind an address") struct AddressBookTests {
  static let beacon = bytes("1AFF4C000215 2F234454CF6D4A0FADF2F4911BA9FFA6 0007 0102 C5")
  static let other = bytes("1AFF4C000215 2F234454CF6D4A0FADF2F4911BA9FFA6 0007 0103 C5")
  static let uid = bytes("1516AAFE 00 E7 2F234454F4911BA9FFA6 000000000001")
  static let name = bytes("0409427573")

  @Test("a repeated advert is decoded once", arguments: [0, 1, 7, 8, 15, 16, 17, 30, 31]) func memo(length: Int) throws {
    let desk = Desk()
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
    let desk = Desk()
    for data in [[31, 0x1B] + [UInt8](repeating: 9, count: 30), [9, 9, 0x42]] {
      let before = desk.readings
      for _ in 0..<3 { try desk.hear(advert(data)) }
      #expect(desk.readings == before + 3)
    }
  }

  @Test("a scan response adds to its advert, whichever comes first") func scanResponse() throws {
    for events in [[0, 4], [4, 0]] as [[UInt8]] {
      let desk = Desk()
      for event in events { try desk.hear(advert(event == 4 ? Self.name : bytes("020106"), event: event)) }
      for _ in 0..<3 {
        #expect(try desk.hear(advert(bytes("020106"))) == "name:Bus@c1:22:33:44:55:66")
        #expect(try desk.hear(advert(Self.name, event: 4)) == "name:Bus@c1:22:33:44:55:66")
      }
      #expect(desk.readings <= 4)
    }
  }

  @Test("alternating frames are one device under the more specific identity") func turns() throws {
    let desk = Desk()
    for _ in 0..<3 {
      _ = try desk.hear(advert(Self.uid))
      #expect(try desk.hear(advert(Self.beacon))?.hasPrefix("ibeacon:") == true)
    }
    #expect(try desk.hear(advert(Self.uid))?.hasPrefix("ibeacon:") == true)
    #expect(try desk.hear(advert(bytes("020106")))?.hasPrefix("ibeacon:") == true)
  }

  @Test("two iBeacons from one address are two devices, each heard by its own adverts") func twoBeacons() throws {
    let desk = Desk()
    for _ in 0..<4 {
      #expect(try desk.hear(advert(Self.beacon))?.hasSuffix(":258") == true)
      #expect(try desk.hear(advert(Self.other))?.hasSuffix(":259") == true)
      // One of them in the scan response makes no difference.
      #expect(try desk.hear(advert(Self.beacon, event: 4))?.hasSuffix(":258") == true)
    }
    #expect(desk.identities.count == 2)
  }

  @Test("a shortened name does not replace the whole one") func shortName() throws {
    let desk = Desk()
    try desk.hear(advert(bytes("0308426F")))
    for _ in 0..<2 {
      #expect(try desk.hear(advert(Self.name, event: 4)) == "name:Bus@c1:22:33:44:55:66")
      #expect(try desk.hear(advert(bytes("0308426F"))) == "name:Bus@c1:22:33:44:55:66")
    }
  }

  @Test("an app in the foreground and in the background is one device") func background() throws {
    let desk = Desk(services: [DecodeIdentityTests.pocket])
    let expected = "service:2f234454-cf6d-4a0f-adf2-f4911ba9ffa6@c1:22:33:44:55:66"
    #expect(try desk.hear(advert(bytes("14FF4C0001 0000000000000000000008 0000000000"))) == expected)
    #expect(try desk.hear(advert(bytes("1107A6FFA91B91F4F2AD0F4A6DCF5444232F"))) == expected)
    #expect(try desk.hear(advert(bytes("06FF4C00100101"))) == expected)
    #expect(desk.identities == [expected])
  }

  @Test("a key is tried once in an address's lifetime, and wins over everything") func keys() throws {
    var key = KeySettings()
    key.alias = Name("phone")
    let desk = Desk(keys: [key])
    let resolvable = address("41:22:33:00:00:00")
    #expect(try desk.hear(advert(Self.beacon, from: resolvable)) == "irk:phone")
    #expect(try desk.hear(advert(Self.name, from: resolvable, event: 4)) == "irk:phone")
    #expect(try desk.hear(advert(Self.beacon, from: address("41:22:33:00:00:01")))?.hasPrefix("ibeacon:") == true)
  }

  @Test("the better source of power is kept, whichever frame had it") func power() throws {
    let desk = Desk()
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
    let desk = Desk(capacity: 4)
    let names = (1...6).map { "c0:00:00:00:00:0\($0)" }
    for index in 0..<4 { try desk.hear(advert([], from: address(names[index])), at: Int64(index), isMatched: index == 0) }
    try desk.hear(advert([], from: address(names[1])), at: 5)
    try desk.hear(advert([], from: address(names[4])), at: 6)
    #expect(names.map(desk.knows) == [true, true, false, true, true, false])
    for second in 7..<20 { try desk.hear(advert([], from: Address(UInt64(second), type: 1)), at: Int64(second)) }
    #expect(desk.knows(names[0]) && desk.count == 4 && desk.evictions == 14)
  }

  @Test("anonymous adverts are not remembered") func anonymous() throws {
    let desk = Desk()
    let nobody = Address(0, type: 4)
    #expect(try desk.hear(extended(Self.beacon, from: nobody)) == nil)
    #expect(desk.identities.count == 1)
    #expect(try desk.hear(extended(Self.name, from: nobody)) == nil)
    #expect(desk.identities.count == 1)
  }

  @Test("a flood of strangers never loses or mixes up a line", arguments: 0..<4 as Range<UInt64>) func flood(seed: UInt64) throws {
    let desk = Desk(capacity: 64)
    var random = Seeded(seed)
    for step in 0..<4_000 {
      let sender = Address(UInt64.random(in: 0..<200, using: &random) * 0x0001_0001_0001, type: 1)
      #expect(try desk.hear(advert([], from: sender), at: Int64(step)) == "address:" + written(sender))
    }
    #expect(desk.count == 64)
  }
}
