import Seeds
import Testing

@testable import Core

/// Two receivers are compared by a way of their own, which leaves out what cannot matter: the results must be those of the long way.
@Suite("The comparison of two receivers") struct PairComparisonTests {
  /// Two receivers somewhere, a trigger at each, and one between them.
  private func rig(_ chance: inout Chance) -> Rig {
    let (width, depth) = (chance.number(2, 14), chance.number(-6, 6))
    let reach = chance.number(1, 4)
    return Rig {
      $0.calibration.pathLossExponent = 2
      $0.addRadios(2)
      $0.radios[0].point = PlanPoint(x: 0, y: 0)
      $0.radios[1].point = PlanPoint(x: width, y: depth)
      for index in 0..<3 {
        $0.addTrigger(["a", "b", "c"][index], group: "pumps", radio: Int8(index % 2)) { $0.fire = Meters(reach) }
      }
      $0.triggers[2].point = PlanPoint(x: width / 2, y: 1)
    }
  }

  /// Somebody somewhere, as loud as people are; a receiver in ten hears nothing, and one in ten says nothing.
  private func pattern(_ plan: borrowing SitePlan, _ chance: inout Chance) -> LevelPattern {
    let losses = plan.losses(at: PlanPoint(x: chance.number(-16, 26), y: chance.number(-16, 16)))
    let loudness = [LevelPattern.Loudness.known, .unknown, .init(mean: 3, deviation: 2)][chance.below(3)]
    let gain = loudness.mean + chance.number(-12, 12)
    var pattern = LevelPattern()
    for receiver in 0..<2 {
      switch chance.below(10) {
      case 0: continue
      case 1: pattern.hearNothing(receiver)
      default:
        pattern.hear(receiver, gain - losses[receiver] + chance.number(-8, 8), age: .seconds(Double(chance.below(4))))
      }
    }
    pattern.close(loudness, floor: -40)
    return pattern
  }

  private func lead(_ plan: borrowing SitePlan, _ pattern: LevelPattern, _ trigger: Int, _ index: Int) -> Float? {
    let set = plan.elsewhere[index * 64 + trigger]
    let (here, there) = (pattern.likelihood(plan.pointsHere, trigger, 2), pattern.likelihood(plan.points, index, 2))
    let others = (0..<8).filter { set & 1 << UInt8($0) != 0 }.map { there[$0] }
    return others.max().map { (0..<8).map { here[$0] }.max()! - $0 }
  }

  /// The long way: all points are asked, in their order.
  private func whole(_ plan: borrowing SitePlan, _ pattern: LevelPattern, _ trigger: Int) -> SitePlan.Comparison {
    var comparison = SitePlan.Comparison(rival: -1, overRival: .infinity, overRest: .infinity)
    for index in 0..<plan.count {
      guard let lead = lead(plan, pattern, trigger, index) else { continue }
      if plan.points[index].owner < 0, comparison.overRival < -6 { break }
      comparison.consider(index, of: plan.points[index].owner, lead)
    }
    return comparison
  }

  @Test("finds to the last bit what asking every point finds, wherever it begins", arguments: 0..<40 as Range<UInt64>)
  func same(seed: UInt64) {
    var chance = Chance(seed)
    let rig = rig(&chance)
    var last = SitePlan.Comparison.unasked
    for _ in 0..<100 {
      let (pattern, trigger) = (pattern(rig.gateway.triggers.plan, &chance), chance.below(3))
      let wanted = whole(rig.gateway.triggers.plan, pattern, trigger)
      expectSame(rig.gateway.triggers.plan.compare(pattern, at: trigger), wanted)
      let found = rig.gateway.triggers.plan.compare(pattern, at: trigger, after: last)
      if found.isWhole {
        expectSame(found, wanted)
      } else {
        let there = lead(rig.gateway.triggers.plan, pattern, trigger, Int(found.likeliest))
        let isRest = rig.gateway.triggers.plan.points[Int(found.likeliest)].owner < 0
        #expect((isRest ? found.overRest : found.overRival) == there && there! < -1)
      }
      for begin in [last, found] { #expect(rig.gateway.triggers.plan.lead(pattern, at: trigger, after: begin) == wanted.lead) }
      last = chance.below(3) == 0 ? .unasked : found
      if chance.below(3) == 0 { last.likeliest = UInt8(chance.below(30)) }
    }
  }

  private func expectSame(_ found: SitePlan.Comparison, _ wanted: SitePlan.Comparison) {
    #expect(found.isWhole && found.rival == wanted.rival && found.likeliest == wanted.likeliest, "\(found), \(wanted)")
    #expect(found.overRival == wanted.overRival && found.overRest == wanted.overRest, "\(found), \(wanted)")
  }
}

private struct Chance {
  private var seeded: Seeded

  init(_ seed: UInt64) { seeded = Seeded(seed) }

  mutating func below(_ count: Int) -> Int { Int(seeded.next() % UInt64(count)) }
  mutating func number(_ low: Float, _ high: Float) -> Float { low + (high - low) * Float(below(10_001)) / 10_000 }
}
