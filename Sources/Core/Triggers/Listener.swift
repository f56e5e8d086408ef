// Which radio a trigger goes by.

extension Triggers {
  /// Where a trigger names no radio: the one that hears the device best. Another replaces it once it hears the device better by 6 dB.
  @inline(__always)
  func listener(
    to slot: Int, _ trigger: Int, at now: Instant, _ devices: borrowing Devices, _ settings: borrowing Settings
  ) -> Int8 {
    devices.radios == 1 ? 0 : bestOfSeveral(slot, trigger, at: now, devices, settings)
  }

  @inline(never)
  private func bestOfSeveral(
    _ slot: Int, _ trigger: Int, at now: Instant, _ devices: borrowing Devices, _ settings: borrowing Settings
  ) -> Int8 {
    let (best, place) = (devices.bestRadio(of: slot, at: now, settings), encounters.find(trigger: trigger, from: devices[slot].encounters))
    guard place >= 0, now - encounters[place].approach.heard < Self.memory else { return Int8(best) }
    let kept = Int(encounters[place].radio)
    let lead = devices.average(of: slot, best, settings) - devices.average(of: slot, kept, settings)
    return Int8(lead.value < 6 ? kept : best)
  }
}
