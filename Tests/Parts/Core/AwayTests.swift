import Testing

@testable import Core

/// Whoever was served, or may have been, is not served again before it has been away.
@Suite("Who has not been away") struct AwayTests {
  private func rig(_ change: (inout Settings) -> Void = { _ in }) -> Rig {
    var rig = Rig {
      $0.calibrateEverybody()
      $0.addTrigger("pump") { $0.refractory = .seconds(1) }
      change(&$0)
    }
    rig.gateway.caughtUp(at: .zero)
    return rig
  }

  private func fires(_ rig: inout Rig) -> [String] { rig.told().filter { $0.event == "fire" }.map { "\($0.id.suffix(1)) \($0.trigger)" } }

  /// Served from second 15 on, heard until 20.
  private func served(_ change: (inout Settings) -> Void = { _ in }) -> Rig {
    var rig = rig(change)
    rig.hear(from: 10, to: 15, level: -84, becoming: -60)
    rig.hear(from: 15, to: 20, level: -60)
    #expect(fires(&rig) == ["1 pump"])
    return rig
  }

  @Test("a dip of ten decibels, a silence or a reload does not make a newcomer of who was here at the start", arguments: 0..<4)
  func atStart(_ what: Int) {
    var rig = rig()
    rig.hear(from: 1, to: 30, level: -61)
    switch what {
    case 0:
      rig.hear(from: 30, to: 33, level: -72)
      rig.hear(from: 33, to: 50, level: -61)
    case 1: rig.wait(until: 37)
    case 2: rig.wait(until: 50)
    default:
      var next = Settings()
      next.gateway.devices = 64
      next.calibrateEverybody()
      next.addTrigger("pump", group: "pumps") { $0.refractory = .seconds(1) }
      rig.gateway.reload(next, at: .zero + .seconds(30))
    }
    rig.hear(from: 50, to: 70, level: -61)
    #expect(fires(&rig) == [])
    rig.hear(from: 70, to: 75, level: -61, becoming: -98)
    rig.hear(from: 75, to: 90, level: -98)
    rig.hear(from: 90, to: 95, level: -98, becoming: -60)
    rig.hear(from: 95, to: 100, level: -60)
    #expect(fires(&rig) == ["1 pump"])
  }

  @Test("who is first heard far off at the start approaches, and is served") func approaching() {
    var rig = rig()
    rig.hear(from: 1, to: 8, level: -84, becoming: -60)
    rig.hear(from: 8, to: 15, level: -60)
    #expect(fires(&rig) == ["1 pump"])
  }

  @Test("who stands there when ranging begins may have been served before nobody listened") func ranging() {
    var rig = rig { $0.gateway.authorization = .whenInUse }
    rig.gateway.startRanging(nil, for: .seconds(600), at: .zero + .seconds(8))
    rig.hear(from: 10, to: 20, level: -60)
    rig.gateway.authorize(.always, at: .zero + .seconds(20))
    rig.hear(from: 20, to: 40, level: -60)
    #expect(fires(&rig) == [])
  }

  @Test("a phone that pauses in mid-visit and is near again has not been away for a minute", arguments: [8.0, 15, 30, 59, 61])
  func pause(seconds: Double) {
    var rig = served()
    rig.hear(from: 20 + seconds, to: 50 + seconds, level: -60)
    #expect(fires(&rig) == (seconds > 60 ? ["1 pump"] : []), "\(seconds)")
  }

  @Test("nor is it known whether it was, where the radio was deaf meanwhile, or nothing ran") func unheard() {
    var rig = served()
    rig.gateway.radio(0, isDeaf: true, at: .zero + .seconds(20))
    rig.wait(until: 95)
    rig.gateway.radio(0, isDeaf: false, at: .zero + .seconds(95))
    // Later than whoever is heard at once.
    rig.hear(from: 99, to: 120, level: -60)
    #expect(fires(&rig) == [])
  }

  @Test("who was heard to go, or to come again, is served after twelve seconds", arguments: [true, false]) func wentAway(goes: Bool) {
    var rig = served()
    if goes { rig.hear(from: 20, to: 23, level: -60, becoming: -84) }
    rig.wait(until: 36)
    rig.hear(from: 36, to: 41, level: goes ? -60 : -94, becoming: -60)
    rig.hear(from: 41, to: 50, level: -60)
    #expect(fires(&rig) == ["1 pump"])
  }

  @Test("a tag that speaks every six seconds is served, where the trigger allows it", arguments: [(0.05, 1), (0.5, 0)])
  func slow(rate: Float, times: Int) {
    var rig = rig { $0.triggers[0].minimumRate = rate }
    for step in 0..<40 { rig.hear(1, at: 10 + 6 * Double(step), level: Int8(min(-84 + 4 * step, -60))) }
    #expect(fires(&rig).count == times)
  }

  @Test("whom a crowd throws out of the table of devices it keeps in mind until it may be served again", arguments: [3_600.0, 1])
  func evicted(refractory: Double) {
    var rig = served { $0.triggers[0].refractory = .seconds(refractory) }
    rig.hear(from: 20, to: 26, level: -60, becoming: -98)
    for number in 0..<200 {
      let packet = advert([UInt8(number), 1, 0, 0, 0, 0xC0], level: -70, data: [])
      rig.gateway.receive(packet.span.bytes, radio: 0, at: .zero + .seconds(26 + Double(number) / 100))
    }
    #expect(rig.gateway.devices.evictions > 100)
    _ = rig.said()
    rig.hear(from: 29, to: 50, level: -60)
    #expect(fires(&rig) == [], "it has not been away")
    rig.hear(from: 50, to: 56, level: -60, becoming: -98)
    rig.wait(until: 140)
    rig.hear(from: 140, to: 145, level: -98, becoming: -60)
    rig.hear(from: 145, to: 150, level: -60)
    #expect(fires(&rig) == (refractory > 1 ? [] : ["1 pump"]))
  }

  @Test("those who arrive together at a table that is nearly full do not throw one another out: some are served, the others counted")
  func crowd() {
    var rig = rig {
      for name in ["two", "three"] as [Name] { $0.addTrigger(name) }
      for index in $0.triggers.indices { $0.triggers[index].refractory = .seconds(3_600) }
    }
    // Sixty-four places: twenty devices at three triggers rest.
    for device in 1...20 as ClosedRange<UInt8> {
      rig.hear(device, from: 10 * Double(device), to: 10 * Double(device) + 5, level: -84, becoming: -60)
      rig.hear(device, from: 10 * Double(device) + 5, to: 10 * Double(device) + 9, level: -60)
    }
    let served = fires(&rig)
    #expect(served.count == 60, "\(served)")
    for step in 0..<80 {
      for device in 30...39 as ClosedRange<UInt8> { rig.hear(device, at: 210 + Double(step) / 10, level: Int8(min(-84 + step, -60))) }
    }
    let fired = fires(&rig)
    #expect(!fired.isEmpty && rig.gateway.encountersRefused > 0, "\(fired) \(rig.gateway.encountersRefused)")
  }
}
