import Testing

@testable import Core

@Suite("How near a device is") struct NearnessTests {
  private func rig(devices: Int = 64, _ configure: (inout Settings) -> Void = { _ in }) -> Rig {
    Rig(devices: devices) {
      $0.addRegion("hall")
      $0.ranging.interval = .hours(100)
      configure(&$0)
    }
  }

  /// `01 near` for each message about a device.
  private func zones(_ rig: borrowing Rig) -> [String] {
    rig.said().compactMap { topic, payload in
      guard topic.hasPrefix("proximity/"), let zone = payload.firstMatch(of: /"zone":"(\w+)"/) else { return nil }
      return "\(topic.suffix(2)) \(zone.1)"
    }
  }

  @Test("a tag of ten seconds whose packets get lost is here until it has been silent for twelve intervals, also for who asks")
  func slow() throws {
    var rig = rig()
    for beat in 0..<10 { rig.hear(1, at: Double(beat) * 10, level: -60) }
    let identity = try Identity(written: Text<64>("address:c0:00:00:00:00:01").bytes)
    _ = zones(rig)
    rig.wait(until: 180)
    rig.gateway.publishProximity(of: identity, at: Instant(microseconds: 180_000_000))
    #expect(zones(rig) == ["01 near"])
    rig.wait(until: 211)
    rig.gateway.publishProximity(of: identity, at: Instant(microseconds: 211_000_000))
    #expect(zones(rig) == ["01 unknown", "01 unknown"])
  }

  @Test("a fast one has gone after stale_s") func fast() {
    var rig = rig()
    for beat in 0..<50 { rig.hear(1, at: Double(beat) / 5, level: -60) }
    _ = zones(rig)
    rig.wait(until: 24.7)
    #expect(zones(rig) == [])
    rig.wait(until: 24.9)
    #expect(zones(rig) == ["01 unknown"])
  }

  @Test("what was published while the line was down is published again: who has gone at once, who is here with the next advert")
  func missed() {
    var rig = rig { $0.publish.interval = .hours(1) }
    rig.gateway.connected(false, at: .zero)
    for beat in 0..<50 {
      for device in 1...3 as ClosedRange<UInt8> { rig.hear(device, at: Double(beat) / 5, level: device == 3 ? -85 : -60) }
    }
    #expect(Set(zones(rig)) == ["01 near", "02 near", "03 far"])
    // One goes, the others stay.
    for beat in 50..<200 {
      for device in 2...3 as ClosedRange<UInt8> { rig.hear(device, at: Double(beat) / 5, level: device == 3 ? -85 : -60) }
    }
    #expect(zones(rig) == ["01 unknown"])
    rig.gateway.connected(true, at: Instant(microseconds: 40_000_000))
    #expect(zones(rig) == ["01 unknown"])
    for beat in 201..<250 {
      for device in 2...3 as ClosedRange<UInt8> { rig.hear(device, at: Double(beat) / 5, level: device == 3 ? -85 : -60) }
    }
    #expect(Set(zones(rig)) == ["02 near", "03 far"])
    // Two minutes later everybody knows that the first has gone.
    for (second, isConnected) in [(160, false), (161, true)] as [(Int64, Bool)] {
      rig.gateway.connected(isConnected, at: Instant(microseconds: second * 1_000_000))
    }
    #expect(!zones(rig).contains("01 unknown"))
  }

  @Test("who makes room for others is near no more") func evicted() {
    var rig = rig()
    rig.hear(1, at: 1, level: -60)
    #expect(zones(rig) == ["01 near"])
    for device in 2...80 as ClosedRange<UInt8> { rig.hear(device, at: 2, level: -60) }
    #expect(zones(rig).contains("01 unknown"))
  }

  @Test("new zones hold at once for who stands still") func zones() {
    var rig = rig { $0.publish.interval = .hours(1) }
    for beat in 0..<50 { rig.hear(1, at: Double(beat) / 5, level: -62) }
    #expect(zones(rig).last == "01 near")
    var next = Settings()
    next.gateway.devices = 64
    next.addRegion("hall")
    next.zones.edges = .levels(immediate: Decibels(-65), near: Decibels(-90))
    rig.gateway.reload(next, at: Instant(microseconds: 11_000_000))
    rig.hear(1, at: 11.1, level: -62)
    #expect(zones(rig) == ["01 immediate"])
  }
}
