import Testing

@testable import Core

@Suite("A served device and the others of its group") struct EncounterGroupTests {
  private func at(_ seconds: Double) -> Instant { .zero + .seconds(seconds) }

  private func served(_ settings: TriggerSettings = TriggerSettings()) -> Encounter {
    var encounter = Encounter()
    encounter.startVisit(at: at(100), settings)
    return encounter
  }

  /// Eighths of a second of the same evidence, until it leaves: when, and why.
  private func leave(
    _ encounter: inout Encounter, from start: Double, to end: Double, _ evidence: TriggerEvidence, groupRefractory seconds: Double = 20
  ) -> String? {
    var settings = TriggerSettings()
    (settings.group, settings.groupRefractory) = ("pumps", .seconds(seconds))
    for step in 0..<Int((end - start) * 8) {
      let time = start + Double(step) / 8
      let event = encounter.observe(evidence, after: .seconds(0.125), at: at(time), settings)
      if case .leave(let reason) = event { return "\(reason) \(time)" }
    }
    return nil
  }

  @Test("for group_refractory_s after its fire and its visit neither this trigger nor another of the group serves it") func rests() {
    for (seconds, until) in [(0.0, 700.0), (20, 700), (700, 800)] {
      var settings = TriggerSettings()
      settings.group = "pumps"
      settings.groupRefractory = .seconds(seconds)
      var encounter = served(settings)
      #expect(encounter.holdsGroup(at: at(109)) && encounter.rests == at(until))
      let mustTell = encounter.end(hereUntil: at(110), isGone: true, settings.limits)
      #expect(mustTell && encounter.isOwedUntil == at(until + 10))
      #expect(encounter.groupRests == at(110 + seconds) && !encounter.holdsGroup(at: at(110 + seconds)))
      #expect(seconds == 0 || encounter.holdsGroup(at: at(109.9 + seconds)))
    }
  }

  @Test("who stands here again keeps its group resting; who is only not away does not", arguments: [true, false])
  func standsOn(isHere: Bool) {
    var settings = TriggerSettings()
    (settings.group, settings.groupRefractory) = ("pumps", .seconds(20))
    var encounter = served(settings)
    _ = encounter.end(hereUntil: at(110), isGone: false, settings.limits)
    var evidence = TriggerEvidence()
    evidence.isFirm = true
    if !isHere { (evidence.insideFire, evidence.insideArm, evidence.insideLeave) = (-20, -3, -5) }
    for step in 0...80 { _ = encounter.observe(evidence, after: .seconds(0.125), at: at(115 + Double(step) / 8), settings) }
    #expect(encounter.groupRests == at(isHere ? 145 : 130) && encounter.rests == at(725), "\(encounter.groupRests)")
  }

  @Test("group_refractory_s means nothing to a trigger without a group") func alone() {
    var settings = TriggerSettings()
    settings.groupRefractory = .seconds(90)
    let encounter = served(settings)
    #expect(encounter.rests == at(700) && encounter.groupRests <= at(100))
  }

  @Test(
    "who walks from one trigger of a gateway to the next is served there once group_refractory_s is over, heard by the first or not",
    arguments: [0.0, 60], [true, false])
  func walks(seconds: Double, isHeard: Bool) throws {
    var rig = Rig {
      $0.calibrateEverybody()
      $0.addRadios(2)
      for radio in 0..<2 {
        $0.addTrigger(radio == 0 ? "one" : "two", group: "cases", radio: Int8(radio)) { $0.groupRefractory = .seconds(seconds) }
      }
    }
    var fires: [String: Double] = [:]
    for step in 0..<1_000 {
      let (time, here) = (10 + Double(step) / 10, step < 100 ? 0 : 1)
      rig.hear(1, at: time, level: -60, radio: here)
      if isHeard || here == 0 { rig.hear(1, at: time + 0.02, level: -85, radio: 1 - here) }
      for told in rig.told() where told.event == "fire" { fires[told.trigger] = time }
    }
    let between = try #require(fires["two"]) - #require(fires["one"])
    // It leaves the first after ten seconds, which is seen after three more.
    #expect((seconds + 8..<seconds + 16).contains(between), "\(fires)")
  }

  @Test("a visit ends after three seconds at a near rival for which the device has moved by 20 dB, but not by less") func goneOn() {
    func stay(_ first: Float, then margin: Float, ahead: Float = 9, until end: Double = 120, groupRefractory: Double = 20) -> String? {
      var (encounter, evidence) = (served(), TriggerEvidence())
      (evidence.isFirm, evidence.insideLeave) = (true, 10)
      // However likely it is here: the pattern does not compare the rival's place.
      (evidence.pattern, evidence.margin) = (PatternVerdict(quick: 2, settled: 2), first)
      _ = leave(&encounter, from: 105, to: 106, evidence)
      (evidence.margin, evidence.uncomparedLead) = (margin, ahead)
      return leave(&encounter, from: 110, to: end, evidence, groupRefractory: groupRefractory)
    }
    #expect(stay(11, then: -9) == "elsewhere 113.0")
    #expect(stay(11, then: -9, until: 113) == nil)
    #expect(stay(11, then: -9, groupRefractory: 0) == nil, "nothing would keep the next one from firing at once")
    #expect(stay(11, then: -8.9) == nil, "it moved by less")
    #expect(stay(15, then: -5.9, ahead: 5.9) == nil, "the rival is not ahead by margin_db")
    #expect(stay(11, then: -9, ahead: 0) == nil, "the pattern compares that rival's place")
  }
}
