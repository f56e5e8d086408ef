import Core
import Testing

/// What an advert's data says of its sender, with these services configured.
struct Said: Equatable {
  var identity: String?
  var measured: Int8?
  var transmitted: Int8?
  var service: Int?
  var isHinted = false
  var attributes = Attributes()
  var damage: Malformed?

  init(_ data: [UInt8], services: [ServiceUUID] = [], sender: Address = address("C1:22:33:44:55:66")) {
    let loan = Loan()
    var arena = loan.arena
    var list = ServiceList(filledWith: ServiceUUID())
    for service in services { _ = list.append(service) }
    let watched = WatchedServices(list, in: &arena)
    let span = data.span
    let recognition = watched.recognise(span.bytes)
    identity = recognition.identity(at: sender, watched).map(written)
    measured = recognition.measuredPower
    transmitted = recognition.txPower
    service = recognition.service
    isHinted = recognition.isServiceHinted
    attributes = recognition.attributes
    damage = recognition.damage
  }

  static func == (a: Self, b: Self) -> Bool { a.identity == b.identity && a.measured == b.measured && a.damage == b.damage }
}

@Suite("The identity in an advert") struct DecodeIdentityTests {
  static let pocket = ServiceUUID(0x2F23_4454_CF6D_4A0F, 0xADF2_F491_1BA9_FFA6)

  @Test("an iBeacon") func iBeacon() {
    let said = Said(bytes("02011A 1AFF4C000215 2F234454CF6D4A0FADF2F4911BA9FFA6 0007 0102 C5"))
    #expect(said.identity == "ibeacon:2f234454-cf6d-4a0f-adf2-f4911ba9ffa6:7:258" && said.measured == -59)
  }

  @Test("an AltBeacon, of any company and with or without its last byte", arguments: ["1BFF1801BEAC", "1AFFFFFFBEAC", "1BFFE000BEAC"])
  func altBeacon(head: String) {
    let said = Said(bytes(head + "2F234454CF6D4A0FADF2F4911BA9FFA600050003 BE 09").prefix(Int(bytes(head)[0]) + 1).map { $0 })
    #expect(said.identity == "altbeacon:2f234454cf6d4a0fadf2f4911ba9ffa600050003" && said.measured == -66 && said.damage == nil)
  }

  @Test("each Eddystone frame from its least length on, and nothing shorter", arguments: [(0x00, 18), (0x10, 3), (0x20, 14), (0x30, 10)])
  func eddystoneLengths(type: Int, least: Int) {
    for length in 2...31 {
      let data = [UInt8(type)] + [UInt8](repeating: 0, count: length - 1)
      let isWhole = EddystoneFrame(data.span.bytes) != nil
      #expect(isWhole == (length >= least), "\(length) bytes")
    }
  }

  @Test("identities are alike in kind, length and every byte") func alike() {
    let one = Identity(.name, Array("bus".utf8).span.bytes)
    for (other, isAlike) in [
      (Identity(.name, Array("bus".utf8).span.bytes), true), (Identity(.service, Array("bus".utf8).span.bytes), false),
      (Identity(.name, Array("bus1".utf8).span.bytes), false), (Identity(.name, Array("bu".utf8).span.bytes), false),
      (Identity(.name, Array("but".utf8).span.bytes), false),
    ] { #expect((one == other) == isAlike && (other == one) == isAlike) }
  }

  @Test("an Eddystone-UID, whose power is that at 0 m") func eddystone() {
    let said = Said(bytes("020106 0303AAFE 1516AAFE 00 E7 2F234454F4911BA9FFA6 000000000001"))
    #expect(said.identity == "eddystone:2f234454f4911ba9ffa6:000000000001" && said.measured == -66)
  }

  @Test("of two of a kind in one advert the first identifies the sender")
  func firstOfTwo() {
    let frames = ["010203040506070809 0A0000 00000001", "0A0908070605040302 010000 00000002"].map { "1516AAFE 00 E7" + $0 }
    #expect(Said(bytes(frames[0] + frames[1])).identity == "eddystone:0102030405060708090a:000000000001")
    #expect(Said(bytes(frames[1] + frames[0])).identity == "eddystone:0a090807060504030201:000000000002")
    #expect(Said(bytes("0409427573 0409546178")).identity == "name:Bus@c1:22:33:44:55:66")
    #expect(Said(bytes("0308427A 03085461")).identity == "name:Bz@c1:22:33:44:55:66")
  }

  @Test("a name, whole or shortened, goes with the address") func name() {
    #expect(Said(bytes("0409427573")).identity == "name:Bus@c1:22:33:44:55:66")
    #expect(Said(bytes("0308426F")).identity == "name:Bo@c1:22:33:44:55:66")
    #expect(Said(bytes("020942")).identity == "name:B@c1:22:33:44:55:66" && Said(bytes("02094200")).identity != nil)
    #expect(Said(bytes("0308426F 0409427573")).identity == "name:Bus@c1:22:33:44:55:66")
    #expect(Said(bytes("0709427573000000")).identity == "name:Bus@c1:22:33:44:55:66")
    #expect(Said(bytes("020900")).identity == "address:c1:22:33:44:55:66")
  }

  @Test("a long name is cut to what an identity holds") func longName() {
    let name = [UInt8](repeating: 0x41, count: 60)
    #expect(Said([61, 9] + name).identity == "name:" + String(repeating: "A", count: 33) + "@c1:22:33:44:55:66")
  }

  @Test("nothing but an address") func addressOnly() {
    #expect(Said([]).identity == "address:c1:22:33:44:55:66")
    #expect(Said(bytes("020106 07FF4C0010021234")).identity == "address:c1:22:33:44:55:66")
  }

  @Test("a configured service, in every way that it can stand in an advert")
  func service() {
    let short = ServiceUUID(short: 0xFCD2)
    for (text, services, expected) in [
      ("1107A6FFA91B91F4F2AD0F4A6DCF5444232F", [Self.pocket], "2f234454-cf6d-4a0f-adf2-f4911ba9ffa6"),
      ("1106A6FFA91B91F4F2AD0F4A6DCF5444232F", [Self.pocket], "2f234454-cf6d-4a0f-adf2-f4911ba9ffa6"),
      ("0303D2FC", [short], "0000fcd2-0000-1000-8000-00805f9b34fb"), ("0504D2FC0000", [short], "0000fcd2-0000-1000-8000-00805f9b34fb"),
      ("0416D2FC40", [short], "0000fcd2-0000-1000-8000-00805f9b34fb"),
      ("0302AAFE 0302D2FC", [Self.pocket, short], "0000fcd2-0000-1000-8000-00805f9b34fb"),
    ] {
      #expect(Said(bytes(text), services: services).identity == "service:\(expected)@c1:22:33:44:55:66")
    }
    #expect(Said(bytes("0303AAFE"), services: [short]).service == nil)
  }

  @Test("an app in the background is found by its bit, whatever other bits are set")
  func overflow() {
    // Position 84: byte 10, mask 0x08.
    for bits in ["0000000000000000000008 0000000000", "FFFFFFFFFFFFFFFFFFFFFF FFFFFFFFFF", "0100000000000000000048 0000000001"] {
      let said = Said(bytes("02011A 14FF4C0001" + bits), services: [Self.pocket])
      #expect(said.identity == "service:2f234454-cf6d-4a0f-adf2-f4911ba9ffa6@c1:22:33:44:55:66" && said.isHinted)
    }
    #expect(Said(bytes("14FF4C0001 00000000000000000000F7 0000000000"), services: [Self.pocket]).service == nil)
    // A byte more or less is another message.
    #expect(Said(bytes("15FF4C0001 0000000000000000000008 000000000000"), services: [Self.pocket]).service == nil)
    #expect(Said(bytes("13FF4C0001 0000000000000000000008 00000000"), services: [Self.pocket]).service == nil)
  }

  @Test("a service spelt out beats a hint") func speltOut() {
    let other = ServiceUUID(short: 0xFCD2)
    let said = Said(bytes("14FF4C0001 0000000000000000000008 0000000000 0303D2FC"), services: [Self.pocket, other])
    #expect(said.service == 1 && !said.isHinted)
  }

  @Test("the positions in the overflow area are those that others have published")
  func positions() {
    #expect(Self.pocket.overflowPosition == 84)
    #expect(ServiceUUID(0x5403_C8A7_5C96_47E9, 0x9AB8_59E3_73D8_75A7).overflowPosition == 27)
    #expect(ServiceUUID(0x4281_32AF_4746_42D3, 0x801E_4572_D65B_FD9B).overflowPosition == 82)
    #expect(ServiceUUID(0xC1F5_983C_FA94_4AC8, 0x8E2E_BB86_D6DE_9B21).overflowPosition == 73)
    #expect(ServiceUUID(0x9AA4_730F_B25C_4CC3, 0xB821_C931_559F_C196).overflowPosition == 69)
    for (position, low) in [0x7C, 0x37, 0x6E, 0x25, 0x59, 0x12, 0x4B, 0x00].enumerated() {
      #expect(ServiceUUID(0, UInt64(low)).overflowPosition == position)
    }
    for (position, short) in [0xB0E4, 0x14C5, 0xF0AF, 0xBF02, 0x4382, 0xC1CA, 0x61A0, 0x9167].enumerated() {
      #expect(ServiceUUID(short: UInt32(short)).overflowPosition == position)
    }
  }

  @Test("the most specific identity wins, wherever it stands") func precedence() {
    let beacon = "1AFF4C000215 2F234454CF6D4A0FADF2F4911BA9FFA6 0007 0102 C5"
    for text in ["0409427573" + beacon, beacon + "0409427573", "0303D2FC" + beacon] {
      #expect(Said(bytes(text), services: [ServiceUUID(short: 0xFCD2)]).identity?.hasPrefix("ibeacon:") == true)
    }
    #expect(Said(bytes("0409427573 0303D2FC"), services: [ServiceUUID(short: 0xFCD2)]).identity?.hasPrefix("service:") == true)
  }

  @Test("a device without an address is known by its beacon or not at all") func anonymous() {
    let nobody = Address(0, type: 4)
    #expect(Said(bytes("0409427573"), sender: nobody).identity == nil)
    #expect(Said(bytes("1516AAFE 00 E7 2F234454F4911BA9FFA6 000000000001"), sender: nobody).identity?.hasPrefix("eddystone:") == true)
  }

  @Test("an impossible measured power counts as not set") func power() {
    #expect(Said(bytes("1AFF4C000215 2F234454CF6D4A0FADF2F4911BA9FFA6 0007 0102 00")).measured == nil)
    #expect(Said(bytes("020AF4")).transmitted == -12)
    #expect(Said(bytes("0616AAFE107F02")).measured == nil)
  }

  @Test("telemetry and batteries are attributes") func attributes() {
    // Eddystone-TLM: 2840 mV, 19.5 °C, 5223 adverts, 1094.8 s.
    let beacon = Said(bytes("020106 0303AAFE 1116AAFE 2000 0B18 1380 00001467 00002AC4")).attributes
    #expect(beacon.voltage == 2_840 && beacon.temperature == 1_950 && beacon.adverts == 5_223 && beacon.battery == nil)
    // A battery service that says 87 %, a BTHome sensor that says 97 %, 25.06 °C.
    #expect(Said(bytes("04160F1857")).attributes.battery == 87)
    let sensor = Said(bytes("0916D2FC40 0161 02CA09")).attributes
    #expect(sensor.battery == 97 && sensor.temperature == 2_506)
    // No battery, no thermometer.
    let bare = Said(bytes("1116AAFE 2000 0000 8000 00000001 00000000")).attributes
    #expect(bare.voltage == nil && bare.temperature == nil)
  }

  @Test("a frame too short for its kind is counted and gives nothing")
  func short() {
    for text in [
      "0416AAFE10", "0416AAFE00", "0B16AAFE30E4010203040506", "1016AAFE20000B18130000001467000020",
      "1416AAFE00E72F234454F4911BA9FFA60000000000",
    ] {
      let said = Said(bytes(text))
      #expect(said.identity == "address:c1:22:33:44:55:66" && said.damage == .impossible)
    }
    #expect(Said(bytes("19FF4C000215 2F234454CF6D4A0FADF2F4911BA9FFA6 0007 0102")).identity?.hasPrefix("address:") == true)
  }
}
