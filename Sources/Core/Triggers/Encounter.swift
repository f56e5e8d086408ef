/// One device at one trigger: who comes, stands, has been served, and goes.
package struct Encounter: BitwiseCopyable {
  package enum Stage: BitwiseCopyable, Equatable {
    case absent
    /// Within `arm_m`: somebody is approaching.
    case armed
    /// Evidence gathers that this is the place.
    case dwelling(since: Instant)
    /// The evidence is whole, and neighbours are asked whether they object.
    case claiming(since: Instant, dwelling: Instant)
    case fired(at: Instant)
    /// Beyond `leave_m` since then.
    case leaving(since: Instant, fired: Instant)

    /// What neighbours are told of it.
    var standing: Claim.Standing {
      switch self {
      case .absent: .withdrawn
      case .armed, .dwelling: .candidate
      case .claiming: .holding
      case .fired, .leaving: .fired
      }
    }
  }

  package var device: Int32 = -1
  package var trigger: UInt8 = 0
  /// The device's next encounter.
  package var nextOfDevice: Int32 = -1
  package var radio: Int8 = 0
  /// Head of the list of what neighbours say of it.
  package var claims: Int32 = -1
  /// When we last told the neighbours, and the claim by which we last asked to fire.
  package var claimed = Instant.zero
  package var intent: UInt32 = 0
  package private(set) var stage = Stage.absent
  /// When it came near.
  package var since = Instant.zero
  package var approach = Approach()
  package var clones = CloneDetector()
  /// Seconds of evidence: time counts in full when the level is clear, in part when it is doubtful, and backwards when it speaks against.
  package private(set) var evidence: Float = 0
  /// Since when the margin over the rivals has held.
  package private(set) var ahead = Instant.never
  package private(set) var isUndecidedSaid = false
  /// Nobody has seen this device come: it was there when the gateway started. It must leave before it can fire.
  package var wasHereAtStart = false
  /// Our line was down in the meantime: what a neighbour did then that is away now, nobody can tell.
  package var wasCutOff = false
  /// For how many seconds he has certainly stood here, and the highest level meanwhile.
  private var certain: Float = 0
  private var highest = Decibels(-200)
  /// By the driver's own word.
  private var isVouched = false
  /// No fire before this.
  package private(set) var rests = Instant.zero
  /// He was said to have left: no fire before he has been away. And when he was last here.
  package private(set) var mustBeAway = false
  private var wasHere = Instant.zero
  private var wasGone = false
  /// Nobody has seen it come: it may have been here under another address. It must wait until that is known.
  package internal(set) var isNewcomer = false
  /// It goes on under another address.
  package internal(set) var isSucceeded = false
  private var isPowerTold = false

  package enum Event: BitwiseCopyable, Equatable {
    case arm, fire
    /// The driver typed the pump's number.
    case manual
    case undecided(Doubt)
    case leave(Departure)
    case anomaly(Anomaly)
  }

  /// Why somebody who stands there is not served.
  package enum Doubt: UInt8, BitwiseCopyable {
    case rival, silentNeighbour, unknownPower, noBroker, presentAtStart, notAway
  }

  package enum Departure: UInt8, BitwiseCopyable {
    case away, elsewhere, lost, reload, evicted, authorization
  }

  package init() {}

  package var hasFired: Bool {
    switch stage {
    case .fired, .leaving: true
    case .absent, .armed, .dwelling, .claiming: false
    }
  }

  package var isPresent: Bool { stage != .absent }

  /// For how long it has stood here, as far as evidence goes.
  package func dwell(at now: Instant) -> Interval {
    switch stage {
    case .absent, .armed: .zero
    case .dwelling(let since), .claiming(_, let since), .fired(let since), .leaving(_, let since): now - since
    }
  }

  // MARK: Events

  /// A sample was heard and added to the approach; `elapsed` is the time that it speaks for.
  package mutating func heard(_ sight: TriggerEvidence, after elapsed: Interval, at now: Instant, _ settings: TriggerSettings) -> Event? {
    switch stage {
    // However rarely it is heard: who is far off has left.
    case .fired, .leaving: return stood(sight, at: now)
    case .absent, .armed, .dwelling, .claiming: break
    }
    guard sight.isFirm else { return nil }
    note(sight, at: now)
    return approached(sight, after: elapsed, at: now, settings)
  }

  private static let lessonSeconds: Float = 5

  /// The level of somebody who has certainly stood here for long enough; told once before the fire and once after it.
  package mutating func lesson(_ sight: TriggerEvidence, after elapsed: Interval) -> Decibels? {
    guard sight.isProof || isVouched && sight.motion == 0, isPresent, sight.isFirm, certain < Self.lessonSeconds else { return nil }
    certain += Float(elapsed.seconds)
    highest = max(highest, approach.steady)
    return certain >= Self.lessonSeconds ? highest : nil
  }

  private mutating func forgetLesson() { (certain, highest) = (0, Decibels(-200)) }

  /// The neighbours do not object.
  package mutating func fire(at now: Instant, _ settings: TriggerSettings, isVouched: Bool = false) {
    stage = .fired(at: now)
    self.isVouched = isVouched
    forgetLesson()
    rests = now + settings.refractory
    evidence = 0
  }

  /// The claim of this number asks the neighbours; what they say after it counts.
  package mutating func ask(by sequence: UInt32, at now: Instant, dwelling: Instant) {
    intent = sequence
    stage = .claiming(since: now, dwelling: dwelling)
  }

  /// Another gateway has the better claim, or has fired.
  package mutating func yield() {
    guard case .claiming(_, let since) = stage else { return }
    stage = .dwelling(since: since)
    evidence = 0
    intent = 0
  }

  /// The end, whatever the reason; tells whether somebody must be told. He was here until then, as far as anybody knows.
  package mutating func end(hereUntil moment: Instant, isGone: Bool) -> Bool {
    if hasFired { (mustBeAway, wasHere, wasGone) = (true, moment, isGone) }
    return end()
  }

  private mutating func end() -> Bool {
    defer {
      stage = .absent
      evidence = 0
      ahead = .never
      isUndecidedSaid = false
      wasHereAtStart = false
      clones = CloneDetector()
      isVouched = false
      isPowerTold = false
      forgetLesson()
    }
    return hasFired
  }

  /// How long he is remembered though he is not here: until he may be served again.
  package var isOwedUntil: Instant { mustBeAway ? max(rests, wasHere + (wasGone ? Self.absence : Self.longAbsence)) : rests }

  /// True when an implausible power is to be told: once in an encounter.
  package mutating func tellsPower() -> Bool {
    defer { isPowerTold = isPowerTold || isPresent }
    return isPresent && !isPowerTold
  }

  // MARK: Under another address

  /// The same visitor, who was known by another address.
  mutating func goOn(from other: Encounter) {
    if other.hasFired { (stage, evidence) = (other.stage, 0) }
    (rests, mustBeAway, wasHere, wasGone) = (other.rests, other.mustBeAway, other.wasHere, other.wasGone)
    (isUndecidedSaid, isVouched, isPowerTold) = (other.isUndecidedSaid, other.isVouched, other.isPowerTold)
    wasHereAtStart = other.wasHereAtStart
    wasCutOff = wasCutOff || other.wasCutOff
    isNewcomer = false
  }

  /// The other address is heard again: they are two, and this one has not been served.
  mutating func beginAnew() {
    _ = end()
    (rests, mustBeAway) = (.zero, false)
  }

  package mutating func said(_ event: Event) { if case .undecided = event { isUndecidedSaid = true } }

  // MARK: Coming

  private mutating func note(_ sight: TriggerEvidence, at now: Instant) {
    ahead = sight.isAhead ? min(ahead, now) : .never
  }

  private mutating func approached(_ sight: TriggerEvidence, after elapsed: Interval, at now: Instant, _ settings: TriggerSettings)
    -> Event?
  {
    if mustBeAway { notice(sight, at: now) }
    guard sight.isNear || sight.isArming else {
      if sight.isGone { _ = end() }
      return nil
    }
    gather(sight, after: elapsed, settings)
    if case .absent = stage {
      stage = .armed
      return .arm
    }
    switch stage {
    case .armed where sight.isNear: stage = .dwelling(since: now)
    case .dwelling where evidence == 0 && !sight.isNear: stage = .armed
    case .claiming(_, let since) where evidence < Float(settings.dwell.seconds) / 2: stage = .dwelling(since: since)
    case .dwelling(let since) where isWhole(settings): return decide(sight, dwelling: since, at: now, settings)
    case .absent, .armed, .dwelling, .claiming, .fired, .leaving: break
    }
    return doubt(sight, at: now, settings)
  }

  private mutating func gather(_ sight: TriggerEvidence, after elapsed: Interval, _ settings: TriggerSettings) {
    // However long somebody has stood: no more is kept than it takes, so that doubt is felt at once.
    evidence = min(max(evidence + sight.weight * Float(elapsed.seconds), 0), Float(settings.dwell.seconds))
  }

  /// A body turns up in the line and goes away again: who comes back so soon has not been away, and has been served.
  private mutating func notice(_ sight: TriggerEvidence, at now: Instant) {
    if sight.isGone { wasGone = true }
    guard !sight.isAway else { return }
    if now - wasHere >= (wasGone ? Self.absence : Self.longAbsence) { mustBeAway = false } else { (wasHere, wasGone) = (now, false) }
  }

  /// Bodies stay for some seconds; nobody drives off, and is back, within that. Who was never heard as far off as where encounters end, nor lost,
  /// may have turned his back.
  private static let absence = Interval.seconds(12)
  private static let longAbsence = Interval.seconds(60)

  private func isWhole(_ settings: TriggerSettings) -> Bool { evidence >= Float(settings.dwell.seconds) }

  private mutating func decide(_ sight: TriggerEvidence, dwelling since: Instant, at now: Instant, _ settings: TriggerSettings) -> Event? {
    let isFree = now >= rests && !sight.isTaken && !sight.mayBeTaken
    guard !wasHereAtStart, !mustBeAway, !isNewcomer, isFree, sight.isAhead, now - ahead >= settings.settle || sight.isUnrivalled else {
      return doubt(sight, at: now, settings)
    }
    guard sight.mustAsk else {
      fire(at: now, settings)
      return .fire
    }
    stage = .claiming(since: now, dwelling: since)
    intent = 0
    return nil
  }

  /// Somebody has stood here for long enough to deserve a word why nothing happens.
  private func doubt(_ sight: TriggerEvidence, at now: Instant, _ settings: TriggerSettings) -> Event? {
    let since: Instant
    switch stage {
    case .dwelling(let start): since = start
    case .claiming(_, let start): since = start
    case .absent, .armed, .fired, .leaving: return nil
    }
    guard !isUndecidedSaid, sight.isNear, now >= rests, now - since >= settings.dwell * 3 + .seconds(2) else { return nil }
    if wasHereAtStart { return .undecided(.presentAtStart) }
    if mustBeAway { return .undecided(.notAway) }
    if case .claiming = stage { return .undecided(sight.isConnected ? .silentNeighbour : .noBroker) }
    if sight.mayBeTaken { return .undecided(.silentNeighbour) }
    return sight.isAhead ? nil : .undecided(sight.isPowerKnown ? .rival : .unknownPower)
  }

  // MARK: Going

  private static let leaveDelay = Interval.seconds(3)

  private mutating func stood(_ sight: TriggerEvidence, at now: Instant) -> Event? {
    guard sight.isAway || sight.isBehind else {
      if case .leaving(_, let fired) = stage { stage = .fired(at: fired) }
      return nil
    }
    guard case .leaving(let since, _) = stage else {
      if case .fired(let fired) = stage { stage = .leaving(since: now, fired: fired) }
      return nil
    }
    guard now - since >= Self.leaveDelay else { return nil }
    _ = end(hereUntil: since, isGone: sight.isGone)
    return .leave(sight.isAway ? .away : .elsewhere)
  }
}
