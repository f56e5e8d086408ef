import Testing

@testable import Core

@Suite("More devices than the table holds") struct CrowdedTableTests {
  private func rig(_ change: @escaping (inout TriggerSettings) -> Void = { _ in }) -> Rig {
    Rig {
      $0.calibrateEverybody()
      $0.addTrigger("pump", change)
    }
  }

  /// The driver comes, stands until the end, and is heard once a second. From the start of the crowd on `count` others are heard, too.
  private func fires(
    _ rig: inout Rig, until end: Double, crowd: ClosedRange<Double>, of count: Int, level: Int8 = -85
  ) -> [Double] {
    var fires: [Double] = []
    for step in 0..<Int(end - 5) * 10 {
      let time = 5 + Double(step) / 10
      if step % 10 == 0 { rig.hear(1, at: time, level: Int8(min(-88 + step / 2, -58))) }
      if crowd.contains(time) {
        for other in stride(from: step % 10, to: count, by: 10) { rig.hear(UInt8(other + 2), at: time + 0.01, level: level) }
      }
      fires += rig.told().filter { $0.event == "fire" && $0.id.hasSuffix(":01") }.map { _ in time }
    }
    return fires
  }

  @Test("who stands at the pump is served once, however long they are too many", arguments: [-85, -58] as [Int8])
  func standing(level: Int8) {
    var rig = rig()
    #expect(fires(&rig, until: 240, crowd: 40...140, of: 75, level: level).count == 1)
  }

  @Test("who comes while they pass far off is served, and those who made room are counted") func coming() {
    var rig = rig()
    #expect(fires(&rig, until: 60, crowd: 0...60, of: 75, level: -95).count == 1)
    #expect(rig.gateway.evictedHere == 0)
    var near = self.rig()
    _ = fires(&near, until: 60, crowd: 0...60, of: 75, level: -58)
    #expect(near.gateway.evictedHere > 0)
    var inside = Rig { $0.addRegion("yard") }
    for device in 1...75 as ClosedRange<UInt8> { inside.hear(device, at: 5 + Double(device) / 100) }
    #expect(inside.gateway.evictedHere == 75 - 64)
  }

  @Test("the next one of a list is the one heard after it") func order() {
    let loan = Loan(bytes: EvictionOrder.bytes(for: 4))
    var arena = loan.arena
    var order = EvictionOrder(slots: 4, in: &arena)
    for slot in [3, 0, 2] { order.touch(slot, in: .matched) }
    #expect(order.oldest(of: .matched) == 3 && order.newer(than: 3) == 0 && order.newer(than: 0) == 2 && order.newer(than: 2) == nil)
  }

  @Test("a device that returns and makes room again and again takes one line of those that rest") func returning() {
    var rig = rig { $0.refractory = .seconds(600) }
    #expect(fires(&rig, until: 30, crowd: 0...0, of: 0).count == 1)
    // It has left. Twenty others come close and far away, round after round, and each makes room for the rest.
    rig.wait(until: 100)
    for round in 0..<60 {
      for other in 2..<90 as Range<UInt8> { rig.hear(other, at: 100 + Double(round) + Double(other) / 100, level: -58) }
    }
    let (count, most) = (rig.gateway.triggers.recent.count, 90)
    #expect(count <= most, "\(count)")
    _ = rig.told()
    for step in 0..<200 { rig.hear(1, at: 240 + Double(step) / 10, level: Int8(min(-88 + step, -58))) }
    #expect(!rig.told().contains { $0.event == "fire" && $0.id.hasSuffix(":01") })
  }
}
