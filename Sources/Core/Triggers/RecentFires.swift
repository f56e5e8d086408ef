/// Fires of the run before, or at a trigger that a reload took out: their devices are not served again while `refractory_s` and the
/// group's last, though this run or this configuration did not see them.
package struct RecentFires: ~Copyable {
  package struct Fire: BitwiseCopyable {
    package var identity = Identity(.address)
    package var trigger: UInt8 = 0
    package var at = Instant.zero
    /// So long neighbours are told that it is served: until its group has rested, and that they hear it at least once from this run.
    fileprivate(set) var told = Instant.zero

    package init(of identity: Identity, at trigger: Int, _ moment: Instant) {
      (self.identity, self.trigger, at) = (identity, UInt8(trigger), moment)
    }
  }

  private var table: Lent<Fire>
  private(set) var count = 0

  /// After a rest that ended longer ago than this nobody waits for a word.
  package static let downtime = Interval.seconds(600)
  /// The newest so many.
  package static let most = 512

  init(in arena: inout Arena) { table = arena.take(Self.most, of: Fire.self) }

  static var bytes: Int { Arena.bytes(for: most, of: Fire.self) }

  subscript(index: Int) -> Fire { table[index] }

  mutating func add(_ fire: Fire) {
    guard count < Self.most else { return }
    table[count] = fire
    count += 1
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
    // The group may have rested until a moment ago, and neighbours believe that it still does until this run says `fired` itself.
    let wasTold = trigger.restOfGroup > .zero && now < fire.at + trigger.restOfGroup + RecentFires.downtime
    fire.told = max(fire.at + trigger.restOfGroup, wasTold ? now + Self.acquaintance : .zero)
    guard fire.rests(trigger, at: now) else { return }
    recent.add(fire)
    if let slot = devices.find(fire.identity) { restAfterRecentFires(slot, devices, settings, at: now) }
  }

  /// Its trigger goes, and its group stays or not.
  mutating func keepGroupRest(of place: Int32, _ devices: borrowing Devices, at now: Instant) {
    guard encounters[place].groupRests > now else { return }
    let (trigger, identity) = (Int(encounters[place].trigger), devices[Int(encounters[place].device)].identity)
    var fire = RecentFires.Fire(of: identity, at: trigger, .longAgo)
    fire.told = encounters[place].groupRests
    recent.add(fire)
  }

  mutating func restAfterRecentFires(_ slot: Int, _ devices: borrowing Devices, _ settings: borrowing Settings, at now: Instant) {
    var place = devices[slot].encounters
    while place >= 0 {
      rest(place, devices[slot].identity, settings, at: now)
      place = encounters[place].nextOfDevice
    }
  }

  /// The device has been served here, or at another trigger of the group.
  @inline(never)
  mutating func rest(_ place: Int32, _ identity: Identity, _ settings: borrowing Settings, at now: Instant) {
    let trigger = Int(encounters[place].trigger)
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
      } else if fired.group.isEmpty || settings.triggers[trigger].group != fired.group {
        continue
      }
      encounters[place].restWithGroup(until: fire.told)
    }
  }

  /// A neighbour asks about a device that has no encounter here.
  func holdsGroup(_ group: Name, for identity: Identity, _ settings: borrowing Settings, at now: Instant) -> Bool {
    for index in 0..<leftovers.count where !leftovers[index].isOver && leftovers[index].identity == identity {
      if settings.triggers[Int(leftovers[index].place)].group == group { return true }
    }
    for index in 0..<recent.count where recent[index].identity == identity && now < recent[index].told {
      if settings.triggers[Int(recent[index].trigger)].group == group { return true }
    }
    return false
  }
}

extension Instant {
  fileprivate static let longAgo = Instant(microseconds: .min / 2)
}

extension Encounter {
  mutating func rest(after fire: Instant, _ settings: TriggerSettings) {
    restWithGroup(until: fire + settings.restOfGroup)
    rests = max(rests, fire + settings.refractory)
  }

  fileprivate mutating func restWithGroup(until end: Instant) {
    groupRests = max(groupRests, end)
    rests = max(rests, groupRests)
  }
}

extension TriggerSettings {
  /// How long after a fire no other trigger of the group may fire.
  var restOfGroup: Interval { group.isEmpty ? .zero : groupRefractory }
}

extension RecentFires.Fire {
  fileprivate func rests(_ trigger: TriggerSettings, at now: Instant) -> Bool { now < max(at + trigger.refractory, told) }
}
