import Testing

@testable import Core

@Suite("Whatever the other side does, the radio listens again") struct PeerFaultTests {
  @Test("1,000 visits by seed: silence, garbage, lies, errors, floods, slowness, disconnection, at every step", arguments: 0..<10)
  func faults(block: Int) {
    for seed in UInt64(block * 100)..<UInt64(block * 100 + 100) {
      var random = Seeded(seed)
      var bad = ModelPhone(address: 0x4A00_0000_0001, installation: 1)
      bad.deed = ModelPhone.Deed.allCases.randomElement(using: &random)!
      bad.step = ModelPhone.Step.allCases.randomElement(using: &random)!
      bad.mtu = [23, 50, 185, 247].randomElement(using: &random)!
      bad.isOutOfReach = Int.random(in: 0..<8, using: &random) == 0
      bad.level = -40
      var line = PeerLine([bad, ModelPhone(address: 0x4A00_0000_0002, installation: 2)], seed: seed) {
        $0.hold = .random(using: &random)
      }
      line.model.isExtended = .random(using: &random)
      line.aclLength = [27, 60, 251].randomElement(using: &random)!
      line.advertInterval = .milliseconds(100)
      // The bad one has been called twice.
      line.run(for: .seconds(18))
      #expect(line.identified.contains(2), "seed \(seed): the healthy one waits: \(bad.deed) at \(bad.step), \(line.news)")
      #expect(line.isScanning && line.controller.condition == .scanning, "seed \(seed): \(bad)")
      #expect(line.longestDeafness <= .milliseconds(2_700), "seed \(seed): \(line.longestDeafness.seconds) s deaf")
      #expect(line.controller.recoveries.resets == 0, "seed \(seed): no reset is needed for a bad peer")
      #expect(line.connections.count == (line.peers.client.isHolding ? 1 : 0), "seed \(seed): \(line.connections)")
      #expect(line.peers.unexpected.isEmpty && line.peers.server.link == nil)
    }
  }

  @Test(
    "a disobedient controller is reset and listens again within ten seconds",
    arguments: [0x2043, 0x200E, 0x0406] as [UInt16])
  func stuck(opcode: UInt16) {
    var line = PeerLine([ModelPhone(address: 0x4A00_0000_0001)])
    line.ignored = [opcode, opcode == 0x200E ? 0x2043 : 0]
    line.run(for: .seconds(12))
    line.ignored = []
    line.run(for: .seconds(30))
    #expect(line.identified.count >= 1 && line.isScanning && line.connections.isEmpty)
    #expect(line.longestDeafness < .seconds(10))
    #expect(opcode == 0x2043 || line.controller.recoveries.resets > 0)
  }

  @Test("a controller that fails at each connection still listens nine tenths of the time", arguments: [false, true])
  func failsAtConnect(isSilent: Bool) {
    var line = PeerLine([ModelPhone(address: 0x4A00_0000_0001)])
    line.run(for: .milliseconds(5))
    if isSilent { line.ignored = [0x2043, 0x200E] }
    for _ in 0..<30_000 {
      let before = line.opcodes.count
      line.run(for: .milliseconds(10))
      if !isSilent, line.opcodes[before...].contains(0x2043) { line.say([4, 0x10, 1, 0]) }
    }
    #expect(line.deafness.seconds < 30, "\(line.deafness.seconds) s deaf of 300")
    #expect((2..<60).contains(line.controller.recoveries.resets), "\(line.controller.recoveries.resets) resets")
  }

  @Test("a controller that never completes packets costs one conversation") func neverCompleted() {
    var line = PeerLine([ModelPhone(address: 0x4A00_0000_0001)])
    line.completes = false
    line.phones[0].mtu = 23
    line.phones[0].others = (0..<9).map { ServiceUUID(UInt64($0) << 40, 0xA) }
    line.run(for: .seconds(4))
    #expect(line.failures == [.silent] && line.isScanning && line.connections.isEmpty)
    line.completes = true
    line.run(for: .seconds(30))
    #expect(line.identified.count == 1)
  }

  @Test("a phone that demands pairing is told from one that answers nonsense", arguments: 0..<0x20 as Range<UInt8>)
  func pairing(code: UInt8) {
    // That is no error here: there are no more services.
    guard code != 0x0A else { return }
    var phone = ModelPhone(address: 0x4A00_0000_0001)
    (phone.deed, phone.step, phone.code) = (.error, .first, code)
    var line = PeerLine([phone])
    line.run(for: .seconds(1))
    #expect(line.failures == [[0x05, 0x08, 0x0F].contains(code) ? .wantsPairing : .garbled], "\(line.news)")
  }

  @Test("a connection that the controller refuses is over at once: it listens, and asks again later") func refused() {
    var line = PeerLine([ModelPhone(address: 0x4A00_0000_0001)])
    line.statuses = [0x200D: [0x0C], 0x2043: [0x0C]]
    line.run(for: .seconds(1))
    #expect(line.failures == [.refused] && line.isScanning && line.connections.isEmpty, "\(line.news)")
    line.statuses = [:]
    line.run(for: .seconds(60))
    #expect(line.identified.count == 1)
  }

  @Test("a reset in the middle of a conversation: the phone is asked again at once") func reset() {
    for milliseconds in stride(from: Int64(20), to: 300, by: 7) {
      var line = PeerLine([ModelPhone(address: 0x4A00_0000_0001)])
      line.run(for: .milliseconds(milliseconds))
      line.say([4, 0x10, 1, 0])
      line.run(for: .seconds(3))
      #expect(line.identified.count >= 1 && line.isScanning && line.connections.isEmpty, "after \(milliseconds) ms: \(line.news)")
    }
  }

  @Test("a reset in the middle of an errand: it is run again, to its end") func errandReset() {
    for milliseconds in stride(from: Int64(20), to: 300, by: 7) {
      var line = PeerLine(
        [ModelPhone(address: 0x4A00_0000_0001)], duties: PeerDuties(PeerSettings(), name: Name("gate"), errand: 0x4A00_0000_0001))
      line.run(for: .milliseconds(milliseconds))
      line.say([4, 0x10, 1, 0])
      line.run(for: .seconds(3))
      #expect(line.identified.count == 1 && line.isScanning && line.connections.isEmpty, "after \(milliseconds) ms: \(line.news)")
    }
  }

  @Test("phones that advertise seldom are read, and nineteen twentieths of the time are spent scanning", arguments: 0..<8 as Range<UInt64>)
  func seldom(seed: UInt64) {
    for (count, milliseconds, seconds) in [(5, 1_285, 60), (1, 1_000, 30), (1, 2_500, 30), (1, 4_000, 30), (20, 760, 120)] {
      let phones = (0..<count).map { ModelPhone(address: 0x4A00_0000_0100 + UInt64($0), installation: UInt32($0)) }
      var line = PeerLine(phones, seed: seed)
      line.period = .milliseconds(Int64(milliseconds))
      line.run(for: .seconds(Double(seconds)))
      #expect(Set(line.identified).count == count, "\(count) every \(milliseconds) ms: \(line.news)")
      #expect(line.deafness.seconds < 2.2 + 0.05 * Double(seconds), "\(line.deafness.seconds) s deaf")
    }
  }

  @Test("of gateways that hear a phone at the same moment, each calls it at its own, within a tenth of a second") func staggered() {
    var moments: Set<Int64> = []
    func hasCalled(_ opcodes: [UInt16]) -> Bool { opcodes.contains(0x200D) || opcodes.contains(0x2043) }
    for name in ["left", "right", "a", "b"] as [StaticString] {
      var settings = PeerSettings()
      settings.identify = true
      var line = PeerLine([ModelPhone(address: 0x4A00_0000_0001)], duties: PeerDuties(settings, name: Name(name)))
      line.opening = .seconds(2)
      while !hasCalled(line.opcodes), line.now < .zero + .seconds(5) { line.run(for: .milliseconds(1)) }
      moments.insert(line.now.microseconds)
    }
    #expect(moments.count == 4 && moments.max()! - moments.min()! <= 100_000, "\(moments)")
  }

  @Test("a phone that advertises seldom and is never reached is called three times, then less and less often") func seldomInVain() {
    var phone = ModelPhone(address: 0x4A00_0000_0001)
    phone.isOutOfReach = true
    var line = PeerLine([phone])
    line.period = .milliseconds(1_285)
    line.run(for: .seconds(600))
    #expect((3...21).contains(line.failures.count), "\(line.failures.count)")
    #expect(line.deafness.seconds < 12, "\(line.deafness.seconds) s deaf")
  }

  @Test("a crowd of phones: nine tenths of the time are spent scanning, and all are asked") func crowd() {
    var phones = (0..<200).map { ModelPhone(address: 0x4A00_0000_0100 + UInt64($0), installation: UInt32($0)) }
    // Every tenth advertises and is never reached.
    for index in stride(from: 0, to: 200, by: 10) { phones[index].isOutOfReach = true }
    var line = PeerLine(phones)
    line.advertInterval = .milliseconds(5)
    line.run(for: .seconds(60))
    #expect(line.deafness.seconds < 6, "\(line.deafness.seconds) s deaf in the first minute")
    #expect(line.identified.count > 10)
    line.advertInterval = .milliseconds(50)
    line.run(for: .seconds(540))
    #expect(line.deafness.seconds < 0.1 * 600)
    #expect(Set(line.identified).count >= 120, "\(Set(line.identified).count) of 180")
  }
}
