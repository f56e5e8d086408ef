// Which of several gateways may fire, agreed by claims that may come late, twice or never.
//
// A gateway that wants to fire publishes a `holding` claim, the intent. It fires only when every competing neighbour has answered *that*
// claim or a later one without holding the device itself. An answer echoes the claim's number and the run that made it, so clocks, delays
// and recordings do not matter. Of two that hold, the one with the lower level yields. A neighbour that does not answer blocks the fire:
// in doubt nothing fires, and the driver can still ask for the pump by its number.

extension Triggers {
  private static let calmPace = Interval.seconds(1)
  private static let urgentPace = Interval.seconds(0.25)
  /// An intent without all answers is repeated with a new number, so that every answer is about the present.
  private static let intentLife = Interval.seconds(2)

  /// Publishes what the neighbours should know by now, and fires once all have agreed.
  mutating func negotiate(
    _ place: Int32, changed: Bool, at now: Instant, _ devices: borrowing Devices, _ settings: borrowing Settings,
    _ publisher: inout Publisher
  ) {
    let trigger = settings.triggers[Int(encounters[place].trigger)]
    guard !trigger.group.isEmpty, encounters[place].isClaiming || membership.hasCompetitor(in: trigger.group, at: now) else { return }
    let pace = encounters[place].isClaiming ? Self.urgentPace : Self.calmPace
    if changed || now - encounters[place].claimed >= pace { publishClaim(place, at: now, devices, settings, &publisher) }
    agree(place, at: now, devices, settings, &publisher)
  }

  private mutating func agree(
    _ place: Int32, at now: Instant, _ devices: borrowing Devices, _ settings: borrowing Settings, _ publisher: inout Publisher
  ) {
    guard case .claiming = encounters[place].stage, encounters[place].intent > 0 else { return }
    guard membership.isAcquainted(at: now), !membership.hasTwin(at: now) else { return }
    let trigger = settings.triggers[Int(encounters[place].trigger)]
    switch consent(to: place, in: trigger, at: now) {
    case .waiting: break
    case .refused:
      encounters[place].yield()
      publishClaim(place, at: now, devices, settings, &publisher)
    // What was heard long before their answers came, or by a radio that is deaf by now, opens no pump: the next sample asks again.
    case .given where !isHeard(place, at: now): break
    case .given:
      // All have answered with what they hear now.
      judgePattern(place, isUrgent: true, at: now, devices, settings)
      let evidence = self.evidence(of: place, at: now, devices, settings)
      if evidence.isTaken || evidence.mayBeTaken || !evidence.isAhead {
        encounters[place].yield()
      } else {
        fire(place, evidence, at: now, devices, settings, &publisher)
      }
      publishClaim(place, at: now, devices, settings, &publisher)
    }
  }

  private func isHeard(_ place: Int32, at now: Instant) -> Bool {
    now - encounters[place].approach.heard < Self.intentLife && deafSince[Int(encounters[place].radio)] == .never
  }

  private enum Consent { case waiting, refused, given }

  @_optimize(size)
  private func consent(to place: Int32, in trigger: TriggerSettings, at now: Instant) -> Consent {
    let encounter = encounters[place]
    var verdict = Consent.given
    for index in membership.members.indices where membership.members[index].competes(in: trigger.group, at: now) {
      let word = claims.find(index, from: encounter.claims)
      // Another run's, or another gateway's that had its place, is no answer.
      guard word >= 0, claims[word].run == membership.members[index].run || claims[word].hasFired else {
        verdict = .waiting
        continue
      }
      if claims[word].hasFired { return .refused }
      if claims[word].standing == .holding, isWeaker(encounter, than: claims[word]) { return .refused }
      if claims[word].echo < encounter.intent || claims[word].standing == .holding { verdict = .waiting }
    }
    return verdict
  }

  /// Both gateways must reach the same result: the lower level yields, and of equal levels the one that was asked.
  private func isWeaker(_ encounter: Encounter, than word: NeighbourClaims.Entry) -> Bool {
    guard let level = word.level else { return false }
    return encounter.approach.level <= level
  }

  // MARK: Our claims

  @_optimize(size)
  private mutating func publishClaim(
    _ place: Int32, at now: Instant, _ devices: borrowing Devices, _ settings: borrowing Settings, _ publisher: inout Publisher
  ) {
    let trigger = settings.triggers[Int(encounters[place].trigger)]
    let word = allHere(place, at: now, devices, settings)
    // Silence is no consent while it proves nothing.
    if word.standing == .candidate || word.standing == .withdrawn,
      couldMiss(encounters[word.loudest].approach.heard, in: trigger.group, settings, at: now)
    {
      return
    }
    let sequence = membership.nextSequence()
    encounters[place].claimed = now
    if case .claiming(let since, let dwelling) = encounters[place].stage {
      if encounters[place].intent == 0 || now - since > Self.intentLife {
        encounters[place].ask(by: sequence, at: now, dwelling: dwelling)
      }
    }
    publisher.composeClaim(trigger.name, trigger.group, devices[Int(encounters[place].device)].identity, settings, at: now)
    publisher.json.member("seq", Int64(sequence))
    publisher.json.member("state", word.standing.name)
    if word.standing == .fired || word.groupRests > now { publisher.composeRest(word.groupRests - now) }
    let (approach, radio) = (encounters[word.loudest].approach, Int(encounters[word.loudest].radio))
    publisher.composeLevel("level_db", approach.level)
    publisher.composeLevel("steady_db", approach.settled)
    publisher.json.member("rate_hz", approach.rate, places: 1)
    publisher.composePoint(settings, radio: radio)
    publisher.composeTimes(Int(approach.samples), dwell: encounters[place].dwell(at: now), age: now - approach.heard)
    var heard = HeardList(room: publisher.json.free - Payload.roomForTheEnd)
    // A neighbour that waits for an answer comes first: a list may not hold all.
    list(encounters[place].claims, in: &heard) { $0 == .holding }
    list(encounters[place].claims, in: &heard) { $0 != .holding }
    publisher.json.member(heard)
    publisher.publish()
  }

  /// A neighbour keeps one claim of ours for a device and a group. So each speaks for all our triggers there: the strongest standing, and the
  /// encounter of the highest level among those that are heard.
  @_optimize(size)
  private func allHere(_ place: Int32, at now: Instant, _ devices: borrowing Devices, _ settings: borrowing Settings)
    -> (standing: Claim.Standing, loudest: Int32, groupRests: Instant)
  {
    let group = settings.triggers[Int(encounters[place].trigger)].group
    var strongest = standing(of: place, at: now, devices, settings)
    var (loudest, groupRests) = (place, groupRests(of: place, settings, at: now))
    var other = devices[Int(encounters[place].device)].encounters
    while other >= 0 {
      defer { other = encounters[other].nextOfDevice }
      guard other != place, settings.triggers[Int(encounters[other].trigger)].group == group else { continue }
      let standing = standing(of: other, at: now, devices, settings)
      if standing.strength > strongest.strength { strongest = standing }
      groupRests = max(groupRests, self.groupRests(of: other, settings, at: now))
      guard now - encounters[other].approach.heard < Self.memory else { continue }
      let isLouder = encounters[other].approach.level > encounters[loudest].approach.level
      if isLouder || now - encounters[loudest].approach.heard >= Self.memory { loudest = other }
    }
    let identity = devices[Int(encounters[place].device)].identity
    if leftovers.count > 0, let rest = restOfGroup(group, for: identity, settings, at: now) {
      (strongest, groupRests) = (.fired, max(groupRests, rest))
    }
    return (strongest, loudest, groupRests)
  }

  /// While a visit goes on its group rests from now on: this gateway may be gone when the device leaves.
  private func groupRests(of place: Int32, _ settings: borrowing Settings, at now: Instant) -> Instant {
    let rest = settings.triggers[Int(encounters[place].trigger)].restOfGroup
    return encounters[place].hasFired ? max(encounters[place].groupRests, now + rest) : encounters[place].groupRests
  }

  /// On a plan even a device that seems far off is a candidate, for it may be a weak phone: the neighbours answer how they hear it. One that
  /// may be the phone that is served here, under its next address, is no candidate for anybody.
  private func standing(of place: Int32, at now: Instant, _ devices: borrowing Devices, _ settings: borrowing Settings) -> Claim.Standing {
    let encounter = encounters[place]
    if encounter.holdsGroup(at: now) || mayContinueHolder(place, at: now, devices, settings) { return .fired }
    let isUnjudged = plan.isPlaced(Int(encounter.trigger)) && now - encounter.approach.heard < Self.memory
    return encounter.standing == .withdrawn && isUnjudged ? .candidate : encounter.standing
  }

  private func list(_ head: Int32, in heard: inout HeardList, _ isMeant: (Claim.Standing) -> Bool) {
    var word = head
    while word >= 0 {
      let member = membership.members[Int(claims[word].neighbour)]
      if isMeant(claims[word].standing), claims[word].run == member.run {
        _ = heard.append(claims[word].sequence, of: member.name, member.boot)
      }
      word = claims.next(after: word)
    }
  }

  // MARK: Their claims

  /// `another`: the device that its address is known as here, if that is another one.
  @_optimize(size)
  package mutating func receive(
    _ claim: Claim, of another: Int?, at now: Instant, devices: borrowing Devices, settings: borrowing Settings,
    publisher: inout Publisher
  ) {
    let us = settings.gateway
    guard let neighbour = membership.admit(claim, from: us.name, simulated: us.simulated, at: now) else { return }
    membership.examinePlan(claim, of: neighbour, settings)
    if claim.standing == .fired { note(claim, at: now, settings) }
    var isKnown = false
    if let slot = devices.find(claim.identity) {
      var place = devices[slot].encounters
      while place >= 0 {
        let next = encounters[place].nextOfDevice
        if settings.triggers[Int(encounters[place].trigger)].group == claim.group {
          isKnown = true
          record(claim, from: neighbour, place, at: now, devices, settings, &publisher)
        }
        place = next
      }
    }
    // A neighbour that asks in a group that we have left must not wait for ever.
    if !isKnown, claim.standing == .holding || claim.standing != .withdrawn && settings.hasTrigger(in: claim.group) {
      // Under its other id it may be served here.
      if let another, isDeciding(of: another, in: claim.group, at: now, devices, settings) { return }
      var loudest = louder(devices.find(claim.identity), another, at: now, devices, settings)
      for index in devices.otherNames.indices {
        guard let other = devices.slot(of: devices.otherNames.device(index, named: claim.identity)) else { continue }
        if isDeciding(of: other, in: claim.group, at: now, devices, settings) { return }
        loudest = louder(loudest, other, at: now, devices, settings)
      }
      publishAnswer(to: claim, for: loudest, at: now, devices, settings, &publisher)
    }
  }

  private mutating func record(
    _ claim: Claim, from neighbour: Int, _ place: Int32, at now: Instant, _ devices: borrowing Devices,
    _ settings: borrowing Settings, _ publisher: inout Publisher
  ) {
    var head = encounters[place].claims
    let run = membership.members[neighbour].run
    var word = claims.place(for: neighbour, run: run, head: &head)
    if word < 0, encounters[place].stage.isDecisive, makeRoomForClaims(devices, settings, at: now) {
      word = claims.place(for: neighbour, run: run, head: &head)
    }
    encounters[place].claims = head
    guard word >= 0 else {
      if encounters[place].stage.isDecisive { refused += 1 }
      return
    }
    claims[word].follow(run)
    guard claim.sequence > claims[word].sequence else { return }
    claims[word].sequence = claim.sequence
    claims[word].record(claim.standing, isSettled: membership.members[neighbour].isSettled)
    claims[word].level = claim.level
    claims[word].steady = claim.steady ?? claim.level
    claims[word].rate = claim.rate
    claims[word].age = claim.age
    claims[word].receiver = Int8(receiver(of: claim, from: neighbour, at: now))
    claims[word].edition = siteEdition
    claims[word].echo = max(claims[word].echo, claim.echo)
    claims[word].arrived = now
    let isUrgent = claim.standing == .holding && now - encounters[place].claimed >= .milliseconds(20)
    let isDue = claim.standing != .withdrawn && now - encounters[place].claimed >= Self.calmPace
    negotiate(place, changed: isUrgent || isDue, at: now, devices, settings, &publisher)
  }

  /// Of a device that is only near its neighbours speak again each second.
  @inline(never)
  private mutating func makeRoomForClaims(_ devices: borrowing Devices, _ settings: borrowing Settings, at now: Instant) -> Bool {
    for place in encounters.places where encounters.isUsed(place) && encounters[place].claims >= 0 && !encounters[place].stage.isDecisive {
      forgetClaims(of: place, at: now, devices, settings)
      return true
    }
    return false
  }

  /// Its place among the receivers of the site; -1 for one that has none, or hears nobody.
  private mutating func receiver(of claim: Claim, from neighbour: Int, at now: Instant) -> Int {
    defer { noteReceivers() }
    if unplaced.isMeant { return claim.isListening || claim.level != nil ? unplaced.receiver(of: claim.gateway, now: now) : -1 }
    return claim.point.map { plan.receiver(of: neighbour, claim.gateway, at: $0, now: now) } ?? -1
  }
}

// A neighbour refuses a claim whose figures are out of range, and would wait for an answer for ever.
extension Publisher {
  mutating func composeLevel(_ key: StaticString, _ level: Decibels) {
    json.member(key, max(min(level.value, Claim.loudest), Claim.faintest), places: 1)
  }

  mutating func composeRest(_ rest: Interval) {
    json.member("rest_ms", min(max(rest, .zero), Claim.longestRest).microseconds / 1_000)
  }

  mutating func composeTimes(_ samples: Int, dwell: Interval, age: Interval) {
    json.member("samples", Int64(samples))
    json.member("dwell_ms", min(dwell, Claim.longestDwell).microseconds / 1_000)
    json.member("age_ms", min(age, Claim.oldest).microseconds / 1_000)
  }
}

extension Encounter {
  var isClaiming: Bool { if case .claiming = stage { true } else { false } }

  var standing: Claim.Standing { stage.standing }
}
