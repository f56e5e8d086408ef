/// Fires that no encounter remembers: of the run before, at a trigger that a reload took out, at a neighbour, or of a device that the table
/// had no room for. Their devices are not served again while `refractory_s` and the group's last, nor before they have been away.
package struct RecentFires: ~Copyable {
  package struct Fire: BitwiseCopyable {
    package var identity = Identity(.address)
    package var trigger: UInt8 = 0
    package var at = Instant.zero
    /// So long neighbours are told that it is served: until its group has rested, and that they hear it at least once from this run.
    fileprivate(set) var told = Instant.zero
    /// A neighbour's: it answers for it itself as long as it is there.
    fileprivate(set) var isTheirs = false
    /// For a device that had to make room: until when it rests, and until when it must have been away.
    fileprivate var rests = Instant.zero
    fileprivate var away = Instant.zero
    /// Of the run before: nobody knows when it left, but until this moment.
    fileprivate var unwatched = Instant.longAgo
    /// It has been heard beyond where encounters begin since then.
    fileprivate var wasFar = false

    /// `moment`: nil if it matters only that the device must have been away.
    package init(of identity: Identity, at trigger: Int, _ moment: Instant?) {
      (self.identity, self.trigger, at) = (identity, UInt8(trigger), moment ?? .longAgo)
    }
  }

  private var table: Lent<Fire>
  private(set) var count = 0
  /// Until when it matters whether a device of the run before is heard far off.
  fileprivate(set) var watchesUntil = Instant.longAgo

  /// After a rest that ended longer ago than this nobody waits for a word.
  package static let downtime = Interval.seconds(600)
  /// The newest so many.
  package static let most = 512

  init(in arena: inout Arena) { table = arena.take(Self.most, of: Fire.self) }

  static var bytes: Int { Arena.bytes(for: most, of: Fire.self) }

  subscript(index: Int) -> Fire { table[index] }

  /// Joins what is known of the device at this trigger. A full table gives up what ends first, and a neighbour's before ours.
  mutating func add(_ fire: Fire) {
    for index in 0..<count where table[index].isSame(as: fire) { return table[index].join(fire) }
    if count < Self.most {
      table[count] = fire
      count += 1
      return
    }
    var first = 0
    for index in 1..<count where table[index].matters(lessThan: table[first]) { first = index }
    if table[first].matters(lessThan: fire) { table[first] = fire }
  }

  @inline(never)
  mutating func heardFar(_ identity: Identity, from trigger: Int) {
    for index in 0..<count where Int(table[index].trigger) == trigger && table[index].identity == identity { table[index].wasFar = true }
  }

  /// Whether anything is known of this name: then it is of the other one, too.
  mutating func know(_ old: Identity, as new: Identity) -> Bool {
    var isKnown = false
    for index in 0..<count where table[index].identity == old && old != new {
      var fire = table[index]
      fire.identity = new
      add(fire)
      isKnown = true
    }
    return isKnown
  }

  mutating func remove(_ index: Int) {
    count -= 1
    table[index] = table[count]
  }

  mutating func renumber(_ names: Renumbering, _ mates: Renumbering) {
    for index in stride(from: count - 1, through: 0, by: -1) {
      let trigger = Int(table[index].trigger)
      if let number = names[trigger] {
        table[index].trigger = UInt8(number)
      } else if let mate = mates[trigger] {
        // The group rests on; for the trigger itself it fired too long ago.
        (table[index].trigger, table[index].at) = (UInt8(mate), .longAgo)
        (table[index].rests, table[index].away, table[index].unwatched) = (.zero, .zero, .longAgo)
      } else {
        remove(index)
      }
    }
  }
}

extension Triggers {
  /// The neighbours know this run by then, and have asked about whoever they hear.
  private static let acquaintance = Interval.seconds(15)

  /// Before the first packet, or as soon as it is known.
  package mutating func recall(_ fire: RecentFires.Fire, _ devices: borrowing Devices, _ settings: borrowing Settings, at now: Instant) {
    var fire = fire
    let trigger = settings.triggers[Int(fire.trigger)]
    // Since then nothing has been missed, however often a reload lets the outbox tell of it.
    let unwatched = publishesStates ? max(max(started, brought[Int(fire.trigger)]), fire.at) : now
    // The group may have rested until a moment ago, and neighbours believe that it still does until this run says `fired` itself.
    let wasTold = trigger.restOfGroup > .zero && unwatched < fire.at + trigger.restOfGroup + RecentFires.downtime
    fire.told = max(fire.at + trigger.restOfGroup, wasTold ? unwatched + Self.acquaintance : .zero)
    fire.unwatched = unwatched
    recent.watchesUntil = max(recent.watchesUntil, unwatched + Encounter.longAbsence)
    recent.add(fire)
    if let slot = devices.find(fire.identity) { restAfterRecentFires(slot, devices, settings, at: now) }
  }

  /// Its trigger goes, and its group stays or not.
  mutating func keepGroupRest(of place: Int32, _ devices: borrowing Devices, at now: Instant) {
    guard encounters[place].groupRests > now else { return }
    recent.add(fire(at: place, devices))
  }

  /// The table of devices has no room for it any more, or it gets another name: then the rest is kept for one of the two.
  mutating func keepRest(of place: Int32, as identity: Identity? = nil, _ devices: borrowing Devices, at now: Instant) {
    let encounter = encounters[place]
    guard encounter.isOwedUntil > now else { return }
    var fire = fire(at: place, devices)
    fire.identity = identity ?? fire.identity
    fire.rests = encounter.rests
    if encounter.mustBeAway { fire.away = encounter.isOwedUntil }
    recent.add(fire)
  }

  @inline(never) @_optimize(size)
  mutating func keepRests(of slot: Int, as identity: Identity, _ devices: borrowing Devices, at now: Instant) {
    var place = devices[slot].encounters
    while place >= 0 {
      keepRest(of: place, as: identity, devices, at: now)
      place = encounters[place].nextOfDevice
    }
  }

  /// Whoever was served by the run before, perhaps, under a name that the device had then.
  @inline(never) @_optimize(size)
  mutating func rest(
    _ slot: Int, asServedAs name: Identity, _ devices: borrowing Devices, _ settings: borrowing Settings, at now: Instant
  ) {
    guard recent.know(name, as: devices[slot].identity) else { return }
    restAfterRecentFires(slot, devices, settings, at: now)
  }

  private func fire(at place: Int32, _ devices: borrowing Devices) -> RecentFires.Fire {
    let (trigger, identity) = (Int(encounters[place].trigger), devices[Int(encounters[place].device)].identity)
    var fire = RecentFires.Fire(of: identity, at: trigger, nil)
    fire.told = encounters[place].groupRests
    return fire
  }

  /// A neighbour's group rests: it may say goodbye meanwhile.
  mutating func note(_ claim: Claim, at now: Instant, _ settings: borrowing Settings) {
    for trigger in settings.triggers.indices where settings.triggers[trigger].group == claim.group {
      var fire = RecentFires.Fire(of: claim.identity, at: trigger, nil)
      // An older version's rests as ours would, from its last word: it does not say when it fired.
      (fire.isTheirs, fire.told) = (true, now + (claim.rest ?? settings.triggers[trigger].restOfGroup))
      if fire.told > now { recent.add(fire) }
      return
    }
  }

  mutating func restAfterRecentFires(_ slot: Int, _ devices: borrowing Devices, _ settings: borrowing Settings, at now: Instant) {
    var place = devices[slot].encounters
    while place >= 0 {
      rest(place, devices[slot].identity, settings, at: now)
      place = encounters[place].nextOfDevice
    }
  }

  /// The device has been served here, or at another trigger of the group.
  @inline(never) @_optimize(size)
  mutating func rest(_ place: Int32, _ identity: Identity, _ settings: borrowing Settings, at now: Instant) {
    let trigger = Int(encounters[place].trigger)
    if isForgetful {
      encounters[place].rest(after: started, settings.triggers[trigger])
      encounters[place].mayHaveStayed(until: started)
    }
    for index in stride(from: recent.count - 1, through: 0, by: -1) {
      let fire = recent[index]
      let fired = settings.triggers[Int(fire.trigger)]
      guard fire.rests(fired, at: now) else {
        recent.remove(index)
        continue
      }
      guard fire.identity == identity else { continue }
      if Int(fire.trigger) == trigger {
        encounters[place].rest(after: fire.at, fired)
        encounters[place].rests = max(encounters[place].rests, fire.rests)
        if now < fire.away { encounters[place].wasHereAtStart = true }
        if fire.unwatched > .longAgo { encounters[place].mayHaveStayed(until: fire.unwatched, wasGone: fire.wasFar) }
      } else if fired.group.isEmpty || settings.triggers[trigger].group != fired.group {
        continue
      }
      if fire.isTheirs {
        // Told again as ours, it would never end.
        encounters[place].rests = max(encounters[place].rests, fire.told)
      } else {
        encounters[place].restWithGroup(until: fire.told)
      }
    }
  }

  /// Whether a visit goes on that the run before left open at one of the group: its own radio may not be back.
  @inline(never) @_optimize(size)
  func isLeftOpen(_ identity: Identity, in group: Name, _ settings: borrowing Settings) -> Bool {
    for index in 0..<leftovers.count where !leftovers[index].isOver && leftovers[index].identity == identity {
      if settings.triggers[Int(leftovers[index].place)].group == group { return true }
    }
    return false
  }

  /// A neighbour asks about a device that has no encounter here: until when its group rests; nil when nobody was served.
  @inline(never) @_optimize(size)
  func restOfGroup(_ group: Name, for identity: Identity, _ settings: borrowing Settings, at now: Instant) -> Instant? {
    var end: Instant?
    for index in settings.triggers.indices where settings.triggers[index].group == group {
      let rest = settings.triggers[index].restOfGroup
      if leftovers.isOpen(identity, at: index) { end = max(end ?? now, now + rest) }
      // Nobody knows whom the run before has served.
      guard isForgetful, now < started + rest, settings.mayMatch(identity, by: settings.triggers[index].match) else { continue }
      end = max(end ?? now, started + rest)
    }
    for index in 0..<recent.count where recent[index].identity == identity && now < recent[index].told && !recent[index].isTheirs {
      if settings.triggers[Int(recent[index].trigger)].group == group { end = max(end ?? now, recent[index].told) }
    }
    return end
  }
}

extension Instant {
  fileprivate static let longAgo = Instant(microseconds: .min / 2)
}

extension Encounter {
  mutating func rest(after fire: Instant, _ settings: TriggerSettings) { rest(after: fire, settings.limits) }

  /// After its fire, and after its visit.
  @inline(never) @_optimize(size)
  mutating func rest(after moment: Instant, _ limits: TriggerLimits) {
    restWithGroup(until: moment + limits.restOfGroup)
    rests = max(rests, moment + limits.refractory)
  }

  /// New settings apply to a visit that goes on. What the old ones promised stays.
  mutating func restAnew(_ settings: TriggerSettings) {
    switch stage {
    case .fired(let fire), .leaving(_, let fire): rest(after: fire, settings)
    // The reload may have ended its visit, and brought the group.
    case .absent, .armed, .dwelling, .claiming: if mustBeAway, rests > .zero { restWithGroup(until: wasHere + settings.restOfGroup) }
    }
  }

  mutating func restWithGroup(until end: Instant) {
    groupRests = max(groupRests, end)
    rests = max(rests, groupRests)
  }
}

extension TriggerSettings {
  /// How long after a fire no other trigger of the group may fire.
  var restOfGroup: Interval { group.isEmpty ? .zero : groupRefractory }
}

extension RecentFires.Fire {
  fileprivate func rests(_ trigger: TriggerSettings, at now: Instant) -> Bool { now < max(at + trigger.refractory, end) }

  fileprivate var end: Instant { max(max(max(at, told), max(rests, away)), unwatched + Encounter.longAbsence) }

  fileprivate func isSame(as other: Self) -> Bool { trigger == other.trigger && isTheirs == other.isTheirs && identity == other.identity }

  fileprivate mutating func join(_ other: Self) {
    // Where it was heard before says nothing about the time since.
    if other.unwatched > unwatched { wasFar = other.wasFar }
    (at, told) = (max(at, other.at), max(told, other.told))
    (rests, away, unwatched) = (max(rests, other.rests), max(away, other.away), max(unwatched, other.unwatched))
  }

  fileprivate func matters(lessThan other: Self) -> Bool { isTheirs == other.isTheirs ? end < other.end : isTheirs }
}
