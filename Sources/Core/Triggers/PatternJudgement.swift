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
  /// Chosen on 4,000 seeds of `slow-crossing`.
  static let perSparsity: Float = 0.3
  /// Below this it is elsewhere, whatever its level and its margin.
  static let elsewhere: Float = -1
  /// What a moment must show where the power was measured, but the level is low. The fewer receivers, the less a pattern can show. Chosen
  /// on the even seeds of `prove variations beyond`.
  var neededAtLowLevel: Float { min(Float(receivers) - 1, 3) / 2 }
}

/// What the pattern of all receivers last said of a device at a trigger.
struct PatternJudgement: BitwiseCopyable {
  private(set) var quick = SitePlan.Comparison(rival: -1, overRival: 0, overRest: 0)
  private(set) var settled: Float = 0
  private(set) var at = Instant.zero
  /// When it is due at the latest, and beyond which levels sooner.
  private var due = Instant.zero
  private var (low, high) = (Float(0), Float(0))
  private var wasServed = false
  private(set) var receivers: UInt8 = 0
  private var isKnown = false
  private var isPlaced = false
  /// Of the receivers when it was judged.
  private var edition: UInt8 = 0
  /// When all places were last compared, and when the last seconds were.
  private var comparedAll = Instant.never
  private var lookedBack = Instant.never
  /// How long it has been found served, and since when the last time.
  private var served = Interval.zero
  private var servedSince = Instant.never

  // In milliseconds: of seconds, which may be fractions, the compiler makes no constants.
  /// Receivers change their minds within a second, not within a packet.
  private static let pace = Interval.milliseconds(240)
  /// How long it may wait while our level hardly changes; where it clearly stands elsewhere, or where it was served; where it still does so;
  /// and where it stands elsewhere beyond doubt.
  private static let calmPace = Interval.milliseconds(480)
  private static let clearPace = Interval.milliseconds(2_000)
  private static let steadyPace = Interval.milliseconds(4_000)
  private static let farPace = Interval.milliseconds(8_000)
  private static let change: Float = 1
  private static let clearChange: Float = 2
  /// So far above what ends a visit (`PatternVerdict.elsewhere`) nothing is lost by waiting, unless our level drops.
  private static let surelyHere: Float = 1
  private static let surelyElsewhere: Float = -4
  /// Two judgements in a row that differ by less say the same.
  private static let steady: Float = 0.5
  /// The likeliest place elsewhere hardly changes while somebody stands; nor does it matter which it is while that somebody stands there.
  private static let wholePace = Interval.milliseconds(4_000)
  private static let elsewherePace = Interval.milliseconds(16_000)
  private static let lookBackPace = Interval.milliseconds(480)
  /// While nothing is won at the moment, the last seconds win nothing either.
  private static let idleLookBackPace = Interval.milliseconds(2_000)
  private static let servedLookBackPace = Interval.milliseconds(4_000)
  private static let teaching = Interval.milliseconds(8_000)

  var isElsewhere: Bool { isKnown && quick.lead < -2 }

  /// `level`: ours of the device. New settings, and receivers that take the place of others, leave nothing of what was known. Most reports
  /// come sooner, and must not pay for a call.
  @inline(__always)
  func isDue(at now: Instant, _ level: Decibels = Decibels(0), _ edition: UInt8 = 0, isServed: Bool = false) -> Bool {
    if edition != self.edition { return true }
    guard now - at >= Self.pace else { return false }
    return now >= due || level.value <= low || level.value >= high || isServed != wasServed
  }

  /// After `quick` is known. `isSteady`: the judgement before said the same.
  private mutating func wait(after level: Decibels, isSteady: Bool) {
    (low, high) = (-.infinity, .infinity)
    // A visit must not end by mistake, for then it might begin again.
    if wasServed, quick.lead <= Self.surelyHere { return due = at + (isElsewhere ? Self.calmPace : Self.pace) }
    let isClear = wasServed || isElsewhere
    let isFar = !wasServed && quick.lead < Self.surelyElsewhere
    due = at + (isFar ? Self.farPace : !isClear ? Self.calmPace : isSteady ? Self.steadyPace : Self.clearPace)
    // What is here may go, what is elsewhere may come; what may be served soon may just be passing.
    let change = isClear ? Self.clearChange : Self.change
    if wasServed || quick.lead >= 0 { low = level.value - change }
    if !wasServed { high = level.value + change }
  }

  /// What to begin the next comparison with; nil when all places must be compared.
  @inline(__always)
  func hint(at now: Instant, _ edition: UInt8) -> SitePlan.Comparison? {
    guard isKnown else { return .unasked }
    guard edition == self.edition, comparedAll != .never else { return nil }
    return now - comparedAll < (isElsewhere ? Self.elsewherePace : Self.wholePace) ? quick : nil
  }

  /// What the last seconds showed, while that still counts.
  @inline(__always)
  func settled(at now: Instant, lead: Float, isServed: Bool) -> Float? {
    guard isKnown, lookedBack != .never else { return nil }
    let pace = isServed ? Self.servedLookBackPace : lead < 0 ? Self.idleLookBackPace : Self.lookBackPace
    return now - lookedBack < pace ? settled : nil
  }

  var verdict: PatternVerdict? {
    isKnown ? PatternVerdict(quick: quick.lead, settled: settled, receivers: receivers + (isPlaced ? 0 : PatternVerdict.unplaced)) : nil
  }

  /// `settled` is nil where nobody looked back: what stands elsewhere now gains nothing by the last seconds.
  mutating func record(
    _ quick: SitePlan.Comparison, _ settled: Float?, isRepeated: Bool = false, receivers: Int, isPlaced: Bool,
    level: Decibels = Decibels(0), edition: UInt8 = 0, isServed: Bool = false, at now: Instant
  ) {
    let isSteady = isKnown && (quick.lead - self.quick.lead).magnitude < Self.steady
    (self.receivers, self.isPlaced, self.edition, wasServed) = (UInt8(receivers), isPlaced, edition, isServed)
    if quick.isWhole { comparedAll = now }
    lookedBack = settled == nil ? .never : isRepeated ? lookedBack : now
    (self.quick, self.settled, at, isKnown) = (quick, settled ?? quick.lead, now, true)
    wait(after: level, isSteady: isSteady)
  }

  /// The likelihoods as shares of one.
  var shares: (here: Float, rival: Float, rest: Float) {
    let octaves = 1.4426950408889634
    let rival = quick.rival < 0 ? 0 : exp2(-Double(quick.overRival) * octaves)
    let rest = exp2(-Double(quick.overRest) * octaves)
    let all = 1 + rival + rest
    return (Float(1 / all), Float(rival / all), Float(rest / all))
  }

  var hasTaught: Bool { served >= Self.teaching }

  /// Once, when it has been served for eight seconds.
  mutating func mayTeach(isServed: Bool, at now: Instant) -> Bool {
    defer { servedSince = isServed ? now : .never }
    guard isServed, servedSince != .never, !hasTaught else { return false }
    served = served + (now - servedSince)
    return hasTaught
  }

  mutating func recordUnknown(at now: Instant, edition: UInt8 = 0) {
    (at, due, isKnown, self.edition) = (now, now + Self.pace, false, edition)
  }
}
