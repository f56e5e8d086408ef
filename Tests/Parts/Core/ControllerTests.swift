import Testing

@testable import Core

@Suite("One radio, from switching on to listening") struct ControllerTests {
  static let bringUp: [UInt16] = [0x0C03, 0x1001, 0x1009, 0x1002, 0x2003, 0x2002, 0x0C01, 0x2001]

  @Test("an extended controller is brought up once and hears at once") func extended() {
    var line = ModelLine()
    line.run(for: .seconds(1))
    #expect(line.model.log == Self.bringUp + [0x2042, 0x2041, 0x2042])
    #expect(line.conditions == [.starting, .scanning])
    #expect(line.model.parameters == [0, 0, 1, 1, 0x60, 0, 0x60, 0])
    #expect(!line.model.filtersDuplicates && line.heard > 15)
    #expect(line.controller.profile.isExtended && line.controller.profile.aclLength == 251)
    #expect(line.controller.profile.address == Address(0x0000_C0FF_EE00_0001, type: 0))
    #expect(line.controller.recoveries == Recoveries())
  }

  @Test("a legacy controller never sees an extended command") func legacy() {
    var line = ModelLine()
    line.model.isExtended = false
    line.run(for: .seconds(1))
    #expect(line.model.log == Self.bringUp + [0x200C, 0x200B, 0x200C])
    #expect(line.model.parameters == [1, 0x60, 0, 0x60, 0, 0, 0])
    #expect(line.heard > 15 && line.controller.condition == .scanning)
  }

  @Test("coded PHY shares the window with 1M where the controller has it") func coded() {
    var settings = RadioSettings()
    settings.codedPhy = true
    settings.activeScan = false
    var line = ModelLine(settings)
    line.model.hasCoded = true
    line.run(for: .seconds(1))
    #expect(line.model.parameters == [0, 0, 5, 0, 0x60, 0, 0x30, 0, 0, 0x60, 0, 0x30, 0])
    line = ModelLine(settings)
    line.run(for: .seconds(1))
    #expect(line.model.parameters == [0, 0, 1, 0, 0x60, 0, 0x60, 0])
    #expect(line.controller.condition == .scanning && line.controller.recoveries == Recoveries(), "nothing had to be refused")
    #expect(line.controller.profile.shortfalls == Shortfalls())
  }

  @Test("a controller without an address gets a random one") func randomAddress() {
    var line = ModelLine()
    line.model.address = 0
    line.run(for: .seconds(1))
    #expect(line.model.randomAddress == 0xD234_5678_9ABC)
    #expect(line.model.parameters[0] == 1 && line.controller.profile.shortfalls == .address)
    line = ModelLine()
    line.model.address = 0
    line.model.refusals[0x2005] = 0x0C
    line.run(for: .seconds(1))
    let shortfalls = line.controller.profile.shortfalls
    #expect(line.model.parameters[3] == 0 && shortfalls.contains(.address) && shortfalls.contains(.randomAddress))
    #expect(line.controller.condition == .scanning)
  }

  @Test(
    "a refused command has a named consequence, and listening goes on",
    arguments: [
      (0x1001, Shortfalls.version, true), (0x1009, .address, true), (0x1002, .commands, false), (0x2003, .features, false),
      (0x2002, .buffers, true), (0x0C01, .masks, true), (0x2001, .masks, false),
    ] as [(UInt16, Shortfalls, Bool)])
  func refusal(opcode: UInt16, shortfall: Shortfalls, isExtended: Bool) {
    var line = ModelLine()
    line.model.refusals[opcode] = 0x03
    line.run(for: .seconds(1))
    #expect(line.controller.profile.shortfalls == shortfall)
    #expect(line.controller.profile.isExtended == isExtended)
    #expect(line.controller.condition == .scanning && line.model.isScanning && line.model.mixed == 0)
    // The masks that a controller keeps may leave the reports out; then the silence is noticed.
    if opcode != 0x0C01 { #expect(line.heard > 15) }
  }

  @Test("where Low Energy has no buffers of its own, connections use those that it shares", arguments: [false, true])
  func sharedBuffers(isRefused: Bool) {
    var line = ModelLine()
    line.model.sharesBuffers = true
    line.model.refusals[0x1005] = isRefused ? 0x01 : nil
    line.run(for: .seconds(1))
    let profile = line.controller.profile
    #expect(profile.aclLength == (isRefused ? 0 : 310) && profile.aclCount == (isRefused ? 0 : 10))
    #expect(profile.shortfalls.contains(.buffers) == isRefused && line.controller.condition == .scanning)
  }

  @Test("a controller that accepts no more commands and never says that it does again is reset, though it goes on hearing")
  func acceptsNothing() {
    var line = ModelLine()
    line.run(for: .seconds(1))
    line.say([4, 0x0E, 3, 0, 0, 0])
    line.run(for: .seconds(1.5))
    #expect(line.controller.recoveries.resets == 0 && line.controller.condition == .scanning)
    line.run(for: .seconds(2))
    #expect(line.controller.recoveries.resets == 1 && line.controller.recoveries.unanswered == 1)
    #expect(line.controller.condition == .scanning && line.model.isScanning)
    line.say([4, 0x0E, 3, 0, 0, 0])
    line.run(for: .seconds(1))
    line.say([4, 0x0E, 3, 1, 0, 0])
    line.run(for: .seconds(5))
    #expect(line.controller.recoveries.unanswered == 1, "it said so in time")
  }

  @Test(
    "an unanswered command is answered after a reset or a reopening",
    arguments: [
      0x0C03, 0x1001, 0x1009, 0x1002, 0x2003, 0x2002, 0x0C01, 0x2001, 0x2042, 0x2041,
    ] as [UInt16])
  func unanswered(opcode: UInt16) {
    var line = ModelLine()
    line.model.swallowed = [opcode]
    line.run(for: .seconds(10))
    #expect(!line.controller.condition.isListening)
    #expect(line.controller.condition == .degraded(.notAnswering))
    #expect(line.controller.recoveries.resets == 1 && line.controller.recoveries.reopens >= 2)
    line.model.swallowed = []
    line.run(for: .seconds(5))
    #expect(line.controller.condition == .scanning && line.model.isScanning)
  }

  @Test("extended scanning that stays refused is given up for legacy, after a reset, never mixed") func extendedRefused() {
    var line = ModelLine()
    line.model.refusals[0x2041] = 0x11
    line.run(for: .seconds(3))
    #expect(line.controller.condition == .scanning && !line.controller.profile.isExtended)
    #expect(line.controller.profile.shortfalls == .extended && line.model.mixed == 0 && line.model.family == false)
    #expect(line.controller.recoveries.resets == 2)
  }

  @Test("coded scanning that is refused is given up for 1M") func codedRefused() {
    var settings = RadioSettings()
    settings.codedPhy = true
    var line = ModelLine(settings)
    line.model.hasCoded = true
    line.fate = { line, bytes in
      // Only with both PHYs.
      line.model.refusals[0x2041] = bytes.starts(with: [1, 0x41, 0x20, 13]) ? 0x11 : nil
      return [(.zero, bytes)]
    }
    line.run(for: .seconds(1))
    #expect(line.controller.profile.shortfalls == .coded && line.controller.condition == .scanning)
  }

  @Test("scanning that stays refused is reported as degraded and retried") func scanRefused() {
    var line = ModelLine()
    line.model.refusals[0x2042] = 0x1F
    line.model.refusals[0x200C] = 0x1F
    line.run(for: .seconds(20))
    #expect(line.controller.condition == .degraded(.refusing))
    line.model.refusals = [:]
    line.run(for: .seconds(5))
    #expect(line.controller.condition == .scanning)
  }

  @Test("a controller without Low Energy is reported as such") func noLowEnergy() {
    var line = ModelLine()
    line.model.refusals[0x2003] = 0x01
    line.run(for: .seconds(10))
    #expect(line.conditions.contains(.failed(.noLowEnergy)))
  }

  @Test("no command is sent while the controller takes none") func credits() {
    var line = ModelLine()
    line.model.credits = 0
    line.run(for: .milliseconds(500))
    #expect(line.model.log == [0x0C03])
    line.model.credits = 1
    // Command Complete of no command: the controller takes one again.
    line.say([4, 0x0E, 3, 1, 0, 0])
    line.run(for: .milliseconds(500))
    #expect(line.controller.condition == .scanning && line.controller.recoveries.unanswered == 0)
  }

  @Test("on a shared adapter nothing is reset and no mask touched") func shared() {
    var line = ModelLine(isShared: true)
    line.run(for: .seconds(1))
    #expect(line.model.log == [0x1001, 0x1009, 0x1002, 0x2003, 0x2002, 0x2042, 0x2041, 0x2042])
    #expect(line.controller.condition == .scanning && line.heard > 10)
    // bluetoothd ends its discovery.
    line.send([1, 0x42, 0x20, 6, 0, 0, 0, 0, 0, 0])
    line.run(for: .seconds(1))
    #expect(line.model.isScanning && line.controller.recoveries.rescans == 1)
  }

  @Test("each thing that a controller refuses is told from each other, whatever else it refuses") func shortfalls() {
    let all: [Shortfalls] = [.version, .address, .commands, .features, .buffers, .masks, .randomAddress, .extended, .coded]
    for number in 0..<1 << all.count {
      var some = Shortfalls()
      for (bit, one) in all.enumerated() where number >> bit & 1 != 0 { some.insert(one) }
      for (bit, one) in all.enumerated() {
        let isRefused = number >> bit & 1 != 0
        #expect(some.contains(one) == isRefused && (some.intersection(one) == one) == isRefused, "\(bit) of \(number)")
        var rest = some
        rest.remove(one)
        #expect(!rest.contains(one) && (rest == some) == !isRefused, "\(bit) of \(number)")
      }
    }
  }
}
