import Testing

@testable import Core

@Suite("A phone whose id is learnt in mid-visit") struct IdentifiedVisitTests {
  private func rig(_ change: (inout Settings) -> Void = { _ in }) -> Rig { Rig { $0 = settings(change) } }

  private func settings(_ change: (inout Settings) -> Void = { _ in }) -> Settings {
    var settings = Settings()
    settings.gateway.purpose = Sentence("tests")
    settings.gateway.devices = 64
    settings.calibrateEverybody()
    settings.addTrigger("pump")
    settings.peer.identify = true
    _ = settings.services.append(PeerSettings().service)
    change(&settings)
    return settings
  }

  private func hear(
    _ rig: inout Rig, _ number: UInt8, from start: Double, to end: Double, level: Double, becoming last: Double? = nil,
    data: [UInt8] = SuccessionTests.adverts[0]
  ) {
    var time = start
    while time < end {
      let heard = Int8((level + ((last ?? level) - level) * (time - start) / (end - start)).rounded())
      let packet = advert([number, 0, 0, 0, 0, 0x40], level: heard, data: data)
      rig.gateway.receive(packet.span.bytes, radio: 0, at: Instant(microseconds: Int64(time * 1e6)))
      time += 0.1
    }
    #expect(rig.gateway.tableFaults == [])
  }

  private func identify(_ rig: inout Rig, _ number: UInt8, at seconds: Double) {
    let address = Address(0x4000_0000_0000 + UInt64(number), type: 1)
    rig.gateway.receive(peer: KnownPeer(address: address, id: 5), at: Instant(microseconds: Int64(seconds * 1e6)))
    #expect(rig.gateway.tableFaults == [])
  }

  private func names(_ told: [Told]) -> [String] {
    told.filter { $0.event != "arm" && !$0.event.isEmpty }.map { $0.event + " " + $0.id.suffix(2) }
  }

  @Test("learnt after the fire, it ends no visit, and the leave has the identity of the fire") func served() {
    var rig = rig()
    hear(&rig, 1, from: 10, to: 18, level: -84, becoming: -60)
    hear(&rig, 1, from: 18, to: 20, level: -60)
    #expect(names(rig.told()) == ["fire 01"])
    identify(&rig, 1, at: 20)
    hear(&rig, 1, from: 20.1, to: 40, level: -60)
    let states = rig.said().filter { $0.topic == "trigger/pump/state" }.map(\.payload)
    #expect(states.allSatisfy { $0.contains("40:00:00:00:00:01") && !$0.contains("peer:") }, "\(states)")
    // The next address and its id change nothing either.
    hear(&rig, 2, from: 40, to: 60, level: -60)
    identify(&rig, 2, at: 60)
    hear(&rig, 2, from: 60.1, to: 80, level: -60)
    rig.wait(until: 400)
    #expect(names(rig.told()) == ["leave 01"])
  }

  @Test(
    "a renewed address that turns out to be who was served is that one, before and after it has taken over", arguments: [0.5, 6, 100])
  func renewed(after: Double) {
    var rig = rig()
    hear(&rig, 1, from: 10, to: 12, level: -84, becoming: -78)
    identify(&rig, 1, at: 12)
    hear(&rig, 1, from: 12, to: 18, level: -78, becoming: -60)
    hear(&rig, 1, from: 18, to: 30, level: -60)
    #expect(names(rig.told()) == ["fire 05"])
    hear(&rig, 2, from: 30, to: 30 + after, level: -60)
    identify(&rig, 2, at: 30 + after)
    hear(&rig, 2, from: 30.1 + after, to: 160, level: -60)
    let told = names(rig.told())
    #expect(rig.gateway.devices.count == 1 && told.isEmpty, "\(told)")
    rig.wait(until: 400)
    #expect(names(rig.told()) == ["leave 05"])
  }

  @Test("learnt before the fire, it fires once, under the id") func early() {
    var rig = rig()
    hear(&rig, 1, from: 10, to: 17, level: -84, becoming: -66)
    identify(&rig, 1, at: 17)
    hear(&rig, 1, from: 17.1, to: 30, level: -60)
    rig.wait(until: 400)
    #expect(names(rig.told()) == ["fire 05", "leave 05"])
  }

  @Test("who leaves under a renewed address before its id is read again leaves once", arguments: [34.5, 35.5, 36, 36.5, 37, 38, 40, 50])
  func left(after: Double) {
    var rig = rig()
    hear(&rig, 1, from: 10, to: 12, level: -84, becoming: -78)
    identify(&rig, 1, at: 12)
    hear(&rig, 1, from: 12, to: 18, level: -78, becoming: -60)
    hear(&rig, 1, from: 18, to: 30, level: -60)
    hear(&rig, 2, from: 30, to: 31.8, level: -60)
    hear(&rig, 2, from: 31.8, to: after, level: -98)
    identify(&rig, 2, at: after)
    hear(&rig, 2, from: after + 0.1, to: 60, level: -98)
    rig.wait(until: 400)
    #expect(names(rig.told()) == ["fire 05", "leave 05"])
  }

  @Test("learnt of a phone that only stands near, the trigger's state names the id") func near() {
    var rig = rig()
    rig.gateway.caughtUp(at: .zero)
    hear(&rig, 1, from: 10, to: 18, level: -84, becoming: -72)
    #expect(rig.said().last { $0.topic == "trigger/pump/state" }?.payload.contains("40:00:00:00:00:01") == true)
    identify(&rig, 1, at: 18)
    hear(&rig, 1, from: 18.1, to: 22, level: -72)
    rig.gateway.expireLeftovers(at: Instant(microseconds: 22_000_000))
    let states = rig.said().filter { $0.topic == "trigger/pump/state" }.map(\.payload)
    #expect(states.first?.contains("peer:00000005") == true && states.allSatisfy { !$0.contains("40:00:00:00:00:01") }, "\(states)")
  }

  @Test("learnt of a served phone that is not heard again, it leaves all the same, once") func silent() {
    var rig = rig()
    hear(&rig, 1, from: 10, to: 18, level: -84, becoming: -60)
    hear(&rig, 1, from: 18, to: 20, level: -60)
    identify(&rig, 1, at: 20)
    rig.wait(until: 400)
    #expect(names(rig.told()) == ["fire 01", "leave 01"] && rig.gateway.rowsInUse == 0)
  }

  @Test("learnt of a phone that was served as the beacon that it is, too, it does not serve it again") func beacon() {
    var rig = rig()
    hear(&rig, 1, from: 10, to: 18, level: -84, becoming: -60, data: Self.frame)
    hear(&rig, 1, from: 18, to: 20, level: -60, data: Self.frame)
    #expect(names(rig.told()) == ["fire :1"])
    identify(&rig, 1, at: 20)
    hear(&rig, 1, from: 20.1, to: 40, level: -60, data: Self.frame)
    rig.wait(until: 400)
    #expect(names(rig.told()) == ["leave :1"] && rig.gateway.rowsInUse == 0)
  }

  private static let eddystone = bytes("020106 0303AAFE 1716AAFE00C5 00112233445566778899 AABBCCDDEEFF 0000")

  @Test("a beacon of two formats is served once, whenever the better name is first heard", arguments: [12.0, 17, 19, 22, 30])
  func twoFormats(from moment: Double) {
    var rig = rig()
    hear(&rig, 1, from: 10, to: min(moment, 18), level: -84, becoming: -84 + 3 * (min(moment, 18) - 10), data: Self.eddystone)
    var time = moment
    if moment > 18 { hear(&rig, 1, from: 18, to: moment, level: -60, data: Self.eddystone) }
    while time < 50 {
      let level = min(-84 + 3 * (time - 10), -60)
      hear(&rig, 1, from: time, to: time + 0.05, level: level, data: Self.frame)
      hear(&rig, 1, from: time + 0.1, to: time + 0.15, level: level, data: Self.eddystone)
      time += 0.2
    }
    rig.wait(until: 400)
    let told = rig.told().filter { ["fire", "leave"].contains($0.event) }
    #expect(told.map(\.event) == ["fire", "leave"] && told[0].id == told[1].id, "\(told)")
    #expect(told[0].id.hasPrefix("ibeacon") == (moment < 20) && rig.gateway.rowsInUse == 0, "\(told)")
  }

  @Test("a beacon of two formats that is being served is not served again after the same settings were read again") func readAgain() {
    var rig = rig()
    hear(&rig, 1, from: 10, to: 14, level: -84, becoming: -72, data: Self.eddystone)
    for step in 0..<500 {
      let time = 14 + Double(step) / 10
      if step == 207 { rig.gateway.reload(settings(), at: Instant(microseconds: Int64(time * 1e6))) }
      // Mostly it is the worse name.
      hear(&rig, 1, from: time, to: time + 0.05, level: min(-72 + 3 * (time - 14), -60), data: step % 25 == 5 ? Self.frame : Self.eddystone)
    }
    rig.wait(until: 400)
    let told = rig.told().filter { ["fire", "leave"].contains($0.event) }
    #expect(told.map(\.event) == ["fire", "leave"] && told.allSatisfy { $0.id.hasPrefix("ibeacon") }, "\(told)")
  }

  @Test("a far copy of a served beacon that shows another format takes no visit along") func copied() {
    var rig = rig()
    hear(&rig, 1, from: 10, to: 18, level: -84, becoming: -60, data: Self.eddystone)
    for step in 0..<200 {
      let time = 18 + Double(step) / 10
      hear(&rig, 1, from: time, to: time + 0.05, level: -60, data: Self.eddystone)
      hear(&rig, 2, from: time + 0.06, to: time + 0.07, level: -85, data: step < 100 ? Self.eddystone : Self.frame)
    }
    rig.wait(until: 400)
    let told = rig.told().filter { ["fire", "leave"].contains($0.event) }
    #expect(told.map(\.event) == ["fire", "leave"] && told.allSatisfy { $0.id.hasPrefix("eddystone") }, "\(told)")
  }

  private static let frame = bytes("02011A 1AFF4C000215 2F234454CF6D4A0FADF2F4911BA9FFA6 0007 0001 C5")

  @Test("a phone that shows itself as a beacon first at its next address goes on being served", arguments: [0.5, 8, 60, 400])
  func renewedAsBeacon(read: Double) {
    var rig = rig()
    served(&rig)
    hear(&rig, 2, from: 30, to: 30 + min(read, 100), level: -60, data: Self.frame)
    if read < 100 {
      identify(&rig, 2, at: 30 + read)
      hear(&rig, 2, from: 30.1 + read, to: 130, level: -60, data: Self.frame)
    }
    #expect(names(rig.told()) == [])
    rig.wait(until: 600)
    #expect(names(rig.told()) == ["leave 05"] && rig.gateway.rowsInUse == 0)
  }

  @Test("a beacon that drives up, one that stays at its address, and one beside a phone that is still heard are served for themselves")
  func otherBeacons() {
    for what in ["drives up", "public", "beside"] {
      var rig = rig()
      served(&rig)
      for step in 0..<400 {
        let time = 30 + Double(step) / 10
        if what == "beside" { hear(&rig, 1, from: time, to: time + 0.01, level: -60) }
        let level: Int8 = what == "drives up" ? Int8(min(-90 + Double(step) / 2, -60)) : -60
        let packet = advert([2, 0, 0, 0, 0, what == "public" ? 0xC0 : 0x40], level: level, data: Self.frame)
        rig.gateway.receive(packet.span.bytes, radio: 0, at: Instant(microseconds: Int64((time + 0.05) * 1e6)))
      }
      #expect(names(rig.told()).contains("fire :1"), "\(what)")
    }
  }

  /// Under its id, until 30 s.
  private func served(_ rig: inout Rig) {
    hear(&rig, 1, from: 10, to: 12, level: -84, becoming: -78)
    identify(&rig, 1, at: 12)
    hear(&rig, 1, from: 12, to: 18, level: -78, becoming: -60)
    hear(&rig, 1, from: 18, to: 30, level: -60)
    #expect(names(rig.told()) == ["fire 05"])
  }

  @Test("learnt of a phone that repeats one advert, it hides none of its other names") func namedOtherwise() {
    var rig = rig { $0.selectors[Int($0.triggers[0].match.start)] = Selector(kind: .service, isWhole: false, prefix: Identity(.service)) }
    hear(&rig, 1, from: 10, to: 12, level: -84, becoming: -80)
    identify(&rig, 1, at: 12)
    hear(&rig, 1, from: 12, to: 18, level: -80, becoming: -60)
    hear(&rig, 1, from: 18, to: 30, level: -60)
    rig.wait(until: 400)
    #expect(names(rig.told()) == ["fire 05", "leave 05"])
  }

  // MARK: A key that comes while its owner stands here

  private func enrolled() -> Settings {
    settings {
      var key = KeySettings()
      key.alias = "anna"
      // What the tests' cipher makes of 40:00:00 is 00:00:01.
      (key.key[13], key.key[15]) = (0xC0, 1)
      precondition($0.keys.append(key) == nil)
    }
  }

  @Test("a phone whose key is added in mid-visit is not served again, and leaves when it goes", arguments: [true, false])
  func keyAdded(isHeardAgain: Bool) {
    var rig = rig()
    hear(&rig, 1, from: 10, to: 18, level: -84, becoming: -60)
    hear(&rig, 1, from: 18, to: 20, level: -60)
    rig.gateway.reload(enrolled(), at: Instant(microseconds: 20_000_000))
    if isHeardAgain { hear(&rig, 1, from: 20, to: 60, level: -60) }
    #expect(rig.gateway.devices.find(Identity(.irk, Array("anna".utf8).span.bytes)) != nil)
    rig.wait(until: 400)
    #expect(names(rig.told()) == ["fire 01", "leave 01"] && rig.gateway.rowsInUse == 0)
  }

  @Test("a phone that is known by another service from now on has been here all along") func serviceAdded() {
    var rig = rig { $0.services.removeAll() }
    hear(&rig, 1, from: 10, to: 18, level: -84, becoming: -60, data: bytes("0303 01FD 05084275730A"))
    hear(&rig, 1, from: 18, to: 20, level: -60, data: bytes("0303 01FD 05084275730A"))
    let next = settings {
      $0.services.removeAll()
      _ = $0.services.append(ServiceUUID(short: 0xFD01))
    }
    rig.gateway.reload(next, at: Instant(microseconds: 20_000_000))
    hear(&rig, 1, from: 20, to: 60, level: -60, data: bytes("0303 01FD 05084275730A"))
    #expect(names(rig.told()).filter { $0.hasPrefix("fire") }.count == 1)
  }
}
