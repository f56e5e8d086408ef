import Testing

@testable import Core

@Suite("A phone that renews its address") struct SuccessionTests {
  private static let app = ServiceUUID(0x2F23_4454_CF6D_4A0F, 0xADF2_F491_1BA9_FFA6)
  static let adverts: [[UInt8]] = [
    // Its service, its name, and nothing at all.
    bytes("02011A 1107A6FFA91B91F4F2AD0F4A6DCF5444232F"), bytes("02011A 0609416E6E6173"), bytes("02011A 06FF4C00100101"),
  ]

  private func rig() -> Rig {
    Rig {
      $0.calibrateEverybody()
      $0.addTrigger("pump")
      _ = $0.services.append(Self.app)
    }
  }

  /// Ten adverts a second from a resolvable private address that ends in `number`.
  private func hear(
    _ rig: inout Rig, _ number: UInt8, from start: Double, to end: Double, level: Double, becoming last: Double? = nil, data: [UInt8]
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

  private func names(_ told: [Told]) -> [String] { told.filter { $0.event != "arm" }.map { $0.event + " " + $0.id.suffix(1) } }

  @Test("a new address during a visit is the same visit, and its leave has the identity of its fire", arguments: adverts)
  func once(data: [UInt8]) {
    var rig = rig()
    hear(&rig, 1, from: 10, to: 18, level: -84, becoming: -60, data: data)
    hear(&rig, 1, from: 18, to: 30, level: -60, data: data)
    for number in 2...4 { hear(&rig, UInt8(number), from: Double(number) * 40 - 50, to: Double(number) * 40 - 10, level: -61, data: data) }
    hear(&rig, 4, from: 150, to: 158, level: -60, becoming: -98, data: data)
    rig.wait(until: 400)
    #expect(names(rig.told()) == ["fire 1", "leave 1"])
  }

  @Test("when a device inside a region renews its address, the old one exits and one device counts") func region() {
    var rig = Rig {
      $0.calibrateEverybody()
      $0.addTrigger("pump")
      $0.addRegion("door", exit: .after(.seconds(60)))
    }
    hear(&rig, 1, from: 10, to: 18, level: -84, becoming: -60, data: Self.adverts[2])
    hear(&rig, 1, from: 18, to: 30, level: -60, data: Self.adverts[2])
    hear(&rig, 2, from: 30, to: 36, level: -60, data: Self.adverts[2])
    let said = rig.said()
    #expect(said.count { $0.payload.contains(#""event":"exit","reason":"address renewed""#) && $0.payload.contains("00:01") } == 1)
    #expect(said.last { $0.topic == "region/door" }?.payload.contains(#""count":1"#) == true)
  }

  @Test("a new address before the fire gives one fire, under the new identity", arguments: adverts) func early(data: [UInt8]) {
    var rig = rig()
    hear(&rig, 1, from: 10, to: 17.5, level: -84, becoming: -62, data: data)
    hear(&rig, 2, from: 17.5, to: 40, level: -60, data: data)
    rig.wait(until: 400)
    #expect(names(rig.told()) == ["fire 2", "leave 2"])
  }

  @Test("two new addresses, the second before it is known whom the first continues, are the same visit", arguments: adverts)
  func twice(data: [UInt8]) {
    var rig = rig()
    hear(&rig, 1, from: 10, to: 18, level: -84, becoming: -60, data: data)
    hear(&rig, 1, from: 18, to: 30, level: -60, data: data)
    hear(&rig, 2, from: 30, to: 30.8, level: -61, data: data)
    hear(&rig, 3, from: 30.8, to: 60, level: -61, data: data)
    rig.wait(until: 400)
    #expect(names(rig.told()) == ["fire 1", "leave 1"])
  }

  @Test("newcomers that were heard once, at the same moment, may suspect each other", arguments: adverts) func together(data: [UInt8]) {
    var rig = rig()
    for (device, moment) in [(1, 9.95), (2, 10), (3, 10.02)] as [(UInt8, Double)] {
      hear(&rig, device, from: moment, to: moment + 0.01, level: -61, data: data)
    }
    hear(&rig, 4, from: 10.1, to: 40, level: -61, data: data)
    rig.wait(until: 400)
    #expect(names(rig.told()) == ["fire 4", "leave 4"])
  }

  @Test("between two addresses a phone may sleep for a minute: longer than ten seconds it may be another", arguments: [3, 9, 11, 55, 65.0])
  func gap(seconds: Double) {
    var rig = rig()
    hear(&rig, 1, from: 10, to: 18, level: -84, becoming: -60, data: Self.adverts[0])
    hear(&rig, 1, from: 18, to: 30, level: -60, data: Self.adverts[0])
    hear(&rig, 2, from: 30 + seconds, to: 60 + seconds, level: -61, data: Self.adverts[0])
    rig.wait(until: 400)
    let told = rig.told()
    #expect(names(told).filter { $0.hasPrefix("fire") } == (seconds < 60 ? ["fire 1"] : ["fire 1", "fire 2"]))
    // Of a short one its visit knows nothing, after a longer one that has ended.
    #expect(told.contains { $0.event == "undecided" && $0.reason == "not been away" } == (5..<60 ~= seconds), "\(told)")
    // Whoever it is, it is served once it has been away.
    hear(&rig, 2, from: 800, to: 808, level: -84, becoming: -60, data: Self.adverts[0])
    hear(&rig, 2, from: 808, to: 820, level: -60, data: Self.adverts[0])
    #expect(names(rig.told()) == ["fire 2"])
  }

  @Test("whoever is served may become 30 dB louder with its new address: it comes out of a pocket", arguments: [(-44, true), (-30, false)])
  func louder(level: Double, isSame: Bool) {
    var rig = rig()
    hear(&rig, 1, from: 10, to: 18, level: -84, becoming: -62, data: Self.adverts[0])
    hear(&rig, 1, from: 18, to: 30, level: -62, data: Self.adverts[0])
    hear(&rig, 2, from: 30, to: 50, level: level, data: Self.adverts[0])
    #expect(names(rig.told()).contains("fire 2") != isSame)
  }

  @Test("a packet of the old address may come a little late by another radio", arguments: [(0.2, true), (0.3, false)])
  func late(seconds: Double, isSame: Bool) {
    var rig = Rig {
      $0.calibrateEverybody()
      $0.addRadios(2)
      $0.addTrigger("pump")
      _ = $0.services.append(Self.app)
    }
    hear(&rig, 1, from: 10, to: 18, level: -84, becoming: -60, data: Self.adverts[0])
    hear(&rig, 1, from: 18, to: 30, level: -60, data: Self.adverts[0])
    hear(&rig, 2, from: 30, to: 30 + seconds, level: -60, data: Self.adverts[0])
    let late = advert([1, 0, 0, 0, 0, 0x40], level: -60, data: Self.adverts[0])
    rig.gateway.receive(late.span.bytes, radio: 1, at: Instant(microseconds: Int64((30 + seconds) * 1e6)))
    hear(&rig, 2, from: 30.05 + seconds, to: 50, level: -60, data: Self.adverts[0])
    #expect(names(rig.told()).contains("fire 2") != isSame)
  }

  @Test("two phones are two: the second approaches while the first is served and then falls silent", arguments: adverts)
  func coming(data: [UInt8]) {
    var rig = rig()
    hear(&rig, 1, from: 10, to: 18, level: -84, becoming: -60, data: data)
    for step in 0..<80 {
      let time = 18 + Double(step) * 0.1
      hear(&rig, 1, from: time, to: time + 0.05, level: -60, data: data)
      hear(&rig, 2, from: time + 0.03, to: time + 0.05, level: -84 + Double(step) * 0.3, data: data)
    }
    hear(&rig, 2, from: 26, to: 40, level: -60, data: data)
    rig.wait(until: 400)
    #expect(names(rig.told()) == ["fire 1", "fire 2", "leave 1", "leave 2"])
  }

  @Test("a phone that appears beside another is served as soon as the other is heard again, however late", arguments: [0.3, 4, 6, 20])
  func beside(silence: Double) {
    var rig = rig()
    let data = Self.adverts[0]
    hear(&rig, 1, from: 10, to: 18, level: -84, becoming: -60, data: data)
    hear(&rig, 1, from: 18, to: 24, level: -60, data: data)
    hear(&rig, 2, from: 24, to: 24 + silence, level: -60, data: data)
    #expect(names(rig.told()) == ["fire 1"])
    for step in 0..<30 {
      let time = 24 + silence + Double(step) * 0.1
      hear(&rig, 1, from: time, to: time + 0.05, level: -60, data: data)
      hear(&rig, 2, from: time + 0.03, to: time + 0.05, level: -60, data: data)
    }
    #expect(names(rig.told()) == ["fire 2"])
    rig.wait(until: 400)
    #expect(names(rig.told()) == ["leave 1", "leave 2"])
  }

  @Test("of two that fell silent, half a second outweighs seven decibels and not thirteen", arguments: [(-67.0, "1"), (-73, "2")])
  func between(level: Double, left: String) {
    var rig = rig()
    let data = Self.adverts[0]
    // The first goes on as the newcomer does and falls silent earlier, the second at another level until just before.
    for step in 0..<140 {
      let time = 10 + Double(step) * 0.1
      let approaching = min(Double(step) * 0.3 - 84, -60)
      if step < 135 { hear(&rig, 1, from: time, to: time + 0.05, level: approaching, data: data) }
      let other = step < 100 ? approaching : max(level, -60 - Double(step - 100))
      hear(&rig, 2, from: time + 0.03, to: time + 0.05, level: other, data: data)
    }
    #expect(names(rig.told()) == ["fire 1", "fire 2"])
    hear(&rig, 3, from: 24.03, to: 300, level: -60, data: data)
    #expect(names(rig.told()) == ["leave " + left])
  }

  @Test("whoever proves to be somebody else gets the arm that it was owed") func owed() {
    var rig = rig()
    hear(&rig, 1, from: 10, to: 18, level: -70, becoming: -42, data: Self.adverts[0])
    hear(&rig, 1, from: 18, to: 24, level: -42, data: Self.adverts[0])
    _ = rig.told()
    // Seventeen decibels weaker: nobody's level jumps so far.
    hear(&rig, 2, from: 24, to: 26, level: -59, data: Self.adverts[0])
    #expect(rig.told().map { $0.event + " " + $0.id.suffix(1) } == ["arm 2", "fire 2"])
  }

  @Test(
    "levels that are alike at one radio and not at the other belong to two phones",
    arguments: [(-72, ["fire 1", "leave 1"]), (-60, ["fire 1", "leave 1"]), (-52, ["fire 1", "fire 2", "leave 1", "leave 2"])]
      as [(Int8, [String])])
  func atEveryRadio(level: Int8, told: [String]) {
    var rig = Rig {
      $0.calibrateEverybody()
      $0.addRadios(2)
      $0.addTrigger("pump", radio: 0)
    }
    func hear(_ number: UInt8, from start: Double, to end: Double, _ left: Int8, _ right: Int8) {
      for step in 0..<Int((end - start) * 10 + 0.5) {
        for (radio, level) in [(0, left), (1, right)] {
          let packet = advert([number, 0, 0, 0, 0, 0x40], level: level, data: Self.adverts[1])
          let time = start + Double(step) * 0.1 + Double(radio) * 0.05
          rig.gateway.receive(packet.span.bytes, radio: radio, at: Instant(microseconds: Int64(time * 1e6)))
        }
      }
    }
    for step in 0..<24 { hear(1, from: 10 + Double(step) / 3, to: 10.3 + Double(step) / 3, Int8(step) - 84, -72) }
    hear(1, from: 18, to: 30, -60, -72)
    hear(2, from: 30, to: 40, -60, level)
    rig.wait(until: 400)
    #expect(names(rig.told()) == told)
  }

  @Test("a phone that appears where no other just fell silent is served at once", arguments: [UInt8(0x40), 0xC0]) func alone(kind: UInt8) {
    var rig = rig()
    hear(&rig, 1, from: 10, to: 18, level: -84, becoming: -60, data: Self.adverts[0])
    hear(&rig, 1, from: 18, to: 24, level: -60, data: Self.adverts[0])
    // Another app's phone, and one whose address is never renewed.
    for step in 0..<12 {
      let packet = advert([9, 0, 0, 0, 0, kind], level: -60, data: kind == 0x40 ? Self.adverts[1] : Self.adverts[0])
      rig.gateway.receive(packet.span.bytes, radio: 0, at: Instant(microseconds: 24_000_000 + Int64(step) * 100_000))
    }
    #expect(names(rig.told()) == ["fire 1", "fire 9"])
  }
}

@Suite("The same visit") struct SameVisitTests {
  private func rig() -> Rig {
    Rig {
      $0.calibrateEverybody()
      $0.addTrigger("pump")
    }
  }

  @Test(
    "a level that drops for seconds ends the visit and starts no other; a device that was away is served again", arguments: [-90, -110])
  func dropped(low: Double) {
    var rig = rig()
    rig.hear(from: 10, to: 18, level: -84, becoming: -60)
    rig.hear(from: 18, to: 45, level: -60)
    rig.hear(from: 45, to: 53, level: low)
    rig.hear(from: 53, to: 90, level: -60)
    #expect(rig.told().map(\.event).filter { $0 != "arm" } == ["fire", "leave", "undecided"])
    rig.hear(from: 90, to: 98, level: -60, becoming: -98)
    rig.hear(from: 98, to: 120, level: -98)
    rig.hear(from: 120, to: 128, level: -98, becoming: -60)
    rig.hear(from: 128, to: 140, level: -60)
    #expect(rig.told().map(\.event).filter { $0 != "arm" } == ["fire"])
  }

  @Test("a tag that slows to one advert in five seconds, below min_rate_hz, still leaves") func slow() {
    var rig = rig()
    rig.hear(from: 10, to: 18, level: -84, becoming: -60)
    rig.hear(from: 18, to: 30, level: -60)
    rig.hear(from: 30, to: 90, level: -98, hertz: 0.2)
    #expect(rig.told().map(\.event) == ["arm", "fire", "leave"])
  }
}
