import Testing

@testable import Core

extension CompetenceTests {
  @Test(
    "a phone that was asked and has no id hides nobody until it may be asked again; but who sends a beacon's name may be another that does")
  func strangers() {
    var rig = beside {
      $0.peer.identify = true
      _ = $0.services.append(PeerSettings().service)
    }
    let phone = ModelPhone(address: 1).advert
    let (power, beacon) = ([2, 0x0A, 4] as [UInt8], bytes("1716AAFE00C5 00112233445566778899 AABBCCDDEEFF 0000"))
    func answer(at seconds: Double) -> String {
      _ = rig.said()
      rig.gateway.receive(claim: claim("peer:BC00BD17", .holding, at: seconds), at: at(seconds))
      return rig.said().first { $0.topic.contains("claim/") }.map(\.payload) ?? ""
    }
    func asked(_ device: UInt64, at seconds: Double) {
      let news = PeerNews.stranger(Address(0xC000_0000_0000 + device, type: 1))
      rig.gateway.receive(news.packet.bytes, radio: 0, at: at(seconds))
    }
    for (device, level) in [(1, -63), (2, -70)] as [(UInt8, Int8)] { rig.hear(device, at: 6, level: level, data: phone) }
    asked(1, at: 7)
    #expect(answer(at: 8).contains(#""level_db":-70"#), "nobody has asked the other yet")
    asked(2, at: 9)
    #expect(!answer(at: 10).contains("level_db"))
    rig.hear(1, at: 11, level: -63, data: phone + power)
    #expect(!answer(at: 12).contains("level_db"), "it says something else, and is still the same")
    rig.hear(1, at: 968, level: -63, data: phone)
    #expect(answer(at: 969).contains(#""level_db":-63"#), "it may be somebody else")
    // Two senders of one beacon's name: the one that was asked is not the other.
    for device in [3, 4] as [UInt8] {
      for data in [beacon, phone] { rig.hear(device, at: 1_100, level: -50, data: data) }
    }
    asked(3, at: 1_101)
    #expect(answer(at: 1_102).contains(#""level_db":-50"#))
  }
}
