/// The logarithm of how much likelier a device stands at a trigger than elsewhere, by what all receivers hear.
package struct PatternVerdict: BitwiseCopyable {
  package var quick: Float
  /// Looking further back.
  package var settled: Float
  /// How many it comes from, plus `unplaced` where nobody has said where they stand: an index into `strictnesses`.
  package var receivers: UInt8 = 8
  static let unplaced: UInt8 = 9

  /// By the number of receivers. Chosen on the even seeds of `prove sites`, `prove unplaced` and `prove variations`.
  private static let strictnesses: InlineArray<18, Float> = [
    1, 1, 0.7, 0.72, 0.75, 0.83, 0.9, 0.95, 1, 1, 1, 0.6, 0.68, 0.76, 0.86, 0.96, 1.05, 1.15,
  ]
  var strictness: Float { Self.strictnesses[Int(min(receivers, 17))] }

  /// What a moment must show, and what less shows in some seconds. Chosen on the even seeds of `prove sites`.
  static let needed: Float = 3
  static let neededSettled: Float = 1.5
  static let settledSeconds: Float = 4
  /// What a moment shows beyond what the last seconds show counts so far.
  static let lead: Float = 1.5
  static let ramp: Float = 1.5
  /// A second of the pattern counts half: somebody who walks past a pump is near it for a second, too.
  static let most: Float = 0.5
  static let perMotion: Float = 1
  /// Below this it is elsewhere, whatever its level and its margin.
  static let elsewhere: Float = -1
}

/// What the pattern of all receivers last said of a device at a trigger.
struct PatternJudgement: BitwiseCopyable {
  private(set) var quick = SitePlan.Comparison(rival: -1, overRival: 0, overRest: 0)
  private(set) var settled: Float = 0
  private(set) var at = Instant.zero
  private(set) var receivers: UInt8 = 0
  private var isKnown = false
  private var isPlaced = false
  /// How often it was found served.
  private var served: UInt8 = 0
  private static let teaching: UInt8 = 32

  /// Receivers change their minds within a second, not within a packet; a device that stands elsewhere is asked for less often.
  private static let pace = Interval.milliseconds(240)
  private static let calmPace = Interval.milliseconds(480)

  var isElsewhere: Bool { isKnown && quick.lead < -2 }
  func isDue(at now: Instant) -> Bool { now - at >= (isElsewhere ? Self.calmPace : Self.pace) }

  var verdict: PatternVerdict? {
    isKnown ? PatternVerdict(quick: quick.lead, settled: settled, receivers: receivers + (isPlaced ? 0 : PatternVerdict.unplaced)) : nil
  }

  mutating func record(_ quick: SitePlan.Comparison, _ settled: Float, receivers: Int, isPlaced: Bool, at now: Instant) {
    (self.receivers, self.isPlaced) = (UInt8(receivers), isPlaced)
    (self.quick, self.settled, self.at, isKnown) = (quick, settled, now, true)
  }

  /// The likelihoods as shares of one.
  var shares: (here: Float, rival: Float, rest: Float) {
    let octaves = 1.4426950408889634
    let rival = quick.rival < 0 ? 0 : exp2(-Double(quick.overRival) * octaves)
    let rest = exp2(-Double(quick.overRest) * octaves)
    let all = 1 + rival + rest
    return (Float(1 / all), Float(rival / all), Float(rest / all))
  }

  /// Once, after 32 judgements while it is served: eight seconds, fifteen at a neighbour's.
  mutating func mayTeach(isServed: Bool) -> Bool {
    guard isServed, served < Self.teaching else { return false }
    served += 1
    return served == Self.teaching
  }

  mutating func recordUnknown(at now: Instant) { (at, isKnown) = (now, false) }
}
