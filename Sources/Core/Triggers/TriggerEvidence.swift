/// What is known at one moment about one device at one trigger, in dB.
package struct TriggerEvidence: BitwiseCopyable {
  /// How much nearer than `fire_m`, `arm_m` and `leave_m` the level puts the device.
  package var insideFire: Float = 0
  package var insideArm: Float = 0
  package var insideLeave: Float = 0
  /// How quickly it comes nearer or goes.
  package var motion: Float = 0
  /// The best rival's loss less ours; nil when nobody else hears the device.
  package var margin: Float?
  package var requiredMargin: Float = 6
  package var power = PowerDoubt.known
  /// Whether this trigger has others to compete with at all.
  package var isGrouped = false
  /// Neighbours compete for it, so they must be asked.
  package var mustAsk = false
  /// Another trigger of the group has this device already.
  package var isTaken = false
  /// A neighbour that is offline may have fired: it went while it asked, or after a time when we heard nothing of it.
  package var mayBeTaken = false
  package var isConnected = true
  /// Its advert claims a power that no transmitter has.
  package var isImplausible = false
  /// Enough samples, often enough.
  package var isFirm = false

  /// How well the transmitter's power is known, which decides what the absolute level is worth.
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
  package var isNear: Bool { insideFire > -Bounds.besideRivals }
  package var isArming: Bool { insideArm > 0 }
  package var isGone: Bool { insideArm < -Bounds.body }
  package var isAway: Bool { insideLeave < -Bounds.body }
  /// A rival is as clearly better as we were when we fired.
  package var isBehind: Bool { (margin ?? 0) <= -requiredMargin }

  /// Whether the rivals leave no doubt. Two gateways share a phone's power and its pocket, so their difference holds where the
  /// level itself does not; the less is known of the power, the more of the proof the difference must bear.
  package var isAhead: Bool { lead >= 0 }

  /// Whether he stands still, and the difference alone tells that it is here, whatever his power is.
  package var isProof: Bool { motion == 0 && (margin ?? 0) >= Bounds.proof }

  /// How far the true loss may lie from the one seen: 90 % of the time within.
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
    case .known: return margin - requiredMargin
    case .claimed: return margin - max(requiredMargin, 9 - 1.9 * insideFire)
    case .unknown: return margin - max(requiredMargin, 16 - 0.37 * insideFire)
    }
  }

  /// It is that much further off than it says.
  mutating func recede(by excess: Float) {
    insideFire -= excess
    insideArm -= excess
    insideLeave -= excess
  }

  /// What a second of this is worth as evidence, from -1 to 1. While the level still moves, more of it is asked: who is coming
  /// is not there yet, and who passes by does not stay.
  package var weight: Float {
    let level = (standing - moving) / Bounds.ramp
    return max(min(min(level, lead / 2), 1), -1)
  }

  /// How far the level may be below that of `fire_m`.
  package static func allowance(hasRivals: Bool) -> Decibels { Decibels(hasRivals ? Bounds.besideRivals : Bounds.alone) }

  /// How far the level lies within what is allowed for somebody who stands still.
  package var standing: Float { insideFire + (margin != nil ? Bounds.besideRivals : isGrouped ? Bounds.unheard : Bounds.alone) }
  /// What is asked on top while the level moves.
  package var moving: Float { Bounds.perMotion * motion }
}

private enum Bounds {
  /// How far the level may be below that of `fire_m`: pockets, bodies and shadows are there, and 7 dB is what `low_m` allows.
  static let besideRivals: Float = 7
  /// Rivals there are, but none of them hears the device: it is not near them.
  static let unheard: Float = 5
  /// Without a rival's word, the next pump looks like a pocket: less is allowed. Chosen by the curve in Tests/Firing/ProvingGround.
  static let alone: Float = 3
  /// Full evidence this far above the allowance.
  static let ramp: Float = 3
  static let perMotion: Float = 2
  /// A rival 4 m and more away hears somebody who stands here so much less: 17 dB, give or take 5, at 8 m; 0 dB from the street.
  static let proof: Float = 12
  /// A body turns up and goes away again: it must not make a visit end.
  static let body: Float = 8
}
