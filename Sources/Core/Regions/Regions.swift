/// Which devices are inside which region. A device enters with a sample that counts and exits after a silence. Each enter and exit is an
/// event; each region's occupancy is retained.
package struct Regions: ~Copyable {
  package internal(set) var visits: Visits
  private var occupancies = InlineArray<64, Occupancy>(repeating: Occupancy())
  /// The last enter or exit anywhere.
  package private(set) var changed = Instant.never
  /// Samples that found no room for another visit.
  package private(set) var refused: UInt64 = 0
  /// The visits that the run before left open.
  package internal(set) var leftovers: Leftovers
  /// A bit for each region with a `minimum_dbm`, as the settings had it when all states were last published.
  private var guarded: UInt64 = 0
  /// False until it is known what the run before left open.
  var publishesStates = true
  /// A bit for each region whose state must still be published.
  package internal(set) var stale: UInt64 = 0
  private var statePaces = InlineArray<64, TokenBucket>(repeating: TokenBucket(burst: 64, pace: .milliseconds(250)))

  package struct Occupancy: BitwiseCopyable {
    package var count: Int32 = 0
    /// When the region became occupied, or empty.
    package var since = Instant.zero
    /// The last enter or exit.
    package var changed = Instant.never
  }

  package init(capacity: Int, in arena: inout Arena) {
    visits = Visits(capacity: capacity, in: &arena)
    leftovers = Leftovers(in: &arena)
  }

  package static func bytes(for capacity: Int) -> Int { Visits.bytes(for: capacity) + Leftovers.bytes }

  package subscript(region: Int) -> Occupancy { occupancies[region] }

  // MARK: Events

  /// After a start or a reload the retained states must not be older than this run.
  package mutating func publishAllStates(_ settings: borrowing Settings, at now: Instant, publisher: inout Publisher) {
    guarded = settings.guardedRegions
    for region in settings.regions.indices {
      if inside(region) == 0, occupancies[region].since == .zero { occupancies[region].since = now }
      publishState(of: region, settings, at: now, &publisher)
    }
  }

  package mutating func observe(
    _ slot: Int, at now: Instant, devices: inout Devices, settings: borrowing Settings, publisher: inout Publisher
  ) {
    let matching = devices[slot].interest.regions
    var open = matching & ~guarded
    while open != 0 {
      let region = open.trailingZeroBitCount
      open &= open - 1
      let place = visits.find(region: region, from: devices[slot].visits)
      if place >= 0 { visits[place].counted = now } else { enter(region, slot, isNews: true, at: now, &devices, settings, &publisher) }
    }
    if matching & guarded != 0 { observeGuarded(slot, matching & guarded, at: now, &devices, settings, &publisher) }
  }

  /// A function of its own: writing takes much stack, and most packets write nothing.
  @inline(never)
  mutating func enter(
    _ region: Int, _ slot: Int, isNews: Bool, at now: Instant, _ devices: inout Devices, _ settings: borrowing Settings,
    _ publisher: inout Publisher
  ) {
    let place = visits.start(device: slot, region: region, at: now, head: &devices[slot].visits)
    guard place >= 0 else { return refused += 1 }
    let identity = devices[slot].identity
    if settings.gateway.authorization == .always, let entry = leftovers.take(identity, at: region), !entry.isOver {
      // The run before has published its `enter`.
      visits[place].isPublished = true
      return change(region, by: 1, isPublished: true, isNews: false, settings, at: now, &publisher)
    }
    guard settings.gateway.authorization == .always, publisher.mayPublish(of: identity, at: .region(region), now) else {
      return change(region, by: 1, isPublished: false, isNews: isNews, settings, at: now, &publisher)
    }
    visits[place].isPublished = true
    publish(.enter, region, identity, settings, at: now, &publisher)
    change(region, by: 1, isPublished: true, isNews: isNews, settings, at: now, &publisher)
  }

  /// The device has a better name, under which its visits to the `matching` regions go on. The new name enters before the old one exits, and
  /// the count stays: no region is empty in between.
  @inline(never)
  @_optimize(size)
  mutating func hand(
    from old: Int, to new: Int, in matching: UInt64, at now: Instant, devices: inout Devices, settings: borrowing Settings,
    publisher: inout Publisher
  ) {
    var place = devices[old].visits
    while place >= 0 {
      let (visit, following) = (visits[place], visits.nextOfDevice(after: place))
      let region = Int(visit.region)
      if visits.find(region: region, from: devices[new].visits) >= 0 {
        end(place, .exit(.identified), at: now, &devices, settings, &publisher)
      } else if matching >> UInt64(region) & 1 == 1 {
        // Its row is free for the new one.
        visits.end(place, head: &devices[old].visits)
        occupancies[region].count -= 1
        enter(region, new, isNews: false, at: now, &devices, settings, &publisher)
        visits[devices[new].visits].counted = visit.counted
        if visit.isPublished { publish(.exit(.identified), region, devices[old].identity, settings, at: now, &publisher) }
      }
      place = following
    }
  }

  /// Ends the visits that silence has ended; returns when to look again.
  package mutating func check(
    _ slot: Int, at now: Instant, devices: inout Devices, settings: borrowing Settings, publisher: inout Publisher
  ) -> Instant {
    var next = Instant.never
    var place = devices[slot].visits
    while place >= 0 {
      let following = visits.nextOfDevice(after: place)
      let over = visits[place].counted + silence(of: devices, slot, in: settings.regions[Int(visits[place].region)])
      if over <= now {
        end(place, .exit(.silence), at: now, &devices, settings, &publisher)
      } else {
        next = min(next, over)
      }
      place = following
    }
    return next
  }

  /// The device is no longer monitored: all its visits end, and their messages say why.
  @inline(never) @_optimize(size) package mutating func endAll(
    of slot: Int, because reason: Reason, at now: Instant, devices: inout Devices, settings: borrowing Settings,
    publisher: inout Publisher
  ) {
    while devices[slot].visits >= 0 {
      end(devices[slot].visits, .exit(reason), at: now, &devices, settings, &publisher)
    }
  }

  /// The new settings lack some of the regions.
  @inline(never) @_optimize(size) package mutating func endAll(
    of slot: Int, exceptIn staying: Renumbering, at now: Instant, devices: inout Devices, settings: borrowing Settings,
    publisher: inout Publisher
  ) {
    var place = devices[slot].visits
    while place >= 0 {
      let following = visits.nextOfDevice(after: place)
      if staying[Int(visits[place].region)] == nil { end(place, .exit(.reload), at: now, &devices, settings, &publisher) }
      place = following
    }
  }

  package mutating func renumber(_ numbers: Renumbering) {
    visits.renumber(numbers)
    leftovers.renumber(numbers)
    occupancies = numbers.moved(occupancies, fresh: Occupancy())
  }

  // MARK: What is said

  package enum Reason: UInt8, BitwiseCopyable {
    case silence, authorization, reload, evicted, identified, renewed

    var name: StaticString {
      switch self {
      case .silence: "silence"
      case .authorization: "authorization"
      case .reload: "reload"
      case .evicted: "evicted"
      case .identified: "identified"
      case .renewed: "address renewed"
      }
    }
  }

  private enum Transition {
    case enter
    case exit(Reason)
  }

  private mutating func end(
    _ place: Int32, _ transition: Transition, at now: Instant, _ devices: inout Devices, _ settings: borrowing Settings,
    _ publisher: inout Publisher
  ) {
    let slot = Int(visits[place].device)
    let region = Int(visits[place].region)
    let isPublished = visits[place].isPublished
    visits.end(place, head: &devices[slot].visits)
    if isPublished { publish(transition, region, devices[slot].identity, settings, at: now, &publisher) }
    change(region, by: -1, isPublished: isPublished, settings, at: now, &publisher)
  }

  private func publish(
    _ transition: Transition, _ region: Int, _ identity: Identity, _ settings: borrowing Settings, at now: Instant,
    _ publisher: inout Publisher
  ) {
    // Without permission to monitor, visits serve ranging alone and nothing is published.
    guard settings.gateway.authorization == .always else { return }
    publisher.compose(.event, publisher.topics.regionEvent(settings.regions[region].name), at: now)
    switch transition {
    case .enter:
      publisher.mark(.begins)
      publisher.json.member("event", "enter")
    case .exit(let reason):
      publisher.mark(.ends)
      publisher.json.member("event", "exit")
      publisher.json.member("reason", reason.name)
    }
    publisher.json.member("region", text: settings.regions[region].name.bytes)
    publisher.json.members(of: identity, settings)
    publisher.identifyEvent()
    publisher.publish()
  }

  /// The count is always right. Changes without an event are published now and then.
  private mutating func change(
    _ region: Int, by number: Int32, isPublished: Bool, isNews: Bool = true, _ settings: borrowing Settings, at now: Instant,
    _ publisher: inout Publisher
  ) {
    occupancies[region].count += number
    guard settings.gateway.authorization == .always else { return }
    occupancies[region].changed = now
    changed = now
    if isNews, inside(region) == (number > 0 ? 1 : 0) { occupancies[region].since = now }
    if isPublished || statePaces[region].take(at: now) {
      publishState(of: region, settings, at: now, &publisher)
    } else {
      stale |= 1 << UInt64(region)
    }
  }

  /// Publishes the states that had to wait for their pace or for room.
  mutating func publishStaleStates(_ settings: borrowing Settings, at now: Instant, _ publisher: inout Publisher) {
    var left = stale
    while left != 0 {
      let region = left.trailingZeroBitCount
      left &= left - 1
      if region >= settings.regions.count {
        stale &= ~(1 << UInt64(region))
      } else if statePaces[region].take(at: now) {
        publishState(of: region, settings, at: now, &publisher)
      }
    }
  }

  /// Whom this run has heard there, and whom the run before left there.
  private func inside(_ region: Int) -> Int { Int(occupancies[region].count) + leftovers.open(at: region) }

  /// The run before left somebody there, or who was left is over.
  mutating func leftoverChanged(_ entry: Leftovers.Entry, isNew: Bool, at now: Instant) {
    let region = Int(entry.place)
    if inside(region) == (isNew ? 1 : 0) { occupancies[region].since = isNew ? entry.since : now }
    stale |= 1 << UInt64(region)
  }

  private mutating func publishState(of region: Int, _ settings: borrowing Settings, at now: Instant, _ publisher: inout Publisher) {
    guard publishesStates else { return stale |= 1 << UInt64(region) }
    // Visits without permission to monitor serve ranging alone.
    let count = settings.gateway.authorization == .always ? inside(region) : 0
    publisher.compose(.state, publisher.topics.region(settings.regions[region].name), at: now)
    publisher.json.member("state", count > 0 ? "inside" : "outside" as StaticString)
    publisher.json.member("count", Int64(count))
    publisher.stamp("since", occupancies[region].since)
    if publisher.publish() { stale &= ~(1 << UInt64(region)) } else { stale |= 1 << UInt64(region) }
  }

  private func silence(of devices: borrowing Devices, _ slot: Int, in region: RegionSettings) -> Interval {
    region.silence(after: devices.interval(of: slot))
  }
}

extension RegionSettings {
  func silence(after interval: Interval?) -> Interval {
    switch exit {
    case .after(let fixed): fixed
    case .auto: .silence(after: interval)
    }
  }
}

extension Interval {
  /// How long a device with this observed interval may be silent before it counts as gone.
  ///
  /// With 40 % loss, twelve *observed* intervals without a packet happen once in 10⁸. A body before a fast beacon silences it for seconds,
  /// hence the minimum. A device heard only once has no interval yet.
  package static func silence(after interval: Interval?) -> Interval {
    guard let interval else { return Limits.longestSilence }
    return min(max(interval * 12, Limits.shortestSilence), Limits.longestSilence)
  }
}

extension Settings {
  /// The shortest silence that can end anything.
  package var patience: Interval {
    var shortest = min(average.stale, Limits.shortestSilence)
    for region in regions.indices {
      if case .after(let fixed) = regions[region].exit { shortest = min(shortest, fixed) }
    }
    return shortest
  }
}
