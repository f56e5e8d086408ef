/// What keeps a device from firing at a trigger: the first rule that is not met, in the order in which they are asked.
package enum BlockingRule: BitwiseCopyable, Equatable {
  /// Fewer than `min_samples`.
  case samples(Int)
  /// Fewer a second than `min_rate_hz`.
  case rate(Float)
  /// Beyond `fire_m` by so much more than what is allowed for bodies and pockets.
  case distance(Decibels)
  /// It still comes or passes by: the movement asks for so much more.
  case movement(Decibels)
  /// So much is missing to the margin over the best rival.
  case rival(Decibels)
  /// The power is not known and nobody else hears it: nothing proves that it is here.
  case power
  /// Evidence of so many seconds is less than `dwell_s`.
  case dwell(Float)
  case presentAtStart
  /// He was said to have left, and has not been away.
  case notAway
  /// It appeared from nowhere, as somebody fell silent: it may be the same one under another address.
  case newcomer
  /// `refractory_s` is not over.
  case rest(Interval)
  /// Another trigger of the group has it.
  case taken
  /// The margin has not held for `settle_s`.
  case settle(Interval)
  /// The neighbours have been asked and have not all answered, or one that cannot be asked may have fired.
  case neighbours

  /// How many rules it has met.
  package var rank: Int {
    switch self {
    case .samples: 0
    case .rate: 1
    case .distance: 2
    case .movement: 3
    case .rival, .power: 4
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
  /// nil when it has fired. The rules are those of `approached` and `decide`; BlockingRuleTests keep the two together.
  package func hindrance(_ sight: TriggerEvidence, at now: Instant, _ settings: TriggerSettings) -> BlockingRule? {
    guard !hasFired else { return nil }
    if Int(approach.samples) < settings.minimumSamples { return .samples(Int(approach.samples)) }
    guard sight.isFirm else { return .rate(approach.rate) }
    if case .claiming = stage { return .neighbours }
    if let doubt = sight.doubt { return doubt }
    guard evidence >= Float(settings.dwell.seconds) else { return .dwell(evidence) }
    if wasHereAtStart { return .presentAtStart }
    if mustBeAway { return .notAway }
    if isNewcomer { return .newcomer }
    if now < rests { return .rest(rests - now) }
    if sight.isTaken { return .taken }
    if sight.mayBeTaken { return .neighbours }
    if !sight.isUnrivalled, now - ahead < settings.settle { return .settle(settings.settle - (now - min(ahead, now))) }
    return .dwell(evidence)
  }
}

extension TriggerEvidence {
  /// Why a second of this is worth nothing.
  fileprivate var doubt: BlockingRule? {
    if standing <= 0 { return .distance(Decibels(-standing)) }
    if standing <= moving { return .movement(Decibels(moving - standing)) }
    guard lead <= 0 else { return nil }
    return margin == nil ? .power : .rival(Decibels(-lead))
  }
}
