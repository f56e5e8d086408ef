import Testing

@testable import Core

@Suite("A radio that went deaf hears again") struct ControllerRecoveryTests {
  @Test(
    "a scan that stopped silently is resumed by the cheapest remedy that helps",
    arguments: [
      (Remedy.rescan, 1, 0, 0, 3.2), (.reset, 1, 1, 0, 7.3), (.reopen, 1, 1, 1, 11.8),
    ] as [(Remedy, UInt32, UInt32, UInt32, Double)])
  func dies(cure: Remedy, rescans: UInt32, resets: UInt32, reopens: UInt32, within: Double) {
    var line = ModelLine.lively()
    line.model.deafUntil = cure
    line.run(for: .seconds(within))
    let heard = line.heard
    line.run(for: .seconds(1))
    #expect(line.heard > heard + 10 && line.controller.condition == .scanning)
    let done = line.controller.recoveries
    #expect(done.rescans == rescans && done.resets == resets && done.reopens == reopens && done.degradations == 0)
    #expect(line.conditions.contains(.recovering(.silent)) == (cure != .rescan))
  }

  @Test("a radio that no remedy helps is reported, keeps trying, and recovers with the first advert") func incurable() {
    var line = ModelLine.lively()
    line.model.stopScanning()
    line.fate = { _, bytes in bytes[0] == 4 && bytes[1] == 0x3E ? [] : [(.zero, bytes)] }
    line.run(for: .seconds(60))
    #expect(line.controller.condition == .degraded(.silent))
    #expect(line.conditions.suffix(2) == [.recovering(.silent), .degraded(.silent)])
    line.fate = { _, bytes in [(.zero, bytes)] }
    line.run(for: .seconds(5))
    #expect(line.controller.condition == .scanning && line.controller.recoveries.degradations == 1)
  }

  @Test("ten minutes after a crowd fell silent the delays between remedies grow, but only an advert ends the fault") func crowdLeaves() {
    var line = ModelLine.lively()
    line.people = []
    line.run(for: .seconds(605))
    let tried = line.controller.recoveries.rescans
    line.run(for: .seconds(3_600))
    #expect(line.controller.condition == .degraded(.silent))
    #expect(line.controller.recoveries.rescans - tried < 20)
    line.people = [7]
    line.run(for: .seconds(1))
    #expect(line.controller.condition == .scanning)
  }

  @Test("a line that is lost is opened again soon, then ever later; once it has listened the delays begin anew") func delays() {
    var line = ModelLine.lively()
    for _ in 0..<3 {
      line.refusal = .noAdapter
      line.breakLine()
      var opens: [Int] = []
      for _ in 0..<10 {
        let before = line.opens
        line.run(for: .seconds(2))
        opens.append(line.opens - before)
      }
      #expect((3...4).contains(opens[0]) && opens.dropFirst(2).allSatisfy { $0 == 1 }, "\(opens)")
      line.refusal = nil
      line.run(for: .seconds(30))
      #expect(line.controller.condition == .scanning)
    }
  }

  @Test("when the only device leaves, the radio is only quiet, and hardly a remedy is tried") func oneLeaves() {
    var line = ModelLine()
    line.people = [1]
    line.run(for: .seconds(120))
    #expect(line.controller.recoveries == Recoveries())
    line.people = []
    line.run(for: .seconds(12 * 3_600))
    #expect(line.conditions == [.starting, .scanning, .quiet])
    let done = line.controller.recoveries
    #expect(done.rescans < 200 && done.resets < 40 && done.reopens < 5)
  }

  @Test("a day without any device costs one rescan in five minutes", arguments: [false, true]) func emptyYard(isShared: Bool) {
    var line = ModelLine(isShared: isShared)
    line.people = []
    line.run(for: .seconds(86_400))
    let done = line.controller.recoveries
    #expect(line.controller.condition == .quiet && done.rescans + done.resets + done.reopens < 340)
    if isShared { #expect(done.resets == 0 && done.reopens < 6) }
  }

  @Test("a beacon at 1 Hz with 40 % loss triggers no remedy") func sparse() {
    var line = ModelLine()
    line.people = [1]
    line.advertInterval = .seconds(1)
    var random = Seeded(4)
    line.fate = { _, bytes in bytes[0] == 4 && bytes[1] == 0x3E && Double.random(in: 0..<1, using: &random) < 0.4 ? [] : [(.zero, bytes)] }
    line.run(for: .seconds(3_600))
    #expect(line.controller.recoveries.rescans < 60 && line.controller.recoveries.resets == 0)
    #expect(line.conditions == [.starting, .scanning])
  }

  @Test("a hardware error is answered with a reset") func hardwareError() {
    var line = ModelLine.lively()
    line.model.restart()
    line.say([4, 0x10, 1, 0x42])
    line.run(for: .seconds(0.5))
    #expect(line.controller.condition == .scanning && line.model.isScanning)
    #expect(line.controller.recoveries.hardwareErrors == 1 && line.controller.recoveries.resets == 1)
    #expect(line.conditions.suffix(2) == [.recovering(.hardwareError), .scanning])
  }

  @Test("reports without a level are not heard: what is deaf so is reset") func levelless() {
    var line = ModelLine()
    line.run(for: .seconds(120))
    line.fate = { _, bytes in
      var bytes = bytes
      if bytes.count > 20, bytes[0] == 4, bytes[1] == 0x3E { bytes[bytes[3] == 0x0D ? 18 : bytes.count - 1] = 127 }
      return [(.zero, bytes)]
    }
    line.run(for: .seconds(20))
    #expect(line.controller.recoveries.resets > 0 && line.conditions.contains(.recovering(.silent)))
  }

  @Test(
    "false headers on a line swallow no packets; where they do, the radio is degraded meanwhile",
    arguments: [
      ([4, 0x3E, 0xFF], false), ([4, 0x3E, 0xFF, 2], true),
    ] as [([UInt8], Bool)]) func falseHeaders(header: [UInt8], deafens: Bool)
  {
    var line = ModelLine()
    line.isStream = true
    line.run(for: .seconds(5))
    let heard = line.heard
    for _ in 0..<1_000 {
      line.say(header)
      line.run(for: .milliseconds(20))
    }
    #expect((line.heard > heard + 200) != deafens, "\(line.heard - heard)")
    #expect(line.conditions.contains { if case .degraded = $0 { true } else { false } } == deafens, "\(line.conditions)")
    line.run(for: .seconds(25))
    #expect(line.controller.condition == .scanning, "\(line.conditions.suffix(5))")
  }

  @Test("a remedy on suspicion does not count as a cure") func suspicion() {
    var line = ModelLine()
    line.people = []
    line.run(for: .seconds(3_600))
    #expect(line.controller.recoveries.rescans > 10 && line.controller.recoveries.cures == 0)
    line.breakLine(.lineLost)
    line.run(for: .seconds(10))
    #expect(line.controller.recoveries.cures == 1)
  }

  @Test(
    "a broken line is reopened, and the obstacle is reported",
    arguments: [
      (.lineLost, .degraded(.lineLost)), (.noAdapter, .degraded(.noAdapter)), (.bluetoothd, .degraded(.bluetoothd)),
      (.blocked, .degraded(.blocked)), (.noPermission, .failed(.noPermission)), (.noBluetooth, .failed(.noBluetooth)),
    ] as [(Trouble, Condition)], [0.1, 7, 300])
  func breaks(case expected: (Trouble, Condition), seconds: Double) {
    var line = ModelLine.lively()
    line.refusal = expected.0
    line.breakLine(expected.0)
    line.run(for: .seconds(seconds))
    #expect(line.controller.condition == expected.1)
    line.refusal = nil
    line.model.restart()
    line.run(for: .seconds(5))
    #expect(line.controller.condition == .scanning && line.model.isScanning)
    #expect(line.opens < 10 + Int(seconds))
  }

  @Test(
    "scanning stops for a connection and resumes, however the connection ends",
    arguments: [
      // Refused; connected; failed.
      [4, 0x0F, 4, 0x0C, 1, 0x0D, 0x20], [4, 0x3E, 19, 1, 0, 0x40, 0, 0, 1, 1, 2, 3, 4, 5, 6, 24, 0, 0, 0, 72, 0, 0],
      [4, 0x3E, 19, 1, 2, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0],
    ] as [[UInt8]])
  func connects(end: [UInt8]) {
    var line = ModelLine()
    line.model.isExtended = false
    line.run(for: .seconds(2))
    let connect: [UInt8] = [1, 0x0D, 0x20, 0]
    line.model.swallowed = [0x200D]
    guard case .first = line.offer(connect) else { return #expect(Bool(false), "scanning did not make way") }
    line.run(for: .milliseconds(20))
    #expect(!line.model.isScanning)
    guard case .pass = line.offer(connect) else { return #expect(Bool(false), "the command was held up") }
    line.run(for: .milliseconds(100))
    #expect(!line.model.isScanning)
    // Meanwhile the controller takes nothing more.
    guard case .later = line.offer([1, 0x06, 0x20, 0]) else { return #expect(Bool(false), "it overran the controller") }
    if end[1] == 0x3E {
      line.say([4, 0x0F, 4, 0, 1, 0x0D, 0x20])
      line.run(for: .milliseconds(100))
      #expect(!line.model.isScanning && line.controller.recoveries == Recoveries(), "it was accepted")
    }
    line.say(end)
    line.run(for: .milliseconds(100))
    #expect(line.model.isScanning && line.controller.condition == .scanning)
    #expect(line.controller.recoveries.resets == 0)
  }

  @Test("an endless connection attempt is ended by a reset") func connectsForEver() {
    var line = ModelLine()
    line.run(for: .seconds(2))
    line.model.swallowed = [0x2043]
    _ = line.offer([1, 0x43, 0x20, 0])
    line.run(for: .milliseconds(20))
    _ = line.offer([1, 0x43, 0x20, 0])
    line.run(for: .seconds(11))
    #expect(line.model.isScanning && line.controller.recoveries.resets == 1)
  }

  @Test(
    "commands of other programs that would make the radio deaf are refused",
    arguments: [0x0C03, 0x200B, 0x200C, 0x2041, 0x2042] as [UInt16])
  func strangers(opcode: UInt16) {
    var line = ModelLine()
    line.run(for: .seconds(1))
    let offer = line.offer([1, UInt8(truncatingIfNeeded: opcode), UInt8(opcode >> 8), 0])
    guard case .refuse = offer else { return #expect(Bool(false), "it passed") }
    #expect(line.controller.recoveries.turnedAway == 1)
  }

  @Test("queued commands wait while the controller accepts none, and an unanswered one is noticed") func othersWait() {
    var line = ModelLine()
    line.run(for: .seconds(1))
    line.model.swallowed = [0x2006]
    guard case .pass = line.offer([1, 0x06, 0x20, 0]) else { return #expect(Bool(false), "it was held up") }
    guard case .later = line.offer([1, 0x06, 0x20, 0]) else { return #expect(Bool(false), "it overran the controller") }
    line.run(for: .seconds(3))
    #expect(line.controller.recoveries.unanswered == 1 && line.controller.recoveries.resets == 1)
    #expect(line.controller.condition == .scanning)
  }

  @Test("a truncated packet is lost alone") func cutShort() {
    var line = ModelLine.lively()
    let heard = line.heard
    var cut = false
    line.fate = { _, bytes in
      defer { cut = true }
      return cut ? [(.zero, bytes)] : [(.zero, Array(bytes.prefix(bytes.count / 2)))]
    }
    line.run(for: .seconds(10))
    #expect(line.heard > heard + 190 && line.controller.recoveries == Recoveries())
  }

  @Test("a radio's condition has the name that subscribers know") func names() {
    let conditions: [Condition] = [
      .opening, .starting, .scanning, .quiet, .recovering(.silent), .degraded(.silent), .failed(.silent), .ended, .off,
    ]
    let names = ["opening", "starting", "scanning", "quiet", "recovering", "degraded", "failed", "ended", "off"]
    #expect(conditions.map { $0.name.description } == names)
  }
}
