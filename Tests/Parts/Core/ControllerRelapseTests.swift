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

  private static let scanTimeout: [UInt8] = [4, 0x3E, 1, 0x11]
  private static let visit: [UInt8] = [4, 0x3E, 19, 1, 0, 0x40, 0, 1, 1, 1, 2, 3, 4, 5, 0x46, 0x18, 0, 0, 0, 0x2A, 0, 0]

  @Test(
    "rescans after visits and scan timeouts do not hide that nothing is heard, however often they come",
    arguments: [(scanTimeout, 0.05), (scanTimeout, 2), (visit, 1), (visit, 2.9)] as [([UInt8], Double)])
  func interruptions(event: [UInt8], each: Double) {
    var line = ModelLine.lively()
    func interrupt(for seconds: Double) {
      for _ in 0..<Int(seconds / each) {
        line.say(event)
        line.run(for: .seconds(each))
      }
    }
    interrupt(for: 60)
    #expect(line.controller.condition == .scanning && line.controller.recoveries.resets == 0, "a lively radio is no dead one")
    line.model.deafUntil = .reset
    let heard = line.heard
    interrupt(for: 20)
    #expect(line.controller.recoveries.resets == 1 && line.heard - heard > 100 && line.controller.condition == .scanning)
    line.people = []
    interrupt(for: 30)
    #expect(line.controller.condition == .degraded(.silent), "\(line.conditions.suffix(8))")
  }

  @Test("a radio that says of no advert how strong it is cannot tell who is near, and says so; one that says it of some can")
  func mute() {
    var line = ModelLine()
    line.model.level = 127
    line.run(for: .seconds(9))
    #expect(line.controller.condition == .scanning)
    line.run(for: .seconds(5))
    #expect(line.controller.condition == .degraded(.noLevels))
    let told = line.conditions.count
    line.run(for: .seconds(700))
    #expect(line.conditions.count == told, "whatever is tried: \(line.conditions.suffix(8))")
    for _ in 0..<30 {
      line.model.level = -60
      line.run(for: .milliseconds(100))
      line.model.level = 127
      line.run(for: .seconds(5))
      #expect(line.controller.condition == .scanning)
    }
  }

  @Test("a deaf radio that was released for a while is deaf until it hears again") func released() {
    var line = ModelLine.lively()
    let people = line.people
    line.people = []
    line.run(for: .seconds(30))
    #expect(line.controller.condition == .degraded(.silent))
    let told = line.conditions.count
    line.controller.released()
    line.run(for: .seconds(60))
    #expect(!line.conditions[told...].contains { $0.isListening }, "\(line.conditions[told...])")
    line.people = people
    line.run(for: .seconds(2))
    #expect(line.controller.condition == .scanning)
    // Whoever was released while it heard begins anew.
    line.controller.released()
    line.run(for: .seconds(2))
    #expect(line.controller.condition == .scanning && line.controller.hearing.isLively)
  }
}
