/// How near a device is, in words. `unknown`: there is no average.
package enum Zone: UInt8, Comparable, BitwiseCopyable, Sendable {
  case unknown, far, near, immediate

  package static func < (a: Self, b: Self) -> Bool { a.rawValue < b.rawValue }

  package var name: StaticString {
    switch self {
    case .unknown: "unknown"
    case .far: "far"
    case .near: "near"
    case .immediate: "immediate"
    }
  }
}

/// The level of a transmitter at 1 m, and how we know it, in order of precedence.
package enum MeasuredPower: BitwiseCopyable, Sendable {
  case assumed(Decibels)
  /// Its advert says at what power it transmits.
  case transmitted(Decibels)
  /// Visits taught it; beside it what was transmitted. 0: its advert does not say.
  case learnt(Decibels, transmitted: Int8)
  /// Its advert says its level at 1 m.
  case advertised(Decibels)
  /// This very device was measured.
  case calibrated(Decibels)

  package var level: Decibels {
    switch self {
    case .assumed(let level), .transmitted(let level), .learnt(let level, _), .advertised(let level), .calibrated(let level): level
    }
  }

  /// One standard deviation: none for a measured device, `assumed` for a claim or an assumption.
  package func doubt(otherwise assumed: Decibels) -> Decibels {
    switch self {
    case .assumed, .transmitted, .learnt, .advertised: assumed
    case .calibrated: Decibels(0)
    }
  }

  package var triggerDoubt: TriggerEvidence.PowerDoubt {
    switch self {
    case .assumed, .transmitted: .unknown
    case .learnt, .advertised: .claimed
    case .calibrated: .known
    }
  }

  /// What a trigger believes. Phones are hardly ever more than 8 dB weaker than assumed (LearntPowers), so a weaker claim brings a device
  /// no nearer than that. A weaker device must be measured.
  @inline(__always) package func credited(_ assumed: Decibels) -> Decibels {
    level < assumed - LearntPowers.weakest && isOwnClaim ? assumed - LearntPowers.weakest : level
  }

  /// How much of that claim is not believed, in dB, where no rival gives a second opinion.
  @inline(__always) package func overstated(_ assumed: Decibels) -> Float {
    let least = assumed - Decibels(4)
    return level < least && isOwnClaim ? (least - credited(assumed)).value : 0
  }

  /// The level at 1 m was measured, or the advert says it.
  var isStated: Bool {
    switch self {
    case .advertised, .calibrated: true
    case .assumed, .transmitted, .learnt: false
    }
  }

  /// What visits teach is not the device's own claim.
  private var isOwnClaim: Bool {
    switch self {
    case .transmitted, .advertised: true
    case .assumed, .learnt, .calibrated: false
    }
  }

  private var rank: Int {
    switch self {
    case .assumed: 0
    case .transmitted: 1
    case .learnt: 2
    case .advertised: 3
    case .calibrated: 4
    }
  }

  /// Calibrations and assumptions of old settings give way to the new ones; claims of adverts stay.
  package mutating func forgetConfig(_ assumed: Decibels) {
    switch self {
    case .assumed, .calibrated: self = .assumed(assumed)
    case .transmitted, .learnt, .advertised: break
    }
  }

  /// Whether visits can improve it.
  package var isImprecise: Bool { rank <= Self.learnt(level, transmitted: 0).rank }

  /// A better source replaces a worse one; the same source updates itself.
  package mutating func learn(_ other: MeasuredPower) {
    if other.rank >= rank { return self = other }
    if case .learnt(let level, _) = self, case .transmitted(let claim) = other { self = .learnt(level, transmitted: Self.whole(claim)) }
  }

  /// What visits teach; nil: no longer. Then what its advert says holds again.
  mutating func teach(_ level: Decibels?, orElse assumed: Decibels) {
    var claim: Int8 = 0
    switch self {
    case .assumed: break
    case .transmitted(let level): claim = Self.whole(level)
    case .learnt(_, let transmitted): claim = transmitted
    case .advertised, .calibrated: return
    }
    if let level {
      self = .learnt(level, transmitted: claim)
    } else if case .learnt = self {
      self = claim == 0 ? .assumed(assumed) : .transmitted(Decibels(Float(claim)))
    }
  }

  /// A plausible claim is a whole number from -90 to -20.
  private static func whole(_ claim: Decibels) -> Int8 { Int8(clamping: Int(claim.value)) }
}

/// What in the configuration asks for an identity, looked up once, when the identity is first heard.
package struct Interest: BitwiseCopyable, Sendable {
  /// A bit for each region, and for each trigger, that matches.
  package var regions: UInt64 = 0
  package var triggers: UInt64 = 0
  package var calibration: Decibels?

  package var isMatched: Bool { regions | triggers != 0 || calibration != nil }
}

/// One line of the device table: its identity, what asks for it, and what was last published of it.
///
/// The fields that every packet touches come first: a row is two cache lines, and a packet of a device that nothing asks for needs one of
/// them.
package struct Device: BitwiseCopyable {
  package var heard = Instant.zero
  /// When its proximity was last published. While the average stays inside `settled` there is nothing new to publish.
  package var published = Instant.never
  package var interest = Interest()
  /// The level of the last sample.
  package var level: Int8 = 0
  package var zone = Zone.unknown
  /// Counts the devices that had this slot, so that a stale reference is noticed.
  package var generation: UInt32 = 0
  package var power = MeasuredPower.assumed(Decibels(-59))
  /// A sample may lead to a message: something asks for the device, or unknown devices are published too.
  package var isWatched = false
  /// A bit for each of the three below: with a byte for each a row would be larger than two cache lines.
  private var marks: UInt8 = 0
  package var attributes = Attributes()
  /// Heads of its lists of region visits and of trigger encounters.
  package var visits: Int32 = -1
  package var encounters: Int32 = -1
  package var settled = Band.empty
  package var identity: Identity

  package init(identity: Identity) { self.identity = identity }

  /// Its advert claims a power that no transmitter has.
  package var isImplausible: Bool {
    get { marks & 1 != 0 }
    set { marks = marks & ~1 | (newValue ? 1 : 0) }
  }
  /// A beacon from an address that is renewed: it may be a phone that is known by its id, too.
  package var mayBePhone: Bool {
    get { marks & 2 != 0 }
    set { marks = marks & ~2 | (newValue ? 2 : 0) }
  }
  /// It was heard under its address alone before, and has been near no trigger since.
  package var isRenamed: Bool {
    get { marks & 4 != 0 }
    set { marks = marks & ~4 | (newValue ? 4 : 0) }
  }
}

/// A range of levels.
package struct Band: BitwiseCopyable {
  package var low: Decibels
  package var high: Decibels

  package static let empty = Band(low: Decibels(1), high: Decibels(-1))

  package func contains(_ level: Decibels) -> Bool { level > low && level < high }
}

package struct DeviceReference: BitwiseCopyable, Equatable, Sendable {
  package var slot: Int32
  package var generation: UInt32

  package static let none = DeviceReference(slot: -1, generation: 0)
}
