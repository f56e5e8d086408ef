import Testing

@testable import Core

@Suite("One device at one trigger, step by step") struct EncounterTests {
  private func at(_ seconds: Double) -> Instant { Instant(microseconds: Int64((seconds * 1e6).rounded())) }

  /// Evidence of a device that stands here, however it is changed.
  private func here(_ change: (inout TriggerEvidence) -> Void = { _ in }) -> TriggerEvidence {
    var evidence = TriggerEvidence()
    (evidence.insideFire, evidence.insideArm, evidence.insideLeave, evidence.isFirm) = (10, 25, 18, true)
    change(&evidence)
    return evidence
  }

  /// So far outside of `leave_m`.
  private func outside(_ level: Float, arm: Float = 0) -> TriggerEvidence {
    here { ($0.insideFire, $0.insideArm, $0.insideLeave) = (-30, arm, -level) }
  }

  private let gone: Float = -20
  private var settings: TriggerSettings {
    var settings = TriggerSettings()
    (settings.dwell, settings.settle, settings.refractory) = (.seconds(2), .seconds(4), .seconds(30))
    return settings
  }

  /// Eighths of a second of the same evidence; each event with its time in milliseconds.
  @discardableResult private func pass(
    _ encounter: inout Encounter, from start: Double, to end: Double, _ evidence: TriggerEvidence
  ) -> [String] {
    var told: [String] = []
    for step in 0..<Int((end - start) * 8) {
      let time = start + Double(step) / 8
      if let event = encounter.observe(evidence, after: .seconds(0.125), at: at(time), settings) {
        told.append("\(event) \(Int((time * 1_000).rounded()))")
        encounter.record(event)
        if event == .fire { encounter.startVisit(at: at(time), settings) }
      }
    }
    return told
  }

  private func fired(at time: Double = 102) -> Encounter {
    var encounter = Encounter()
    pass(&encounter, from: 100.125, to: 110, here())
    #expect(encounter.stage == .fired(at: at(time)))
    return encounter
  }

  @Test("it arms with the first firm evidence and fires when the evidence is whole; a doubtful second counts less") func coming() {
    var encounter = Encounter()
    #expect(pass(&encounter, from: 90, to: 100, here { $0.isFirm = false }) == [])
    #expect(pass(&encounter, from: 100.125, to: 110, here()) == ["arm 100125", "fire 102000"])
    encounter = Encounter()
    // Half as far inside as a second in full needs.
    #expect(pass(&encounter, from: 100.125, to: 110, here { $0.insideFire = -1.5 }) == ["arm 100125", "fire 104000"])
    encounter = Encounter()
    #expect(pass(&encounter, from: 100, to: 101, here()) == ["arm 100000"] && encounter.stage == .dwelling(since: at(100.125)))
    #expect(encounter.dwell(at: at(101)) == .seconds(0.875))
    // Within arm_m and not near: what was gathered goes, and so does the dwell.
    #expect(pass(&encounter, from: 101, to: 103, outside(0, arm: 1)) == [] && encounter.stage == .armed)
    #expect(encounter.dwell(at: at(103)) == .zero)
    #expect(pass(&encounter, from: 103.125, to: 106, here()) == ["fire 105000"])
  }

  @Test("what no longer is near nor within arm_m stays armed until it has gone") func going() {
    var encounter = Encounter()
    pass(&encounter, from: 100, to: 101, here())
    #expect(pass(&encounter, from: 101, to: 103, outside(9, arm: -8)) == [] && encounter.isPresent)
    #expect(pass(&encounter, from: 103, to: 103.125, outside(9, arm: -8.1)) == [] && !encounter.isPresent)
    #expect(encounter.evidenceSeconds == 0 && encounter.ahead == .never && encounter.reported == nil)
    #expect(pass(&encounter, from: 104, to: 105, here()) == ["arm 104000"], "it begins again")
  }

  @Test("beside rivals the margin must have held for settle_s; what wavers begins anew") func settling() {
    var encounter = Encounter()
    let ahead = here { ($0.isGrouped, $0.margin) = (true, 20) }
    #expect(pass(&encounter, from: 100, to: 110, ahead) == ["arm 100000", "fire 104000"])
    encounter = Encounter()
    pass(&encounter, from: 100, to: 103, ahead)
    #expect(encounter.ahead == at(100))
    pass(&encounter, from: 103, to: 103.125, here { ($0.isGrouped, $0.margin) = (true, 5.9) })
    #expect(encounter.ahead == .never)
    #expect(pass(&encounter, from: 103.125, to: 110, ahead) == ["fire 107125"])
  }

  @Test(
    "each reason keeps it from firing, and is said once after three dwells and two seconds, a neighbour's silence a second after the question",
    arguments: [
      ("rival", "rival 108125"), ("unknown power", "unknownPower 108125"), ("unclear place", "unclearPlace 108125"),
      ("no pattern", "unclearPlace 108125"), ("may be taken", "silentNeighbour 108125"), ("at start", "presentAtStart 108125"),
      ("not away", "notAway 108125"), ("taken", "taken 108125"), ("newcomer", nil), ("rests", "taken 108125"),
      ("asks", "silentNeighbour 108125"), ("no broker", "noBroker 108125"), ("asked late", "silentNeighbour 101000"),
    ] as [(String, String?)])
  func doubts(what: String, said: String?) {
    var encounter = Encounter()
    if what == "at start" { encounter.wasHereAtStart = true }
    if what == "newcomer" { encounter.isNewcomer = true }
    if what == "not away" {
      pass(&encounter, from: 50, to: 60, here())
      pass(&encounter, from: 90, to: 99, outside(9, arm: gone))
    }
    if what == "asked late" {
      encounter.isNewcomer = true
      pass(&encounter, from: 90, to: 100, here())
      encounter.isNewcomer = false
    }
    if what == "rests" { encounter.rest(until: at(130)) }
    let evidence = here {
      switch what {
      case "rival": ($0.isGrouped, $0.margin) = (true, 5)
      case "unknown power": ($0.isGrouped, $0.margin, $0.power) = (true, 5, .unknown)
      case "unclear place": ($0.isGrouped, $0.margin, $0.pattern) = (true, 5, PatternVerdict(quick: 0, settled: 0))
      case "no pattern": ($0.isGrouped, $0.margin, $0.isUpToPattern) = (true, 9, true)
      case "may be taken": $0.mayBeTaken = true
      case "taken": $0.isTaken = true
      case "asks", "asked late": $0.mustAsk = true
      case "no broker": ($0.mustAsk, $0.isConnected) = (true, false)
      default: break
      }
    }
    let told = pass(&encounter, from: 100, to: 120, evidence)
    let doubt = said.map { "undecided(Core.Encounter.Doubt.\($0.prefix { $0 != " " })) \($0.suffix(6))" }
    let wanted = (what == "asked late" ? [] : ["arm 100000"]) + (doubt.map { [$0] } ?? [])
    #expect(told == wanted && !encounter.hasFired, "\(what): \(told)")
  }

  @Test("beyond leave_m for three seconds it leaves; what returns before has stayed") func leaving() {
    var encounter = fired()
    #expect(pass(&encounter, from: 110, to: 113, outside(8.1)) == [] && encounter.stage == .leaving(since: at(110), fired: at(102)))
    #expect(encounter.dwell(at: at(113)) == .seconds(11) && encounter.hasFired)
    #expect(pass(&encounter, from: 113, to: 114, outside(8)) == [] && encounter.stage == .fired(at: at(102)))
    #expect(pass(&encounter, from: 114, to: 118, outside(8.1)) == ["leave(Core.Encounter.Departure.away) 117000"])
    encounter = fired()
    let behind = here { ($0.isGrouped, $0.margin) = (true, -6) }
    #expect(pass(&encounter, from: 110, to: 113.125, behind) == ["leave(Core.Encounter.Departure.elsewhere) 113000"])
    encounter = fired()
    // However rare its adverts are.
    var rare = outside(8.1)
    rare.isFirm = false
    #expect(pass(&encounter, from: 110, to: 113.125, rare) == ["leave(Core.Encounter.Departure.away) 113000"])
  }

  @Test("it leaves when the pattern has placed it elsewhere for four seconds; what is doubtful counts half, what speaks against that back")
  func departing() {
    func pattern(_ quick: Float, margin: Float = 3) -> TriggerEvidence {
      here { ($0.isGrouped, $0.margin, $0.pattern) = (true, margin, PatternVerdict(quick: quick, settled: 0)) }
    }
    for (quick, left) in [(-3, 113_875), (-2, 117_875), (-1, nil), (5, nil)] as [(Float, Int?)] {
      var encounter = fired()
      let told = pass(&encounter, from: 110, to: 140, pattern(quick)).filter { $0.hasPrefix("leave") }
      #expect(told == (left.map { ["leave(Core.Encounter.Departure.elsewhere) \($0)"] } ?? []), "\(quick): \(told)")
    }
    var encounter = fired()
    // Half a second of each four, against the level and the rival, is too little to stay for.
    for start in [110, 112, 114] {
      pass(&encounter, from: Double(start), to: Double(start) + 1.5, pattern(-9, margin: -7))
      #expect(encounter.hasFired == (start < 114))
      pass(&encounter, from: Double(start) + 1.5, to: Double(start) + 2, pattern(0, margin: -5))
    }
    encounter = Encounter()
    encounter.startVisit(at: at(100), settings, isVouched: true)
    #expect(pass(&encounter, from: 100, to: 120, pattern(-9)) == [], "the driver said so")
    encounter.approach.observe(Decibels(-90), at: at(120))
    #expect(pass(&encounter, from: 120, to: 121, pattern(-9)) == [], "nothing has gathered meanwhile")
    encounter = fired()
    pass(&encounter, from: 110, to: 113, pattern(-9))
    pass(&encounter, from: 113, to: 113.125, here { ($0.isGrouped, $0.margin) = (true, 3) })
    #expect(pass(&encounter, from: 113.125, to: 117, pattern(-9)) == [], "what a pattern said before it was lost counts no more")
  }

  @Test("after a visit it must have been away: for its rest, and twelve seconds if it was seen to go, sixty if not; else it begins anew")
  func absence() {
    for (isGone, absence) in [(true, 12.0), (false, 60)] {
      for isLong in [true, false] {
        var encounter = fired()
        // Here until 110; it rests until 140.
        pass(&encounter, from: 110, to: 114, outside(9, arm: isGone ? gone : 0))
        #expect(encounter.mustBeAway && encounter.rests == at(140))
        let owed = max(140, 110 + absence)
        #expect(encounter.isOwedUntil == at(owed), "\(encounter.isOwedUntil)")
        let back = owed + (isLong ? 0 : -0.125)
        let told = pass(&encounter, from: back, to: back + 0.125, here())
        #expect(encounter.mustBeAway == !isLong, "\(absence) \(isLong) \(told)")
        // Not away, it was here now, and not seen to go.
        if !isLong { #expect(encounter.isOwedUntil == at(back + 60)) }
      }
    }
    var encounter = fired()
    _ = encounter.end(hereUntil: at(111), isGone: true, settings.limits)
    #expect(encounter.isOwedUntil == at(141) && !encounter.isPresent)
    encounter = Encounter()
    pass(&encounter, from: 100, to: 101, here())
    let mustTell = encounter.end(hereUntil: at(101), isGone: true, settings.limits)
    #expect(!mustTell && !encounter.mustBeAway && encounter.isOwedUntil == .zero, "it was never served")
    // Seen to go only on its way: gone for a moment shortens the wait.
    encounter = fired()
    pass(&encounter, from: 110, to: 114, outside(9))
    pass(&encounter, from: 114, to: 114.125, outside(9, arm: gone))
    #expect(encounter.isOwedUntil == at(140))
  }

  @Test("it rests for refractory_s after it was last here") func rests() {
    var encounter = fired()
    pass(&encounter, from: 110, to: 114, outside(9, arm: gone))
    let told = pass(&encounter, from: 125, to: 140, here())
    #expect(told.count == 2 && told[0] == "arm 125000" && told[1].contains("notAway"), "who comes before it is over must go again: \(told)")
    pass(&encounter, from: 140, to: 145, outside(9, arm: gone))
    #expect(encounter.rests == at(169.875))
    #expect(pass(&encounter, from: 170, to: 173, here()) == ["arm 170000", "fire 171875"])
  }

  @Test("while neighbours are asked it claims; who yields, or loses half of the evidence, dwells on") func claims() {
    var encounter = Encounter()
    let asking = here { $0.mustAsk = true }
    pass(&encounter, from: 100.125, to: 102.125, asking)
    #expect(encounter.stage == .claiming(since: at(102), dwelling: at(100.25)) && encounter.intent == 0)
    encounter.ask(by: 7, at: at(102.5), dwelling: at(100.25))
    #expect(encounter.intent == 7 && encounter.stage == .claiming(since: at(102.5), dwelling: at(100.25)) && encounter.standing == .holding)
    encounter.yield()
    #expect(encounter.stage == .dwelling(since: at(100.25)) && encounter.intent == 0 && encounter.evidenceSeconds == 0)
    encounter.yield()
    #expect(encounter.stage == .dwelling(since: at(100.25)) && encounter.standing == .candidate)
    pass(&encounter, from: 103.125, to: 105.125, asking)
    #expect(encounter.isClaiming)
    // A second against it takes a second.
    let against = here { ($0.insideFire, $0.mustAsk) = (-6.9, true) }
    pass(&encounter, from: 105.125, to: 106.125, against)
    #expect(encounter.isClaiming, "\(encounter.evidenceSeconds)")
    pass(&encounter, from: 106.125, to: 106.25, against)
    #expect(encounter.stage == .dwelling(since: at(100.25)), "\(encounter.evidenceSeconds)")
  }

  @Test("five seconds of proof give its highest steady level, once before the fire and once after it") func proofs() {
    var encounter = Encounter()
    pass(&encounter, from: 100, to: 100.5, here())
    for step in 0..<400 { _ = encounter.approach.observe(Decibels(-60), at: at(60 + Double(step) / 10)) }
    let proof = here { ($0.isGrouped, $0.margin) = (true, 12) }
    func proven(_ evidence: TriggerEvidence) -> [Int] {
      var told: [Int] = []
      for step in 1...80 {
        _ = encounter.approach.observe(Decibels(step == 9 ? -50 : -60), at: at(100 + Double(step) / 10))
        let highest = encounter.approach.steady
        if let level = encounter.provenLevel(evidence, after: .seconds(0.125)) {
          told.append(step)
          #expect(level > highest && level < Decibels(-55), "\(level)")
        }
      }
      return told
    }
    let none = [
      proven(here { $0.margin = 11 }), proven(here { ($0.margin, $0.motion) = (12, 1) }),
      proven(here { ($0.margin, $0.isFirm) = (12, false) }),
    ]
    #expect(none == [[], [], []])
    let (first, again) = (proven(proof), proven(proof))
    #expect(first == [40] && again == [])
    encounter.startVisit(at: at(110), settings)
    let (after, alone) = (proven(proof), proven(here()))
    #expect(after == [40] && alone == [])
    // The driver's own word needs no rival.
    encounter.startVisit(at: at(120), settings, isVouched: true)
    let (moving, vouched) = (proven(here { $0.motion = 1 }), proven(here()))
    #expect(moving == [] && vouched == [40])
    _ = encounter.end(hereUntil: at(130), isGone: true, settings.limits)
    let ended = proven(proof)
    #expect(ended == [])
  }

  @Test("an implausible power is reported once in each encounter") func powers() {
    var encounter = Encounter()
    var told = [encounter.shouldReportPower()]
    for start in [100.0, 300] {
      pass(&encounter, from: start, to: start + 1, here())
      for _ in 0..<2 { told.append(encounter.shouldReportPower()) }
      _ = encounter.end(hereUntil: at(start + 1), isGone: true, settings.limits)
      told.append(encounter.shouldReportPower())
    }
    #expect(told == [false, true, false, false, true, false, false])
  }

  @Test("under the next address it is the same visitor; if it was not, nothing of the other is left") func successors() {
    let old = fired()
    var new = Encounter()
    new.isNewcomer = true
    pass(&new, from: 110, to: 111, here())
    new.takeOver(from: old)
    #expect(new.stage == old.stage && new.rests == old.rests && !new.isNewcomer && new.evidenceSeconds == 0)
    new.startAnew()
    #expect(!new.isPresent && !new.mustBeAway && new.rests == .zero && new.isOwedUntil == .zero)
    var waiting = Encounter()
    pass(&waiting, from: 100, to: 101, here())
    let before = waiting
    (waiting.wasCutOff, waiting.wasHereAtStart) = (true, true)
    new.takeOver(from: waiting)
    #expect(!new.isPresent && new.wasCutOff && new.wasHereAtStart, "who was not served hands over no stage")
    #expect(before.stage == waiting.stage && waiting.evidenceSeconds > 0)
  }
}
