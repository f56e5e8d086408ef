import Testing

@testable import Core

/// A radio that stops listening for a connection attempt cannot have heard who came meanwhile.
extension CompetenceTests {
  @Test("while a radio pauses, and a second later, its gateway answers for nobody whom it has not just heard") func paused() {
    var rig = beside()
    rig.gateway.caughtUp(at: .zero)
    func told(pausedAt begin: Double, until end: Double) -> [Bool] {
      rig.gateway.radio(0, isPaused: true, at: at(begin))
      var told = [answer(&rig, at: begin + 0.1) != nil]
      if end - begin > 0.6 { told.append(answer(&rig, at: begin + 0.6) != nil) }
      rig.gateway.radio(0, isPaused: false, at: at(end))
      for after in [0.1, 0.9, 1.1] { told.append(answer(&rig, at: end + after) != nil) }
      return told
    }
    #expect(told(pausedAt: 10, until: 12) == [true, false, false, false, true])
    #expect(told(pausedAt: 20, until: 20.4) == [true, true, true, true], "too short to hide all that a fire needs")
    rig.hear(from: 29, to: 30, level: -90)
    #expect(told(pausedAt: 30, until: 31) == [true, true, true, false, true], "known for two seconds")
    rig.hear(from: 40, to: 41, level: -90)
    rig.gateway.radio(0, isPaused: true, at: at(43))
    rig.gateway.radio(0, isPaused: false, at: at(45))
    #expect(answer(&rig, at: 45.2) == nil)
    rig.hear(from: 45.3, to: 45.4, level: -90)
    #expect(answer(&rig, at: 45.5) != nil)
  }

  @Test("nor does a trigger fire for who may stand at another of its gateway, whose radio pauses", arguments: [false, true])
  func pausedBeside(isPaused: Bool) {
    var rig = Rig {
      $0.calibrateEverybody()
      $0.addRadios(2)
      for radio in 0..<2 { $0.addTrigger(radio == 0 ? "one" : "two", group: "pumps", radio: Int8(radio)) }
    }
    rig.gateway.caughtUp(at: .zero)
    rig.gateway.radio(1, isPaused: isPaused, at: at(9.9))
    var fired: [String] = []
    for step in 0..<100 {
      let time = 10 + Double(step) / 10
      if step == 20 { rig.gateway.radio(1, isPaused: false, at: at(time)) }
      rig.hear(1, at: time, level: -60, radio: 0)
      if step >= 20 || !isPaused { rig.hear(1, at: time + 0.01, level: -50, radio: 1) }
      fired += rig.told().filter { $0.event == "fire" }.map(\.trigger)
    }
    #expect(fired == ["two"])
  }
}
