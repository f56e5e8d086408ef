// The beginning of an encounter: what is known of its device, and what it is still owed.

extension Triggers {
  @inline(never)
  mutating func begin(
    _ slot: Int, _ trigger: Int, _ radio: Int, at now: Instant, _ devices: inout Devices, _ settings: borrowing Settings
  ) -> Int32 {
    let place = startEncounter(trigger, slot, radio, at: now, &devices)
    let heard = devices[slot].isRenamed ? devices.beginning(of: slot) : now
    if place >= 0, isStarting(trigger, radio, at: now, settings) || isStarting(trigger, radio, at: heard, settings) {
      encounters[place].wasHereAtStart = true
    }
    devices[slot].isRenamed = false
    if place >= 0, leftovers.count > 0 { resume(place, devices[slot].identity, settings) }
    if place >= 0, recent.count > 0 || isForgetful { rest(place, devices[slot].identity, settings, at: now) }
    if place >= 0, !encounters[place].hasFired { markNewcomer(place, devices) }
    return place
  }

  /// Whether it is near a trigger, and has not fallen silent.
  func isNear(_ device: Device, at now: Instant, _ devices: borrowing Devices) -> Bool {
    var place = device.encounters
    while place >= 0 {
      if !isSilent(place, at: now, devices) { return true }
      place = encounters[place].nextOfDevice
    }
    return false
  }

  /// A full table evicts the longest absent encounter; -1 when there is none.
  mutating func startEncounter(_ trigger: Int, _ slot: Int, _ radio: Int, at now: Instant, _ devices: inout Devices) -> Int32 {
    if encounters.isFull {
      let absent = encounters.dispensable(at: now)
      if absent >= 0 { remove(absent, &devices) }
    }
    let place = encounters.start(device: slot, trigger: trigger, radio: radio, head: &devices[slot].encounters)
    guard place >= 0 else {
      refused += 1
      return place
    }
    encounters[place].wasCutOff = !membership.isConnected || (membership.lineAge(at: now) ?? Membership.youth) < Membership.youth
    return place
  }

  /// Also asked of when a device was first heard that is recognised only now.
  private func isStarting(_ trigger: Int, _ radio: Int, at moment: Instant, _ settings: borrowing Settings) -> Bool {
    let startUp = settings.triggers[trigger].startUp
    let sinceRadio = heardFrom[radio] == .never ? startUp : moment - heardFrom[radio]
    return moment - max(started, brought[trigger]) < startUp || Interval.zero..<startUp ~= sinceRadio
  }
}

extension TriggerSettings {
  /// A device that is heard so soon after the start was not seen approaching: of the slowest that may fire four adverts in a row are rarely
  /// lost.
  fileprivate var startUp: Interval { .seconds(Double(max(3, 4 / max(minimumRate, 0.2)))) }
}
