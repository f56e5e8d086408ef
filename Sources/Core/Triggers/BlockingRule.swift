/// The first rule that keeps a device from firing at a trigger, in the order in which the rules are checked.
package enum BlockingRule: BitwiseCopyable, Equatable {
  /// Fewer samples than `min_samples`.
  case samples(Int)
  /// Fewer samples a second than `min_rate_hz`.
  case rate(Float)
  /// Further beyond `fire_m` than bodies and pockets explain, by this much.
  case distance(Decibels)
  /// The level still moves, which demands this much more.
  case movement(Decibels)
  /// The margin over the best rival lacks this much.
  case rival(Decibels)
  /// What all receivers hear fits another place as well; so much more would do, as the natural logarithm of a ratio of likelihoods.
  case pattern(Float)
  /// The power is unknown and no rival hears the device: nothing proves that it is here.
  case power
  /// Evidence of so many seconds is less than `dwell_s`.
  case dwell(Float)
  case presentAtStart
  /// It has left, and came back too soon to have been away.
  case notAway
  /// It appeared near as another device fell silent: it may be that one under its next address.
  case newcomer
  /// `refractory_s` is not over.
  case rest(Interval)
  /// Another trigger of the group has fired for it.
  case taken
  /// The margin has not held for `settle_s`.
  case settle(Interval)
  /// Not all neighbours have answered, or one that is offline may have fired.
  case neighbours

  /// How many rules the device has met.
  package var rank: Int {
    switch self {
    case .samples: 0
    case .rate: 1
    case .distance: 2
    case .movement: 3
    case .rival, .power, .pattern: 4
    case .dwell: 5
    case .presentAtStart: 6
    case .notAway: 7
    case .newcomer: 8
    case .rest: 9
    case .taken: 10
    case .settle: 11
    case .neighbours: 12
    }
  }
}

extension Encounter {
  /// nil after the fire. The same rules as in `observeComing` and `decide`; BlockingRuleTests compares the two.
  package func blockingRule(_ evidence: TriggerEvidence, at now: Instant, _ settings: TriggerSettings) -> BlockingRule? {
    guard !hasFired else { return nil }
    if Int(approach.samples) < settings.minimumSamples { return .samples(Int(approach.samples)) }
    guard evidence.isFirm else { return .rate(approach.rate) }
    if case .claiming = stage { return .neighbours }
    if let doubt = evidence.doubt { return doubt }
    guard evidenceSeconds >= Float(settings.dwell.seconds) else { return .dwell(evidenceSeconds) }
    if wasHereAtStart { return .presentAtStart }
    if mustBeAway { return .notAway }
    if isNewcomer { return .newcomer }
    if now < rests { return .rest(rests - now) }
    if evidence.isTaken { return .taken }
    if evidence.mayBeTaken { return .neighbours }
    if !evidence.isUnrivalled, now - ahead < settings.settle { return .settle(settings.settle - (now - min(ahead, now))) }
    return .dwell(evidenceSeconds)
  }
}

extension TriggerEvidence {
  /// Why a second of this evidence counts nothing.
  fileprivate var doubt: BlockingRule? {
    if weight > 0 || settledWeight > 0 { return nil }
    if pattern != nil, uncomparedLead > 0 { return .rival(Decibels(uncomparedLead)) }
    if let patternLack, patternLack > 0 { return .pattern(patternLack) }
    if standing <= 0 { return .distance(Decibels(-standing)) }
    if standing <= moving { return .movement(Decibels(moving - standing)) }
    guard lead <= 0 else { return nil }
    return margin == nil ? .power : .rival(Decibels(-lead))
  }
}
