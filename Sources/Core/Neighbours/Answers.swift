// What we answer a neighbour that wants to serve a device which has no encounter here.

extension Triggers {
  /// With a level if we have one, also when no trigger of ours matches the device: that we hear nothing would be taken for a proof that it
  /// is not here. So where we hear nobody, or lack the key that shows who it is, we consent to nothing.
  @_optimize(size)
  mutating func publishAnswer(
    to claim: Claim, for found: Int?, at now: Instant, _ devices: borrowing Devices, _ settings: borrowing Settings,
    _ publisher: inout Publisher
  ) {
    let rest = restOfGroup(claim.group, for: claim.identity, settings, at: now)
    let isKnown = found != nil || settings.couldRecognise(claim, unixTime: publisher.clock.unixTime(at: now))
    let couldHear = isKnown && !couldMiss(found.map { devices[$0].heard }, in: claim.group, settings, at: now)
    guard rest != nil || couldHear || !settings.hasTrigger(in: claim.group) else { return }
    publisher.composeClaim(Name(), claim.group, claim.identity, settings, at: now)
    publisher.json.member("seq", Int64(membership.nextSequence()))
    publisher.json.member("state", (rest == nil ? Claim.Standing.withdrawn : .fired).name)
    if let rest { publisher.composeRest(rest - now) }
    let known = found.flatMap { devices.estimate(of: $0, at: now, settings) }
    let estimate = known ?? (claim.identity.kind == .peer ? loudestUnread(at: now, devices, settings) : nil)
    let isOther = known == nil && estimate != nil
    if let estimate {
      publisher.composeLevel("level_db", estimate.average)
      publisher.json.member("rate_hz", estimate.rate, places: 1)
    }
    if estimate != nil || isHearing(in: claim.group, devices, settings, at: now) {
      publisher.json.member("listens", true)
      publisher.composePoint(settings, radio: estimate?.radio ?? 0)
    }
    publisher.composeTimes(estimate?.samples ?? 0, dwell: .zero, age: isOther ? .zero : found.map { now - devices[$0].heard } ?? .zero)
    var heard = HeardList(room: publisher.json.free - Payload.roomForTheEnd)
    _ = heard.append(claim.sequence, of: claim.gateway, claim.boot)
    publisher.json.member(heard)
    publisher.publish()
  }

  /// Of two devices that may be the one that is asked about.
  @_optimize(size)
  func louder(_ one: Int?, _ other: Int?, at now: Instant, _ devices: borrowing Devices, _ settings: borrowing Settings) -> Int? {
    guard let one, let other else { return one ?? other }
    guard let level = devices.estimate(of: other, at: now, settings)?.average else { return one }
    return devices.estimate(of: one, at: now, settings).map { $0.average >= level } ?? false ? one : other
  }

  /// Whether it is, or may be, served here, or its group rests.
  func isDeciding(of slot: Int, in group: Name, at now: Instant, _ devices: borrowing Devices, _ settings: borrowing Settings) -> Bool {
    var place = devices[slot].encounters
    while place >= 0 {
      defer { place = encounters[place].nextOfDevice }
      guard settings.triggers[Int(encounters[place].trigger)].group == group else { continue }
      if encounters[place].stage.isDecisive || encounters[place].holdsGroup(at: now) { return true }
    }
    return false
  }

  @_optimize(size)
  mutating func noteUnread(_ phone: DeviceReference) {
    for index in unread.indices where unread[index] == phone { return }
    guard unread.append(phone) != nil else { return }
    unread.remove(at: 0)
    _ = unread.append(phone)
  }

  @_optimize(size)
  mutating func forgetUnread(_ phone: DeviceReference) {
    for index in unread.indices.reversed() where unread[index] == phone { unread.remove(at: index) }
  }

  /// For as long as it is not asked again.
  @_optimize(size)
  mutating func noteStranger(_ address: Address, at now: Instant) {
    for index in strangers.indices.reversed() where strangers[index].address == address { strangers.remove(at: index) }
    if strangers.isFull { strangers.remove(at: 0) }
    _ = strangers.append(Stranger(address: address, until: now + Candidates.lifetime))
  }

  @_optimize(size)
  func isStranger(_ address: Address, at now: Instant) -> Bool {
    for index in strangers.indices where strangers[index].address == address { return strangers[index].until > now }
    return false
  }

  /// As loud as whoever is asked about can be here, if it is one of those.
  @_optimize(size)
  func loudestUnread(at now: Instant, _ devices: borrowing Devices, _ settings: borrowing Settings) -> Estimate? {
    var loudest: Estimate?
    for index in unread.indices {
      guard let slot = devices.slot(of: unread[index]), let estimate = devices.estimate(of: slot, at: now, settings) else { continue }
      if loudest.map({ $0.average < estimate.average }) ?? true { loudest = estimate }
    }
    return loudest
  }
}

/// Who offers our service, or seems to, and has no installation id.
struct Stranger: BitwiseCopyable, Sendable {
  let address: Address
  let until: Instant
}

extension Settings {
  func hasTrigger(in group: Name) -> Bool {
    for index in triggers.indices where triggers[index].group == group { return true }
    return false
  }
}
