import Testing

@testable import Core

@Suite("A radio that recovers again and again") struct ControllerRelapseTests {
  @Test("a line that breaks twice a second is degraded, until it has held for a second") func brokenLines() {
    var line = ModelLine()
    line.run(for: .seconds(10))
    for _ in 0..<20 {
      line.run(for: .milliseconds(500))
      line.breakLine()
    }
    line.run(for: .milliseconds(900))
    #expect(line.controller.condition == .degraded(.lineLost), "\(line.conditions.suffix(8))")
    line.run(for: .seconds(3))
    #expect(line.controller.condition == .scanning)
  }

  @Test("a scan that dies again some seconds after each rescan is degraded, until it has held for half a minute", arguments: [1, 5, 20])
  func relapses(pause: Double) {
    var line = ModelLine.lively()
    for time in 0..<20 {
      // Deaf for three seconds each time.
      line.model.deafUntil = .rescan
      line.run(for: .seconds(3.2 + pause))
      let isEarly = time < 3
      #expect((line.controller.condition == .scanning) == isEarly, "\(time): \(line.conditions.suffix(4))")
    }
    #expect(line.controller.recoveries.degradations == 1 && line.controller.recoveries.resets == 17)
    line.run(for: .seconds(29 - pause))
    #expect(line.controller.condition == .degraded(.silent))
    line.run(for: .seconds(2))
    #expect(line.controller.condition == .scanning)
    // A single silence is none of that.
    line.model.deafUntil = .rescan
    line.run(for: .seconds(3.5))
    #expect(line.controller.condition == .scanning && line.controller.recoveries.degradations == 1)
  }

  @Test("hardware errors every 100 ms are one fault, reported once; it is over after a second of listening") func hardwareErrors() {
    var line = ModelLine.lively()
    let told = line.conditions.count
    for _ in 0..<400 {
      line.model.restart()
      line.say([4, 0x10, 1, 0x42])
      line.run(for: .milliseconds(100))
    }
    #expect(line.controller.condition == .degraded(.hardwareError) && line.conditions.count - told < 12, "\(line.conditions.suffix(20))")
    #expect(line.controller.recoveries.hardwareErrors == 400)
    line.run(for: .seconds(2))
    #expect(line.controller.condition == .scanning && line.conditions.count - told < 13)
    #expect(line.controller.recoveries.cures < 6)
  }
}
