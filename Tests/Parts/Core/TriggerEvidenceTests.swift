import Testing

@testable import Core

@Suite("What a moment's evidence means") struct TriggerEvidenceTests {
  private func evidence(_ change: (inout TriggerEvidence) -> Void) -> TriggerEvidence {
    var evidence = TriggerEvidence()
    change(&evidence)
    return evidence
  }

  private func pattern(_ quick: Float, _ settled: Float, _ receivers: UInt8 = 8) -> PatternVerdict {
    PatternVerdict(quick: quick, settled: settled, receivers: receivers)
  }

  private func expect(
    _ property: (TriggerEvidence) -> Bool, _ words: Comment, _ cases: [(Bool, (inout TriggerEvidence) -> Void)],
    sourceLocation: SourceLocation = #_sourceLocation
  ) {
    for (number, (wanted, change)) in cases.enumerated() {
      #expect(property(evidence(change)) == wanted, "\(words), \(number)", sourceLocation: sourceLocation)
    }
  }

  @Test("by the level alone it is near to 7 dB outside fire_m, arms within arm_m, has gone or is away 8 dB outside") func levels() {
    expect(\.isNear, "near", [(true, { $0.insideFire = -6.99 }), (false, { $0.insideFire = -7 })])
    expect(\.isArming, "arming", [(true, { $0.insideArm = 0.01 }), (false, { $0.insideArm = 0 })])
    expect(
      \.isComing, "coming",
      [
        (true, { ($0.insideArm, $0.insideFire) = (0.01, -50) }), (true, { ($0.insideArm, $0.insideFire) = (0, -6.99) }),
        (false, { ($0.insideArm, $0.insideFire) = (0, -7) }),
      ])
    expect(\.isGone, "gone", [(true, { $0.insideArm = -8.01 }), (false, { $0.insideArm = -8 })])
    expect(\.isAway, "away", [(true, { $0.insideLeave = -8.01 }), (false, { $0.insideLeave = -8 })])
  }

  @Test("the pattern keeps near what is likelier here than a little less likely, and puts elsewhere what is not") func patterns() {
    expect(
      \.isNear, "near",
      [
        (true, { ($0.insideFire, $0.pattern) = (-50, self.pattern(-0.99, 0)) }),
        (false, { ($0.insideFire, $0.pattern) = (-50, self.pattern(-1, 0)) }),
        (true, { ($0.insideFire, $0.pattern) = (0, self.pattern(-1, 0)) }),
        (false, { ($0.insideFire, $0.pattern) = (0, self.pattern(-1.01, 0)) }),
      ])
    expect(
      \.isComing, "coming",
      [
        (true, { ($0.insideFire, $0.pattern) = (-50, self.pattern(0.01, 0)) }),
        (false, { ($0.insideFire, $0.pattern) = (-50, self.pattern(0, 0)) }),
        (false, { ($0.insideFire, $0.pattern) = (0, self.pattern(-1.01, 0)) }),
        (true, { ($0.insideArm, $0.insideFire, $0.pattern) = (1, 0, self.pattern(-9, 0)) }),
      ])
    for quick in [-0.99, -1] as [Float] {
      expect(\.isAway, "away", [(quick == -1, { ($0.insideLeave, $0.pattern) = (-50, self.pattern(quick, 0)) })])
      expect(\.isBehind, "behind", [(quick == -1, { ($0.margin, $0.pattern) = (-6, self.pattern(quick, 0)) })])
      for settled in [-0.99, -1] as [Float] {
        expect(\.isGone, "gone", [(quick == -1 && settled == -1, { ($0.insideArm, $0.pattern) = (-50, self.pattern(quick, settled)) })])
      }
    }
  }

  @Test("the pattern proves nothing while a rival is ahead where it does not look, but no visit ends by that") func uncompared() {
    for lead in [0, 0.1, 20] as [Float] {
      let evidence = evidence { ($0.margin, $0.pattern, $0.uncomparedLead) = (-lead, self.pattern(9, 9), lead) }
      #expect(evidence.isAhead == (lead == 0) && !evidence.isBehind && (evidence.patternLack == nil) == (lead > 0))
      #expect((evidence.weight < 0) == (lead > 0) && (evidence.settledWeight < 0) == (lead > 0))
      #expect(evidence.departing == -0.25)
    }
  }

  @Test("where the pattern decides and says nothing, no level says that anybody has gone") func unjudged() {
    for isUpToPattern in [true, false] {
      let far = evidence { ($0.insideArm, $0.insideLeave, $0.isUpToPattern) = (-50, -50, isUpToPattern) }
      #expect(far.isGone != isUpToPattern && far.isAway != isUpToPattern)
    }
    let elsewhere = evidence { ($0.insideArm, $0.insideLeave, $0.isUpToPattern, $0.pattern) = (-50, -50, true, pattern(-9, -9)) }
    #expect(elsewhere.isGone && elsewhere.isAway)
  }

  @Test("a rival is ahead by as much as we had to be; 12 dB of lead on a device that stands are proof") func margins() {
    expect(
      \.isBehind, "behind",
      [
        (true, { $0.margin = -6 }), (false, { $0.margin = -5.99 }), (true, { ($0.margin, $0.requiredMargin) = (-5.99, 5) }),
        (false, { _ in }),
      ])
    expect(
      \.isProof, "proof",
      [
        (true, { $0.margin = 12 }), (false, { $0.margin = 11.99 }), (false, { ($0.margin, $0.motion) = (12, 0.01) }), (false, { _ in }),
      ])
    expect(\.isUnrivalled, "unrivalled", [(true, { _ in }), (false, { $0.margin = 3 }), (false, { $0.isGrouped = true })])
    for (power, isKnown, reach) in [(TriggerEvidence.PowerDoubt.known, true, 7), (.claimed, false, 10), (.unknown, false, 15)]
      as [(TriggerEvidence.PowerDoubt, Bool, Float)]
    {
      let evidence = evidence { $0.power = power }
      #expect(evidence.isPowerKnown == isKnown && evidence.reach == reach)
    }
  }

  @Test("the less is known of the power, the larger the lead over the best rival must be at a weak level") func leads() {
    func lead(_ power: TriggerEvidence.PowerDoubt, _ margin: Float?, inside: Float = 0, isGrouped: Bool = true) -> Float {
      evidence { ($0.power, $0.margin, $0.insideFire, $0.isGrouped) = (power, margin, inside, isGrouped) }.lead
    }
    #expect(lead(.known, 10) == 4 && lead(.known, 10, inside: -30) == 4 && lead(.known, 6) == 0)
    #expect(lead(.claimed, 10) == 1 && lead(.claimed, 10, inside: 5) == 4 && lead(.claimed, 28, inside: -10) == 0)
    #expect(lead(.unknown, 20) == 4 && lead(.unknown, 20, inside: 40) == 14 && (lead(.unknown, 20, inside: -10) - 0.3).magnitude < 0.001)
    #expect(lead(.known, nil) == 8 && lead(.claimed, nil) == 8 && lead(.unknown, nil) == -8 && lead(.unknown, nil, isGrouped: false) == 8)
    expect(
      \.isAhead, "ahead",
      [
        (true, { $0.margin = 6 }), (false, { $0.margin = 5.99 }), (false, { ($0.margin, $0.isUpToPattern) = (6, true) }),
        (false, { ($0.margin, $0.pattern) = (6, self.pattern(-1.01, 0)) }), (true, { ($0.margin, $0.pattern) = (6, self.pattern(-1, 0)) }),
        (true, { ($0.margin, $0.isUpToPattern, $0.pattern) = (-20, true, self.pattern(9, 9)) }),
      ])
  }

  @Test("a clear pattern is ahead of every rival: 3 at once with the last seconds behind it, or 1.5 over them; fewer receivers need less")
  func clear() {
    func isAhead(_ quick: Float, _ settled: Float, _ receivers: UInt8 = 8, margin: Float = 6) -> Bool {
      evidence { ($0.margin, $0.requiredMargin, $0.pattern) = (-20, margin, self.pattern(quick, settled, receivers)) }.isAhead
    }
    #expect(isAhead(3, 1.5) && !isAhead(2.99, 1.49) && !isAhead(20, 1.49) && isAhead(0, 1.5) && !isAhead(-0.01, 1.5))
    for (receivers, part) in [(2, 0.7), (3, 0.72), (4, 0.75), (5, 0.83), (6, 0.9), (7, 0.95), (8, 1), (9, 1), (1, 1)] as [(UInt8, Float)] {
      #expect(isAhead(0, 1.501 * part, receivers) && !isAhead(0, 1.499 * part, receivers), "\(receivers) receivers")
    }
    #expect(isAhead(0, 3, margin: 12) && !isAhead(0, 2.99, margin: 12))
  }

  @Test("a second of a level counts in full 3 dB beyond the need, of a lead at 2 dB; a level that moves needs 2 dB more for each")
  func weights() {
    func weight(_ change: (inout TriggerEvidence) -> Void) -> Float { evidence(change).weight }
    #expect(weight { $0.insideFire = -3 } == 0 && weight { $0.insideFire = -1.5 } == 0.5 && weight { $0.insideFire = 0 } == 1)
    #expect(weight { $0.insideFire = 20 } == 1 && weight { $0.insideFire = -6 } == -1 && weight { $0.insideFire = -50 } == -1)
    #expect(weight { ($0.insideFire, $0.motion) = (0, 0.75) } == 0.5)
    #expect(weight { ($0.insideFire, $0.isGrouped) = (-3.5, true) } == 0.5, "there are rivals, and none hears it")
    #expect(weight { ($0.insideFire, $0.margin) = (-5.5, 20) } == 0.5, "a rival hears it too")
    #expect(weight { ($0.insideFire, $0.margin) = (20, 7) } == 0.5 && weight { ($0.insideFire, $0.margin) = (20, 6) } == 0)
    #expect(weight { ($0.insideFire, $0.margin) = (20, 4) } == -1)
    #expect(weight { ($0.insideFire, $0.margin, $0.pattern) = (20, 20, self.pattern(-1.01, 0)) } == -1, "the pattern puts it elsewhere")
  }

  @Test("a level lower than a lone trigger takes needs a pattern that speaks for it, the more receivers the more") func support() {
    for (receivers, needed) in [(2, 0.5), (3, 1), (4, 1.5), (8, 1.5)] as [(UInt8, Float)] {
      for (inside, lacks) in [(-3, 0), (-3.01, 0.1), (-3.01, 0)] as [(Float, Float)] {
        func shown(_ power: TriggerEvidence.PowerDoubt) -> TriggerEvidence {
          evidence {
            ($0.insideFire, $0.margin, $0.power) = (inside, 40, power)
            $0.judge(by: self.pattern(needed - lacks, 0, receivers))
          }
        }
        #expect(shown(.known).isAhead == (lacks == 0), "\(receivers), \(inside)")
        #expect((shown(.known).weight >= 0) == (lacks == 0))
        #expect(shown(.claimed).isAhead, "what an advert claims needs a larger margin instead")
      }
    }
    #expect(evidence { ($0.insideFire, $0.margin) = (-6, 7) }.isAhead, "no pattern is known")
  }

  @Test("a second of the pattern counts half at most, by what it shows beyond the need, and less while the level moves")
  func patternWeights() {
    func weight(_ quick: Float, _ settled: Float, motion: Float = 0, isUpToPattern: Bool = true) -> Float {
      evidence {
        ($0.insideFire, $0.pattern, $0.motion, $0.isUpToPattern) = (-50, self.pattern(quick, settled), motion, isUpToPattern)
      }.weight
    }
    #expect(weight(4.5, 9) == 0.5 && weight(20, 20) == 0.5 && weight(3, 9) == 0 && weight(3.75, 9) == 0.25 && weight(9, 1.5) == 0)
    #expect(weight(4.5, 9, motion: 1.5) == 0 && weight(-20, 9) == -1 && weight(4.5, 9, isUpToPattern: false) == 0.5)
    #expect(evidence { $0.isUpToPattern = true }.weight == -1, "no pattern is known")
    #expect(evidence { $0.pattern = pattern(3.75, 9) }.patternLack == -0.75 && TriggerEvidence().patternLack == nil)
    func settled(_ quick: Float, _ settled: Float, motion: Float = 0) -> Float {
      evidence { ($0.pattern, $0.motion) = (self.pattern(quick, settled), motion) }.settledWeight
    }
    #expect(settled(0, 3) == 1 && settled(0, 20) == 1 && settled(0, 2.25) == 0.5 && settled(0, 1.5) == 0 && settled(0, -20) == -1)
    #expect(settled(-0.01, 20) == -0.5 && settled(0, 3, motion: 0.75) == 0.5 && TriggerEvidence().settledWeight == -1)
  }

  @Test("what a claim overstates puts a device farther off, of every edge") func receding() {
    var evidence = evidence { ($0.insideFire, $0.insideArm, $0.insideLeave) = (1, 2, 3) }
    evidence.recede(by: 4)
    #expect(evidence.insideFire == -3 && evidence.insideArm == -2 && evidence.insideLeave == -1)
    for (hasRivals, allowance) in [(true, 7), (false, 3)] as [(Bool, Float)] {
      #expect(TriggerEvidence.allowance(hasRivals: hasRivals).value == allowance)
    }
  }
}
