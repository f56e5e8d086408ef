// `BASE/trigger/NAME/state`, retained: which devices are served, which are near, and since when. A subscriber may have missed an event; the
// state is always true. README.md, Topics.

extension Triggers {
  /// Publishes the state after a change. Changes of nearness alone are paced: a flood of them is published now and then.
  mutating func publishChange(
    from before: Encounter, at place: Int32, _ now: Instant, _ devices: borrowing Devices, _ settings: borrowing Settings,
    _ publisher: inout Publisher
  ) {
    let (isPresent, hasFired) = (encounters[place].isPresent, encounters[place].hasFired)
    guard isPresent != before.isPresent || hasFired != before.hasFired || encounters[place].reported != before.reported else { return }
    if !before.isPresent { encounters[place].since = now }
    let trigger = Int(encounters[place].trigger)
    guard hasFired != before.hasFired || statePaces[trigger].take(at: now) else {
      stale |= 1 << UInt64(trigger)
      return
    }
    publishState(of: trigger, at: now, devices, settings, &publisher)
  }

  /// Publishes the states that had to wait for their pace or for room.
  mutating func publishStaleStates(
    at now: Instant, _ devices: borrowing Devices, _ settings: borrowing Settings, _ publisher: inout Publisher
  ) {
    var left = stale
    while left != 0 {
      let trigger = left.trailingZeroBitCount
      left &= left - 1
      if trigger >= settings.triggers.count {
        stale &= ~(1 << UInt64(trigger))
      } else if statePaces[trigger].take(at: now) {
        publishState(of: trigger, at: now, devices, settings, &publisher)
      }
    }
  }

  mutating func publishState(
    of trigger: Int, at now: Instant, _ devices: borrowing Devices, _ settings: borrowing Settings, _ publisher: inout Publisher
  ) {
    guard publishesStates else { return }
    publisher.compose(.state, publisher.topics.triggerState(settings.triggers[trigger].name), at: now)
    publisher.markUrgent()
    publisher.json.member("trigger", text: settings.triggers[trigger].name.bytes)
    var counts = Counts()
    // Without permission to monitor the lists stay empty.
    let isAllowed = settings.gateway.authorization == .always
    if isAllowed { count(trigger, &counts) }
    publisher.json.member("served_count", Int64(counts.served))
    publisher.json.member("near_count", Int64(counts.near))
    publisher.json.array("served")
    var listed = isAllowed ? list(trigger, isServed: true, devices, settings, &publisher) : 0
    publisher.json.closeArray()
    publisher.json.array("near")
    if isAllowed { listed += list(trigger, isServed: false, devices, settings, &publisher) }
    publisher.json.closeArray()
    let leftOut = counts.served + counts.near - listed
    if leftOut > 0 { publisher.json.member("left_out", Int64(leftOut)) }
    if publisher.publish() { stale &= ~(1 << UInt64(trigger)) } else { stale |= 1 << UInt64(trigger) }
  }

  private struct Counts {
    var served = 0
    var near = 0
  }

  private func count(_ trigger: Int, _ counts: inout Counts) {
    for place in encounters.places where stands(place, at: trigger) {
      if encounters[place].hasFired { counts.served += 1 } else if encounters[place].isPresent { counts.near += 1 }
    }
    for index in 0..<leftovers.count where Int(leftovers[index].place) == trigger && !leftovers[index].isOver { counts.served += 1 }
  }

  /// An encounter that another one continues is counted there.
  private func stands(_ place: Int32, at trigger: Int) -> Bool {
    encounters.isUsed(place) && Int(encounters[place].trigger) == trigger && !encounters[place].isSucceeded
  }

  /// Writes as many as fit; returns how many.
  @_optimize(size)
  private func list(
    _ trigger: Int, isServed: Bool, _ devices: borrowing Devices, _ settings: borrowing Settings, _ publisher: inout Publisher
  ) -> Int {
    var listed = 0
    for place in encounters.places where stands(place, at: trigger) {
      guard encounters[place].isPresent, encounters[place].hasFired == isServed else { continue }
      let since = encounters[place].firedAt ?? encounters[place].since
      let identity = encounters[successionOf: place].servedAs ?? devices[Int(encounters[place].device)].identity
      let doubt = isServed ? nil : encounters[place].reported
      guard publisher.composeVisitor(identity, settings, since: since, doubt) else { return listed }
      listed += 1
    }
    guard isServed else { return listed }
    for index in 0..<leftovers.count where Int(leftovers[index].place) == trigger && !leftovers[index].isOver {
      guard publisher.composeVisitor(leftovers[index].identity, settings, since: leftovers[index].since) else { return listed }
      listed += 1
    }
    return listed
  }

  /// A device whose visit the run before left open is heard: the visit goes on. If the visit has been ended, the device was here all along.
  @inline(never)
  mutating func resume(_ place: Int32, _ identity: Identity, _ settings: borrowing Settings) {
    let trigger = Int(encounters[place].trigger)
    guard let entry = leftovers.take(identity, at: trigger) else {
      // It may have renewed its address since its fire: nobody remembers under which it was served.
      if leftovers.mayHold(identity, at: trigger) { encounters[place].wasHereAtStart = true }
      return
    }
    if entry.isOver {
      encounters[place].wasHereAtStart = true
    } else {
      goOn(with: entry, place, settings)
    }
  }

  /// A device is known by another identity from now on, under which the run before may have served it.
  mutating func resumeVisits(of slot: Int, _ devices: borrowing Devices, _ settings: borrowing Settings, at now: Instant) {
    restAfterRecentFires(slot, devices, settings, at: now)
    guard leftovers.count > 0 else { return }
    var place = devices[slot].encounters
    while place >= 0 {
      if !encounters[place].hasFired { resume(place, devices[slot].identity, settings) }
      stale |= 1 << UInt64(encounters[place].trigger)
      place = encounters[place].nextOfDevice
    }
  }

  /// Whether the device is already known here, however far off: its visit goes on, until its level ends it.
  mutating func continuesVisit(
    _ trigger: Int, _ slot: Int, _ entry: Leftovers.Entry, _ devices: borrowing Devices, _ settings: borrowing Settings
  ) -> Bool {
    let known = encounters.find(trigger: trigger, from: devices[slot].encounters)
    guard known >= 0 else { return false }
    var place = known
    // It may have another address by now, under which it is heard.
    while encounters[place].isSucceeded {
      place = encounters[successionOf: place].successor
      guard place >= 0 else { return false }
    }
    if encounters[place].hasFired { return place == known || encounters[successionOf: place].servedAs == entry.identity }
    goOn(with: entry, place, settings)
    if place != known { encounters[successionOf: place].servedAs = entry.identity }
    return true
  }

  private mutating func goOn(with entry: Leftovers.Entry, _ place: Int32, _ settings: borrowing Settings) {
    let trigger = settings.triggers[Int(encounters[place].trigger)]
    let level = entry.vouchedLevel
    encounters[place].startVisit(at: entry.since, trigger, isVouched: level != nil, at: level)
    encounters[place].since = entry.since
  }
}

extension Encounter {
  fileprivate var firedAt: Instant? {
    switch stage {
    case .fired(let at): at
    case .leaving(_, let fired): fired
    case .absent, .armed, .dwelling, .claiming: nil
    }
  }
}

extension Publisher {
  /// What must still fit behind a list: the other list, how many are left out, a rehearsal's mark.
  private static var rest: Int { 64 }

  fileprivate mutating func composeVisitor(
    _ identity: Identity, _ settings: borrowing Settings, since: Instant, _ doubt: Encounter.Doubt? = nil
  ) -> Bool {
    let before = json.count
    json.openObject()
    json.members(of: identity, settings)
    stamp("since", since)
    if let doubt, let reason = Encounter.Event.undecided(doubt).reason { json.member("undecided", reason) }
    json.closeObject()
    if !json.overflowed, json.free >= Self.rest { return true }
    json.truncate(to: before)
    return false
  }
}
