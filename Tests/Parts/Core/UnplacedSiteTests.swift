import Testing

@testable import Core

/// One gateway with four radios, a trigger at each, and nobody has said where they stand.
@Suite("What the radios of a site hear together, without a plan") struct UnplacedSiteTests {
  private func site(_ change: @escaping (inout Settings) -> Void = { _ in }) -> Rig {
    Rig {
      FourPumps.configure(&$0, isPlaced: false)
      change(&$0)
    }
  }

  private static func beacon(power: Int8) -> [UInt8] {
    [0x1A, 0xFF, 0x4C, 0x00, 0x02, 0x15] + Array(1...20) + [UInt8(bitPattern: power)]
  }

  @Test("a phone that is weak, ordinary or loud is served where it stands", arguments: [-76, -68, -59, -50] as [Float])
  func served(loudness: Float) {
    for (index, name) in FourPumps.names.enumerated() {
      var rig = site()
      rig.hear(at: FourPumps.beside(index), loudness: loudness)
      let fires = rig.fires()
      #expect(fires == [String(name)])
    }
  }

  @Test("nobody in the street is served, however loud, whatever the antennas are", arguments: 0..<40 as Range<UInt64>)
  func street(seed: UInt64) {
    var rig = site()
    let (place, loudness, errors) = FourPumps.passer(seed)
    rig.hear(at: place, loudness: loudness, errors: errors)
    let fires = rig.fires()
    #expect(fires == [], "seed \(seed)")
  }

  @Test("a phone whose advert says its power is judged by its level and the best rival, as one that was measured") func stated() {
    var rig = site()
    for step in 0..<100 {
      let at = 10 + Double(step) * 0.1
      rig.hear(1, at: at, level: -50, radio: 0, data: Self.beacon(power: -59))
      for radio in 1..<4 { rig.hear(1, at: at + Double(radio) * 0.01, level: -60, radio: radio, data: Self.beacon(power: -59)) }
    }
    let said = rig.said()
    #expect(said.contains { $0.payload.contains(#""event":"fire""#) } && !said.contains { $0.payload.contains("likelihood") })
  }

  @Test("an advert that states over 4 dB less than is assumed is judged as one that states nothing; what was measured is believed")
  func understated() throws {
    for (power, isJudged) in [
      (.advertised(Decibels(-59)), false), (.advertised(Decibels(-63)), false), (.advertised(Decibels(-63.5)), true),
      (.calibrated(Decibels(-80)), false),
    ] as [(MeasuredPower, Bool)] {
      var rig = site()
      rig.hear(at: FourPumps.beside(0), loudness: -59)
      let found = rig.gateway.devices.find(Identity(.address, Address(0xC000_0000_0001, type: 1)))
      let slot = try #require(found)
      rig.gateway.devices[slot].power = power
      rig.hear(at: FourPumps.beside(0), loudness: -59, from: 40)
      let place = rig.gateway.triggers.encounters.find(trigger: 0, from: rig.gateway.devices[slot].encounters)
      let isLikely = place >= 0 && rig.gateway.triggers.likelihood(of: place, rig.gateway.settings) != nil
      #expect(isLikely == isJudged, "\(power)")
    }
  }

  @Test("a trigger that names none of several radios is judged by its level: two antennas at one pump are no two places")
  func antennas() {
    var rig = Rig { FourPumps.configure(&$0, isPlaced: false, areNamed: false) }
    rig.hear(at: FourPumps.beside(0), loudness: -68)
    let said = rig.said()
    #expect(!said.contains { $0.payload.contains("likelihood") })
  }

  // MARK: Learning

  private func loss(_ rig: borrowing Rig, at place: Int8, heardBy receiver: Int8) -> PlaceRecord? {
    var found: PlaceRecord?
    rig.gateway.triggers.unplaced.forEachRecord { if $0.placeRadio == place, $0.receiverRadio == receiver { found = $0 } }
    return found
  }

  /// So many phones stay twenty seconds at the first pump, one after the other.
  private func day(_ phones: Range<Int>, _ rig: inout Rig, errors: [Float] = [0, 0, 0, 0]) {
    for phone in phones {
      rig.hear(UInt8(phone), at: FourPumps.beside(0), loudness: -50, from: Double(phone) * 200, errors: errors)
    }
  }

  @Test("visits teach how much less the others hear, receivers that were moved are said once and forgotten, and not without learn")
  func learning() throws {
    var rig = site()
    day(1..<31, &rig)
    let found = loss(rig, at: 0, heardBy: 3)
    let record = try #require(found)
    // 12 m away; what is heard at the pump itself counts 1 dB.
    #expect(record.visits == 30 && (record.loss.value - 23).magnitude < 2.5 && record.doubt.value < 4, "\(record)")
    let isQuiet = rig.gateway.takeMoved() == nil
    #expect(isQuiet)
    day(31..<51, &rig, errors: [0, 0, 0, -20])
    let moved = rig.gateway.takeMoved()
    #expect(moved?.point == nil && moved?.visits ?? 0 >= 30)
    let isSaid = rig.gateway.takeMoved() == nil
    let again = loss(rig, at: 0, heardBy: 3)?.visits ?? 0
    #expect(isSaid && again < 20)
    var deaf = site { $0.calibration.learns = false }
    day(1..<4, &deaf)
    let (none, changes) = (loss(deaf, at: 0, heardBy: 3), deaf.gateway.learntChanges)
    #expect(none == nil && changes == 0)
  }

  @Test("nobody can teach that the other receivers hear a visitor as well as its pump does") func bounded() {
    var patterns = PlacePatterns()
    var pattern = LevelPattern()
    for receiver in 0..<8 { pattern.hear(receiver, -20) }
    for _ in 0..<1_000 { patterns.learn(pattern, at: 0) }
    for receiver in 1..<8 { #expect(patterns.known(of: receiver, at: 0).loss.value == 10) }
    patterns.forget(3)
    #expect(patterns.known(of: 3, at: 0).loss.value > 20 && patterns.known(of: 3, at: 0).visits == 0)
    #expect(patterns.known(of: 4, at: 0).visits == 1_000)
  }

  @Test("what was learnt outlasts a reload, but not new radios nor a plan") func reload() {
    var rig = site()
    day(1..<4, &rig)
    for (isPlaced, second) in [(false, 900), (true, 910)] as [(Bool, Int64)] {
      var settings = Settings()
      settings.gateway.devices = 64
      FourPumps.configure(&settings, isPlaced: false)
      if isPlaced { settings.radios[0].point = PlanPoint(x: 0, y: 0) }
      rig.gateway.reload(settings, at: Instant(microseconds: second * 1_000_000))
      let kept = loss(rig, at: 0, heardBy: 1)
      #expect(kept?.visits == (isPlaced ? nil : 3))
    }
  }

  @Test("of more than eight receivers one that has been silent for a minute gives its place away, and what it taught")
  func places() {
    var site = UnplacedSite()
    var settings = Settings()
    settings.gateway.name = "us"
    site.reload(settings)
    let names: [Name] = ["us", "n1", "n2", "n3", "n4", "n5", "n6", "n7"]
    for index in 1..<8 {
      let place = site.receiver(of: names[index], now: Instant(microseconds: Int64(index) * 1_000_000))
      #expect(place == index)
    }
    var record = PlaceRecord()
    (record.place, record.placeRadio, record.receiver, record.visits) = ("us", 0, "n1", 7)
    (record.loss, record.doubt) = (Decibels(30), Decibels(2))
    site.restore(record, at: Instant(microseconds: 2_000_000))
    let (edition, early) = (site.edition, site.receiver(of: "late", now: Instant(microseconds: 61_000_000)))
    #expect(early == -1 && site.edition == edition)
    let late = site.receiver(of: "late", now: Instant(microseconds: 62_000_001))
    #expect(late == 1 && site.edition == edition + 1)
    var known = 0
    site.forEachRecord { _ in known += 1 }
    #expect(known == 0)
    let own = site.receiver(ofRadio: 0)
    #expect(own == 0)
  }

  @Test("once a phone's power is stated, and while nobody else listens, nothing is made of what was heard before") func unknown() throws {
    for isStated in [true, false] {
      var rig = site()
      rig.hear(at: FourPumps.beside(0), loudness: -59)
      let found = rig.gateway.devices.find(Identity(.address, Address(0xC000_0000_0001, type: 1)))
      let slot = try #require(found)
      func isJudged() -> Bool {
        let place = rig.gateway.triggers.encounters.find(trigger: 0, from: rig.gateway.devices[slot].encounters)
        return place >= 0 && rig.gateway.triggers.likelihood(of: place, rig.gateway.settings) != nil
      }
      let before = isJudged()
      if isStated { rig.gateway.devices[slot].power = .advertised(Decibels(-59)) }
      // Ten minutes later only one radio hears anything.
      rig.hear(from: isStated ? 40.1 : 600, to: isStated ? 42 : 602, level: -60)
      let after = isJudged()
      #expect(before && !after, "\(isStated)")
    }
  }
}
