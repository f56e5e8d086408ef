import Testing

@testable import Core

@Suite("One advert of a stranger that claims another power for a customer's beacon") struct ForgedPowerTests {
  private static func beacon(_ power: Int8) -> [UInt8] {
    [2, 1, 6, 0x1A, 0xFF, 0x4C, 0, 2, 0x15] + [UInt8](repeating: 0x2F, count: 16) + [0, 7, 0, 1, UInt8(bitPattern: power)]
  }

  /// The beacon is far away, comes to the pump and stands; the forged advert comes before, from afar.
  private func fires(_ forged: Int8?, standingAt level: Int8) -> Int {
    var rig = Rig { $0.addTrigger("pump") }
    for tenth in 0..<600 {
      let time = 10 + Double(tenth) / 10
      rig.hear(1, at: time, level: time < 40 ? -92 : time < 44 ? -80 : level, data: Self.beacon(-59))
      if tenth == 200, let forged { rig.hear(2, at: time + 0.05, level: -95, data: Self.beacon(forged)) }
    }
    return rig.told().count { $0.event == "fire" }
  }

  @Test("does not keep it from being served") func stronger() {
    #expect(fires(nil, standingAt: -60) == 1)
    for forged: Int8 in [-21, -40] { #expect(fires(forged, standingAt: -60) == 1, "\(forged)") }
  }

  @Test("does not bring it nearer") func weaker() {
    #expect(fires(nil, standingAt: -70) == 0)
    for forged: Int8 in [-88, -70] { #expect(fires(forged, standingAt: -70) == 0, "\(forged)") }
  }
}
