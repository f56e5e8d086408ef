/// The whole machine: packets and time in, messages out.
///
/// What falls due happens at its own moment, before any later packet: the output depends on the packets and their stamps alone, not on
/// how often the caller calls.
package struct Gateway: ~Copyable {
  package private(set) var settings: Settings
  package internal(set) var counters = Counters()
  package internal(set) var devices: Devices
  package internal(set) var publisher: Publisher
  private var fragments: Fragments
  var addresses: AddressBook
  var installations: KnownPeers
  var keys: IdentityKeys
  var services: WatchedServices
  var regions: Regions
  package internal(set) var triggers: Triggers
  var ranging = Ranging()
  let proximity = Proximity()
  /// Whom the run before left, and nobody could be told that they have gone: the broker was away.
  var unsaid = Bounded<64, Identity>(filledWith: Identity(.address))
  /// Retained states to be cleared that found the ring full: at most all that one reload takes out.
  var uncleared = Bounded<128, RetainedState>(filledWith: RetainedState(of: .region, Name()))
  var deadlines: DeadlineHeap
  var now: Instant
  /// After a sample, nothing falls due for its device sooner than this.
  private var patience: Interval
  /// The kinds of identity that at least one selector names.
  var kindsNamed: UInt16
  /// Each radio's last stamp. Packets of different radios cross without any clock stepping back.
  private var stamps = InlineArray<4, Instant>(repeating: .zero)

  @export(interface) package init(
    _ settings: consuming Settings, seed: UInt64, cipher: @escaping Cipher, publisher: consuming Publisher, awaitsVisits: Bool = false,
    in arena: inout Arena
  ) {
    let capacity = settings.gateway.devices
    fragments = Fragments(in: &arena)
    addresses = AddressBook(capacity: capacity, seed: seed, in: &arena)
    installations = KnownPeers(in: &arena)
    keys = IdentityKeys(settings.keys, cipher: cipher, in: &arena)
    services = WatchedServices(settings.services, in: &arena)
    devices = Devices(capacity: capacity, radios: max(settings.radios.count, 1), seed: seed, in: &arena)
    regions = Regions(capacity: Limits.visits(for: capacity), in: &arena)
    triggers = Triggers(capacity: Limits.encounters(for: capacity), claims: Limits.claims, seed: seed, in: &arena)
    deadlines = DeadlineHeap(slots: capacity, in: &arena)
    now = publisher.clock.started
    patience = settings.patience
    kindsNamed = settings.kindsNamed
    self.publisher = publisher
    self.settings = settings
    devices.average = self.settings.average
    self.publisher.setPaces(seed: seed)
    self.publisher.reload(self.settings)
    regions.publishesStates = !awaitsVisits
    regions.publishAllStates(self.settings, at: now, publisher: &self.publisher)
    triggers.start(self.settings, at: now)
    ranging.reset(at: now)
  }

  @export(interface) package static func bytes(for settings: borrowing Settings) -> Int {
    let capacity = settings.gateway.devices
    return Devices.bytes(capacity: capacity, radios: max(settings.radios.count, 1)) + AddressBook.bytes(capacity: capacity)
      + IdentityKeys.bytes + KnownPeers.bytes + WatchedServices.bytes + Fragments.bytes + Regions.bytes(for: Limits.visits(for: capacity))
      + DeadlineHeap.bytes(for: capacity)
      + Triggers.bytes(for: Limits.encounters(for: capacity), claims: Limits.claims)
  }

  // MARK: Packets

  /// One H4 packet from a radio.
  @export(interface) package mutating func receive(_ packet: RawSpan, radio: Int, at moment: Instant) {
    arrive(from: radio, at: moment)
    do throws(Malformed) {
      switch try HCIEvent(packet) {
      case .reports(var reports):
        guard isListening else { return }
        while !reports.isEmpty {
          let report = try reports.take()
          if fragments.concern(report, from: radio) { try join(report, radio: radio) } else { observe(report, radio: radio) }
        }
      case .other: if let news = PeerNews(packet: packet) { learn(news, radio: radio) }
      default: break
      }
    } catch {
      counters.count(error)
    }
  }

  /// News that the caller has already read from a radio's packet: the packet is parsed once.
  @export(interface) package mutating func receive(_ news: PeerNews, radio: Int, at moment: Instant) {
    arrive(from: radio, at: moment)
    learn(news, radio: radio)
  }

  /// Time first: what has fallen due before this packet happens before it.
  @inline(always)
  private mutating func arrive(from radio: Int, at moment: Instant) {
    if moment < now { countStepBack(radio, at: moment) }
    stamps[radio & 3] = moment
    tick(at: moment)
    counters.packets &+= 1
  }

  /// The packet is older than the last one: another radio's came first, or the clock stepped back.
  @inline(never)
  private mutating func countStepBack(_ radio: Int, at moment: Instant) {
    if moment < stamps[radio & 3] { counters.clockStepsBack += 1 }
  }

  /// One piece of an advertisement. The last piece completes it.
  @inline(never)
  private mutating func join(_ report: Report, radio: Int) throws(Malformed) {
    var whole = WholeReport()
    guard fragments.join(report, from: radio, at: now, into: &whole) else { return }
    observe(try Report(whole: whole.bytes), radio: radio)
  }

  /// A function of its own: inside the loop over reports the processor runs out of registers.
  @inline(never)
  private mutating func observe(_ report: Report, radio: Int) {
    counters.reports &+= 1
    guard report.isAudible else { return counters.levelsDiscarded &+= 1 }
    let (sender, device, isRepeated, isLater) = addresses.resolve(report, at: now, keys)
    // Two branches on purpose: a slot chosen from two would be known only after the choice.
    if isRepeated, devices.isHere(device) {
      observe(Int(device.slot), level: report.level, radio: radio, from: sender, isLater: isLater)
    } else if let slot = recognise(report, sender, devices.slot(of: device)) {
      observe(slot, level: report.level, radio: radio, from: sender, isLater: isLater)
    }
  }

  @inline(always)
  mutating func observe(_ slot: Int, level: Int8, radio: Int, from sender: Int, isLater: Bool) {
    let isWatched = devices[slot].isWatched
    devices.observe(slot, level: level, radio: radio, at: now)
    if isLater { touch(sender, slot) }
    if isWatched { observeWatched(slot, level: level, radio: radio, from: sender) }
  }

  /// About once a second: the sender and the device become the newest of their tables. Another sender may have claimed another power for
  /// the device since this sender's advert was parsed.
  @inline(never)
  private mutating func touch(_ sender: Int, _ slot: Int) {
    addresses.touch(sender)
    devices.touch(slot)
    if let power = addresses[sender].power { devices[slot].power.learn(power) }
  }

  /// What a sample of a device changes that the configuration asks for, or that is published.
  @inline(never)
  private mutating func observeWatched(_ slot: Int, level: Int8, radio: Int, from sender: Int) {
    let corrected = Decibels(float(level)) - settings.receiveOffset(of: radio)
    if devices[slot].interest.regions != 0 {
      regions.observe(slot, at: now, devices: &devices, settings: settings, publisher: &publisher)
    }
    if devices[slot].interest.triggers != 0 {
      triggers.observe(
        slot, level: corrected, radio: radio, from: sender, at: now, devices: &devices, settings: settings, publisher: &publisher)
      if triggers.renewed >= 0 { endRenewedVisits() }
    }
    proximity.observe(slot, at: now, devices: &devices, settings: settings, publisher: &publisher)
    if regions.changed == now { ranging.wake(at: now) }
    deadlines.enter(slot, due: now + patience)
  }

  /// The address is known to have a successor: its region visits end now, without waiting for silence.
  @inline(never)
  private mutating func endRenewedVisits() {
    let slot = Int(triggers.renewed)
    triggers.renewed = -1
    regions.endAll(of: slot, because: .renewed, at: now, devices: &devices, settings: settings, publisher: &publisher)
  }

  // MARK: Permission

  /// Whether the radios may listen now. `authorization` in config.toml.
  @inline(__always) package var isListening: Bool {
    switch settings.gateway.authorization {
    case .always: true
    case .whenInUse: ranging.isAsked(at: now)
    case .denied: false
    }
  }

  /// Whatever was monitored under the old permission ends with it, and its messages say so. In any case so do the orders to range.
  @_optimize(size)
  @export(interface) package mutating func authorize(_ authorization: Authorization, at moment: Instant) {
    tick(at: moment)
    guard authorization != settings.gateway.authorization else { return ranging.reset(at: now) }
    let names = settings.triggersByName(in: settings)
    for slot in 0..<devices.capacity where devices.isUsed(slot) {
      regions.endAll(of: slot, because: .authorization, at: now, devices: &devices, settings: settings, publisher: &publisher)
      triggers.endAll(
        of: slot, named: names, because: .authorization, at: now, devices: &devices, settings: settings, publisher: &publisher)
    }
    // Who was away while nobody listened is unknown: it is as at a start.
    if authorization == .always, !isListening { triggers.started = now }
    settings.gateway.authorization = authorization
    ranging.reset(at: now)
  }

  /// nil: every region.
  @export(interface) package mutating func startRanging(_ region: Int?, for span: Interval?, at moment: Instant) {
    tick(at: moment)
    if !isListening { triggers.started = now }
    ranging.start(numbers(of: region), areAll: region == nil, for: span, at: now)
  }

  @export(interface) package mutating func stopRanging(_ region: Int?, at moment: Instant) {
    tick(at: moment)
    ranging.stop(numbers(of: region), areAll: region == nil)
  }

  /// Also where there is no region a command makes the radios listen.
  private func numbers(of region: Int?) -> Range<Int> { region.map { $0..<$0 + 1 } ?? 0..<max(settings.regions.count, 1) }

  package var encountersRefused: UInt64 { triggers.refused }
  package var refusals: Membership.Refusals { triggers.membership.refused }
  package var visitsRefused: UInt64 { regions.refused }
  /// Devices that made room though they were inside a region or near a trigger.
  package internal(set) var evictedHere: UInt64 = 0
  package var fragmentsDropped: UInt64 { fragments.dropped }
  /// Encounters, claims and visits in the tables: none is left when everybody has gone.
  package var rowsInUse: Int { triggers.encounters.free.taken + triggers.claims.free.taken + regions.visits.free.taken }

  // MARK: A new config

  /// New settings take effect. A visit survives if its region does.
  @_optimize(size)
  @export(interface) package mutating func reload(_ next: consuming Settings, at moment: Instant) {
    precondition(max(next.radios.count, 1) == devices.radios, "the number of radios is fixed at start")
    precondition(next.gateway.devices == devices.capacity, "the number of devices is fixed at start")
    tick(at: moment)
    if next.gateway.authorization != settings.gateway.authorization { authorize(next.gateway.authorization, at: now) }
    let (numbers, names) = (settings.regionsByName(in: next), settings.triggersByName(in: next))
    endLeftovers(in: next, names)
    for slot in 0..<devices.capacity where devices.isUsed(slot) {
      // Its zone may be another now, and its name.
      devices[slot].settled = .empty
      guard devices[slot].encounters >= 0 || devices[slot].visits >= 0 else { continue }
      let interest = next.interest(in: devices[slot].identity)
      let staying = settings.renumberedRegions(in: next, matching: interest.regions)
      regions.endAll(of: slot, exceptIn: staying, at: now, devices: &devices, settings: settings, publisher: &publisher)
      let places = settings.renumberedTriggers(in: next, matching: interest.triggers)
      triggers.endAll(
        of: slot, exceptIn: places, named: names, because: .reload, at: now, devices: &devices, settings: settings, publisher: &publisher)
    }
    regions.renumber(numbers)
    triggers.renumber(names, settings, next, devices, at: now)
    // Without any region a command asks for all that are heard.
    if !settings.regions.isEmpty || !next.regions.isEmpty { ranging.renumber(numbers, at: now) }
    clearStates(missingIn: next)
    // Whoever stands here may be known by another identity from now on, under which it was never served.
    let (isSame, kept) = (settings.identifiesAlike(next), KeptInterest(settings, next))
    if !isSame { triggers.started = now }
    settings = next
    patience = settings.patience
    devices.average = settings.average
    publisher.reload(settings)
    triggers.reload(settings)
    keys.reload(settings.keys)
    services.reload(settings.services)
    kindsNamed = settings.kindsNamed
    for slot in 0..<devices.capacity where devices.isUsed(slot) {
      devices.reconsider(slot, settings, keeping: kept.part(of: devices[slot].interest))
      triggers.applyLearntPower(to: slot, &devices, settings)
    }
    resolveAddressesAgain(isSame: isSame)
    checkWatched()
    regions.publishAllStates(settings, at: now, publisher: &publisher)
    for trigger in settings.triggers.indices { triggers.publishState(of: trigger, at: now, devices, settings, &publisher) }
  }

  // MARK: Time

  /// When `tick` has something to do, if no packet comes before.
  package var nextDeadline: Instant { min(min(deadlines.next, ranging.next), triggers.membership.due) }

  /// Does what has fallen due by `moment`, each thing at its own moment.
  @inline(__always)
  @export(interface) package mutating func tick(at moment: Instant) {
    if deadlines.next <= moment || ranging.next <= moment || triggers.membership.due <= moment { catchUp(with: moment) }
    now = larger(now, moment)
  }

  @inline(never)
  private mutating func catchUp(with moment: Instant) {
    while nextDeadline <= moment {
      now = max(now, nextDeadline)
      if triggers.membership.due <= min(ranging.next, deadlines.next) {
        triggers.publishHello(settings, at: now, &publisher)
      } else if ranging.next <= deadlines.next {
        ranging.range(regions, devices, at: now, settings: settings, publisher: &publisher)
      } else if let (slot, _) = deadlines.takeDue(by: moment) {
        check(slot)
      }
      if isBehind { publishStaleStates() }
    }
  }
}
