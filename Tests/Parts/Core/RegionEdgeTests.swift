import Testing

@testable import Core

@Suite("What a region's events mean to the outbox") struct RegionEdgeTests {
  @Test("an enter begins a visit and an exit ends it; nothing else that a region says does") func edges() {
    var rig = Rig { $0.addRegion("hall") }
    for step in 0..<20 { rig.hear(1, at: 10 + Double(step) / 10, level: -60) }
    rig.wait(until: 1_000)
    var told: [String] = []
    while let message = rig.messages.pop() {
      let payload = String(message.payload)
      let event = ["enter", "exit"].first { payload.contains("\"event\":\"\($0)\"") }
      if event != nil || message.visit != .none { told.append("\(event ?? "?") \(message.visit)") }
    }
    #expect(told == ["enter begins", "exit ends"])
  }

  @Test("a single loud sample lets nobody in, and a single weak one keeps nobody out") func wavering() {
    for (mean, odd, inside) in [(-78, -60, 0), (-66, -84, 1)] as [(Int8, Int8, Int32)] {
      var rig = Rig {
        $0.addRegion("hall")
        $0.regions[0].minimum = Decibels(-70)
      }
      for step in 0..<600 { rig.hear(1, at: 10 + Double(step) / 10, level: step % 40 == 39 ? odd : mean) }
      #expect(rig.gateway.regions[0].count == inside)
      #expect(rig.said().count { $0.topic == "region/hall/event" } == Int(inside))
    }
  }

  @Test(
    "by an average up to 6 dB too weak to enter a device stays, and by a weaker one it does not", arguments: [-70, -71, -76, -77] as [Int8])
  func stays(level: Int8) {
    var rig = Rig {
      $0.addRegion("hall")
      $0.regions[0].minimum = Decibels(-70)
    }
    for step in 0..<20 { rig.hear(1, at: 10 + Double(step) / 10, level: level) }
    #expect(rig.gateway.regions[0].count == (level < -70 ? 0 : 1))
    for step in 20..<40 { rig.hear(1, at: 10 + Double(step) / 10, level: -60) }
    #expect(rig.gateway.regions[0].count == 1)
    for step in 40..<1_000 { rig.hear(1, at: 10 + Double(step) / 10, level: level) }
    #expect(rig.gateway.regions[0].count == (level < -76 ? 0 : 1))
  }
}

@Suite("A beacon of two formats in a region") struct TwoFormatsTests {
  private static let eddystone = bytes("020106 0303AAFE 1716AAFE00C5 00112233445566778899 AABBCCDDEEFF 0000")
  private static let frame = bytes("02011A 1AFF4C000215 2F234454CF6D4A0FADF2F4911BA9FFA6 0007 0001 C5")

  /// `enter eddystone`, `1 inside since 30`: ten seconds after the start, which is at 20.
  private func told(_ rig: inout Rig) -> [String] {
    rig.said().compactMap { topic, payload in
      if let event = payload.firstMatch(of: /"event":"(\w+)",(?:"reason":"([a-z ]+)",)?"region":"hall","id":"(\w+):/) {
        return "\(event.1) \(event.3)" + (event.2.map { ", " + $0 } ?? "")
      }
      guard let state = payload.firstMatch(of: /"state":"(\w+)","count":(\d+),"since":"2025-10-09T08:53:(\d+)/) else { return nil }
      return topic == "region/hall" ? "\(state.2) \(state.1) since \(state.3)" : nil
    }
  }

  private func rig(_ configure: (inout Settings) -> Void = { _ in }) -> Rig {
    let rig = Rig {
      $0.addRegion("hall")
      configure(&$0)
    }
    _ = rig.said()
    return rig
  }

  /// Both names, ten times a second.
  private func hear(_ rig: inout Rig, _ device: UInt8 = 1, from start: Double, to end: Double, level: Int8 = -60) {
    for step in 0..<Int((end - start) * 10) {
      rig.hear(device, at: start + Double(step) / 10, level: level, data: step % 2 == 0 ? Self.frame : Self.eddystone)
    }
  }

  @Test("it counts once: the better name enters, the other exits at once, and the region is occupied all along") func once() {
    var rig = rig()
    for step in 0..<10 { rig.hear(1, at: 10 + Double(step) / 10, data: Self.eddystone) }
    #expect(told(&rig) == ["enter eddystone", "1 inside since 30"])
    hear(&rig, from: 12, to: 30)
    #expect(told(&rig) == ["enter ibeacon", "1 inside since 30", "exit eddystone, identified"])
    rig.wait(until: 400)
    #expect(told(&rig).first == "exit ibeacon, silence" && rig.gateway.rowsInUse == 0)
  }

  @Test("whoever is too far away to count stays only as long as the last sample that counted lets it") func far() {
    var rig = rig { $0.regions[0].minimum = Decibels(-70) }
    rig.hear(1, at: 10, data: Self.eddystone)
    for step in 0..<60 { rig.hear(1, at: 11 + Double(step) / 10, level: -80, data: step % 2 == 0 ? Self.frame : Self.eddystone) }
    let told = told(&rig)
    #expect(told.prefix(4) == ["enter eddystone", "1 inside since 30", "enter ibeacon", "1 inside since 30"], "\(told)")
    #expect(told.dropFirst(4).prefix(2) == ["exit eddystone, identified", "exit ibeacon, silence"], "\(told)")
  }

  @Test("where the better name is inside already, the other only exits") func there() {
    var rig = rig()
    for step in 0..<20 { rig.hear(2, at: 10 + Double(step) / 10, data: Self.frame) }
    rig.hear(1, at: 12, data: Self.eddystone)
    _ = told(&rig)
    hear(&rig, from: 12.1, to: 14)
    #expect(told(&rig) == ["exit eddystone, identified", "1 inside since 30"])
  }

  @Test("where another sender uses the old name, both count, until that one is silent") func shared() {
    var rig = rig()
    for step in 0..<20 { for device in 1...2 as ClosedRange<UInt8> { rig.hear(device, at: 10 + Double(step) / 10, data: Self.eddystone) } }
    _ = told(&rig)
    hear(&rig, from: 12, to: 14)
    #expect(told(&rig) == ["enter ibeacon", "2 inside since 30"])
    hear(&rig, from: 14, to: 30)
    #expect(told(&rig) == ["exit eddystone, silence", "1 inside since 30"])
  }

  @Test("a region that looks for the old name alone goes on under the better one") func named() {
    var rig = rig { $0.selectors[0] = Selector(kind: .eddystone, isWhole: false, prefix: Identity(.eddystone)) }
    for step in 0..<10 { rig.hear(1, at: 10 + Double(step) / 10, data: Self.eddystone) }
    _ = told(&rig)
    hear(&rig, from: 12, to: 30)
    #expect(told(&rig) == ["enter ibeacon", "1 inside since 30", "exit eddystone, identified"])
    rig.wait(until: 400)
    #expect(told(&rig).first == "exit ibeacon, silence" && rig.gateway.rowsInUse == 0)
  }

  @Test("without permission to monitor it still counts once, and says nothing") func quiet() {
    var rig = rig { $0.gateway.authorization = .whenInUse }
    rig.gateway.startRanging(nil, for: nil, at: Instant(microseconds: 9_000_000))
    _ = rig.said()
    for step in 0..<10 { rig.hear(1, at: 10 + Double(step) / 10, data: Self.eddystone) }
    hear(&rig, from: 12, to: 14)
    let count = rig.gateway.regions[0].count
    #expect(count == 1 && told(&rig) == [])
  }
}
