// From an advert to the device that sent it.

extension Gateway {
  /// Reads an advert and returns its device, which may be another than before.
  @inline(never)
  mutating func recognise(_ report: Report, _ sender: Int, _ known: Int?) -> Int? {
    if known == nil { addresses.release(sender) }
    let recognition = services.recognise(report)
    if let damage = recognition.damage { counters.count(damage) }
    let time = publisher.clock.unixTime(at: now)
    let learnt = addresses.learn(recognition, from: report, in: sender, at: now, services, &keys, unixTime: time)
    var interest = interest(in: recognition, of: addresses[sender].address)
    let installation = addresses[sender].evidence < .peer ? installations.id(behind: report.address, at: now) : nil
    if let installation { interest.join(settings.interest(in: Identity(installation: installation))) }
    addresses.widen(sender, by: interest)
    guard let slot = slot(of: report.address, sender, learnt, succeeding: known) else { return nil }
    if let known, known != slot, isAnotherBeacon(slot, known) { addresses.narrow(sender, to: interest) }
    if settings.peer.identify, addresses[sender].evidence > .peer, recognition.offers(settings.peer.service, services),
      !triggers.isStranger(report.address, at: now)
    {
      triggers.noteUnread(devices.reference(to: slot))
    }
    if let installation { devices.note(Identity(installation: installation), of: slot) }
    if recognition.evidence.kind.isBeacon, let name = recognition.identity(at: report.address, services) { devices.note(name, of: slot) }
    widen(slot, sender, interest)
    if let power = addresses[sender].power { devices[slot].power.learn(power) }
    devices[slot].attributes.update(recognition.attributes)
    if recognition.isImplausible(report.txPower) {
      counters.implausiblePowers &+= 1
      devices[slot].isImplausible = devices[slot].interest.calibration == nil
    } else if recognition.measuredPower != nil {
      devices[slot].isImplausible = false
    }
    return slot
  }

  /// The system's clock was set, or turned out to be wrong: then beacons may be recognised that have been here for long, and what the broker
  /// retains says since when by the clock as it was, or `null`.
  package mutating func setClock(_ epoch: Int64?, at moment: Instant) {
    let isNews = publisher.clock.steps(to: epoch)
    publisher.clock.epoch = epoch
    guard isNews else { return }
    if keys.haveBeacons { triggers.started = max(now, moment) }
    dateStatesAgain()
  }

  /// At their pace. States that are still held back will have the new date anyway.
  private mutating func dateStatesAgain() {
    if regions.publishesStates { for region in settings.regions.indices { regions.stale |= 1 << UInt64(region) } }
    if triggers.publishesStates { for trigger in settings.triggers.indices { triggers.stale |= 1 << UInt64(trigger) } }
  }

  /// Without it no EID is recognised.
  package var lacksTime: Bool { keys.haveBeacons && publisher.clock.epoch == nil }

  private mutating func slot(of address: Address, _ sender: Int, _ learnt: Identity?, succeeding known: Int?) -> Int? {
    if addresses[sender].evidence > .peer, let id = installations.id(behind: address, at: now) {
      let slot = resolve(sender, asInstallation: id, succeeding: known)
      if let learnt { triggers.rest(slot, asServedAs: learnt, devices, settings, at: now) }
      return slot
    }
    guard let learnt else { return known }
    let slot = resolve(learnt, of: sender, succeeding: known)
    addresses.assign(sender, to: devices.reference(to: slot), isMatched: devices[slot].interest.isMatched)
    devices[slot].mayBePhone = settings.peer.identify && address.isResolvable && learnt.kind.isBeacon
    return slot
  }

  /// The slot of an identity. If only the address was known until now, what was averaged under the address moves to the identity.
  mutating func resolve(_ identity: Identity, of sender: Int, succeeding known: Int?) -> Int {
    let first = known.map { devices.beginning(of: $0) } ?? now
    if let slot = devices.find(identity) {
      let isNewAddress = known.map { $0 != slot && devices[$0].identity.isBoundToAddress } ?? true
      // A phone's next address: under the last one it may have been heard by another name, so nobody saw it come.
      if isNewAddress { devices.beginAnew(slot, from: first, at: now) }
      if let known, known != slot { hand(known, to: slot, sender) }
      return slot
    }
    let oldest = slotToReuse()
    if devices.isUsed(oldest) {
      if devices[oldest].visits >= 0 || devices[oldest].encounters >= 0 { evictedHere &+= 1 }
      retire(oldest, because: .evicted)
    }
    let slot = devices.insert(identity, settings, at: now)
    triggers.applyLearntPower(to: slot, &devices, settings)
    if let known, known != oldest {
      if devices[known].identity.isBoundToAddress { devices.transfer(from: known, to: slot) }
      devices.beginAnew(slot, from: first, at: now)
      hand(known, to: slot, sender)
    }
    return slot
  }

  /// Who is near a trigger stays while there is anybody else, as far as there is time to look.
  private func slotToReuse() -> Int {
    let oldest = devices.slotToReuse
    guard devices.isUsed(oldest) else { return oldest }
    var slot = oldest
    for _ in 0..<64 {
      if !triggers.isNear(devices[slot], at: now, devices) { return slot }
      guard let next = devices.newer(than: slot) else { break }
      slot = next
    }
    return oldest
  }

  /// What an installation was served as before, it is not served again as. Otherwise a beacon stays a device of its own, for it may send from
  /// elsewhere, too. But one sender of two formats is one beacon, which is served once: the visit goes on under the better name, unless
  /// another sender uses the old name, or the new one is at a trigger already. Whoever copies a beacon, and has an id, takes no visit with it.
  @inline(never) @_optimize(size)
  private mutating func hand(_ known: Int, to slot: Int, _ sender: Int) {
    let isBound = devices[known].identity.isBoundToAddress
    let isAlone = triggers.hearOnly(sender, as: known, devices)
    let isPeer = devices[slot].identity.kind == .peer
    let isRenamed = devices[known].identity.kind != devices[slot].identity.kind && devices[slot].encounters < 0 && isAlone
    if !isBound {
      devices.note(devices[known].identity, of: slot)
      handVisits(known, to: slot, sender)
    }
    if !isBound, isPeer || isRenamed {
      // Under either name: a copy of the beacon may be heard by the old one, or this may be the copy.
      triggers.keepRests(of: known, as: devices[known].identity, devices, at: now)
      triggers.keepRests(of: known, as: devices[slot].identity, devices, at: now)
    }
    guard isBound || isPeer && isAlone || isRenamed else { return triggers.restAfterRecentFires(slot, devices, settings, at: now) }
    triggers.rest(slot, asServedAs: devices[known].identity, devices, settings, at: now)
    triggers.transfer(from: known, to: slot, devices: &devices)
    triggers.resumeVisits(of: slot, devices, settings, at: now)
    if isBound { retire(known, because: .identified) }
  }

  /// One sender of two formats would count twice in its regions until the old name has been silent for long enough. Not so where another
  /// sender uses the old name. A phone whose id was read may say nothing more, and the id alone would stay longer than the beacon.
  private mutating func handVisits(_ known: Int, to slot: Int, _ sender: Int) {
    let (old, new) = (devices[known].identity.kind, devices[slot].identity.kind)
    guard devices[known].visits >= 0, old != new, new != .peer else { return }
    let silence = Interval.silence(after: devices.interval(of: known))
    guard addresses.isAlone(sender, as: devices.reference(to: known), within: silence, of: now) else { return }
    let matching = devices[slot].interest.regions | addresses[sender].regions
    regions.hand(from: known, to: slot, in: matching, at: now, devices: &devices, settings: settings, publisher: &publisher)
  }

  /// New settings. Whom a new key makes known at once is the device that its address was known as; the others show it by their next adverts.
  mutating func resolveAddressesAgain(isSame: Bool) {
    for sender in addresses.lines where addresses.isUsed(sender) {
      let known = devices.slot(of: addresses[sender].device)
      addresses.renew(sender, isSame: isSame, keys)
      guard let known, devices[known].identity.isBoundToAddress, let identity = addresses.identity(of: sender, by: keys) else { continue }
      let slot = resolve(identity, of: sender, succeeding: known)
      addresses.assign(sender, to: devices.reference(to: slot), isMatched: devices[slot].interest.isMatched)
      check(slot)
    }
  }

  mutating func retire(_ slot: Int, because reason: Regions.Reason) {
    regions.endAll(of: slot, because: reason, at: now, devices: &devices, settings: settings, publisher: &publisher)
    triggers.endAll(of: slot, because: .evicted, at: now, devices: &devices, settings: settings, publisher: &publisher)
    proximity.end(slot, at: now, devices, settings, &publisher)
    deadlines.cancel(slot)
    devices.remove(slot)
  }

  // MARK: All of its names

  /// Which regions, triggers and calibrations look for any name in this advert. Most configurations use two or three kinds of identity, and
  /// most adverts carry none of them.
  private func interest(in recognition: borrowing Recognition, of address: Address) -> Interest {
    var interest = Interest()
    var kinds = kindsNamed
    while kinds != 0, let kind = Identity.Kind(rawValue: UInt8(truncatingIfNeeded: kinds.trailingZeroBitCount)) {
      kinds &= kinds - 1
      for number in kind == .service ? services.indices : 0..<1 {
        guard let name = recognition.name(kind, at: address, service: number, services) else { continue }
        interest.join(settings.interest(in: name))
      }
    }
    return interest
  }

  /// One sender in two slots of a tag: each is a device of its own, and what looks for the one does not look for the other.
  private func isAnotherBeacon(_ slot: Int, _ known: Int) -> Bool {
    devices[slot].identity.kind.isBeacon && devices[slot].identity.kind == devices[known].identity.kind
  }

  /// One sender may use several names in turn: a selector that matches any of them matches its device.
  mutating func widen(_ slot: Int, _ sender: Int, _ interest: Interest) {
    var all = interest
    all.regions |= addresses[sender].regions
    all.triggers |= addresses[sender].triggers
    // Its other names are our own, too.
    if all.triggers != 0, settings.transmits(devices[slot].identity) { all.triggers = 0 }
    guard devices.widen(slot, by: all) else { return }
    devices.touch(slot)
    addresses.assign(sender, to: devices.reference(to: slot), isMatched: true)
  }
}
