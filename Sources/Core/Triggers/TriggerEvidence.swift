/// What is known at one moment of one device at one trigger, in dB.
package struct TriggerEvidence: BitwiseCopyable {
  /// How much nearer than `fire_m`, `arm_m` and `leave_m` the level puts the device.
  package var insideFire: Float = 0
  package var insideArm: Float = 0
  package var insideLeave: Float = 0
  /// How quickly the level rises or falls.
  package var motion: Float = 0
  /// How much better we hear the device than the best rival does; nil when no rival hears it.
  package var margin: Float?
  package var requiredMargin: Float = 6
  /// How far a rival is ahead with whose place the pattern does not compare ours; nothing if none is. Then the pattern proves nothing.
  package var uncomparedLead: Float = 0
  package var power = PowerDoubt.known
  /// What all receivers together say; nil where no other is known.
  package var pattern: PatternVerdict?
  /// By how much that speaks for a level lower than a trigger without rivals takes; without limit where the level is higher, or no pattern
  /// is known. To be ahead of the rivals is not enough: whoever stands beyond the outermost pump is far from all of them.
  private var support = Float.infinity
  /// Whether this trigger has rivals at all.
  package var isGrouped = false
  /// The pattern alone decides, for level and margin prove little where nobody measured the power: a loud phone in the street has both.
  /// On a plan also where no pattern is known: where the others are deaf, nobody fires. Without a plan only once it is known.
  package var isUpToPattern = false
  /// Neighbours compete, so they must be asked.
  package var mustAsk = false
  /// Another trigger of the group has fired for this device.
  package var isTaken = false
  /// A neighbour that is offline may have fired: it went while it asked, or while we could not hear it.
  package var mayBeTaken = false
  package var isConnected = true
  /// Its advert claims a power that no transmitter has.
  package var isImplausible = false
  /// Enough samples, often enough.
  package var isFirm = false
  /// Seconds between samples.
  package var spacing: Float = 0

  /// How well the transmitter's power is known. That decides what the level alone is worth.
  package enum PowerDoubt: UInt8, BitwiseCopyable {
    /// It was measured.
    case known
    /// Its advert says so.
    case claimed
    case unknown
  }

  package init() {}

  package var isPowerKnown: Bool { power == .known }
  package var isUnrivalled: Bool { margin == nil && !isGrouped }
  package var isNear: Bool { insideFire > -Bounds.besideRivals && !isElsewhere || isLikelyHere }
  package var isArming: Bool { insideArm > 0 }
  /// An encounter that has ended needs more to begin again than one that goes on: a doubtful device would arm with every packet.
  var isComing: Bool { isArming || insideFire > -Bounds.besideRivals && !isElsewhere || (pattern?.quick ?? -9) > 0 }
  package var isGone: Bool { insideArm < -Bounds.body && !isLikelyHere && (pattern?.settled ?? -9) <= -1 && !isUnjudged }
  package var isAway: Bool { insideLeave < -Bounds.body && !isLikelyHere && !isUnjudged }
  /// The others are silent. What the pattern served may be far weaker than its level says, so only silence ends a visit.
  private var isUnjudged: Bool { isUpToPattern && pattern == nil }
  /// However weak its level.
  private var isLikelyHere: Bool { (pattern?.quick ?? -9) > -1 }
  private var isElsewhere: Bool { (pattern?.quick ?? 0) < PatternVerdict.elsewhere }
  /// A rival is ahead by as much as we had to be.
  package var isBehind: Bool { (margin ?? 0) <= -requiredMargin && !isLikelyHere }

  /// What a second of the pattern counts that the device has gone elsewhere, as a share. In a hall full of echoes the level wavers too much
  /// ever to be low for as long as a visit's end needs.
  var departing: Float { max(min((PatternVerdict.elsewhere - (pattern?.quick ?? 0)) / 2, 1), -1) / 4 }

  /// Whether the rivals leave no doubt. Two gateways hear the same power through the same pocket, so their difference holds where the level
  /// does not: the less is known of the power, the more the difference must prove.
  package var isAhead: Bool { lead >= 0 && !isElsewhere && !isUpToPattern || isClear }

  /// The device stands still, and the difference alone proves that it is here, whatever its power.
  package var isProof: Bool { motion == 0 && (margin ?? 0) >= Bounds.proof }

  /// The true loss lies within this of the observed one, nine times in ten.
  var reach: Float {
    switch power {
    case .known: Bounds.besideRivals
    case .claimed: 10
    case .unknown: 15
    }
  }

  package var lead: Float {
    guard let margin else { return isGrouped && power == .unknown ? -Bounds.body : Bounds.body }
    switch power {
    case .known: return min(margin - requiredMargin, support)
    case .claimed: return margin - max(requiredMargin, 9 - 1.9 * insideFire)
    case .unknown: return margin - max(requiredMargin, 16 - 0.37 * insideFire)
    }
  }

  /// The level of a slow device is the mean of few samples and wavers, so it must show more: nothing at four adverts a second, 1 at less than
  /// one a second.
  private var sparsity: Float { min(max(spacing - 0.25, 0), 1) }

  /// After the levels are known.
  mutating func judge(by pattern: PatternVerdict?) {
    self.pattern = pattern
    if let pattern, insideFire < -Bounds.alone { support = pattern.quick - pattern.neededAtLowLevel }
  }

  /// The device is that much further off than its own claim says.
  mutating func recede(by excess: Float) {
    insideFire -= excess
    insideArm -= excess
    insideLeave -= excess
  }

  /// What a second of this counts as evidence, from -1 to 1. A moving level must show more: a device that still comes is not here yet, and
  /// one that passes by does not stay.
  package var weight: Float {
    if isUpToPattern { return max(patternWeight, -1) }
    let level = (standing - moving) / Bounds.ramp
    let rivals = isElsewhere ? -1 : lead / 2
    return max(min(max(min(level, rivals), patternWeight), 1), -1)
  }

  // MARK: The pattern

  /// `margin_db` scales what the pattern must show. Among more receivers there are more places to be mistaken for.
  private var scale: Float { requiredMargin / 6 * (pattern?.strictness ?? 1) * (1 + PatternVerdict.perSparsity * sparsity) }

  /// The pattern alone proves that it is here.
  private var isClear: Bool {
    guard let pattern, uncomparedLead == 0 else { return false }
    return min(pattern.quick, pattern.settled + PatternVerdict.lead) >= scale * PatternVerdict.needed
      || pattern.quick >= 0 && pattern.settled >= scale * PatternVerdict.neededSettled
  }

  private var patternWeight: Float {
    guard let pattern, uncomparedLead == 0 else { return -1 }
    let shown = min(pattern.quick, pattern.settled + PatternVerdict.lead) - scale * PatternVerdict.needed
    return min((shown - PatternVerdict.perMotion * motion) / PatternVerdict.ramp, 1) * PatternVerdict.most
  }

  /// What the pattern lacks at the moment, a natural logarithm; nil where there is none.
  var patternLack: Float? { pattern == nil || uncomparedLead > 0 ? nil : -patternWeight * PatternVerdict.ramp / PatternVerdict.most }

  /// What a second counts that looks further back: less is enough, for longer.
  package var settledWeight: Float {
    guard let pattern, uncomparedLead == 0 else { return -1 }
    let shown = pattern.settled - scale * PatternVerdict.neededSettled
    let weight = (shown - PatternVerdict.perMotion * motion) / PatternVerdict.ramp
    return max(min(weight, pattern.quick < 0 ? -0.5 : 1), -1)
  }

  /// How far the level may be below that of `fire_m`.
  package static func allowance(hasRivals: Bool) -> Decibels { Decibels(hasRivals ? Bounds.besideRivals : Bounds.alone) }

  /// How far the level exceeds what a device that stands still needs.
  package var standing: Float { insideFire + allowed }
  private var allowed: Float {
    guard margin != nil else { return isGrouped ? Bounds.unheard : Bounds.alone }
    return Bounds.besideRivals - Bounds.perSparsity * sparsity
  }
  /// What a moving level needs on top.
  package var moving: Float { Bounds.perMotion * motion }
}

private enum Bounds {
  /// Pockets, bodies and shadows take up to 7 dB, which is what `low_m` allows.
  static let besideRivals: Float = 7
  /// There are rivals, but none hears the device: it is not near them.
  static let unheard: Float = 5
  /// Without a rival the next pump looks like a pocket, so less is allowed. Chosen by the curve in Tests/Firing/ProvingGround.
  static let alone: Float = 3
  /// So far above the need a second counts in full.
  static let ramp: Float = 3
  static let perMotion: Float = 2
  /// Chosen on 4,000 seeds of `slow-crossing`. Not alone: it would miss more visitors than it spares neighbours.
  static let perSparsity: Float = 2.5
  /// A rival 4 m away or more hears the device so much weaker: 17 ± 5 dB at 8 m, and 0 dB if the device is in the street.
  static let proof: Float = 12
  /// A body that passes must not end a visit.
  static let body: Float = 8
}
