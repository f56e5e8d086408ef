import Testing

@testable import Core

@Suite("A phone that a key identifies, and whose installation id was read") struct KeyedInstallationTests {
  private func configure(_ settings: inout Settings) {
    settings.gateway.purpose = Sentence("tests")
    settings.gateway.devices = 64
    settings.peer.identify = true
    settings.addRegion("door", matching: try! Selector(written: Text<16>("peer:00000005").bytes))
    var key = KeySettings()
    key.alias = "phone"
    _ = settings.keys.append(key)
  }

  /// Once a second. The cipher of these tests makes of an address's upper half and a key of zeros its lower half.
  private func hear(_ half: UInt8, _ seconds: Range<Int64>, _ rig: inout Rig) {
    let packet = advert([half, 0x22, 0x41, half, 0x22, 0x41], level: -60, data: ModelPhone(address: 1).advert)
    for second in seconds { rig.gateway.receive(packet.span.bytes, radio: 0, at: Instant(microseconds: second * 1_000_000)) }
    #expect(rig.gateway.tableFaults == [])
  }

  private func identify(_ half: UInt64, at second: Int64, _ rig: inout Rig) {
    let address = Address(0x4122_0041_2200 | half << 24 | half, type: 1)
    rig.gateway.receive(peer: KnownPeer(address: address, id: 5), at: Instant(microseconds: second * 1_000_000))
  }

  private func events(_ rig: inout Rig) -> [String] { rig.said().filter { $0.topic == "region/door/event" }.map(\.payload) }

  @Test("who looks for the id finds it, under the key's name, also after a reload and under the next address") func both() {
    var rig = Rig { configure(&$0) }
    hear(0x33, 1..<5, &rig)
    #expect(events(&rig).isEmpty, "only its key is known")
    identify(0x33, at: 5, &rig)
    hear(0x33, 6..<10, &rig)
    let entered = events(&rig)
    #expect(entered.count == 1 && entered[0].contains(#""event":"enter""#) && entered[0].contains("irk:phone"), "\(entered)")
    var next = Settings()
    configure(&next)
    rig.gateway.reload(next, at: Instant(microseconds: 10_000_000))
    hear(0x33, 11..<15, &rig)
    hear(0x34, 15..<30, &rig)
    identify(0x34, at: 30, &rig)
    hear(0x34, 31..<40, &rig)
    #expect(events(&rig).isEmpty && rig.gateway.devices.count == 1)
  }

  @Test("a reload that adds who looks for the id finds it by what was read before") func added() {
    var rig = Rig {
      configure(&$0)
      $0.regions.removeAll()
    }
    hear(0x33, 1..<5, &rig)
    identify(0x33, at: 5, &rig)
    var next = Settings()
    configure(&next)
    rig.gateway.reload(next, at: Instant(microseconds: 6_000_000))
    hear(0x33, 7..<10, &rig)
    #expect(events(&rig).count == 1)
  }
}
