import Testing

@testable import Core

@Suite("What a trigger hears at the moment") struct ApproachTests {
  private func at(_ seconds: Double) -> Instant { Instant(microseconds: Int64((seconds * 1e6).rounded())) }

  @Test("the first three samples count alike; later each ages with its time constant of 0.7, 2 and 4 s") func averages() {
    var approach = Approach()
    _ = approach.observe(Decibels(-60), at: at(10))
    _ = approach.observe(Decibels(-70), at: at(10.01))
    #expect(approach.level == Decibels(-65) && approach.steady == Decibels(-65) && approach.settled == Decibels(-65))
    _ = approach.observe(Decibels(-80), at: at(10.02))
    #expect((approach.level.value + 70).magnitude < 0.001 && (approach.settled.value + 70).magnitude < 0.001)
    approach = Approach()
    for step in 0..<1_000 { _ = approach.observe(Decibels(-80), at: at(Double(step) / 20)) }
    // A step of 20 dB, one second later.
    for step in 1_000..<1_020 { _ = approach.observe(Decibels(-60), at: at(Double(step) / 20)) }
    for (found, seconds) in [(approach.level, 0.7), (approach.steady, 2), (approach.settled, 4)] {
      let wanted = -60 - 20 * Core.exp2(-1 / seconds * 1.442695)
      #expect((Double(found.value) - wanted).magnitude < 0.1, "\(seconds) s: \(found.value), not \(wanted)")
    }
    #expect((approach.motion.value - ((approach.level - approach.steady).value - 1)).magnitude < 0.001)
    for step in 1_020..<1_400 { _ = approach.observe(Decibels(-60), at: at(Double(step) / 20)) }
    #expect(approach.motion == Decibels(0), "calm")
    for step in 1_400..<1_420 { _ = approach.observe(Decibels(-80), at: at(Double(step) / 20)) }
    #expect(approach.motion.value > 3, "a level that falls moves as well")
  }

  @Test("where another radio takes over, the level moves by the difference, and the motion goes on") func shift() {
    var approach = Approach()
    for step in 0..<40 { _ = approach.observe(Decibels(-80 + Float(step)), at: at(Double(step) / 10)) }
    let before = approach
    approach.shift(by: Decibels(7))
    #expect((approach.level - before.level).value == 7 && (approach.settled - before.settled).value == 7)
    #expect((approach.motion.value - before.motion.value).magnitude < 0.001 && before.motion.value > 5)
    #expect(approach.samples == before.samples && approach.rate == before.rate && approach.heard == before.heard)
  }

  @Test("the rate follows the last nine samples; a sample stands for the time since the one before, unless that is a gap") func rhythm() {
    var approach = Approach()
    #expect(approach.rate == 0 && approach.interval == nil && approach.samples == 0)
    #expect((approach.observe(Decibels(-60), at: at(10))) == .zero)
    #expect(approach.rate == 0 && approach.interval == nil && approach.samples == 1 && approach.heard == at(10))
    #expect((approach.observe(Decibels(-60), at: at(10.5))) == .seconds(0.5))
    #expect(approach.rate == 2 && approach.interval == .seconds(0.5))
    for step in 2..<40 { #expect((approach.observe(Decibels(-60), at: at(10 + Double(step) / 2))) == .seconds(0.5)) }
    #expect((approach.rate - 2).magnitude < 0.001 && approach.samples == 40)
    // Twice the usual gap counts whole, a longer one as that; 1.2 s at most.
    #expect((approach.observe(Decibels(-60), at: at(30.5))) == .seconds(1))
    let rhythm = approach.interval?.seconds ?? 0
    #expect((rhythm - 0.5625).magnitude < 0.001, "an eighth of the way: \(rhythm)")
    let late = approach.observe(Decibels(-60), at: at(35.5))
    #expect((late.seconds - 1.125).magnitude < 0.001, "\(late.seconds)")
    let later = approach.observe(Decibels(-60), at: at(50))
    #expect(later == .seconds(1.2) && approach.heard == at(50))
    // A packet of another radio that comes late changes no time.
    #expect((approach.observe(Decibels(-60), at: at(49))) == .zero)
    #expect(approach.heard == at(50))
  }

  @Test("adverts that come several times, or late together, stand for all of their time, and count once", arguments: [(5, 0.1), (10, 1)])
  func together(samples: Int, seconds: Double) {
    var approach = Approach()
    var stands = 0.0
    for step in 0..<20 {
      for sample in 0..<samples {
        stands += approach.observe(Decibels(-60), at: at(10 + Double(step) * seconds + Double(sample) * 0.0003)).seconds
      }
    }
    #expect((stands - 19 * seconds).magnitude < 0.1, "\(stands) of \(19 * seconds)")
    #expect((Double(approach.rate) * seconds - 1).magnitude < 0.05, "\(approach.rate) a second: each counts once")
  }

  @Test("in a rhythm one sample never makes up half of the average; after a gap it may make up nearly all") func shares() {
    for (gap, share) in [(3.0, 0.45), (30, 1)] as [(Double, Float)] {
      var approach = Approach()
      for step in 0..<20 { _ = approach.observe(Decibels(-80), at: at(Double(step) * 3)) }
      _ = approach.observe(Decibels(-60), at: at(57 + gap))
      #expect((approach.level.value - (-80 + 20 * share)).magnitude < 0.1, "\(gap) s: \(approach.level.value)")
    }
  }
}

@Suite("How many transmitters use one identity") struct CloneRuleTests {
  private func at(_ seconds: Double) -> Instant { Instant(microseconds: Int64((seconds * 1e6).rounded())) }

  @Test("eight returns to the sender before, none more than ten seconds after another, are reported once") func turns() {
    for (pause, isClone) in [(1.0, true), (9.999, true), (10, false)] {
      var detector = CloneDetector()
      var told: [Int] = []
      for number in 0..<40 {
        detector.observe(number % 2, at: at(100 + Double(number) * pause))
        if detector.shouldReportTurns() { told.append(number) }
      }
      // The first two senders are new, the third sample is the first return.
      #expect(told == (isClone ? [9] : []), "\(pause) s: \(told)")
    }
    var detector = CloneDetector()
    for number in 0..<60 { detector.observe(number % 3, at: at(Double(number))) }
    #expect((detector.shouldReportTurns()) == false, "three that take turns return to none before")
    for number in 0..<60 { detector.observe(7, at: at(100 + Double(number))) }
    #expect((detector.shouldReportTurns()) == false, "one alone")
    for number in 0..<9 { detector.observe(number == 4 ? 9 : number % 2, at: at(200 + Double(number))) }
    #expect((detector.shouldReportTurns()) == false, "another among them")
  }

  @Test("the nearer of two is followed: 6 dB farther is left out, 10 dB nearer begins anew, and a second's silence hands over")
  func following() {
    for (level, silence, part) in [
      (-6.01, 0.5, CloneDetector.Part.leftOut), (-6, 0.5, .same), (0, 0.5, .same), (10, 0.5, .same), (10.01, 0.5, .other),
      (-50, 0.999, .leftOut), (-50, 1, .same), (50, 1, .same),
    ] as [(Float, Double, CloneDetector.Part)] {
      var detector = CloneDetector()
      #expect((detector.follow(1, above: -90, after: .zero)) == .same, "the first")
      detector.observe(1, at: at(1))
      #expect(detector.isAlone(1) && !detector.isAlone(2))
      let found = detector.follow(2, above: level, after: .seconds(silence))
      detector.observe(2, at: at(2))
      #expect(found == part, "\(level) dB, \(silence) s")
      #expect(detector.isAlone(2) == (part != .leftOut) && !detector.isAlone(1))
      #expect((detector.follow(part == .leftOut ? 1 : 2, above: -50, after: .zero)) == .same, "the followed one, however weak")
    }
  }
}

@Suite("What the pattern last said") struct PatternJudgementTests {
  private func at(_ seconds: Double) -> Instant { Instant(microseconds: Int64((seconds * 1e6).rounded())) }

  /// `before`: what the judgement before it said, if there was one.
  private func judgement(rival: Int8 = 2, overRival: Float, overRest: Float, isServed: Bool = false, before: Float? = nil)
    -> PatternJudgement
  {
    var judgement = PatternJudgement()
    for lead in before.map({ [$0, overRival] }) ?? [overRival] {
      let quick = SitePlan.Comparison(rival: rival, overRival: lead, overRest: overRest)
      judgement.record(quick, 1.5, receivers: 4, isPlaced: true, level: Decibels(-60), edition: 3, isServed: isServed, at: at(10))
    }
    return judgement
  }

  /// When it is asked again at the latest, and by how much the level must rise or fall to be asked sooner, which is four times a second.
  private func waits(_ lead: Float, isServed: Bool, before: Float?) -> (seconds: Double, rise: Float?, fall: Float?) {
    let judgement = judgement(overRival: lead, overRest: 9, isServed: isServed, before: before)
    func isDue(_ seconds: Double, _ change: Float = 0) -> Bool {
      judgement.isDue(at: at(10 + seconds), Decibels(-60 + change), 3, isServed: isServed)
    }
    func least(_ changes: [Float]) -> Float? { changes.first { isDue(0.24, $0) } }
    let steps = (1...40).map { Float($0) / 8 }
    #expect(!steps.contains { isDue(0.239, $0) || isDue(0.239, -$0) }, "never more often")
    let seconds = (240...9000).first { isDue(Double($0) / 1000) }.map { Double($0) / 1000 }
    return (seconds ?? .infinity, least(steps), least(steps.map { -$0 }).map { -$0 })
  }

  @Test("twice a second, and every two or four where it clearly stands elsewhere or was served; sooner when the level changes as it must")
  func paces() {
    for (before, lead, isServed, seconds, rise, fall) in [
      (nil, 5, false, 0.48, 1, 1), (nil, 0, false, 0.48, 1, 1), (nil, -0.01, false, 0.48, 1, nil), (nil, -2, false, 0.48, 1, nil),
      (nil, -2.01, false, 2, 2, nil), (nil, 5, true, 2, nil, 2), (nil, 1.01, true, 2, nil, 2), (nil, 1, true, 0.24, nil, nil),
      (nil, -2, true, 0.24, nil, nil), (nil, -2.01, true, 0.48, nil, nil), (5, 5, false, 0.48, 1, 1), (-2.5, -3, false, 2, 2, nil),
      (-2.51, -3, false, 4, 2, nil), (5, 5, true, 4, nil, 2), (1, 1, true, 0.24, nil, nil), (nil, -4, false, 2, 2, nil),
      (nil, -4.01, false, 8, 2, nil), (nil, -4.01, true, 0.48, nil, nil),
    ] as [(Float?, Float, Bool, Double, Float?, Float?)] {
      let found = waits(lead, isServed: isServed, before: before)
      #expect(found.seconds == seconds, "\(lead), served: \(isServed): \(found)")
      if seconds > 0.24 { #expect(found.rise == rise && found.fall == fall, "\(lead), served: \(isServed): \(found)") }
      let other = judgement(overRival: lead, overRest: 9, isServed: isServed, before: before)
      #expect(other.isDue(at: at(10.24), Decibels(-60), 3, isServed: !isServed), "it was served meanwhile, or has left")
    }
    let near = judgement(overRival: -2, overRest: 9)
    #expect(near.verdict?.quick == -2 && near.verdict?.settled == 1.5 && near.verdict?.receivers == 4)
    #expect(near.isDue(at: at(10), Decibels(-60), 4), "at once when the receivers are others")
  }

  @Test("what was unknown is asked for four times a second, until the receivers are others") func unknownPace() {
    var unknown = judgement(overRival: -2.01, overRest: 9)
    unknown.recordUnknown(at: at(20), edition: 3)
    #expect(unknown.verdict == nil && !unknown.isElsewhere)
    for isServed in [false, true] {
      #expect(unknown.isDue(at: at(20.24), Decibels(-60), 3, isServed: isServed))
      #expect(!unknown.isDue(at: at(20.239), Decibels(-20), 3, isServed: isServed))
      #expect(unknown.isDue(at: at(20), Decibels(-60), 2, isServed: isServed))
    }
  }

  @Test("the shares are the likelihoods against one here, and make one together") func shares() {
    let even = judgement(overRival: 0, overRest: 0).shares
    #expect((even.here - 1 / 3).magnitude < 0.001 && (even.rival - 1 / 3).magnitude < 0.001 && (even.rest - 1 / 3).magnitude < 0.001)
    // e to the power of one, and of two.
    let other = judgement(overRival: 1, overRest: -2).shares
    let all = 1 + 0.36788 + 7.38906 as Float
    #expect((other.here - 1 / all).magnitude < 0.001 && (other.rival - 0.36788 / all).magnitude < 0.001)
    #expect((other.rest - 7.38906 / all).magnitude < 0.001)
    let alone = judgement(rival: -1, overRival: -5, overRest: 0).shares
    #expect((alone.here - 0.5).magnitude < 0.001 && alone.rival == 0)
  }

  @Test("for four seconds a comparison may begin where the last one ended, for sixteen elsewhere, while the receivers are the same")
  func hints() {
    var judgement = PatternJudgement()
    #expect(judgement.hint(at: at(0), 0)?.likeliest == .max, "nothing was compared yet: who hears it best is asked first")
    for (lead, seconds) in [(-2, 4), (5, 4), (-2.01, 16)] as [(Float, Double)] {
      var quick = SitePlan.Comparison(rival: 1, overRival: lead, overRest: 7, likeliest: 7)
      judgement.record(quick, nil, receivers: 3, isPlaced: true, edition: 2, at: at(10))
      #expect(judgement.hint(at: at(9.999 + seconds), 2)?.likeliest == 7, "\(lead)")
      #expect(judgement.hint(at: at(10 + seconds), 2) == nil && judgement.hint(at: at(11), 3) == nil, "\(lead)")
      quick.isWhole = false
      judgement.record(quick, nil, receivers: 3, isPlaced: true, edition: 2, at: at(12))
      #expect(judgement.hint(at: at(9.999 + seconds), 2) != nil && judgement.hint(at: at(10 + seconds), 2) == nil, "a part does not count")
    }
    judgement.recordUnknown(at: at(12.5), edition: 2)
    #expect(judgement.hint(at: at(13), 2)?.likeliest == .max)
    var guessed = PatternJudgement()
    guessed.record(
      SitePlan.Comparison(rival: 1, overRival: -5, overRest: 2, likeliest: 7, isWhole: false), nil, receivers: 3, isPlaced: true, at: at(10)
    )
    #expect(guessed.hint(at: at(10.1), 0) == nil, "whoever was only guessed at is compared as a whole the next time")
  }

  @Test("the last seconds are looked at twice a second, less often where nothing is won or much was, and never where it stands elsewhere")
  func lookingBack() {
    var judgement = judgement(overRival: 5, overRest: 5)
    for (lead, isServed, seconds) in [(0, false, 0.48), (-0.01, false, 2), (0, true, 4), (-0.01, true, 4)] as [(Float, Bool, Double)] {
      let known = judgement
      func settled(_ after: Double) -> Float? { known.settled(at: at(10 + after), lead: lead, isServed: isServed) }
      #expect(settled(seconds - 0.001) == 1.5 && settled(seconds) == nil, "\(lead), served: \(isServed)")
    }
    judgement.record(judgement.quick, 1.5, isRepeated: true, receivers: 4, isPlaced: true, at: at(10.4))
    #expect(judgement.settled(at: at(10.5), lead: 5, isServed: false) == nil, "what was only repeated is not new")
    judgement.record(judgement.quick, nil, receivers: 4, isPlaced: true, at: at(11))
    #expect(judgement.settled(at: at(11), lead: 5, isServed: false) == nil && judgement.verdict?.settled == 5)
    judgement.record(judgement.quick, 0.5, receivers: 4, isPlaced: true, at: at(12))
    judgement.recordUnknown(at: at(12.1))
    #expect(judgement.settled(at: at(12.1), lead: 5, isServed: true) == nil)
  }

  @Test("a visit teaches once, when it has been served for eight seconds; what lies between does not count") func lessons() {
    var judgement = judgement(overRival: 9, overRest: 9)
    var lessons: [Double] = []
    for second in 0..<40 {
      let isServed = second % 10 < 5
      if judgement.mayTeach(isServed: isServed, at: at(Double(second))) { lessons.append(Double(second)) }
    }
    #expect(lessons == [14], "four seconds from 0 to 4, and four from 10 to 14")
  }
}
