import Testing

@testable import Core

@Suite("What a visit may teach about a power") struct LearntPowerRuleTests {
  private static let assumed = Decibels(-59)
  private static let somebody = Identity(installation: 1)

  /// What is believed after these visits: by levels, by the pattern, and in how many changes.
  private func believed(
    _ visits: [Float], isPattern: Bool = false, unserved: Set<Int> = []
  ) -> (power: Float?, record: LearntPowers.Record?, changes: UInt64) {
    let loan = Loan(bytes: LearntPowers.bytes)
    var arena = loan.arena
    var powers = LearntPowers(seed: 7, in: &arena)
    for (number, power) in visits.enumerated() {
      powers.learn(
        Decibels(power), of: Self.somebody, assumed: Self.assumed, wasServed: !unserved.contains(number), isPattern: isPattern)
    }
    return (powers.power(of: Self.somebody, assumed: Self.assumed)?.value, powers.record(of: Self.somebody), powers.changes)
  }

  @Test("a power is plausible from 8 dB below what is assumed to 20 dB above; the pattern believes 24 dB below") func bounds() {
    for (power, isTaken) in [(-67, true), (-67.01, false), (-39, true), (-38.99, false)] as [(Float, Bool)] {
      #expect((believed([power, power]).power != nil) == isTaken && (believed([power]).record != nil) == isTaken, "\(power)")
    }
    for (power, isTaken) in [(-83, true), (-83.01, false), (-39, true), (-38.99, false)] as [(Float, Bool)] {
      #expect((believed([power], isPattern: true).record != nil) == isTaken, "\(power)")
    }
    #expect(believed([-67.01, -67.01], isPattern: true).power == nil && believed([-67, -67], isPattern: true).power == -67)
  }

  @Test("one visit suffices for what is stronger than assumed, otherwise two") func visits() {
    #expect(believed([-58.99]).power == -58.99 && believed([-59]).power == nil && believed([-59, -59]).power == -59)
    #expect(believed([-59]).record?.visits == 1 && believed([]).record == nil && believed([]).changes == 0)
  }

  @Test("visits agree within 6 dB; one that does not begins anew, or withdraws if nobody was served") func agreement() {
    #expect(believed([-60, -54]).power == -57 && believed([-60, -66]).power == -63)
    #expect(believed([-60, -53.99]).power == -53.99 && believed([-60, -53.99]).record?.visits == 1)
    #expect(believed([-60, -60, -53.99], unserved: [2]).record == nil && believed([-60, -60, -53.99], unserved: [2]).power == nil)
    #expect(believed([-60, -60, -54], unserved: [2]).power == -60)
    #expect(believed([-60, -54]).changes == 2 && believed([-60, -60, -53], unserved: [2]).changes == 3)
    #expect(believed([-60, -60], unserved: [1]).changes == 1 && believed([-60], unserved: [0]).changes == 0)
    // What was withdrawn is learnt again, as if for the first time.
    #expect(believed([-60, -60, -53, -53], unserved: [2]).record?.visits == 1)
  }

  @Test("the mean is that of all visits, and from the eighth on an eighth of the way to each") func means() {
    #expect(believed([-60, -62, -64]).power == -62)
    for count in 1...12 {
      let visits = [Float](repeating: -62, count: count) + [-58]
      let counted = Float(min(count + 1, 8))
      #expect((believed(visits).power! - (-62 + 4 / counted)).magnitude < 0.001 && believed(visits).record?.visits == UInt8(counted))
    }
  }
}

@Suite("Where a power comes from") struct PowerSourceTests {
  /// From the worst source to the best.
  private static let sources: [(source: MeasuredPower, isImprecise: Bool)] = [
    (.assumed(Decibels(-59)), true), (.transmitted(Decibels(-60)), true), (.learnt(Decibels(-61), transmitted: 0), true),
    (.advertised(Decibels(-62)), false), (.calibrated(Decibels(-63)), false),
  ]

  @Test("a better source replaces a worse one, each renews what it said itself, and visits go on teaching what they have taught")
  func ranks() {
    for (place, (known, isImprecise)) in Self.sources.enumerated() {
      #expect(known.isImprecise == isImprecise, "\(known)")
      for (other, (source, _)) in Self.sources.enumerated() {
        var power = known
        power.learn(source)
        #expect(power.level == Self.sources[max(place, other)].source.level, "\(known), then \(source)")
      }
      var renewed = known
      renewed.learn(Self.renewed(known))
      #expect(renewed.level == Decibels(-70), "\(known)")
    }
  }

  @Test("what visits taught is withdrawn: then what the advert transmits holds again, or else the assumption") func withdrawn() {
    let (assumed, taught, claim) = (Decibels(-59), Decibels(-50), MeasuredPower.transmitted(Decibels(-41)))
    func after(_ steps: (inout MeasuredPower) -> Void...) -> MeasuredPower {
      var power = MeasuredPower.assumed(assumed)
      for step in steps { step(&power) }
      return power
    }
    let (teach, withdraw, hear) = (
      { (power: inout MeasuredPower) in power.teach(taught, orElse: assumed) },
      { (power: inout MeasuredPower) in power.teach(nil, orElse: assumed) }, { (power: inout MeasuredPower) in power.learn(claim) }
    )
    #expect(after(teach).level == taught && after(teach, withdraw).level == assumed && after(withdraw).level == assumed)
    #expect(after(hear, teach).level == taught && after(hear, teach, teach, withdraw).level.value == -41)
    #expect(after(teach, hear).level == taught && after(teach, hear, withdraw).level.value == -41)
    for better in [MeasuredPower.advertised(Decibels(-62)), .calibrated(Decibels(-63))] {
      let level = after({ $0 = better }, teach, withdraw).level
      #expect(level == better.level)
    }
  }

  private static func renewed(_ power: MeasuredPower) -> MeasuredPower {
    switch power {
    case .assumed: .assumed(Decibels(-70))
    case .transmitted: .transmitted(Decibels(-70))
    case .learnt: .learnt(Decibels(-70), transmitted: 0)
    case .advertised: .advertised(Decibels(-70))
    case .calibrated: .calibrated(Decibels(-70))
    }
  }
}

@Suite("Two names of one phone") struct IdentityRelationTests {
  private func identity(_ text: StaticString) throws -> Identity { try Identity(written: Text<128>(text).bytes) }

  @Test("a phone may be the same under a new private address, all else equal, or with its id where it had its service") func samePhone()
    throws
  {
    for (old, new, isSame) in [
      ("address:40:00:00:00:00:01", "address:41:00:00:00:00:02", true), ("address:40:00:00:00:00:01", "address:01:00:00:00:00:02", false),
      ("address:3f:00:00:00:00:01", "address:00:00:00:00:00:02", true), ("address:c0:00:00:00:00:01", "address:c1:00:00:00:00:02", false),
      ("address:80:00:00:00:00:01", "address:81:00:00:00:00:02", false), ("address:7f:ff:ff:ff:ff:ff", "address:80:00:00:00:00:02", false),
      ("name:Anna@40:00:00:00:00:01", "name:Anna@40:00:00:00:00:02", true),
      ("name:Anna@40:00:00:00:00:01", "name:Anne@40:00:00:00:00:02", false),
      ("name:Anna@40:00:00:00:00:01", "name:Ann@40:00:00:00:00:02", false),
      ("name:Anna@40:00:00:00:00:01", "address:40:00:00:00:00:02", false),
      ("service:180f@40:00:00:00:00:01", "service:180f@40:00:00:00:00:02", true),
      ("service:180f@40:00:00:00:00:01", "service:180a@40:00:00:00:00:02", false),
      ("service:180f@40:00:00:00:00:01", "peer:BC00BD17", true), ("name:Anna@40:00:00:00:00:01", "peer:BC00BD17", false),
      ("peer:BC00BD17", "service:180f@40:00:00:00:00:01", false), ("irk:anna", "irk:anna", false),
      ("peer:BC00BD17", "peer:BC00BD17", false),
    ] as [(StaticString, StaticString, Bool)] {
      #expect(try identity(old).mayBeSamePhone(to: identity(new)) == isSame, "\(old) \(new)")
    }
  }

  @Test("private addresses begin with the bits 00 or 01; only names with an address have one") func privacy() throws {
    for (text, isPrivate, isCopyable) in [
      ("address:00:00:00:00:00:01", true, false), ("address:7f:00:00:00:00:01", true, false), ("address:80:00:00:00:00:01", false, false),
      ("address:ff:00:00:00:00:01", false, false), ("name:a@40:00:00:00:00:01", true, false),
      ("service:180f@40:00:00:00:00:01", true, false),
      ("irk:anna", false, false), ("peer:0C00BD17", false, false), ("eid:van-7", false, true),
      ("ibeacon:2f234454-cf6d-4a0f-adf2-f4911ba9ffa6:0:1", false, true),
      ("altbeacon:000102030405060708090a0b0c0d0e0f10111213", false, true),
      ("eddystone:edd1ebeac04e5defa017:0123456789ab", false, true),
    ] as [(StaticString, Bool, Bool)] {
      let found = try identity(text)
      #expect(found.hasPrivateAddress == isPrivate && found.isCopyable == isCopyable, "\(text)")
    }
  }

  @Test(
    "a power that no transmitter has changes nothing; the last that one may have is believed",
    arguments: [-91, -90, -60, -20, -19] as [Int8])
  func claims(power: Int8) throws {
    let isPossible = -90 ... -20 ~= power
    var rig = Rig { $0.addRegion("door") }
    let head = bytes("020106 1AFF4C000215 2F234454CF6D4A0FADF2F4911BA9FFA6 0007 0102")
    for step in 0..<20 { rig.hear(1, at: 1 + Double(step), data: head + [UInt8(bitPattern: power)]) }
    let slot = try #require((0..<64).first { rig.gateway.devices.isUsed($0) })
    #expect(rig.gateway.devices[slot].power.level == Decibels(isPossible ? Float(power) : -59))
    #expect(rig.gateway.devices[slot].isImplausible == !isPossible && (rig.gateway.counters.implausiblePowers == 0) == isPossible)
    // A better one afterwards is believed.
    rig.hear(1, at: 30, data: head + [0xC5])
    #expect(rig.gateway.devices[slot].power.level == Decibels(-59))
  }
}
