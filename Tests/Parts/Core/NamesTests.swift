import Testing

@testable import Core

@Suite("One device with several identities") struct NamesTests {
  private static let beacon = bytes("020106 1AFF4C000215 2F234454CF6D4A0FADF2F4911BA9FFA6 0007 0102 C5")
  private static let uid = bytes("020106 0303AAFE 1516AAFE 00 E7 2F234454F4911BA9FFA6 000000000001")
  private static let altBeacon = bytes("020106 1BFF1801BEAC 2F234454CF6D4A0FADF2F4911BA9FFA6 0007 0102 C5 00")
  private static let named = bytes("020106 0409427573")

  private func fires(_ selector: String, _ adverts: [[UInt8]]) throws -> [String] {
    let written = Array(selector.utf8)
    let match = try Selector(written: written.span.bytes)
    var rig = Rig {
      $0.calibrateEverybody()
      $0.addTrigger("pump")
      $0.selectors[Int($0.triggers[0].match.start)] = match
      if let service = match.service { _ = $0.services.append(service) }
    }
    for step in 0..<150 {
      let level = Int8(step < 80 ? -84 + step * 24 / 80 : -60)
      rig.hear(1, at: 10 + Double(step) * 0.1, level: level, data: adverts[step % adverts.count])
    }
    return rig.told().filter { $0.event == "fire" }.map(\.id)
  }

  @Test(
    "a selector matches any of a device's identities, and one is published, whichever comes first",
    arguments: ["eddystone:*", "ibeacon:*", "service:feaa@*", "address:c0:00:*", "name:Bus@*"])
  func union(selector: String) throws {
    let published = "ibeacon:2f234454-cf6d-4a0f-adf2-f4911ba9ffa6:7:258"
    #expect(try fires(selector, [Self.beacon, Self.uid, Self.named]) == [published])
    #expect(try fires(selector, [Self.named, Self.uid, Self.beacon]) == [published])
  }

  @Test("an AltBeacon is matched beside an iBeacon, too")
  func altBeacon() throws {
    let published = try #require(try fires("*", [Self.beacon, Self.altBeacon]).first)
    #expect(try fires("altbeacon:*", [Self.beacon, Self.altBeacon]) == [published])
    #expect(try fires("altbeacon:*", [Self.beacon, Self.uid]) == [])
  }

  @Test("of two alternating services at one address the first in the configuration is published, of two names the longer")
  func steady() throws {
    var rig = Rig {
      $0.addRegion("door")
      for service: UInt32 in [0x1234, 0x5678] { _ = $0.services.append(ServiceUUID(short: service)) }
    }
    for step in 0..<40 {
      rig.hear(1, at: Double(step), data: bytes(step % 2 == 0 ? "03037856" : "03033412"))
      rig.hear(2, at: Double(step) + 0.5, data: bytes(step % 2 == 0 ? "0409427573" : "0709427573203230"))
    }
    let entered = rig.said().filter { $0.payload.contains(#""event":"enter""#) }
    #expect(entered.count == 4)
    #expect(entered.contains { $0.payload.contains("service:00001234-") } && entered.contains { $0.payload.contains("name:Bus 20@") })
  }
}

@Suite("What is found by its second name") struct SecondNameTests {
  @Test("a device that nothing looked for enters, and is measured, as soon as a name is heard that something looks for") func widened()
    throws
  {
    let written = Array("name:Bus@*".utf8)
    let named = try Selector(written: written.span.bytes)
    var rig = Rig {
      $0.addRegion("door", matching: named)
      $0.publish.unknown = .publish
      var calibration = DeviceCalibration()
      (calibration.match, calibration.measuredPower) = (Slice(start: UInt16($0.selectors.count), count: 1), Decibels(-71))
      precondition($0.selectors.append(named) == nil && $0.calibration.devices.append(calibration) == nil)
    }
    let beacon = bytes("020106 1AFF4C000215 2F234454CF6D4A0FADF2F4911BA9FFA6 0007 0102 C5")
    for step in 0..<5 { rig.hear(1, at: Double(step), data: beacon) }
    #expect(!rig.said().contains { $0.topic == "region/door/event" })
    rig.hear(1, at: 5, data: bytes("020106 0409427573"))
    for step in 6..<9 { rig.hear(1, at: Double(step), data: beacon) }
    let events = rig.said().filter { $0.topic == "region/door/event" }.map(\.payload)
    #expect(events.count == 1 && events[0].contains("ibeacon:") && events[0].contains(#""event":"enter""#), "\(events)")
    #expect(rig.gateway.devices.count == 1 && rig.gateway.tableFaults == [])
    let powers = (0..<rig.gateway.devices.capacity).filter { rig.gateway.devices.isUsed($0) }.map { rig.gateway.devices[$0].power }
    #expect(powers.map(\.level) == [Decibels(-71)])
  }

  @Test("an app in the background that offers two services is found by either") func background() throws {
    var rig = Rig {
      for (name, uuid) in [("a", "5403c8a7-5c96-47e9-9ab8-59e373d875a7"), ("b", "2f234454-cf6d-4a0f-adf2-f4911ba9ffa6")] as [(Name, String)]
      {
        let written = Array("service:\(uuid)@*".utf8)
        guard let selector = try? Selector(written: written.span.bytes), let service = selector.service else { continue }
        $0.addRegion(name, matching: selector)
        _ = $0.services.append(service)
      }
    }
    // Positions 27 and 84.
    for step in 0..<4 { rig.hear(1, at: Double(step), data: bytes("02011A 14FF4C0001 000000100000000000000800 00000000")) }
    let entered = rig.said().filter { $0.topic.hasSuffix("/event") && $0.payload.contains("enter") }.map(\.topic)
    #expect(entered.sorted() == ["region/a/event", "region/b/event"])
  }

  @Test("from its second name on, a device that is looked for keeps its place, however many strangers come") func kept() throws {
    let written = Array("name:Bus@*".utf8)
    let named = try Selector(written: written.span.bytes)
    var rig = Rig {
      $0.addRegion("door", matching: named)
      $0.publish.unknown = .publish
      $0.gateway.devices = 64
    }
    rig.hear(1, at: 0, data: bytes("020106 1AFF4C000215 2F234454CF6D4A0FADF2F4911BA9FFA6 0007 0102 C5"))
    rig.hear(1, at: 1, data: bytes("020106 0409427573"))
    for stranger in 2..<202 { rig.hear(UInt8(stranger), at: 1 + Double(stranger) * 0.01) }
    let isThere = (0..<rig.gateway.devices.capacity).contains {
      rig.gateway.devices.isUsed($0) && rig.gateway.devices[$0].interest.isMatched
    }
    #expect(isThere && !rig.said().contains { $0.topic == "region/door/event" && $0.payload.contains("exit") })
  }

  @Test("a device that was found by one name is still found when it says another by which it is known better") func better() throws {
    let named = try Selector(written: Array("name:Bus@*".utf8).span.bytes)
    var rig = Rig { $0.addRegion("door", matching: named) }
    for step in 0..<3 { rig.hear(1, at: Double(step), data: bytes("020106 0409427573")) }
    let beacon = bytes("020106 1AFF4C000215 2F234454CF6D4A0FADF2F4911BA9FFA6 0007 0102 C5")
    for step in 3..<6 { rig.hear(1, at: Double(step), data: beacon) }
    let events = rig.said().filter { $0.topic == "region/door/event" }.map(\.payload)
    #expect(events.last.map { $0.contains(#""event":"enter""#) && $0.contains("ibeacon:") } == true, "\(events)")
  }

  @Test("a device that was measured under its second name is published, and believed measured, whatever it claims and is called later")
  func measured() throws {
    var rig = Rig {
      for (written, power) in [("name:Bus@*", -71), ("name:Van@*", -50)] as [(String, Float)] {
        var calibration = DeviceCalibration()
        (calibration.match, calibration.measuredPower) = (Slice(start: UInt16($0.selectors.count), count: 1), Decibels(power))
        guard let named = try? Selector(written: Array(written.utf8).span.bytes) else { continue }
        precondition($0.selectors.append(named) == nil && $0.calibration.devices.append(calibration) == nil)
      }
    }
    // -128 dBm at 1 m: nobody transmits so little.
    let beacon = bytes("020106 1AFF4C000215 2F234454CF6D4A0FADF2F4911BA9FFA6 0007 0102 80")
    func device() throws -> (power: Decibels, isImplausible: Bool) {
      let slots = (0..<rig.gateway.devices.capacity).filter { rig.gateway.devices.isUsed($0) }
      try #require(slots.count == 1)
      return (rig.gateway.devices[slots[0]].power.level, rig.gateway.devices[slots[0]].isImplausible)
    }
    for step in 0..<5 { rig.hear(1, at: Double(step), data: beacon) }
    #expect(try device().isImplausible)
    #expect(!rig.said().contains { $0.topic.hasPrefix("proximity/") }, "nothing looks for it")
    for (second, name) in [(10, "0409427573"), (20, "040956616E"), (30, "0409427573")] {
      rig.hear(1, at: Double(second), data: bytes("020106 " + name))
      for step in 1...5 { rig.hear(1, at: Double(second + step), data: beacon) }
      let (power, isImplausible) = try device()
      #expect(power == Decibels(-71) && !isImplausible, "at \(second) s")
      #expect(rig.said().contains { $0.topic.hasPrefix("proximity/ibeacon:") }, "at \(second) s")
    }
  }
}

@Suite("A tag with two slots") struct TwoSlotTests {
  @Test("what looks for one of its ids does not look for the other") func slots() {
    var rig = Rig {
      $0.calibrateEverybody()
      let place = UInt16($0.selectors.count)
      let written = Array("ibeacon:2f234454-cf6d-4a0f-adf2-f4911ba9ffa6:7:*".utf8)
      _ = $0.selectors.append(try! Selector(written: written.span.bytes))
      $0.addTrigger("pump") { $0.match = Slice(start: place, count: 1) }
    }
    for step in 0..<400 {
      let major = step % 2 == 0 ? "0007" : "0009"
      let data = bytes("020106 1AFF4C000215 2F234454CF6D4A0FADF2F4911BA9FFA6 \(major) 0102 C5")
      rig.hear(1, at: 10 + Double(step) * 0.05, level: step < 20 ? -95 : -55, data: data)
    }
    #expect(rig.told().filter { $0.event == "fire" }.map(\.id) == ["ibeacon:2f234454-cf6d-4a0f-adf2-f4911ba9ffa6:7:258"])
  }
}

@Suite("The power that an advert claims") struct ClaimedPowerTests {
  private static let head = bytes("020106 1AFF4C000215 2F234454CF6D4A0FADF2F4911BA9FFA6 0007 0102")

  private func rig(_ isCalibrated: Bool = false) -> Rig {
    Rig {
      if isCalibrated { $0.calibrateEverybody() }
      $0.addTrigger("pump")
    }
  }

  private func events(_ rig: inout Rig, claiming: Int8, level: Int8) -> [String] {
    for step in 0..<300 { rig.hear(1, at: 10 + Double(step) * 0.1, level: level, data: Self.head + [UInt8(bitPattern: claiming)]) }
    return rig.told().map { $0.event + ($0.reason.map { " " + $0 } ?? "") }
  }

  @Test("a claimed power brings no device nearer than a plausible transmitter", arguments: [-67, -80, -90, -91, -100, -128] as [Int8])
  func liar(claim: Int8) {
    var rig = rig()
    #expect(!events(&rig, claiming: claim, level: -85).contains("fire"))
    #expect((rig.gateway.counters.implausiblePowers > 0) == (claim < -90))
  }

  @Test("a beacon whose power was set right is no anomaly any more") func corrected() {
    var rig = rig()
    _ = events(&rig, claiming: -110, level: -60)
    for step in 0..<700 { rig.hear(1, at: 50 + Double(step), level: -95, data: Self.head + [0xC5]) }
    _ = rig.told()
    for step in 0..<300 { rig.hear(1, at: 800 + Double(step) * 0.1, level: -55, data: Self.head + [0xC5]) }
    #expect(rig.told().map(\.event) == ["arm", "fire"])
  }

  @Test("an implausible power at a trigger is one anomaly; a measured device keeps its measured power")
  func told() {
    var rig = rig()
    #expect(events(&rig, claiming: -100, level: -60) == ["arm", "anomaly implausible power", "fire"])
    rig = self.rig(true)
    #expect(events(&rig, claiming: -100, level: -60) == ["arm", "fire"])
  }

  @Test("a plausible power is believed: the stronger transmitter is further off") func strong() {
    var rig = rig()
    #expect(events(&rig, claiming: -45, level: -60) == ["arm"])
  }

  @Test("the power that a phone claims counts under its id, too, as soon as that is known") func identified() throws {
    var rig = Rig {
      $0.addTrigger("pump")
      $0.peer.identify = true
    }
    rig.hear(1, at: 10, data: bytes("020AF6"))
    let address = Address(0xC000_0000_0001, type: 1)
    let before = rig.gateway.devices.find(Identity(.address, address))
    let claimed = rig.gateway.devices[try #require(before)].power.level
    rig.gateway.receive(PeerNews.identified(KnownPeer(address: address, id: 7)).packet.bytes, radio: 0, at: .zero + .seconds(11))
    let after = rig.gateway.devices.find(Identity(installation: 7))
    let kept = rig.gateway.devices[try #require(after)].power.level
    #expect(kept == claimed && claimed.value > -58, "\(claimed) \(kept)")
  }

  @Test("the power at 0 m and the antenna's power are checked alike") func others() {
    var rig = rig()
    for step in 0..<300 {
      let time = 10 + Double(step) * 0.1
      rig.hear(1, at: time, level: -85, data: bytes("1516AAFE 00 C5 2F234454F4911BA9FFA6 000000000001"))
      rig.hear(2, at: time, level: -85, data: bytes("020AC4"))
    }
    #expect(!rig.told().contains { $0.event == "fire" } && rig.gateway.counters.implausiblePowers == 2)
  }
}

@Suite("Manual triggers") struct CallTests {
  @Test("who is called from far off fires, although no encounter had begun, and leaves") func far() {
    var rig = Rig {
      $0.calibrateEverybody()
      $0.addTrigger("pump")
    }
    rig.hear(from: 2, to: 4, level: -98)
    #expect(rig.told().isEmpty && call(1, &rig, at: 4) == nil)
    #expect(rig.told().map(\.event) == ["manual"])
    rig.hear(from: 4.1, to: 20, level: -98)
    rig.wait(until: 400)
    #expect(rig.told().map(\.event) == ["leave"] && rig.gateway.tableFaults == [])
  }

  private func call(_ device: UInt8, _ rig: inout Rig, at time: Double) -> FireRefusal? {
    let identity = Identity(.address, Address(word: 1 << 48 | 0xC000_0000_0000 | UInt64(device)))
    return rig.gateway.fireManually(0, for: identity, at: Instant(microseconds: Int64(time * 1e6)))
  }

  @Test("a manual trigger is refused for a device that its radio has not heard lately, or that nothing looks for") func refusals() {
    var rig = Rig {
      $0.addRadios(2)
      $0.addTrigger("pump", radio: 0)
      let one = Identity(.address, Address(word: 1 << 48 | 0xC000_0000_0001))
      $0.selectors[0] = Selector(kind: .address, isWhole: false, prefix: Identity(.address, one.bytes.span.bytes.extracting(first: 5)))
      $0.addRegion("door")
    }
    #expect(call(1, &rig, at: 1) == .unheard)
    rig.hear(from: 2, to: 4, level: -75, radio: 1)
    #expect(call(1, &rig, at: 4) == .unheard)
    rig.hear(from: 4, to: 6, level: -75, radio: 0)
    #expect(call(1, &rig, at: 12) == .unheard)
    rig.hear(from: 12, to: 13, level: -75, radio: 0)
    #expect(call(1, &rig, at: 14) == nil && call(1, &rig, at: 14) == .fired)
    let stranger = Identity(.address, Address(word: 1 << 48 | 0xC100_0000_0001))
    let away = rig.gateway.fireManually(0, for: stranger, at: Instant(microseconds: 15_000_000))
    let packet = advert([1, 0, 0, 0, 0, 0xC1], level: -60, data: [])
    rig.gateway.receive(packet.span.bytes, radio: 0, at: Instant(microseconds: 15_000_000))
    let here = rig.gateway.fireManually(0, for: stranger, at: Instant(microseconds: 15_000_000))
    #expect(away == .unmatched && here == .unmatched, "the answer does not tell whether a stranger is here")
    rig.gateway.authorize(.denied, at: Instant(microseconds: 16_000_000))
    #expect(call(1, &rig, at: 16) == .deaf)
  }
}
