/// One device at one trigger: it comes, stands, is served, and goes.
package struct Encounter: BitwiseCopyable {
  package var device: Int32 = -1
  package var trigger: UInt8 = 0
  /// The device's next encounter.
  package var nextOfDevice: Int32 = -1
  package var radio: Int8 = 0
  /// Head of the list of the neighbours' claims for this device.
  package var claims: Int32 = -1
  /// When we last published a claim, and the number of the claim that asks to fire.
  package var claimed = Instant.zero
  package var intent: UInt32 = 0
  package private(set) var stage = Stage.absent
  /// When the device came near.
  package var since = Instant.zero
  package var approach = Approach()
  package var clones = CloneDetector()
  private var stay = StandingEvidence()
  /// How long it is clear that a served device has gone elsewhere, as a share of what ends the visit.
  private var departed: Float = 0
  /// Since when the margin over the rivals has held.
  package private(set) var ahead = Instant.never
  /// The doubt that was published: why the device, though it stands here, does not fire.
  package private(set) var reported: Doubt?
  /// The device was already here when the gateway started. It must leave before it can fire.
  package var wasHereAtStart = false
  /// The broker was away meanwhile, or shortly before: a neighbour that is offline now may have fired in that time.
  package var wasCutOff = false
  private var proof = StandingProof()
  /// Fired by command: the driver's word proves that the device is here.
  package private(set) var isVouched = false
  /// Its level at that command.
  private var vouchedLevel = Decibels(0)
  /// By how much it was ahead when the visit began; not a number while that is unknown.
  private var servedMargin = Float.nan
  /// No fire before this, here and at all triggers of the group.
  package internal(set) var rests = Instant.zero
  package internal(set) var groupRests = Instant.zero
  /// It has left: no fire before it has been away. And when it was last here.
  package private(set) var mustBeAway = false
  private(set) var wasHere = Instant.zero
  private var wasGone = false
  /// It appeared near, and may have been here under another address: it waits until that is known.
  package internal(set) var isNewcomer = false
  /// Another encounter continues this one under the device's next address.
  package internal(set) var isSucceeded = false
  private var isPowerReported = false

  package init() {}

  package var isPresent: Bool { stage != .absent }
  package var evidenceSeconds: Float { stay.seconds }

  /// Nobody else of the group may serve the device.
  func holdsGroup(at now: Instant) -> Bool { hasFired || now < groupRests }

  // MARK: Events

  /// A sample has entered the approach; `elapsed` is the time that it stands for. Inlined, so that nobody copies the other settings.
  @inline(__always)
  package mutating func observe(_ evidence: TriggerEvidence, after elapsed: Interval, at now: Instant, _ settings: TriggerSettings)
    -> Event?
  {
    observe(evidence, after: elapsed, at: now, settings.limits)
  }

  private mutating func observe(_ evidence: TriggerEvidence, after elapsed: Interval, at now: Instant, _ limits: TriggerLimits)
    -> Event?
  {
    switch stage {
    // However rare its adverts are: a device far off has left.
    case .fired, .leaving: return observeServed(evidence, after: elapsed, at: now, limits)
    case .absent, .armed, .dwelling, .claiming: break
    }
    guard evidence.isFirm else { return doubtOfRate(evidence, limits, at: now) }
    updateMargin(evidence, at: now)
    return observeComing(evidence, after: elapsed, at: now, limits)
  }

  /// The level of a device that has certainly stood here long enough; returned once before the fire and once after it.
  package mutating func provenLevel(_ evidence: TriggerEvidence, after elapsed: Interval) -> Decibels? {
    guard evidence.isProof || isVouched && evidence.motion == 0, isPresent, evidence.isFirm, !proof.isComplete else { return nil }
    return proof.stand(approach.steady, for: elapsed)
  }

  private mutating func resetEvidence() { (stay, departed) = (StandingEvidence(), 0) }

  private mutating func resetVisit() { (proof, servedMargin) = (StandingProof(), .nan) }

  /// A visit starts. `Triggers.fire` announces it; after a restart it continues one that was announced before.
  mutating func startVisit(at now: Instant, _ settings: TriggerSettings, isVouched: Bool = false, at level: Decibels? = nil) {
    stage = .fired(at: now)
    (self.isVouched, vouchedLevel) = (isVouched, level ?? approach.steady)
    resetVisit()
    rest(after: now, settings)
    resetEvidence()
  }

  /// Our claim with this number asks the neighbours. Only what they answer after it counts.
  package mutating func ask(by sequence: UInt32, at now: Instant, dwelling: Instant) {
    intent = sequence
    stage = .claiming(since: now, dwelling: dwelling)
  }

  /// A neighbour's claim is stronger, or a neighbour has fired.
  package mutating func yield() {
    guard case .claiming(_, let since) = stage else { return }
    stage = .dwelling(since: since)
    resetEvidence()
    intent = 0
  }

  /// Ends the encounter, and returns whether a `leave` is due. The device was here until `moment`, as far as we know.
  mutating func end(hereUntil moment: Instant, isGone: Bool, _ limits: TriggerLimits) -> Bool {
    if hasFired {
      (mustBeAway, wasHere, wasGone) = (true, moment, isGone)
      rest(after: moment, limits)
    }
    wasGone = wasGone || isGone
    return end()
  }

  private mutating func end() -> Bool {
    defer {
      stage = .absent
      resetEvidence()
      ahead = .never
      reported = nil
      wasHereAtStart = false
      clones = CloneDetector()
      isVouched = false
      isPowerReported = false
      resetVisit()
    }
    return hasFired
  }

  /// Until when the encounter is kept though the device is not here: until it may fire again.
  package var isOwedUntil: Instant { mustBeAway ? max(rests, wasHere + (wasGone ? Self.absence : Self.longAbsence)) : rests }

  /// True once in an encounter, when the implausible power must be published.
  package mutating func shouldReportPower() -> Bool {
    defer { isPowerReported = isPowerReported || isPresent }
    return isPresent && !isPowerReported
  }

  // MARK: Under another address

  /// The same visitor under its next address.
  mutating func takeOver(from other: Encounter) {
    if other.hasFired {
      stage = other.stage
      resetEvidence()
    }
    owe(as: other)
    (reported, isPowerReported) = (other.reported, other.isPowerReported)
    (isVouched, vouchedLevel, servedMargin) = (other.isVouched, other.vouchedLevel, other.servedMargin)
    wasHereAtStart = wasHereAtStart || other.wasHereAtStart
    wasCutOff = wasCutOff || other.wasCutOff
    isNewcomer = false
  }

  /// Both may have been served, by this run or by the one before.
  mutating func owe(as other: Encounter) {
    (rests, groupRests) = (max(rests, other.rests), max(groupRests, other.groupRests))
    if other.mustBeAway { mayHaveStayed(until: other.wasHere, wasGone: other.wasGone && (wasGone || !mustBeAway)) }
  }

  mutating func hearAnew() { (approach, departed) = (Approach(), 0) }
  mutating func hears(as other: Encounter) { (approach, radio) = (other.approach, other.radio) }

  /// Who is far off at the start is seen approaching. Who is near may have been served before, and must have been away as after a visit.
  mutating func judgeStart(_ evidence: TriggerEvidence, at now: Instant) {
    // A slow phone is near before it is firm.
    guard !mustBeAway, approach.samples > 1 else { return }
    if !evidence.isNear { wasHereAtStart = false } else if evidence.isFirm { (mustBeAway, wasHere, wasGone) = (true, now, false) }
  }

  /// It may have been served here until this moment, so it must have been away since. `wasGone`: it has been heard far off since.
  mutating func mayHaveStayed(until moment: Instant, wasGone: Bool = false) {
    (mustBeAway, wasHere, self.wasGone) = (true, max(wasHere, moment), wasGone)
  }

  /// Its radio was deaf until this moment: nobody knows whether it was away.
  mutating func wasUnheard(until moment: Instant) { if mustBeAway { wasHere = max(wasHere, moment) } }

  /// The old address is heard again: these are two devices, and this one has not been served.
  mutating func startAnew() {
    _ = end()
    (rests, groupRests, mustBeAway) = (.zero, .zero, false)
  }

  package mutating func record(_ event: Event) { if case .undecided(let doubt) = event { reported = doubt } }

  // MARK: Coming

  private mutating func updateMargin(_ evidence: TriggerEvidence, at now: Instant) {
    ahead = evidence.isAhead ? min(ahead, now) : .never
  }

  private mutating func observeComing(_ evidence: TriggerEvidence, after elapsed: Interval, at now: Instant, _ limits: TriggerLimits)
    -> Event?
  {
    if mustBeAway { checkAbsence(evidence, at: now, limits) }
    guard evidence.isNear || evidence.isArming else {
      stay.interrupt()
      if evidence.isGone { _ = end() }
      return nil
    }
    stay.gather(evidence, after: elapsed, dwell: limits.dwell)
    if case .absent = stage {
      guard evidence.isComing else { return nil }
      stage = .armed
      // It may have another reason now.
      if reported == .fewAdverts { reported = nil }
      return .arm
    }
    switch stage {
    case .armed where evidence.isNear: stage = .dwelling(since: now)
    case .dwelling where evidenceSeconds == 0 && !evidence.isNear: stage = .armed
    case .claiming(_, let since) where evidenceSeconds < Float(limits.dwell.seconds) / 2: stage = .dwelling(since: since)
    case .dwelling(let since) where isWhole(limits): return decide(evidence, dwelling: since, at: now, limits)
    case .absent, .armed, .dwelling, .claiming, .fired, .leaving: break
    }
    return doubt(evidence, at: now, limits)
  }

  /// A body, or a car, may hide the device for a while: one that returns so soon, or before the rest is over, has not been away, and has
  /// been served. When the rest ends under it nobody has come.
  private mutating func checkAbsence(_ evidence: TriggerEvidence, at now: Instant, _ limits: TriggerLimits) {
    if evidence.isGone { wasGone = true }
    guard !evidence.isAway else { return }
    let isBack = now >= rests && now - wasHere >= (wasGone ? Self.absence : Self.longAbsence)
    if isBack { return (mustBeAway, wasHereAtStart) = (false, false) }
    (wasHere, wasGone) = (now, false)
    // Not who may have been served by the run before. Nor the group, unless it stands here: it may be at another trigger by now.
    if rests > .zero { rest(until: now + limits.refractory) }
  }

  /// Bodies stay for some seconds, and no car drives off and returns within that. A device that was never as far off as encounters end, nor
  /// lost on its way there, may only have been turned away, or have paused: it needs longer.
  private static let absence = Interval.seconds(12)
  static let longAbsence = Interval.seconds(60)

  private func isWhole(_ limits: TriggerLimits) -> Bool { evidenceSeconds >= Float(limits.dwell.seconds) }

  private mutating func decide(_ evidence: TriggerEvidence, dwelling since: Instant, at now: Instant, _ limits: TriggerLimits) -> Event? {
    // It stands here still: the group serves it nowhere else meanwhile.
    if mustBeAway, rests > .zero { rest(after: now, limits) }
    let isFree = now >= rests && !evidence.isTaken && !evidence.mayBeTaken
    guard !wasHereAtStart, !mustBeAway, !isNewcomer, isFree, evidence.isAhead, now - ahead >= limits.settle || evidence.isUnrivalled
    else {
      return doubt(evidence, at: now, limits)
    }
    guard evidence.mustAsk else { return .fire }
    stage = .claiming(since: now, dwelling: since)
    intent = 0
    return nil
  }

  // MARK: Going

  private static let leaveDelay = Interval.seconds(3)

  /// The driver's word counts more than a level that was low already.
  private static let vouchedDrop: Float = 8

  /// Shadows shift the margin of whoever stands still by less.
  private static let step: Float = 20

  /// It went on to a near rival. A body may look like that: it must not lead to a second fire.
  private mutating func hasGoneOn(_ evidence: TriggerEvidence, _ limits: TriggerLimits) -> Bool {
    guard limits.restOfGroup > .zero, let margin = evidence.margin else { return false }
    if servedMargin.isNaN { servedMargin = margin }
    return evidence.uncomparedLead >= evidence.requiredMargin && servedMargin - margin >= Self.step
  }

  private mutating func observeServed(
    _ evidence: TriggerEvidence, after elapsed: Interval, at now: Instant, _ limits: TriggerLimits
  ) -> Event? {
    let isStill = isVouched && approach.level > vouchedLevel - Decibels(Self.vouchedDrop)
    let isJudged = evidence.pattern != nil && !isStill
    departed = isJudged ? max(departed + evidence.departing * Float(elapsed.seconds), 0) : 0
    if departed >= 1 {
      _ = end(hereUntil: now, isGone: evidence.isGone, limits)
      return .leave(.elsewhere)
    }
    guard evidence.isAway || evidence.isBehind || hasGoneOn(evidence, limits), !isStill else {
      if case .leaving(_, let fired) = stage { stage = .fired(at: fired) }
      return nil
    }
    guard case .leaving(let since, _) = stage else {
      if case .fired(let fired) = stage { stage = .leaving(since: now, fired: fired) }
      return nil
    }
    guard now - since >= Self.leaveDelay else { return nil }
    _ = end(hereUntil: since, isGone: evidence.isGone, limits)
    return .leave(evidence.isAway ? .away : .elsewhere)
  }
}
