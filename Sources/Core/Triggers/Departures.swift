// How encounters end without a sample: silence, a new config, a permission withdrawn, a device that must make room; and how the
// driver's own word begins one.

extension Triggers {
  /// A silence ends what it has outlasted; returns when to look again.
  package mutating func check(
    _ slot: Int, at now: Instant, devices: inout Devices, settings: borrowing Settings, publisher: inout Publisher
  ) -> Instant {
    var next = Instant.never
    var place = devices[slot].encounters
    while place >= 0 {
      let following = encounters[place].nextOfDevice
      let over = encounters[place].approach.heard + silence(of: encounters[place])
      if over <= now, encounters[place].isPresent { depart(place, because: .lost, at: now, &devices, settings, &publisher) }
      if over <= now, encounters[place].rests <= now {
        dissolve(place, &devices)
      } else {
        next = min(next, over <= now ? encounters[place].rests : over)
      }
      place = following
    }
    return next
  }

  package mutating func dismiss(
    _ slot: Int, because reason: Encounter.Departure, at now: Instant, devices: inout Devices, settings: borrowing Settings,
    publisher: inout Publisher
  ) {
    while devices[slot].encounters >= 0 {
      depart(devices[slot].encounters, because: reason, at: now, &devices, settings, &publisher)
      dissolve(devices[slot].encounters, &devices)
    }
  }

  /// A new config no longer has some of the triggers, or has them otherwise.
  package mutating func dismiss(
    _ slot: Int, fromAllBut staying: Renumbering, at now: Instant, devices: inout Devices, settings: borrowing Settings,
    publisher: inout Publisher
  ) {
    var place = devices[slot].encounters
    while place >= 0 {
      let following = encounters[place].nextOfDevice
      if let number = staying[Int(encounters[place].trigger)] {
        encounters[place].trigger = UInt8(number)
      } else {
        depart(place, because: .reload, at: now, &devices, settings, &publisher)
        dissolve(place, &devices)
      }
      place = following
    }
  }

  /// A device turned out to be another one: what stands between it and the triggers goes on.
  package mutating func bequeath(from slot: Int, to heir: Int, devices: inout Devices) {
    guard devices[heir].encounters < 0 else { return }
    devices[heir].encounters = devices[slot].encounters
    devices[slot].encounters = -1
    var place = devices[heir].encounters
    while place >= 0 {
      encounters[place].device = Int32(heir)
      if encounters[place].isPresent { stale |= 1 << UInt64(encounters[place].trigger) }
      place = encounters[place].nextOfDevice
    }
  }

  /// The driver typed the pump's number. False when nobody of that name is heard here.
  package mutating func call(
    _ trigger: Int, _ slot: Int, at now: Instant, devices: inout Devices, settings: borrowing Settings, publisher: inout Publisher
  ) -> Bool {
    var place = encounters.find(trigger: trigger, from: devices[slot].encounters)
    if place < 0 {
      let radio = devices.bestRadio(of: slot, at: now, settings)
      place = begin(trigger, slot, radio, at: now, &devices)
      guard place >= 0 else { return false }
      _ = encounters[place].approach.heard(devices[slot, radio].level, at: now)
    }
    guard !encounters[place].hasFired else { return false }
    let before = encounters[place]
    encounters[place].fire(at: now, settings.triggers[trigger], isVouched: true)
    let sight = sight(of: place, at: now, devices, settings)
    tell(.manual, encounters[place], sight, at: now, devices, settings, &publisher)
    noteChange(from: before, at: place, now, devices, settings, &publisher)
    negotiate(place, sight, changed: true, at: now, devices, settings, &publisher)
    return true
  }

  private mutating func depart(
    _ place: Int32, because reason: Encounter.Departure, at now: Instant, _ devices: inout Devices,
    _ settings: borrowing Settings, _ publisher: inout Publisher
  ) {
    let sight = sight(of: place, at: now, devices, settings)
    let before = encounters[place]
    let mustTell = encounters[place].end()
    if mustTell { tell(.leave(reason), before, sight, at: now, devices, settings, &publisher) }
    noteChange(from: before, at: place, now, devices, settings, &publisher)
    negotiate(place, sight, changed: before.isPresent, at: now, devices, settings, &publisher)
  }

  /// As for regions: derived from the device's own rhythm.
  private func silence(of encounter: Encounter) -> Interval {
    guard let interval = encounter.approach.interval else { return Limits.shortestSilence }
    return min(max(interval * 12, Limits.shortestSilence), Limits.longestSilence)
  }
}

extension Settings {
  /// A trigger stays itself while its name, its place and whom it is for are the same; its distances may change in mid-visit.
  package func renumberedTriggers(in next: borrowing Settings) -> Renumbering {
    var numbers = Renumbering()
    for old in triggers.indices {
      for new in next.triggers.indices where next.triggers[new].name == triggers[old].name {
        let isSamePlace = next.triggers[new].group == triggers[old].group && next.triggers[new].radio == triggers[old].radio
        if isSamePlace, matchesAlike(triggers[old].match, next, next.triggers[new].match) { numbers[old] = new }
      }
    }
    return numbers
  }
}
