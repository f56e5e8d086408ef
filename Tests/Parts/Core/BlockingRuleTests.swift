import Testing

@testable import Core

@Suite("The rule that blocks a device") struct BlockingRuleTests {
  private struct State {
    var encounter: Encounter
    var hindrance: BlockingRule?
  }

  private func look(_ rig: borrowing Rig, at seconds: Double) -> State? {
    for slot in 0..<rig.gateway.devices.capacity where rig.gateway.devices.isUsed(slot) {
      let place = rig.gateway.devices[slot].encounters
      guard place >= 0 else { return nil }
      let now = Instant(microseconds: Int64(seconds * 1e6))
      let encounter = rig.gateway.triggers.encounters[place]
      let evidence = rig.gateway.triggers.evidence(of: place, at: now, rig.gateway.devices, rig.gateway.settings)
      return State(encounter: encounter, hindrance: encounter.blockingRule(evidence, at: now, rig.gateway.settings.triggers[0]))
    }
    return nil
  }

  @Test("the explained rule agrees with the deciding rules, whatever is heard", arguments: 0..<100 as Range<UInt64>)
  func agreement(seed: UInt64) {
    var rig = Rig {
      $0.calibrateEverybody()
      $0.addTrigger("pump") { ($0.refractory, $0.dwell) = (.seconds(8), .seconds(1)) }
    }
    var chance = Seeded(seed)
    var (time, level, target) = (10.0, -90.0, -60.0)
    var before: Float = 0
    for _ in 0..<1_500 {
      if chance.next() % 60 == 0 { target = -100 + Double(chance.next() % 50) }
      level += (target - level) * 0.1
      time += 0.05 + Double(chance.next() % 20) * 0.01
      rig.hear(1, at: time, level: Int8((level + Double(chance.next() % 9) - 4).rounded()))
      guard let state = look(rig, at: time) else { continue }
      #expect((state.hindrance == nil) == state.encounter.hasFired, "seed \(seed) at \(time)")
      switch state.hindrance {
      case .distance, .movement: #expect(state.encounter.evidenceSeconds <= before, "seed \(seed) at \(time): evidence grew")
      case .dwell(let evidence):
        #expect(evidence == state.encounter.evidenceSeconds && evidence < 1, "seed \(seed) at \(time): nothing is missing")
      case .rest(let left): #expect(left > .zero && left <= .seconds(8), "seed \(seed) at \(time)")
      default: break
      }
      before = state.encounter.evidenceSeconds
    }
  }

  @Test("an approach passes the rules in their order, and fires") func approach() {
    var rig = Rig {
      $0.calibrateEverybody()
      $0.addTrigger("pump")
    }
    var ranks: [Int] = []
    for step in 0..<200 {
      let time = 10 + Double(step) / 10
      rig.hear(1, at: time, level: Int8((-80 + min(Double(step) / 4, 20)).rounded()))
      guard let state = look(rig, at: time) else { continue }
      guard let rank = state.hindrance?.rank else { break }
      if ranks.last != rank { ranks.append(rank) }
    }
    let words: [BlockingRule] = [.samples(1), .distance(Decibels(1)), .movement(Decibels(1)), .dwell(0)]
    #expect(ranks == words.map(\.rank))
    #expect(rig.told().map(\.event) == ["arm", "fire"])
  }

  @Test("a rival, a presence at the start and another gateway's claim are named as rules that waiting does not lift") func standing() {
    var rig = Rig {
      $0.calibrateEverybody()
      $0.addRadios(2)
      $0.addTrigger("left", group: "pumps", radio: 0)
      $0.addTrigger("right", group: "pumps", radio: 1)
    }
    for step in 0..<100 {
      rig.hear(1, at: 10 + Double(step) / 10, level: -62, radio: 0)
      rig.hear(1, at: 10.02 + Double(step) / 10, level: -60, radio: 1)
    }
    guard case .rival(let missing) = look(rig, at: 20)?.hindrance else {
      Issue.record("\(String(describing: look(rig, at: 20)?.hindrance))")
      return
    }
    #expect(missing > Decibels(3.9) && missing < Decibels(8.1))

    var early = Rig {
      $0.calibrateEverybody()
      $0.addTrigger("pump")
    }
    early.hear(1, from: 0.1, to: 10, level: -59)
    #expect(look(early, at: 10)?.hindrance == .presentAtStart)
  }

  @Test("where the pattern alone decides and speaks for us, a weak level hinders nothing") func pattern() throws {
    var rig = Rig {
      $0.calibrateEverybody()
      $0.addTrigger("pump") { $0.minimumSamples = 1 }
    }
    for step in 0..<5 { rig.hear(1, at: 10 + Double(step) / 10, level: -60) }
    let state = look(rig, at: 10.4)
    let encounter = try #require(state).encounter
    var evidence = TriggerEvidence()
    (evidence.isFirm, evidence.isUpToPattern, evidence.insideFire) = (true, true, -30)
    for (likelihood, isForUs) in [(9, true), (-9, false)] as [(Float, Bool)] {
      evidence.pattern = PatternVerdict(quick: likelihood, settled: likelihood, receivers: 8)
      let settings = rig.gateway.settings.triggers[0]
      let rule = encounter.blockingRule(evidence, at: Instant(microseconds: 10_400_000), settings)
      #expect((evidence.weight > 0) == isForUs && (rule == .dwell(encounter.evidenceSeconds)) == isForUs, "\(String(describing: rule))")
    }
  }

  @Test("each rule has its place in the order in which they are checked") func ranks() {
    let order: [[BlockingRule]] = [
      [.samples(0)], [.rate(0)], [.distance(Decibels(0))], [.movement(Decibels(0))], [.rival(Decibels(0)), .power, .pattern(0)],
      [.dwell(0)], [.presentAtStart], [.notAway], [.newcomer], [.rest(.zero)], [.taken], [.settle(.zero)], [.neighbours],
    ]
    for (rank, rules) in order.enumerated() { for rule in rules { #expect(rule.rank == rank, "\(rule)") } }
  }

  @Test("where a moment of standing is enough, distance and motion are asked for all the same", arguments: [(-60.0, true), (-67, false)])
  func atOnce(level: Double, fires: Bool) {
    var rig = Rig {
      $0.calibrateEverybody()
      // What `dwell_s = 0` is.
      $0.addTrigger("pump") { $0.dwell = .milliseconds(1) }
    }
    rig.hear(from: 10, to: 18, level: -84, becoming: level)
    rig.hear(from: 18, to: 40, level: level)
    #expect(rig.told().contains { $0.event == "fire" } == fires)
  }
}
