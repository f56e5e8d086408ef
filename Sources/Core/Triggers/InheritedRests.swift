// What a phone under its next address owes its group: whoever was served under the last one must not be served at the next pump as somebody
// else, whichever of the gateways recognises it first.

extension Triggers {
  /// Whether it is not known yet that it is another device than one that was served here, or whose group rests.
  func mayContinueHolder(_ place: Int32, at now: Instant, _ devices: borrowing Devices, _ settings: borrowing Settings) -> Bool {
    guard encounters[place].isNewcomer else { return false }
    let suspect = encounters[successionOf: place].suspect
    guard suspect >= 0, encounters.isUsed(suspect) else { return false }
    let group = settings.triggers[Int(encounters[place].trigger)].group
    var other = devices[Int(encounters[suspect].device)].encounters
    while other >= 0 {
      if encounters[other].holdsGroup(at: now), settings.triggers[Int(encounters[other].trigger)].group == group { return true }
      other = encounters[other].nextOfDevice
    }
    return false
  }

  /// Of all triggers of the group, for the newcomer may have none of the encounters that its predecessor had; and what neighbours said.
  mutating func inheritRests(
    _ place: Int32, from predecessor: Int, at now: Instant, _ devices: borrowing Devices, _ settings: borrowing Settings
  ) {
    rest(place, devices[predecessor].identity, settings, at: now)
    let (group, head) = (settings.triggers[Int(encounters[place].trigger)].group, devices[Int(encounters[place].device)].encounters)
    guard !group.isEmpty else { return }
    var other = devices[predecessor].encounters
    while other >= 0 {
      defer { other = encounters[other].nextOfDevice }
      guard settings.triggers[Int(encounters[other].trigger)].group == group else { continue }
      encounters[place].restWithGroup(until: encounters[other].groupRests)
      // A visit that nobody continues ends after this silence, but not while its radio hears nothing.
      let isDeaf = deafSince[Int(encounters[other].radio)] != .never
      let refractory = isDeaf ? settings.triggers[Int(encounters[other].trigger)].refractory : .zero
      let end = now + max(settings.average.stale, refractory)
      let isContinued = encounters.find(trigger: Int(encounters[other].trigger), from: head) >= 0
      if encounters[other].hasFired && !isContinued || isServedByNeighbour(other) { encounters[place].rest(until: end) }
    }
  }

  /// From the last of the old address to the first of the new one.
  func gap(_ other: Int32, _ place: Int32, _ devices: borrowing Devices) -> Interval {
    encounters.firstHeard(place) - devices[Int(encounters[other].device)].heard
  }

  /// It has slept, or it is another one. The old visit ends by itself; whoever it is, it may have been served.
  @inline(never) @_optimize(size)
  mutating func inheritDoubt(
    _ place: Int32, from other: Int32, at now: Instant, _ devices: borrowing Devices, _ settings: borrowing Settings
  ) {
    inheritRests(place, from: Int(encounters[other].device), at: now, devices, settings)
    encounters[place].rest(until: encounters[other].rests)
    encounters[place].mayHaveStayed(until: now)
  }

  private func isServedByNeighbour(_ place: Int32) -> Bool {
    var word = encounters[place].claims
    while word >= 0 {
      if claims[word].hasFired { return true }
      word = claims.next(after: word)
    }
    return false
  }
}

extension Encounter {
  mutating func rest(until end: Instant) { rests = max(rests, end) }
}
