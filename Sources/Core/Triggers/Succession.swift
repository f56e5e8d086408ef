/// A phone that renews its address is one visitor, whatever its identity.
///
/// The old address falls silent as the new one appears, near and at the same levels. Only some time later is it certain that the old one
/// stays silent; until then the newcomer does not fire. Then the newcomer takes over the old encounter, served or not. If the newcomer was
/// seen to approach, or the old address is heard again, they are two devices.
struct Succession: BitwiseCopyable {
  /// While this is false the rest means nothing: the memory may be untouched.
  var isKnown = false
  /// The identity in the published `fire`, if the device has another one by now.
  var servedAs: Identity?
  /// When the newcomer was first heard.
  var first = Instant.zero
  /// The encounter that this one may continue; the one that it does continue; and the one that continues this one.
  var suspect: Int32 = -1
  /// Its level after few samples: a device that walks has moved on by the time the rest is known.
  var early = Decibels(0)
  var predecessor: Int32 = -1
  var successor: Int32 = -1
  var owesArm = false
}

extension Triggers {
  /// A device that is near within this time after its first advert was not seen approaching.
  private static let sudden = Interval.seconds(3)
  /// With 40 % loss, eight adverts in a row are lost once in a thousand times.
  private static let advertsMissed: Int64 = 8
  private static let patience = Interval.seconds(1.5)...Interval.seconds(15)
  /// Between two addresses a phone skips an advert or two.
  private static let advertsBetween: Int64 = 6
  private static let between = Interval.seconds(2)...Interval.seconds(10)
  /// So long a served phone may sleep and wake up under its next address.
  private static let sleep = Interval.seconds(60)
  /// Packets of two radios cross in the rings, and on a busy board.
  private static let crossing = Interval.milliseconds(250)
  private static let samples = 4
  /// Two averages of one second differ by that much at most, even if a body turns meanwhile.
  private static let alike: Float = 15
  /// A phone may come out of a pocket, and its app send with more power, as it changes its address.
  private static let louder: Float = 15
  /// Of two possible predecessors the served one wins, for in doubt nothing fires; then the one that fell silent last.
  private static let preference: Float = 6
  private static let perSecond: Float = 20

  /// Marks a new encounter that may continue another one.
  mutating func markNewcomer(_ place: Int32, _ devices: borrowing Devices) {
    let slot = Int(encounters[place].device)
    let first = devices.beginning(of: slot)
    let isPhone = devices[slot].identity.hasPrivateAddress || devices[slot].mayBePhone || devices[slot].identity.kind == .peer
    guard isPhone else { return }
    // The radio of another trigger may have heard it before.
    let isFirst = devices[slot, Int(encounters[place].radio)].samples <= 1
    guard isFirst || devices[slot].heard - first < Self.sudden else { return }
    encounters[successionOf: place].first = first
    encounters[successionOf: place].suspect = -1
    encounters[place].isNewcomer = true
  }

  /// An `arm` waits until it is known whether the newcomer is new.
  mutating func withholds(_ event: Encounter.Event, _ place: Int32) -> Bool {
    guard encounters[place].isNewcomer, event == .arm else { return false }
    encounters[successionOf: place].owesArm = true
    return true
  }

  @inline(never) mutating func resolveNewcomer(
    _ place: Int32, _ evidence: TriggerEvidence, at now: Instant, _ devices: borrowing Devices, _ settings: borrowing Settings,
    _ publisher: inout Publisher
  ) {
    if encounters[place].approach.samples <= Self.samples { encounters[successionOf: place].early = encounters[place].approach.level }
    let suspect = encounters[successionOf: place].suspect
    if suspect >= 0, isSuspect(suspect, place, devices), !isSilent(suspect, at: now, devices) { return }
    let likeliest = likeliest(place, devices)
    encounters[successionOf: place].suspect = likeliest
    if likeliest >= 0 {
      guard encounters[place].approach.samples >= Self.samples, isSilent(likeliest, at: now, devices) else { return }
      if gap(likeliest, place, devices) <= Self.between.upperBound {
        let wasPresent = encounters[likeliest].isPresent
        succeed(Int(encounters[likeliest].device), by: Int(encounters[place].device), at: now, devices, settings)
        if wasPresent || encounters[place].hasFired { return }
      } else {
        inheritDoubt(place, from: likeliest, at: now, devices, settings)
      }
    }
    encounters[place].isNewcomer = false
    guard encounters[successionOf: place].owesArm, encounters[place].isPresent else { return }
    publish(.arm, encounters[place], evidence, at: now, devices, settings, &publisher)
  }

  /// Whether the other device fell silent as the newcomer appeared, and differs from it by its address alone.
  private func isSuspect(_ other: Int32, _ place: Int32, _ devices: borrowing Devices) -> Bool {
    let (mine, theirs) = (encounters[place].device, encounters[other].device)
    guard theirs >= 0, theirs != mine, !encounters[other].isSucceeded else { return false }
    guard encounters[other].trigger == encounters[place].trigger else { return false }
    let gap = encounters.firstHeard(place) - devices[Int(theirs)].heard
    guard gap >= Interval.zero - Self.crossing else { return false }
    let interval = encounters[other].approach.interval ?? .zero
    let usual = min(max(interval * Self.advertsBetween, Self.between.lowerBound), Self.between.upperBound)
    guard gap <= (encounters[other].isServedOrMustBeAway ? Self.sleep : usual) else { return false }
    let (new, old) = (devices[Int(mine)].identity, devices[Int(theirs)].identity)
    // Its id may have been read meanwhile, or its predecessor's; and it may have been heard as a beacon before.
    if new.kind == .peer { return old.kind == .service && old.hasPrivateAddress || devices[Int(theirs)].mayBePhone }
    if new.kind == .service, devices[Int(theirs)].mayBePhone { return true }
    return new.mayBeSamePhone(to: old) || devices[Int(mine)].mayBePhone && old.kind == .peer
  }

  func isSilent(_ other: Int32, at now: Instant, _ devices: borrowing Devices) -> Bool {
    let interval = encounters[other].approach.interval ?? .zero
    let patience = min(max(interval * Self.advertsMissed, Self.patience.lowerBound), Self.patience.upperBound)
    return now - devices[Int(encounters[other].device)].heard >= patience
  }

  /// Silence has ended its encounter before it is known whose phone it is.
  @inline(never)
  func isUnresolved(_ place: Int32, at now: Instant, _ devices: borrowing Devices) -> Bool {
    encounters[place].isNewcomer && now - encounters[successionOf: place].first < Self.sleep && likeliest(place, devices) >= 0
  }

  /// The encounter that the newcomer most likely continues; -1 when there is none.
  private func likeliest(_ place: Int32, _ devices: borrowing Devices) -> Int32 {
    var (best, least) = (Int32(-1), Float.infinity)
    for other in 0..<Int32(encounters.used) where isSuspect(other, place, devices) {
      let (change, raise) = difference(other, place, devices)
      guard change <= Self.alike else { continue }
      let silence = Self.perSecond * Float(gap(other, place, devices).seconds)
      let unlikeness = change + raise + silence - (encounters[other].hasFired ? Self.preference : 0)
      if unlikeness < least { (best, least) = (other, unlikeness) }
    }
    return best
  }

  /// By how much the levels differ, at the radio that differs most; zero while the newcomer has few samples. Whoever is served here may have
  /// become louder by `raise`, everywhere alike.
  private func difference(_ other: Int32, _ place: Int32, _ devices: borrowing Devices) -> (change: Float, raise: Float) {
    let (mine, theirs) = (encounters[place].approach, encounters[other].approach)
    guard mine.samples >= Self.samples else { return (0, 0) }
    let (steady, early) = ((mine.steady - theirs.steady).value, (encounters[successionOf: place].early - theirs.level).value)
    var (change, raise) = (steady.magnitude < early.magnitude ? steady : early, Float(0))
    if encounters[other].hasFired { raise = min(max(change, 0), Self.louder) }
    change = (change - raise).magnitude
    for radio in 0..<devices.radios where devices.radios > 1 {
      let (new, old) = (devices[Int(encounters[place].device), radio], devices[Int(encounters[other].device), radio])
      guard new.samples >= Self.samples, old.samples >= Self.samples else { continue }
      change = max(change, ((new.level - old.level).value - raise).magnitude)
    }
    return (change, raise)
  }

  @_optimize(size)
  private mutating func succeed(
    _ predecessor: Int, by successor: Int, at now: Instant, _ devices: borrowing Devices, _ settings: borrowing Settings
  ) {
    // It may have had a third address meanwhile: then it is not known yet whom the second one continued.
    var waiting = devices[predecessor].encounters
    while waiting >= 0 {
      if encounters[waiting].isNewcomer {
        let first = likeliest(waiting, devices)
        // Not another newcomer: those that came together may suspect each other.
        if first >= 0, !encounters[first].isNewcomer, isSilent(first, at: now, devices) {
          takeOver(from: Int(encounters[first].device), by: predecessor, at: now, devices, settings)
        }
        encounters[waiting].isNewcomer = false
      }
      waiting = encounters[waiting].nextOfDevice
    }
    takeOver(from: predecessor, by: successor, at: now, devices, settings)
  }

  /// The successor takes over at all triggers at once.
  private mutating func takeOver(
    from predecessor: Int, by successor: Int, at now: Instant, _ devices: borrowing Devices, _ settings: borrowing Settings
  ) {
    renewed = Int32(predecessor)
    var other = devices[predecessor].encounters
    while other >= 0 {
      let place = encounters.find(trigger: Int(encounters[other].trigger), from: devices[successor].encounters)
      if place >= 0, encounters[place].isNewcomer {
        encounters.handOver(other, to: place, devices[predecessor].identity)
        inheritRests(place, from: predecessor, at: now, devices, settings)
        stale |= 1 << UInt64(encounters[place].trigger)
      }
      other = encounters[other].nextOfDevice
    }
  }

  /// The identity whose encounter this one continues, and the one that continues this one. For people who ask why.
  package func predecessor(of place: Int32, _ devices: borrowing Devices) -> Identity? {
    identity(at: encounters[successionOf: place].predecessor, devices)
  }
  package func successor(of place: Int32, _ devices: borrowing Devices) -> Identity? {
    encounters[place].isSucceeded ? identity(at: encounters[successionOf: place].successor, devices) : nil
  }
  private func identity(at place: Int32, _ devices: borrowing Devices) -> Identity? {
    place < 0 ? nil : devices[Int(encounters[place].device)].identity
  }

  /// The old address is heard again.
  @inline(never)
  mutating func reclaim(_ place: Int32, _ devices: borrowing Devices, _ settings: borrowing Settings, at now: Instant) {
    let successor = encounters[successionOf: place].successor
    let isInstallation = devices[Int(encounters[place].device)].identity.kind == .peer
    if isInstallation, successor >= 0, encounters[successor].hasFired, encounters[successionOf: successor].servedAs == nil {
      // Its id says that it is here again, under its next address: in doubt it is whoever was served meanwhile, and was not read.
      encounters.goOn(place, with: successor, devices[Int(encounters[successor].device)].identity)
      return stale |= 1 << UInt64(encounters[place].trigger)
    }
    encounters.reclaim(place)
    // What it owes for itself.
    if successor >= 0, recent.count > 0 { rest(successor, devices[Int(encounters[successor].device)].identity, settings, at: now) }
    stale |= 1 << UInt64(encounters[place].trigger)
  }
}

extension Encounters {
  /// `place` continues where `other` stood; `name` is the identity in what was published of it.
  mutating func handOver(_ other: Int32, to place: Int32, _ name: Identity) {
    self[place].takeOver(from: self[other])
    // Nobody asks under the old address any more.
    self[other].yield()
    self[other].isSucceeded = true
    self[successionOf: place].servedAs = self[other].hasFired ? self[successionOf: other].servedAs ?? name : nil
    self[successionOf: place].predecessor = other
    self[successionOf: other].successor = place
  }

  /// The visit is over, under all its addresses.
  mutating func endPredecessors(of place: Int32, hereUntil moment: Instant, isGone: Bool, _ limits: TriggerLimits) {
    var predecessor = self[successionOf: place].predecessor
    while predecessor >= 0 {
      _ = self[predecessor].end(hereUntil: moment, isGone: isGone, limits)
      predecessor = self[successionOf: predecessor].predecessor
    }
  }

  /// The old address is heard again: its successor is another device.
  mutating func reclaim(_ place: Int32) {
    self[place].isSucceeded = false
    let successor = self[successionOf: place].successor
    guard successor >= 0 else { return }
    if self[successionOf: successor].servedAs != nil {
      // Silence has ended it here, and the visit has gone on there.
      if self[successor].hasFired, !self[place].hasFired { self[place].takeOver(from: self[successor]) }
      self[successor].startAnew()
      self[successionOf: successor].servedAs = nil
    }
    unlink(place)
  }

  /// What `other` continued continues it in turn.
  mutating func goOn(_ place: Int32, with other: Int32, _ name: Identity) {
    unlink(place)
    self[place].isSucceeded = false
    handOver(other, to: place, name)
  }

  mutating func unlink(_ place: Int32) {
    let (predecessor, successor) = (self[successionOf: place].predecessor, self[successionOf: place].successor)
    if predecessor >= 0 { self[successionOf: predecessor].successor = -1 }
    if successor >= 0 { self[successionOf: successor].predecessor = -1 }
    (self[successionOf: place].predecessor, self[successionOf: place].successor) = (-1, -1)
  }
}
