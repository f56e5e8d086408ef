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
  package var rivals: Int32 = -1
  /// When we last told the neighbours, and the claim by which we last asked to fire.
  package var claimed = Instant.zero
  package var intent: UInt32 = 0
  package private(set) var stage = Stage.absent
  /// When it came near.
  package var since = Instant.zero
  package var approach = Approach()
  package var voices = Voices()
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
    case rival, silentNeighbour, unknownPower, noBroker, presentAtStart
  }

  /// What cannot be, if everybody is who he says.
  package enum Anomaly: UInt8, BitwiseCopyable {
    case twoPlacesAtOnce
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
  package mutating func heard(_ sight: Sight, after elapsed: Interval, at now: Instant, _ settings: TriggerSettings) -> Event? {
    guard sight.isFirm else { return nil }
    note(sight, at: now)
    switch stage {
    case .absent, .armed, .dwelling, .claiming: return approached(sight, after: elapsed, at: now, settings)
    case .fired, .leaving: return stood(sight, at: now)
    }
  }

  private static let lessonSeconds: Float = 5

  /// The level of somebody who has certainly stood here for long enough; told once before the fire and once after it.
  package mutating func lesson(_ sight: Sight, after elapsed: Interval) -> Decibels? {
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

  /// The end, whatever the reason; tells whether somebody must be told.
  package mutating func end() -> Bool {
    defer {
      stage = .absent
      evidence = 0
      ahead = .never
      isUndecidedSaid = false
      wasHereAtStart = false
      voices = Voices()
      isVouched = false
      forgetLesson()
    }
    return hasFired
  }

  package mutating func said(_ event: Event) { if case .undecided = event { isUndecidedSaid = true } }

  // MARK: Coming

  private mutating func note(_ sight: Sight, at now: Instant) {
    if sight.isAhead {
      ahead = min(ahead, now)
    } else {
      ahead = .never
    }
  }

  private mutating func approached(_ sight: Sight, after elapsed: Interval, at now: Instant, _ settings: TriggerSettings) -> Event? {
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

  private mutating func gather(_ sight: Sight, after elapsed: Interval, _ settings: TriggerSettings) {
    // However long somebody has stood: no more is kept than it takes, so that doubt is felt at once.
    evidence = min(max(evidence + sight.weight * Float(elapsed.seconds), 0), Float(settings.dwell.seconds))
  }

  private func isWhole(_ settings: TriggerSettings) -> Bool { evidence >= Float(settings.dwell.seconds) }

  private mutating func decide(_ sight: Sight, dwelling since: Instant, at now: Instant, _ settings: TriggerSettings) -> Event? {
    let isFree = now >= rests && !sight.isTaken && !sight.mayBeTaken
    guard !wasHereAtStart, isFree, sight.isAhead, now - ahead >= settings.settle || sight.isUnrivalled else {
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
  private func doubt(_ sight: Sight, at now: Instant, _ settings: TriggerSettings) -> Event? {
    let since: Instant
    switch stage {
    case .dwelling(let start): since = start
    case .claiming(_, let start): since = start
    case .absent, .armed, .fired, .leaving: return nil
    }
    guard !isUndecidedSaid, sight.isNear, now >= rests, now - since >= settings.dwell * 3 + .seconds(2) else { return nil }
    if wasHereAtStart { return .undecided(.presentAtStart) }
    if case .claiming = stage { return .undecided(sight.isConnected ? .silentNeighbour : .noBroker) }
    if sight.mayBeTaken { return .undecided(.silentNeighbour) }
    return sight.isAhead ? nil : .undecided(sight.isPowerKnown ? .rival : .unknownPower)
  }

  // MARK: Going

  private static let leaveDelay = Interval.seconds(3)

  private mutating func stood(_ sight: Sight, at now: Instant) -> Event? {
    guard sight.isAway || sight.isBehind else {
      if case .leaving(_, let fired) = stage { stage = .fired(at: fired) }
      return nil
    }
    guard case .leaving(let since, _) = stage else {
      if case .fired(let fired) = stage { stage = .leaving(since: now, fired: fired) }
      return nil
    }
    guard now - since >= Self.leaveDelay else { return nil }
    _ = end()
    return .leave(sight.isAway ? .away : .elsewhere)
  }
}
