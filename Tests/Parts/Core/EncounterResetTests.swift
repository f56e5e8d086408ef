import Seeds
import Testing

@testable import Core

@Suite("What an encounter keeps") struct EncounterResetTests {
  private static let blank: Set<String> = Set(filled(Encounter()))

  /// What it knows beyond a new one, without what the approach and the owner of its place keep.
  private func known(_ encounter: Encounter) -> Set<String> {
    Set(filled(encounter)).subtracting(Self.blank).filter { !$0.hasPrefix("approach") && !$0.hasPrefix("since") && !$0.hasPrefix("intent") }
  }

  /// Everything that a visit can leave behind.
  private func visited() -> Encounter {
    var encounter = Encounter()
    var evidence = TriggerEvidence()
    (evidence.isFirm, evidence.insideFire, evidence.insideArm, evidence.insideLeave) = (true, 20, 20, 20)
    encounter.wasHereAtStart = true
    encounter.record(.undecided(.rival))
    for line in 0..<20 { encounter.clones.observe(line % 2, at: .zero + .seconds(Double(line))) }
    for _ in 0..<5 { _ = encounter.observe(evidence, after: .seconds(1), at: .zero + .seconds(5), TriggerSettings()) }
    encounter.startVisit(at: .zero + .seconds(10), TriggerSettings(), isVouched: true)
    evidence.margin = 7
    _ = encounter.observe(evidence, after: .seconds(1), at: .zero + .seconds(11), TriggerSettings())
    _ = encounter.provenLevel(evidence, after: .seconds(3))
    _ = encounter.shouldReportPower()
    return encounter
  }

  @Test("after its end it knows when it may fire again, that it must have been away, and nothing else") func ended() {
    var encounter = visited()
    #expect(known(encounter).count > 5, "\(known(encounter))")
    let mustTell = encounter.end(hereUntil: .zero + .seconds(20), isGone: true, TriggerSettings().limits)
    #expect(mustTell && !encounter.isPresent)
    #expect(
      known(encounter) == [
        "rests.microseconds 620000000", "groupRests.microseconds 20000000", "mustBeAway", "wasHere.microseconds 20000000", "wasGone",
      ], "\(known(encounter))")
    var reclaimed = visited()
    reclaimed.startAnew()
    #expect(known(reclaimed) == [], "\(known(reclaimed))")
  }

  @Test("under another address it goes on with what the old one had, and a served one's evidence begins anew") func takenOver() {
    let old = visited()
    var fresh = Encounter()
    fresh.isNewcomer = true
    fresh.takeOver(from: old)
    #expect(fresh.stage == old.stage && fresh.wasHereAtStart && fresh.reported == .rival && !fresh.isNewcomer)
    #expect(known(fresh).isSubset(of: known(old)), "\(known(fresh).subtracting(known(old)))")
    #expect(known(fresh).contains("rests.microseconds 610000000") && known(fresh).contains("isPowerReported"))
    for (mine, theirs) in [(false, false), (true, false), (false, true), (true, true)] {
      var (one, other) = (Encounter(), Encounter())
      (one.wasCutOff, other.wasCutOff) = (mine, theirs)
      one.takeOver(from: other)
      #expect(one.wasCutOff == (mine || theirs) && one.stage == .absent)
    }
  }

  @Test("of two that one visitor owes it must have been away since the later, unless it has been heard far off since each")
  func owed() {
    func owing(_ since: Double?, isGone: Bool) -> Encounter {
      var encounter = Encounter()
      if let since { encounter.mayHaveStayed(until: .zero + .seconds(since), wasGone: isGone) }
      return encounter
    }
    let gone = owing(100, isGone: true)
    let (soon, late) = (gone.isOwedUntil, owing(100, isGone: false).isOwedUntil)
    #expect(soon < late)
    for (mine, isGone, end) in [(nil, false, soon), (90, true, soon), (90, false, late)] as [(Double?, Bool, Instant)] {
      var one = owing(mine, isGone: isGone)
      one.owe(as: gone)
      #expect(one.isOwedUntil == end, "\(mine ?? -1) \(isGone)")
    }
  }
}
