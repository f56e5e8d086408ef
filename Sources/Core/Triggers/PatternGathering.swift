/// What all receivers hear of one device, now and over the last seconds.
private struct PatternPair {
  var quick = LevelPattern()
  var settled = LevelPattern()
  /// How many there are beside our own.
  var others = 0
  let power: Decibels
  /// The best rate at which any receiver hears it.
  let best: Float

  mutating func hear(
    _ receiver: Int, _ level: Decibels, settled: Decibels, rate: Float, age: Interval = .zero, _ plan: borrowing SitePlan
  ) {
    let excess = LevelPattern.faintness(rate, of: best) + plan.offset(of: receiver)
    quick.hear(receiver, (level - power).value - excess, age: age)
    self.settled.hear(receiver, (settled - power).value - excess)
  }

  mutating func hearNothing(_ receiver: Int) {
    quick.hearNothing(receiver)
    settled.hearNothing(receiver)
  }

  mutating func close(_ loudness: LevelPattern.Loudness) {
    let floor = (LevelPattern.leastHeard - power).value
    quick.close(loudness, floor: floor)
    settled.close(loudness, floor: floor)
  }
}

extension Triggers {
  /// Compares what all receivers hear with what they would hear of a phone here and elsewhere.
  @inline(never)
  mutating func judgePattern(
    _ place: Int32, isUrgent: Bool = false, at now: Instant, _ devices: borrowing Devices, _ settings: borrowing Settings
  ) {
    let trigger = Int(encounters[place].trigger)
    guard isJudged(place, trigger, settings), !settings.triggers[trigger].group.isEmpty else {
      // New settings may have taken what it was judged by.
      if encounters[judgementOf: place].verdict != nil { encounters[judgementOf: place].recordUnknown(at: now) }
      return
    }
    guard isUrgent || encounters[judgementOf: place].isDue(at: now) else { return }
    let power = devices[Int(encounters[place].device)].power
    var pair = PatternPair(power: power.credited(assumed), best: bestRate(place, at: now))
    addRadios(to: &pair, place, at: now, devices, settings)
    addNeighbours(to: &pair, place, at: now)
    guard pair.others > 0 else { return encounters[judgementOf: place].recordUnknown(at: now) }
    pair.close(loudness(of: Int(encounters[place].device), devices, settings))
    // What is supposed of the others is worth less than a power that was measured, or that the advert says; unless it says too little.
    if unplaced.isMeant, power.isStated, power.overstated(assumed) == 0 {
      encounters[judgementOf: place].recordUnknown(at: now)
    } else {
      let quick = compare(pair.quick, place, trigger)
      // `fire_m` reaches so far that no point is elsewhere: then the pattern proves nothing.
      guard quick.lead < 0 || quick.lead < .infinity && (unplaced.isMeant || quick.overRest < .infinity) else {
        return encounters[judgementOf: place].recordUnknown(at: now)
      }
      // Whoever stands elsewhere now gains nothing by the last seconds.
      let settled = quick.lead < -2 ? quick.lead : compare(pair.settled, place, trigger).lead
      encounters[judgementOf: place].record(quick, settled, receivers: min(1 + pair.others, 8), isPlaced: !unplaced.isMeant, at: now)
    }
    learnSite(pair.settled, place, at: now, devices, settings)
  }

  /// Whether receivers have places to compare. A trigger that names none of several radios may be at any of them.
  private func isJudged(_ place: Int32, _ trigger: Int, _ settings: borrowing Settings) -> Bool {
    guard unplaced.isMeant else { return plan.isDrawn(for: trigger) }
    guard settings.radios.count <= 1 || settings.triggers[trigger].radio != nil else { return false }
    return unplaced.receiver(ofRadio: Int(encounters[place].radio)) >= 0
  }

  private func compare(_ pattern: LevelPattern, _ place: Int32, _ trigger: Int) -> SitePlan.Comparison {
    guard unplaced.isMeant else { return plan.compare(pattern, at: trigger) }
    return unplaced.compare(pattern, at: unplaced.receiver(ofRadio: Int(encounters[place].radio)))
  }

  private func receiver(ofRadio radio: Int) -> Int {
    unplaced.isMeant ? unplaced.receiver(ofRadio: radio) : plan.receiver(ofRadio: radio)
  }

  /// Never the same with a plan and without one.
  var siteEdition: UInt8 { unplaced.isMeant ? unplaced.edition | 0x80 : plan.edition & 0x7F }

  /// Against the power that levels are compared with.
  private func loudness(of slot: Int, _ devices: borrowing Devices, _ settings: borrowing Settings) -> LevelPattern.Loudness {
    let power = devices[slot].power
    if power.triggerDoubt == .known { return .known }
    guard settings.calibration.learns, let record = learnt.record(of: devices[slot].identity) else { return .unknown }
    return LevelPattern.Loudness(mean: (record.power - power.credited(assumed)).value, deviation: LevelPattern.Loudness.learnt)
  }

  private func bestRate(_ place: Int32, at now: Instant) -> Float {
    var rate = encounters[place].approach.rate
    var word = encounters[place].claims
    while word >= 0 {
      if isCurrent(word, at: now) { rate = max(rate, claims[word].rate) }
      word = claims.next(after: word)
    }
    return rate
  }

  private func addRadios(
    to pair: inout PatternPair, _ place: Int32, at now: Instant, _ devices: borrowing Devices, _ settings: borrowing Settings
  ) {
    let slot = Int(encounters[place].device)
    let own = receiver(ofRadio: Int(encounters[place].radio))
    for radio in 0..<devices.radios {
      let receiver = receiver(ofRadio: radio)
      guard receiver >= 0 else { continue }
      if radio == Int(encounters[place].radio) {
        let approach = encounters[place].approach
        pair.hear(receiver, approach.level, settled: approach.settled, rate: approach.rate, plan)
        continue
      }
      if devices[slot, radio].isStale(at: now, settings.average) {
        guard devices.isHearing(radio, at: now) else { continue }
        if isApart(receiver, own) { pair.others += 1 }
        pair.hearNothing(receiver)
      } else {
        // A radio that has gone deaf since says nothing.
        let age = now - devices[slot, radio].heard
        guard age < Self.memory || devices.isHearing(radio, at: now) else { continue }
        if isApart(receiver, own) { pair.others += 1 }
        let level = devices.average(of: slot, radio, settings)
        pair.hear(receiver, level, settled: level, rate: devices[slot, radio].rate, plan)
      }
    }
  }

  /// A neighbour that is silent itself says nothing about the device.
  private func addNeighbours(to pair: inout PatternPair, _ place: Int32, at now: Instant) {
    let own = receiver(ofRadio: Int(encounters[place].radio))
    var word = encounters[place].claims
    while word >= 0 {
      defer { word = claims.next(after: word) }
      guard isCurrent(word, at: now) else { continue }
      let receiver = Int(claims[word].receiver)
      if isApart(receiver, own) { pair.others += 1 }
      if let level = claims[word].level, let steady = claims[word].steady {
        pair.hear(receiver, level, settled: steady, rate: claims[word].rate, age: now - claims[word].arrived + claims[word].age, plan)
      } else {
        pair.hearNothing(receiver)
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
