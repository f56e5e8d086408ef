/// What all receivers hear of one device, now and over the last seconds.
private struct Gathered {
  var pattern = LevelPattern()
  private var settled = PerReceiver()
  private var rates = PerReceiver()
  private var excess = PerReceiver()
  /// How many there are beside our own.
  var others = 0
  /// How many the site has.
  let receivers: Int
  let power: Decibels

  init(_ receivers: Int, power: Decibels) { (self.receivers, self.power) = (receivers, power) }

  @inline(__always)
  mutating func hear(_ receiver: Int, _ level: Decibels, settled: Decibels, rate: Float, age: Interval = .zero) {
    rates[receiver] = rate
    self.settled[receiver] = (settled - power).value
    pattern.hear(receiver, (level - power).value, age: age)
  }

  mutating func close(_ loudness: LevelPattern.Loudness, _ plan: borrowing SitePlan) {
    excess = LevelPattern.faintness(rates, receivers: receivers)
    for receiver in plan.receivers.indices {
      let offset = plan.offset(of: receiver)
      if offset != 0 { excess[receiver] += offset }
    }
    pattern.close(loudness, floor: (LevelPattern.leastHeard - power).value, excess: excess, receivers: receivers)
  }

  /// From now on the pattern is that of the last seconds.
  mutating func lookBack() { pattern.renew(settled, excess: excess, receivers: receivers) }
}

extension Triggers {
  /// Compares what all receivers hear with what they would hear of a phone here and elsewhere.
  @inline(never)
  mutating func judgePattern(
    _ place: Int32, isUrgent: Bool = false, at now: Instant, _ devices: borrowing Devices, _ settings: borrowing Settings
  ) {
    let (trigger, isServed) = (Int(encounters[place].trigger), encounters[place].hasFired)
    guard isJudged(place, trigger, settings), !settings.triggers[trigger].group.isEmpty else {
      // New settings may have taken what it was judged by.
      if encounters[judgementOf: place].verdict != nil { encounters[judgementOf: place].recordUnknown(at: now, edition: siteEdition) }
      return
    }
    var gathered = Gathered(receivers, power: devices[Int(encounters[place].device)].power.credited(assumed))
    gather(&gathered, place, at: now, devices, settings)
    guard gathered.others > 0 else { return encounters[judgementOf: place].recordUnknown(at: now, edition: siteEdition) }
    let power = devices[Int(encounters[place].device)].power
    // What is supposed of the others is worth less than a power that was measured, or that the advert says; unless it says too little.
    if unplaced.isMeant, power.isStated, power.overstated(assumed) == 0 {
      encounters[judgementOf: place].recordUnknown(at: now, edition: siteEdition)
    } else {
      let hint = isUrgent ? nil : encounters[judgementOf: place].hint(at: now, siteEdition)
      let quick = compare(gathered.pattern, place, trigger, after: hint)
      // `fire_m` reaches so far that no point is elsewhere: then the pattern proves nothing.
      guard quick.lead < 0 || quick.lead < .infinity && (unplaced.isMeant || quick.overRest < .infinity) else {
        return encounters[judgementOf: place].recordUnknown(at: now, edition: siteEdition)
      }
      let last = isUrgent ? nil : encounters[judgementOf: place].settled(at: now, lead: quick.lead, isServed: isServed)
      var settled: Float?
      if quick.lead >= -2 {
        if last == nil { gathered.lookBack() }
        settled = last ?? lead(gathered.pattern, place, trigger, after: quick)
      }
      encounters[judgementOf: place].record(
        quick, settled, isRepeated: last != nil, receivers: min(1 + gathered.others, 8), isPlaced: !unplaced.isMeant,
        level: encounters[place].approach.level, edition: siteEdition, isServed: isServed, at: now)
    }
    learnSite(place, at: now, devices, settings)
  }

  /// Apart: most reports come sooner, and must not pay for a call.
  @inline(__always)
  func isDue(_ place: Int32, at now: Instant, _ settings: borrowing Settings) -> Bool {
    let (level, isServed) = (encounters[place].approach.level, encounters[place].hasFired)
    guard encounters[judgementOf: place].isDue(at: now, level, siteEdition, isServed: isServed) else { return false }
    return isServed || Int(encounters[place].approach.samples) >= settings.triggers[Int(encounters[place].trigger)].minimumSamples
  }

  func gatherSettled(_ place: Int32, at now: Instant, _ devices: borrowing Devices, _ settings: borrowing Settings) -> LevelPattern {
    var gathered = Gathered(receivers, power: devices[Int(encounters[place].device)].power.credited(assumed))
    gather(&gathered, place, at: now, devices, settings)
    gathered.lookBack()
    return gathered.pattern
  }

  private var receivers: Int { unplaced.isMeant ? unplaced.receivers.count : plan.receivers.count }

  @inline(never)
  private func gather(
    _ gathered: inout Gathered, _ place: Int32, at now: Instant, _ devices: borrowing Devices, _ settings: borrowing Settings
  ) {
    let own = receiver(ofRadio: Int(encounters[place].radio))
    addRadios(to: &gathered, place, own, at: now, devices, settings)
    addNeighbours(to: &gathered, place, own, at: now)
    gathered.close(loudness(of: Int(encounters[place].device), devices, settings), plan)
  }

  /// Whether receivers have places to compare. A trigger that names none of several radios may be at any of them.
  private func isJudged(_ place: Int32, _ trigger: Int, _ settings: borrowing Settings) -> Bool {
    guard unplaced.isMeant else { return plan.isDrawn(for: trigger) }
    guard settings.radios.count <= 1 || settings.triggers[trigger].radio != nil else { return false }
    return unplaced.receiver(ofRadio: Int(encounters[place].radio)) >= 0
  }

  private func compare(_ pattern: borrowing LevelPattern, _ place: Int32, _ trigger: Int, after last: SitePlan.Comparison? = nil)
    -> SitePlan.Comparison
  {
    guard unplaced.isMeant else { return plan.compare(pattern, at: trigger, after: last) }
    return unplaced.compare(pattern, at: unplaced.receiver(ofRadio: Int(encounters[place].radio)))
  }

  private func lead(_ pattern: borrowing LevelPattern, _ place: Int32, _ trigger: Int, after quick: SitePlan.Comparison) -> Float {
    unplaced.isMeant ? compare(pattern, place, trigger).lead : plan.lead(pattern, at: trigger, after: quick)
  }

  func receiver(ofRadio radio: Int) -> Int {
    unplaced.isMeant ? unplaced.receiver(ofRadio: radio) : plan.receiver(ofRadio: radio)
  }

  /// A rival is ahead. `receiver`: its place; -1: it has none.
  @inline(never)
  func record(_ receiver: Int, aheadBy lead: Decibels, of place: Int32, _ evidence: inout TriggerEvidence) {
    let isLeftOut =
      unplaced.isMeant
      ? receiver < 0
      : plan.leavesOut(receiver, at: Int(encounters[place].trigger), plan.receiver(ofRadio: Int(encounters[place].radio)))
    if isLeftOut { evidence.uncomparedLead = max(evidence.uncomparedLead, lead.value) }
  }

  /// After the receivers of the site may have changed. The edition is never the same with a plan and without one.
  mutating func noteReceivers() {
    hearsPatterns = plan.isDrawn || unplaced.hearsPatterns
    siteEdition = unplaced.isMeant ? unplaced.edition | 0x80 : plan.edition & 0x7F
  }

  /// Against the power that levels are compared with.
  private func loudness(of slot: Int, _ devices: borrowing Devices, _ settings: borrowing Settings) -> LevelPattern.Loudness {
    let power = devices[slot].power
    if power.triggerDoubt == .known { return .known }
    guard settings.calibration.learns, let record = learnt.record(of: devices[slot].identity) else { return .unknown }
    return LevelPattern.Loudness(mean: (record.power - power.credited(assumed)).value, deviation: LevelPattern.Loudness.learnt)
  }

  private func addRadios(
    to gathered: inout Gathered, _ place: Int32, _ own: Int, at now: Instant, _ devices: borrowing Devices, _ settings: borrowing Settings
  ) {
    let slot = Int(encounters[place].device)
    if own >= 0 {
      gathered.hear(
        own, encounters[place].approach.level, settled: encounters[place].approach.settled, rate: encounters[place].approach.rate)
    }
    for radio in 0..<devices.radios where radio != Int(encounters[place].radio) {
      let receiver = receiver(ofRadio: radio)
      guard receiver >= 0 else { continue }
      if devices[slot, radio].isStale(at: now, settings.average) {
        guard devices.isHearing(radio, at: now) else { continue }
        if isApart(receiver, own) { gathered.others += 1 }
        gathered.pattern.hearNothing(receiver)
      } else {
        // A radio that has gone deaf since says nothing.
        let age = now - devices[slot, radio].heard
        guard age < Self.memory || devices.isHearing(radio, at: now) else { continue }
        if isApart(receiver, own) { gathered.others += 1 }
        let level = devices.average(of: slot, radio, settings)
        gathered.hear(receiver, level, settled: level, rate: devices[slot, radio].rate)
      }
    }
  }

  /// A neighbour that is silent itself says nothing about the device.
  private func addNeighbours(to gathered: inout Gathered, _ place: Int32, _ own: Int, at now: Instant) {
    var word = encounters[place].claims
    while word >= 0 {
      defer { word = claims.next(after: word) }
      guard isCurrent(word, at: now) else { continue }
      let receiver = Int(claims[word].receiver)
      if isApart(receiver, own) { gathered.others += 1 }
      if let level = claims[word].level, let steady = claims[word].steady {
        gathered.hear(receiver, level, settled: steady, rate: claims[word].rate, age: now - claims[word].arrived + claims[word].age)
      } else {
        gathered.pattern.hearNothing(receiver)
      }
    }
  }

  /// Two antennas at one spot hear the same: a second one proves nothing about the place.
  private func isApart(_ receiver: Int, _ own: Int) -> Bool { unplaced.isMeant || own < 0 || plan.areApart(receiver, own) }

  func isCurrent(_ word: Int32, at now: Instant) -> Bool {
    claims[word].receiver >= 0 && claims[word].edition == siteEdition && now - claims[word].arrived < Self.memory
      && !membership.members[Int(claims[word].neighbour)].isGone(at: now)
  }
}
