// How encounters end without a sample: silence, new settings, a withdrawn permission, an evicted device. And how a command fires a trigger.

extension Triggers {
  /// Sooner than anybody counts as having been away.
  private static let unheardPace = Interval.seconds(5)
  /// So many adverts of a slow device may be lost in a row.
  private static let missed: Int64 = 3

  /// Ends what silence has ended; returns when to look again. Whoever a group serves stays served while its radio hears nothing: another
  /// trigger of the group would serve it once more.
  package mutating func check(
    _ slot: Int, at now: Instant, devices: inout Devices, settings: borrowing Settings, publisher: inout Publisher
  ) -> Instant {
    var next = Instant.never
    var place = devices[slot].encounters
    while place >= 0 {
      let following = encounters[place].nextOfDevice
      let over = silenceEnds(encounters[place], devices)
      let isUnheard = over <= now && encounters[place].isServedOrMustBeAway && isUnheard(place, devices, settings)
      if isUnheard, encounters[place].hasFired, !settings.triggers[Int(encounters[place].trigger)].group.isEmpty {
        next = min(next, now + Self.unheardPace)
        place = following
        continue
      }
      if over <= now {
        let isUnresolved = isUnresolved(place, at: now, devices)
        if encounters[place].wasHereAtStart, evidence(of: place, at: now, devices, settings).isNear {
          encounters[place].mayHaveStayed(until: encounters[place].approach.heard)
        }
        if encounters[place].isPresent { end(place, because: .lost, at: now, &devices, settings, &publisher) }
        if isUnresolved {
          next = min(next, now + Self.unheardPace)
          place = following
          continue
        }
        if isUnheard { encounters[place].wasUnheard(until: now) }
        let (rest, owed) = (encounters[place].rests, encounters[place].isOwedUntil)
        removeUnlessOwed(place, at: now, &devices, settings)
        if owed > now { next = min(next, isUnheard ? now + Self.unheardPace : rest > now ? rest : owed) }
      } else {
        next = min(next, over)
      }
      place = following
    }
    return next
  }

  /// Removes the encounter of a device that has gone, unless something is still owed. The neighbours' claims come again with the device:
  /// kept for all who were served in a long `refractory_s` they would fill their table.
  mutating func removeUnlessOwed(_ place: Int32, at now: Instant, _ devices: inout Devices, _ settings: borrowing Settings) {
    if encounters[place].isOwedUntil <= now { remove(place, &devices) } else { forgetClaims(of: place, at: now, devices, settings) }
  }

  /// The rest that they told goes on without them.
  @inline(never) @_optimize(size)
  mutating func forgetClaims(of place: Int32, at now: Instant, _ devices: borrowing Devices, _ settings: borrowing Settings) {
    guard encounters[place].claims >= 0 else { return }
    claims.forget(&encounters[place].claims)
    rest(place, devices[Int(encounters[place].device)].identity, settings, at: now)
  }

  /// Its radio hears nothing, nor did another one that listens hear it beside that one. So nobody knows whether the device is away.
  private func isUnheard(_ place: Int32, _ devices: borrowing Devices, _ settings: borrowing Settings) -> Bool {
    let radio = Int(encounters[place].radio)
    guard deafSince[radio] != .never else { return false }
    guard settings.triggers[Int(encounters[place].trigger)].radio == nil else { return true }
    for other in 0..<devices.radios where deafSince[other] == .never {
      let average = devices[Int(encounters[place].device), other]
      if average.samples > 0, average.heard + Self.memory >= encounters[place].approach.heard { return false }
    }
    return true
  }

  @inline(never) @_optimize(size)
  package mutating func endAll(
    of slot: Int, because reason: Encounter.Departure, at now: Instant, devices: inout Devices, settings: borrowing Settings,
    publisher: inout Publisher
  ) {
    while devices[slot].encounters >= 0 {
      let isUnjudged = encounters[devices[slot].encounters].wasHereAtStart
      end(devices[slot].encounters, because: reason, at: now, &devices, settings, &publisher)
      if isUnjudged { encounters[devices[slot].encounters].mayHaveStayed(until: encounters[devices[slot].encounters].approach.heard) }
      keepRest(of: devices[slot].encounters, devices, at: now)
      remove(devices[slot].encounters, &devices)
    }
  }

  /// The new settings lack some of the triggers, or have changed them; or the permission changes, and none stays. Whoever was served at a
  /// trigger that keeps its name is not served again before it has been away. All keep their old numbers until `renumber`: what ends one
  /// encounter asks for the device's others.
  @inline(never) @_optimize(size)
  package mutating func endAll(
    of slot: Int, exceptIn staying: Renumbering = Renumbering(), named: Renumbering, because reason: Encounter.Departure, at now: Instant,
    devices: inout Devices, settings: borrowing Settings, publisher: inout Publisher
  ) {
    var place = devices[slot].encounters
    while place >= 0 {
      let following = encounters[place].nextOfDevice
      let trigger = Int(encounters[place].trigger)
      if staying[trigger] == nil {
        end(place, because: reason, at: now, &devices, settings, &publisher)
        if named[trigger] == nil {
          keepGroupRest(of: place, devices, at: now)
          remove(place, &devices)
        } else {
          removeUnlessOwed(place, at: now, &devices, settings)
        }
      }
      place = following
    }
  }

  /// `names`: where the triggers of the same names are. Of the others no encounter is left. Whoever stands at a trigger of a new name may
  /// have been served there under its old one, and whom a new `match` admits did not come now: both are as at a start.
  @inline(never)
  package mutating func renumber(
    _ names: Renumbering, _ settings: borrowing Settings, _ next: borrowing Settings, _ devices: borrowing Devices, at now: Instant
  ) {
    brought = names.moved(brought, fresh: now)
    for old in settings.triggers.indices {
      guard let new = names[old], !settings.matchesAlike(settings.triggers[old].match, next, next.triggers[new].match) else { continue }
      brought[new] = now
    }
    leftovers.renumber(names)
    recent.renumber(names, settings.groupMates(in: next))
    for place in encounters.places where encounters.isUsed(place) {
      if let number = names[Int(encounters[place].trigger)] {
        encounters[place].trigger = UInt8(number)
        encounters[place].restAnew(next.triggers[number])
      }
      rest(place, devices[Int(encounters[place].device)].identity, next, at: now)
    }
  }

  /// The driver typed the pump's number. Returns why the trigger does not fire.
  @_optimize(size)
  package mutating func fireManually(
    _ trigger: Int, _ slot: Int, at now: Instant, devices: inout Devices, settings: borrowing Settings, publisher: inout Publisher
  ) -> FireRefusal? {
    guard devices[slot].interest.triggers & 1 << UInt64(trigger) != 0 else { return .unmatched }
    let radio = Int(settings.triggers[trigger].radio ?? Int8(devices.bestRadio(of: slot, at: now, settings)))
    let average = devices[slot, radio]
    guard average.samples > 0, now - average.heard < .silence(after: average.interval ?? .zero) else { return .unheard }
    var place = encounters.find(trigger: trigger, from: devices[slot].encounters)
    if place < 0 {
      place = startEncounter(trigger, slot, radio, at: now, &devices)
      guard place >= 0 else { return .noRoom }
      resume(place, devices[slot].identity, settings)
      _ = encounters[place].approach.observe(devices.average(of: slot, radio, settings), at: average.heard)
    }
    guard !encounters[place].hasFired else { return .fired }
    // It has another address by now, under which it is heard.
    guard !encounters[place].isSucceeded else { return .unheard }
    encounters[place].isNewcomer = false
    let evidence = evidence(of: place, at: now, devices, settings)
    fire(place, evidence, isManual: true, at: now, devices, settings, &publisher)
    negotiate(place, changed: true, at: now, devices, settings, &publisher)
    return nil
  }

  private mutating func end(
    _ place: Int32, because reason: Encounter.Departure, at now: Instant, _ devices: inout Devices,
    _ settings: borrowing Settings, _ publisher: inout Publisher
  ) {
    let evidence = evidence(of: place, at: now, devices, settings)
    let before = encounters[place]
    // Who falls silent near may only pause.
    let isGone = reason == .lost && !evidence.isNear
    let last = lastHere(before)
    let limits = settings.triggers[Int(before.trigger)].limits
    let mustTell = encounters[place].end(hereUntil: last, isGone: isGone, limits)
    if mustTell { encounters.endPredecessors(of: place, hereUntil: last, isGone: isGone, limits) }
    if mustTell, !before.isSucceeded { publish(.leave(reason), before, evidence, at: now, devices, settings, &publisher) }
    publishChange(from: before, at: place, now, devices, settings, &publisher)
    negotiate(place, changed: before.isPresent, at: now, devices, settings, &publisher)
  }

  /// When somebody would have heard a served device last: its radio was deaf until then.
  private func lastHere(_ encounter: Encounter) -> Instant {
    let heardFrom = heardFrom[Int(encounter.radio)]
    return heardFrom == .never || !encounter.hasFired ? encounter.approach.heard : max(encounter.approach.heard, heardFrom)
  }

  /// As for regions: from the device's own rhythm.
  private func silenceEnds(_ encounter: Encounter, _ devices: borrowing Devices) -> Instant {
    let heard = lastHere(encounter)
    let before = devices[Int(encounter.device), Int(encounter.radio)].interval
    // A command may have started it long after the device was first heard.
    if encounter.isVouched, let before { return heard + .silence(after: max(encounter.approach.interval ?? .zero, before)) }
    if let interval = encounter.approach.interval { return heard + .silence(after: interval) }
    // After its first sample. A slow one must live to see the second.
    return heard + max(Limits.shortestSilence, (before ?? .zero) * Self.missed)
  }
}

/// Why a command does not fire a trigger.
package enum FireRefusal: BitwiseCopyable, Sendable {
  /// The permission to listen is withdrawn.
  case deaf
  /// The trigger's radio has not heard the device for so long that it counts as gone.
  case unheard
  /// The trigger's `match` does not name the device, which may be here or not.
  case unmatched
  case fired
  /// The table of encounters is full.
  case noRoom
}

extension Settings {
  /// Where the triggers of these names are.
  package func triggersByName(in next: borrowing Settings) -> Renumbering {
    var numbers = Renumbering()
    for old in triggers.indices { numbers[old] = next.trigger(named: triggers[old].name) }
    return numbers
  }

  /// Of each trigger's group, which may have lost it, some other trigger.
  fileprivate func groupMates(in next: borrowing Settings) -> Renumbering {
    var numbers = Renumbering()
    for old in triggers.indices where !triggers[old].group.isEmpty {
      for new in next.triggers.indices where next.triggers[new].group == triggers[old].group { numbers[old] = new }
    }
    return numbers
  }

  /// A trigger remains the same while its name, group and radio stay and its `match` loses nothing, or the new `match` is among those in
  /// `matching`; its distances may change during a visit.
  package func renumberedTriggers(in next: borrowing Settings, matching: UInt64 = 0) -> Renumbering {
    var numbers = Renumbering()
    for old in triggers.indices {
      for new in next.triggers.indices where next.triggers[new].name == triggers[old].name {
        let isSamePlace = next.triggers[new].group == triggers[old].group && next.triggers[new].radio == triggers[old].radio
        guard isSamePlace else { continue }
        if matching & 1 << UInt64(new) != 0 || matchesStill(triggers[old].match, next, next.triggers[new].match) { numbers[old] = new }
      }
    }
    return numbers
  }
}
