/// All triggers of one gateway: what they know of each device, and what they decide, alone or with the neighbours.
package struct Triggers: ~Copyable {
  package internal(set) var encounters: Encounters
  var claims: NeighbourClaims
  package internal(set) var membership: Membership
  package internal(set) var learnt: LearntPowers
  package internal(set) var plan: SitePlan
  package internal(set) var unplaced = UnplacedSite()
  /// Whether several receivers hear the site.
  var hearsPatterns = false
  var siteEdition: UInt8 = 0
  private var edges = InlineArray<64, Edges>(repeating: Edges())
  var started = Instant.zero
  /// When a reload brought each trigger, or its `match`.
  var brought = InlineArray<64, Instant>(repeating: .zero)
  /// `measured_power_dbm`.
  var assumed = Decibels(-59)
  /// Since when each radio has been in trouble; and when it first heard, or last heard again after a longer one.
  var deafSince = InlineArray<4, Instant>(repeating: .never)
  var heardFrom = InlineArray<4, Instant>(repeating: .never)
  /// Since when each radio listens without a break; never: nobody said that it did not.
  var listensFrom = InlineArray<4, Instant>(repeating: .never)
  var pauses = RadioPauses()
  /// The device whose encounters a successor has just taken over; -1 when there is none to report.
  var renewed: Int32 = -1
  /// Approaches that found no room.
  package internal(set) var refused: UInt64 = 0
  /// The visits that the run before left open.
  package internal(set) var leftovers: Leftovers
  var recent: RecentFires
  /// False until it is known what the run before left open.
  package internal(set) var publishesStates = false
  /// Nobody knows whom the run before has served: anybody, just before the start.
  var isForgetful = false
  /// A bit for each trigger whose state must still be published.
  package internal(set) var stale: UInt64 = 0
  var statePaces = InlineArray<64, TokenBucket>(repeating: TokenBucket(burst: 16, pace: .milliseconds(500)))

  /// A rival's level is forgotten after so long.
  static let memory = Interval.seconds(4)
  /// An encounter starts while the device is still this far beyond `arm_m`.
  private static let foresight = Decibels(8)

  /// The loss at a trigger's three distances.
  private struct Edges: BitwiseCopyable {
    var arm: Float = 0
    var fire: Float = 0
    var leave: Float = 0
  }

  /// Phones that offer the service of [peer], and whose id nobody has read. Others may know one of them by its id.
  var unread = Bounded<16, DeviceReference>(filledWith: .none)
  /// Those that have no id. Who is forgotten counts as unread again.
  var strangers = Bounded<16, Stranger>(filledWith: Stranger(address: Address(word: 0), until: .zero))

  package init(capacity: Int, claims: Int, seed: UInt64, in arena: inout Arena) {
    encounters = Encounters(capacity: capacity, in: &arena)
    self.claims = NeighbourClaims(capacity: claims, in: &arena)
    learnt = LearntPowers(seed: seed, in: &arena)
    membership = Membership(in: &arena)
    plan = SitePlan(in: &arena)
    leftovers = Leftovers(in: &arena)
    recent = RecentFires(in: &arena)
  }

  package static func bytes(for capacity: Int, claims: Int) -> Int {
    Encounters.bytes(for: capacity) + NeighbourClaims.bytes(for: claims) + LearntPowers.bytes + Leftovers.bytes + RecentFires.bytes
      + SitePlan.bytes + Members.bytes
  }

  package mutating func start(_ settings: borrowing Settings, at now: Instant) {
    started = now
    reload(settings)
  }

  package mutating func reload(_ settings: borrowing Settings) {
    membership.reload(settings)
    let path = PathLoss(settings.calibration)
    assumed = settings.calibration.measuredPower
    plan.reload(settings)
    unplaced.reload(settings)
    noteReceivers()
    for index in settings.triggers.indices {
      let trigger = settings.triggers[index]
      edges[index] = Edges(
        arm: path.loss(at: trigger.arm).value, fire: path.loss(at: trigger.fire).value, leave: path.loss(at: trigger.leave).value)
    }
  }

  package mutating func connected(_ isConnected: Bool, at now: Instant) {
    membership.connected(isConnected, at: now)
    if !isConnected { encounters.cutOff() }
  }

  // MARK: Hearing

  /// `level` without the receiver's offset; `sender` is the line of the address book.
  package mutating func observe(
    _ slot: Int, level: Decibels, radio: Int, from sender: Int, at now: Instant, devices: inout Devices, settings: borrowing Settings,
    publisher: inout Publisher
  ) {
    var matching = devices[slot].interest.triggers
    while matching != 0 {
      let trigger = matching.trailingZeroBitCount
      matching &= matching - 1
      guard radio == Int(settings.triggers[trigger].radio ?? listener(to: slot, trigger, at: now, devices, settings)) else { continue }
      let place = place(for: slot, trigger, level, radio, at: now, &devices, settings)
      guard place >= 0 else { continue }
      if encounters[place].isSucceeded { reclaim(place, devices, settings, at: now) }
      let mayBeTwo = !encounters[place].clones.isAlone(sender) && devices[slot].identity.isCopyable
      if mayBeTwo, isDrowned(place, level, by: sender, at: now) { continue }
      let former = Int(encounters[place].radio)
      if now - encounters[place].approach.heard >= settings.average.stale {
        encounters[place].hearAnew()
      } else if former != radio {
        // Begun anew, whoever walks past would seem to stand.
        encounters[place].approach.shift(by: devices.average(of: slot, radio, settings) - devices.average(of: slot, former, settings))
      }
      encounters[place].radio = Int8(radio)
      let elapsed = encounters[place].approach.observe(level, at: now)
      evaluate(place, after: elapsed, at: now, &devices, settings, &publisher)
    }
  }

  /// Whether the sample comes from another transmitter that uses the same identity from further off.
  @inline(never)
  private mutating func isDrowned(_ place: Int32, _ level: Decibels, by sender: Int, at now: Instant) -> Bool {
    encounters[place].clones.observe(sender, at: now)
    let approach = encounters[place].approach
    let silence = approach.samples > 0 ? now - approach.heard : Limits.longestSilence
    switch encounters[place].clones.follow(sender, above: (level - approach.level).value, after: silence) {
    case .same: return false
    case .leftOut: return true
    case .other:
      encounters[place].hearAnew()
      return false
    }
  }

  private mutating func place(
    for slot: Int, _ trigger: Int, _ level: Decibels, _ radio: Int, at now: Instant, _ devices: inout Devices,
    _ settings: borrowing Settings
  ) -> Int32 {
    let known = encounters.find(trigger: trigger, from: devices[slot].encounters)
    if known >= 0 { return known }
    let loss = devices[slot].power.credited(assumed) - level
    guard loss.value <= edges[trigger].arm + Self.foresight.value else {
      if now < recent.watchesUntil { recent.heardFar(devices[slot].identity, from: trigger) }
      return -1
    }
    return begin(slot, trigger, radio, at: now, &devices, settings)
  }

  private mutating func evaluate(
    _ place: Int32, after elapsed: Interval, at now: Instant, _ devices: inout Devices, _ settings: borrowing Settings,
    _ publisher: inout Publisher
  ) {
    if hearsPatterns, isDue(place, at: now, settings) { judgePattern(place, at: now, devices, settings) }
    let evidence = evidence(of: place, at: now, devices, settings)
    if encounters[place].wasHereAtStart { encounters[place].judgeStart(evidence, at: now) }
    if encounters[place].isNewcomer { resolveNewcomer(place, evidence, at: now, devices, settings, &publisher) }
    let before = encounters[place]
    let event = encounters[place].observe(evidence, after: elapsed, at: now, settings.triggers[Int(before.trigger)])
    if case .leave = event {
      encounters.endPredecessors(of: place, hereUntil: now, isGone: evidence.isGone, settings.triggers[Int(before.trigger)].limits)
    }
    if case .fire = event {
      fire(place, evidence, at: now, devices, settings, &publisher)
    } else {
      if let event, !withholds(event, place) {
        encounters[place].record(event)
        publish(event, before, evidence, at: now, devices, settings, &publisher)
      }
      publishChange(from: before, at: place, now, devices, settings, &publisher)
    }
    if evidence.isImplausible, encounters[place].shouldReportPower() {
      publish(.anomaly(.implausiblePower), encounters[place], evidence, at: now, devices, settings, &publisher)
    }
    if encounters[place].isPresent, encounters[place].clones.shouldReportTurns() {
      publish(.anomaly(.twoPlacesAtOnce), encounters[place], evidence, at: now, devices, settings, &publisher)
    }
    // On a plan the pattern teaches it.
    let mayProve = evidence.isProof || encounters[place].isVouched
    if mayProve, let level = encounters[place].provenLevel(evidence, after: elapsed), !plan.isDrawn(for: Int(encounters[place].trigger)) {
      learnPower(from: level, place, &devices, settings)
    }
    negotiate(place, changed: before.standing != encounters[place].standing, at: now, devices, settings, &publisher)
    // An encounter is kept until its device may fire again.
    if !encounters[place].isPresent, evidence.isGone { removeUnlessOwed(place, at: now, &devices, settings) }
  }

  mutating func remove(_ place: Int32, _ devices: inout Devices) {
    claims.forget(&encounters[place].claims)
    encounters.end(place, head: &devices[Int(encounters[place].device)].encounters)
  }

  // MARK: Seeing

  package func evidence(
    of place: Int32, at now: Instant, _ devices: borrowing Devices, _ settings: borrowing Settings
  ) -> TriggerEvidence {
    let encounter = encounters[place]
    let slot = Int(encounter.device)
    let trigger = settings.triggers[Int(encounter.trigger)]
    let edges = edges[Int(encounter.trigger)]
    let loss = (devices[slot].power.credited(assumed) - encounter.approach.level).value
    var evidence = TriggerEvidence()
    evidence.insideFire = edges.fire - loss
    evidence.insideArm = edges.arm - loss
    evidence.insideLeave = edges.leave - loss
    evidence.motion = encounter.approach.motion.value
    evidence.power = devices[slot].power.triggerDoubt
    evidence.isImplausible = devices[slot].isImplausible
    evidence.requiredMargin = trigger.margin.value
    evidence.spacing = encounter.approach.spacing
    evidence.isFirm = Int(encounter.approach.samples) >= trigger.minimumSamples && encounter.approach.rate >= trigger.minimumRate
    if !trigger.group.isEmpty { compareWithRivals(of: place, in: trigger, &evidence, at: now, devices, settings) }
    if hearsPatterns { evidence.judge(by: encounters[judgementOf: place].verdict) }
    // Nobody would hear of a fire.
    if settings.gateway.authorization != .always { evidence.mayBeTaken = true }
    if evidence.margin == nil { evidence.recede(by: devices[slot].power.overstated(assumed)) }
    return evidence
  }

  private func compareWithRivals(
    of place: Int32, in trigger: TriggerSettings, _ evidence: inout TriggerEvidence, at now: Instant, _ devices: borrowing Devices,
    _ settings: borrowing Settings
  ) {
    evidence.isConnected = membership.isAcquainted(at: now)
    evidence.mustAsk = !evidence.isConnected || membership.hasCompetitor(in: trigger.group, at: now) || membership.hasTwin(at: now)
    evidence.isGrouped = evidence.mustAsk
    evidence.mayBeTaken = encounters[place].wasCutOff && membership.isAnybodyAway(from: trigger.group, at: now)
    if pauses.matter(at: now), isHidden(place, in: trigger.group, at: now, devices, settings) { evidence.mayBeTaken = true }
    findBestRival(place, &evidence, at: now, devices, settings)
    guard evidence.power != .known else { return }
    // After the rivals, for they say whether it is grouped.
    let isPlaced = plan.isPlaced(Int(encounters[place].trigger))
    evidence.isUpToPattern =
      isPlaced ? plan.isDrawn || evidence.isGrouped : unplaced.isMeant && encounters[judgementOf: place].verdict != nil
  }

  /// The best rival: our own triggers in the group, and the neighbours' last claims.
  private func findBestRival(
    _ place: Int32, _ evidence: inout TriggerEvidence, at now: Instant, _ devices: borrowing Devices, _ settings: borrowing Settings
  ) {
    let encounter = encounters[place]
    let group = settings.triggers[Int(encounter.trigger)].group
    var best: Decibels?
    var other = devices[Int(encounter.device)].encounters
    if leftovers.count > 0, isLeftOpen(devices[Int(encounter.device)].identity, in: group, settings) { evidence.isTaken = true }
    while other >= 0 {
      defer { other = encounters[other].nextOfDevice }
      guard other != place, settings.triggers[Int(encounters[other].trigger)].group == group else { continue }
      evidence.isGrouped = true
      if encounters[other].holdsGroup(at: now) || mayContinueHolder(other, at: now, devices, settings) { evidence.isTaken = true }
      let approach = encounters[other].approach
      guard now - approach.heard < Self.memory else { continue }
      best = max(best ?? Decibels(-200), approach.level)
      if hearsPatterns, approach.level > encounter.approach.level {
        record(receiver(ofRadio: Int(encounters[other].radio)), aheadBy: approach.level - encounter.approach.level, of: place, &evidence)
      }
    }
    var word = encounter.claims
    while word >= 0 {
      defer { word = claims.next(after: word) }
      if claims[word].hasFired { evidence.isTaken = true }
      if membership.members[Int(claims[word].neighbour)].isGone(at: now) {
        if claims[word].standing == .holding { evidence.mayBeTaken = true }
        if !claims[word].hasFired { continue }
      }
      guard now - claims[word].arrived < Self.memory, claims[word].age < settings.average.stale, let level = claims[word].level else {
        continue
      }
      best = max(best ?? Decibels(-200), level)
      if hearsPatterns, level > encounter.approach.level {
        let receiver = claims[word].edition == siteEdition ? Int(claims[word].receiver) : -1
        record(receiver, aheadBy: level - encounter.approach.level, of: place, &evidence)
      }
    }
    if let best { evidence.margin = (encounter.approach.level - best).value }
  }
}
