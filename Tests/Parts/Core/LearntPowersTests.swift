import Testing

@testable import Core

@Suite("what visits teach of a transmitter")
struct LearntPowersTests {
  private static let assumed = Decibels(-59)
  private static let somebody = Identity(installation: 1)

  private struct School: ~Copyable {
    let loan = Loan(bytes: LearntPowers.bytes)
    var powers: LearntPowers

    init() {
      var arena = loan.arena
      powers = LearntPowers(seed: 7, in: &arena)
    }

    mutating func visit(_ power: Float, _ identity: Identity = somebody, wasServed: Bool = true) -> Float? {
      powers.learn(Decibels(power), of: identity, assumed: assumed, wasServed: wasServed)
      return powers.power(of: identity, assumed: assumed)?.value
    }
  }

  @Test("a stronger power is believed at once, a weaker one after two visits") func caution() {
    var school = School()
    #expect(school.visit(-50) == -50)
    let other = Identity(installation: 2)
    #expect(school.visit(-64, other) == nil)
    #expect(school.visit(-66, other) == -65)
    #expect(school.visit(-50) == -50, "each is learnt for himself")
  }

  @Test("a visit that disagrees takes back what was learnt, with the doubt of before") func disagreement() {
    var school = School()
    for _ in 0..<20 { _ = school.visit(-63) }
    #expect(school.visit(-50) == -50, "stronger: further off, at once")
    #expect(school.visit(-63) == nil)
    #expect(school.visit(-63) == -63)
  }

  @Test("what is kept of an identity replaces what was known of it") func replaced() {
    var school = School()
    for power in [Float(-50), -52] {
      school.powers.keep(LearntPowers.Record(Self.somebody, power: Decibels(power), visits: 3))
      #expect(school.powers.count == 1 && school.powers.record(of: Self.somebody)?.power == Decibels(power))
    }
  }

  @Test("implausible powers teach nothing", arguments: [-68, -120, -38, 20]) func implausible(power: Int) {
    var school = School()
    for _ in 0..<5 { #expect(school.visit(Float(power)) == nil) }
    #expect(school.powers.count == 0)
  }

  @Test("a device that was not served teaches nothing new, but can show that what was learnt is wrong") func unserved() {
    var school = School()
    #expect(school.visit(-50, wasServed: false) == nil)
    _ = school.visit(-50)
    #expect(school.visit(-52, wasServed: false) == -50)
    #expect(school.visit(-62, wasServed: false) == nil, "a phone that is taken for stronger than it is would never be served again")
  }

  @Test(
    "whatever a device does, learnt powers stay plausible and one visit never brings a device nearer",
    arguments: 0..<200 as Range<UInt64>)
  func bounds(seed: UInt64) {
    var school = School()
    var chance = Seeded(seed)
    var lessons: [Float] = [-59]
    var isNearer = false
    for _ in 0..<60 {
      let (power, wasServed) = (Float.random(in: -80 ... -30, using: &chance), Bool.random(using: &chance))
      let now = school.visit(power, wasServed: wasServed)
      if wasServed, (-67 ... -39).contains(power) { lessons.append(power) }
      let isNow = (now ?? -59) < -59
      #expect(now == nil || (-67 ... -39).contains(now!))
      if isNow, !isNearer { #expect(abs(lessons[lessons.count - 1] - lessons[lessons.count - 2]) <= 12) }
      isNearer = isNow
    }
  }

  @Test("a full table evicts the records with the fewest visits; a crowd evicts no others") func crowd() {
    var school = School()
    for number in 0..<100 as Range<UInt32> {
      for _ in 0..<3 { _ = school.visit(-62, Identity(installation: number)) }
    }
    for number in 100..<50_000 as Range<UInt32> { _ = school.visit(-62, Identity(installation: number)) }
    #expect(school.powers.count == Limits.learntPowers)
    #expect((0..<100).allSatisfy { school.powers.power(of: Identity(installation: $0), assumed: Self.assumed)?.value == -62 })
  }

  @Test("of records with equally many visits newcomers push out older ones, not each other") func newcomers() {
    var school = School()
    let first = UInt32(Limits.learntPowers)
    for number in 0..<first + 50 { #expect(school.visit(-50, Identity(installation: number)) == -50) }
    #expect((first..<first + 50).allSatisfy { school.powers.power(of: Identity(installation: $0), assumed: Self.assumed)?.value == -50 })
    #expect((0..<first).count { school.powers.power(of: Identity(installation: $0), assumed: Self.assumed) == nil } == 50)
  }
}

@Suite("learning at a trigger")
struct LearningTests {
  private static let visitor = try! Identity(written: Text<40>("address:c0:00:00:00:00:01").bytes)

  /// Two pumps of one gateway, each with its radio.
  private static func island(learns: Bool = true) -> Rig {
    var rig = Rig {
      $0.addRadios(2)
      $0.addTrigger("here", group: "pumps", radio: 0)
      $0.addTrigger("there", group: "pumps", radio: 1)
      $0.calibration.learns = learns
    }
    rig.wait(until: 10)
    return rig
  }

  /// A device comes to the first pump, stands for 20 s and goes far away; the other pump hears it so much weaker.
  private static func visit(_ rig: inout Rig, at start: Double, level: Double, lead: Double) -> [String] {
    _ = rig.told()
    for tenth in 0..<320 {
      let time = Double(tenth) / 10
      let way = max(6 - time, time - 26, 0) * 6
      rig.hear(1, at: start + time, level: Int8(max(level - way, -100)), radio: 0)
      rig.hear(1, at: start + time + 0.03, level: Int8(max(level - lead - way / 2, -100)), radio: 1)
    }
    rig.wait(until: start + 190)
    return rig.told().filter { $0.trigger == "here" }.map(\.event)
  }

  private static func learnt(_ rig: borrowing Rig) -> Float? {
    rig.gateway.triggers.learnt.power(of: visitor, assumed: Decibels(-59))?.value
  }

  @Test("a phone that is stronger than assumed is known after its first visit") func stronger() throws {
    var rig = Self.island()
    let events = Self.visit(&rig, at: 20, level: -50, lead: 20)
    #expect(events.contains("fire"))
    // Where it stood is 0.7 of fire_m.
    let learnt = Self.learnt(rig)
    #expect(abs(try #require(learnt) + 49.6) < 1)
  }

  @Test("where the next pump hears the phone almost as well, nothing is learnt") func doubtful() {
    var rig = Self.island()
    _ = Self.visit(&rig, at: 20, level: -45, lead: 11)
    let learnt = Self.learnt(rig)
    #expect(learnt == nil)
  }

  @Test("learn = false: nothing is learnt") func switchedOff() {
    var rig = Self.island(learns: false)
    let events = Self.visit(&rig, at: 20, level: -50, lead: 20)
    #expect(events.contains("fire"))
    #expect(rig.gateway.triggers.learnt.count == 0)
  }

  @Test("a manual trigger teaches a lone gateway; a weaker power takes two visits") func manual() throws {
    var rig = Rig { $0.addTrigger("pump") }
    for start in [10.0, 210] {
      let before = Self.learnt(rig)
      #expect(before == nil)
      rig.hear(from: start, to: start + 0.2, level: -66)
      let isServed = rig.gateway.fireManually(0, for: Self.visitor, at: Instant(microseconds: Int64((start + 0.2) * 1e6))) == nil
      #expect(isServed)
      rig.hear(from: start + 0.2, to: start + 15, level: -66)
      rig.wait(until: start + 190)
    }
    let learnt = Self.learnt(rig)
    #expect(abs(try #require(learnt) + 65.6) < 1)
  }

  @Test("a power learnt by an earlier run applies from the first packet, and a measured power overrides it") func recalled() throws {
    var rig = Rig { $0.addTrigger("pump") }
    rig.gateway.restore(LearntPowers.Record(Self.visitor, power: Decibels(-48), visits: 3))
    rig.hear(from: 10, to: 11, level: -60)
    let found = rig.gateway.devices.find(Self.visitor)
    let slot = try #require(found)
    #expect(rig.gateway.devices[slot].power.level.value == -48)
    var next = Settings()
    next.gateway.devices = 64
    next.calibrateEverybody()
    rig.gateway.reload(next, at: Instant(microseconds: 12_000_000))
    #expect(rig.gateway.devices[slot].power.level.value == -59)
  }
}

@Suite("learning that is switched off") struct UnlearningTests {
  @Test("a reload with learn = false takes back what was learnt of who is here, and with learn = true gives it back") func reload() throws {
    var rig = Rig { $0.addTrigger("pump") }
    let identity = Identity(.address, Address(word: 1 << 48 | 0xC000_0000_0001))
    rig.gateway.triggers.learnt.learn(Decibels(-50), of: identity, assumed: Decibels(-59), wasServed: true)
    rig.hear(1, at: 1)
    let found = rig.gateway.devices.find(identity)
    let slot = try #require(found)
    for (learns, level) in [(true, -50), (false, -59), (true, -50)] as [(Bool, Float)] {
      var next = Settings()
      next.gateway.devices = 64
      next.calibration.learns = learns
      next.addTrigger("pump")
      rig.gateway.reload(next, at: .zero + .seconds(2))
      let power = rig.gateway.devices[slot].power.level
      #expect(power == Decibels(level), "\(learns)")
    }
  }
}
