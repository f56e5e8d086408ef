import Testing

@testable import Core

@Suite("A trigger that names no radio, where there are several") struct SeveralRadioTests {
  private func rig() -> Rig {
    Rig {
      $0.calibrateEverybody()
      $0.addRadios(2)
      $0.addTrigger("door")
    }
  }

  @Test("radios that hear a device nearly alike do not take turns: it would never seem to move", arguments: 0..<20 as Range<UInt64>)
  func alike(seed: UInt64) {
    var rig = rig()
    var random = Seeded(seed)
    var radios: [Int8] = []
    // It comes, is as near as 1 m after four seconds, and goes.
    for step in 0..<80 {
      for radio in 0..<2 {
        let level = -60 - (Double(step) - 40).magnitude / 2 + .random(in: -3...3, using: &random)
        rig.hear(1, at: 5 + Double(step) / 10 + Double(radio) / 100, level: Int8(level), radio: radio)
      }
      radios.append(rig.gateway.triggers.encounters[0].radio)
    }
    let changes = zip(radios, radios.dropFirst()).count { $0 != $1 }
    #expect(changes <= 1 && rig.gateway.triggers.encounters[0].approach.samples > 60, "\(changes)")
  }

  @Test("one that hears the device better by 6 dB takes over, and its level counts") func better() {
    var rig = rig()
    for step in 0..<200 {
      let near: Int8 = step < 100 ? -75 : -55
      rig.hear(1, at: 5 + Double(step) / 10, level: -65, radio: 0)
      rig.hear(1, at: 5.02 + Double(step) / 10, level: near, radio: 1)
      if step == 99 { #expect(rig.gateway.triggers.encounters[0].radio == 0) }
    }
    #expect(rig.gateway.triggers.encounters[0].radio == 1)
    #expect((rig.gateway.triggers.encounters[0].approach.level.value + 55).magnitude < 0.5)
  }

  @Test("one that hears nothing any more is replaced once its average is stale") func silent() {
    var rig = rig()
    for step in 0..<200 {
      if step < 40 { rig.hear(1, at: 5 + Double(step) / 10, level: -60, radio: 0) }
      rig.hear(1, at: 5.02 + Double(step) / 10, level: -64, radio: 1)
    }
    #expect(rig.gateway.triggers.encounters[0].radio == 1)
  }

  @Test("how long a device may be silent in a region goes by the radio that hears it, not by one that did") func silence() {
    var rig = Rig {
      $0.addRadios(2)
      $0.addRegion("yard")
    }
    for step in 0..<50 { rig.hear(1, at: 1 + Double(step) / 10, level: -60, radio: 1) }
    for step in 0..<30 { rig.hear(1, at: 6 + Double(step) * 6, level: -60, radio: 0) }
    #expect(rig.said().count { $0.payload.contains(#""event":"exit""#) } <= 2)
  }
}
