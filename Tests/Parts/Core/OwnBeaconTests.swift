import Testing

@testable import Core

@Suite("A beacon that the gateway itself sends") struct OwnBeaconTests {
  private static let kinds: [(TransmitSettings.Kind, bytes: Int)] = [(.iBeacon, 20), (.altBeacon, 20), (.eddystoneUID, 16)]

  private func beacon(_ kind: TransmitSettings.Kind, _ first: UInt8, _ count: Int) -> TransmitSettings {
    var beacon = TransmitSettings()
    beacon.kind = kind
    for index in 0..<count { beacon.content.append(byte: first + UInt8(index)) }
    return beacon
  }

  private func data(_ beacon: TransmitSettings) -> [UInt8] {
    let advert = beacon.advert
    return (0..<advert.count).map { advert[$0] }
  }

  private func settings(_ own: TransmitSettings) -> Settings {
    var settings = Settings()
    settings.gateway.purpose = Sentence("tests")
    settings.gateway.devices = 64
    settings.calibrateEverybody()
    settings.addRadios(2)
    settings.addTrigger("door", radio: 1)
    settings.addRegion("yard")
    _ = settings.services.append(PeerSettings().service)
    precondition(settings.transmissions.append(own) == nil)
    return settings
  }

  /// Comes from afar and stays; each advert in turn.
  private func events(_ rig: inout Rig, _ adverts: [[UInt8]]) -> [String] {
    for step in 0..<300 {
      let level = min(-84 + 0.3 * Double(step), -60)
      rig.hear(1, at: 10 + Double(step) / 10, level: Int8(level.rounded()), radio: 1, data: adverts[step % adverts.count])
    }
    #expect(rig.gateway.tableFaults == [])
    var events: [String] = []
    for (topic, payload) in rig.said() {
      for event in ["enter", "arm", "fire"] where payload.contains("\"event\":\"\(event)\"") { events.append("\(topic) \(event)") }
    }
    return events
  }

  @Test("fires nothing where another of its radios hears it, though it matches; regions have it; one with another id fires")
  func heard() {
    for (kind, count) in Self.kinds {
      let own = beacon(kind, 1, count)
      var rig = Rig { $0 = settings(own) }
      let told = events(&rig, [data(own)])
      #expect(told == ["region/yard/event enter"], "\(kind)")
      let isKnown = rig.gateway.devices.find(own.identity!) != nil
      #expect(isKnown, "\(kind): it is heard as what it says it is heard as")
      var beside = Rig { $0 = settings(own) }
      let others = events(&beside, [data(beacon(kind, 2, count))])
      #expect(others.contains("trigger/door fire"), "\(kind): \(others)")
    }
  }

  @Test("nor does its sender by another name that a trigger matches, also after a reload", arguments: [false, true])
  func otherName(isReloaded: Bool) {
    let own = beacon(.iBeacon, 1, 20)
    func named() -> Settings {
      var named = settings(own)
      let place = Int(named.triggers[0].match.start)
      named.selectors[place] = Selector(kind: .service, isWhole: false, prefix: Identity(.service))
      return named
    }
    for (sent, fires) in [(own, false), (beacon(.iBeacon, 2, 20), true)] {
      var rig = Rig { $0 = named() }
      if isReloaded {
        rig.hear(1, at: 5, level: -90, radio: 1, data: data(sent))
        rig.gateway.reload(named(), at: .zero + .seconds(6))
      }
      let told = events(&rig, [data(sent), ModelPhone(address: 1).advert])
      #expect(told.contains("trigger/door fire") == fires && told.contains("trigger/door arm") == fires, "\(told)")
    }
  }

  @Test("a URL is nobody's name") func url() {
    let identity = beacon(.eddystoneURL, 1, 5).identity
    #expect(identity == nil)
  }
}
