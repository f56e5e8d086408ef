extension Regions {
  /// A sample of a device that matches these regions, each with a `minimum_dbm`: its average lets it stay, or enter, for single samples waver
  /// by 10 dB. Apart, for most regions have no minimum.
  @inline(never)
  mutating func observeGuarded(
    _ slot: Int, _ matching: UInt64, at now: Instant, _ devices: inout Devices, _ settings: borrowing Settings,
    _ publisher: inout Publisher
  ) {
    let level = devices.bestAverage(of: slot, at: now, settings)
    for region in settings.regions.indices where matching >> UInt64(region) & 1 == 1 {
      let (place, minimum) = (visits.find(region: region, from: devices[slot].visits), settings.regions[region].minimum)
      if place >= 0 {
        if level >= minimum - RegionSettings.allowance { visits[place].counted = now }
      } else if level >= minimum || level >= minimum - RegionSettings.allowance && leftovers.isOpen(devices[slot].identity, at: region) {
        enter(region, slot, isNews: true, at: now, &devices, settings, &publisher)
      }
    }
  }
}

extension Settings {
  /// A bit for each region with a `minimum_dbm`.
  var guardedRegions: UInt64 {
    var guarded: UInt64 = 0
    for region in regions.indices where regions[region].minimum != RegionSettings.noMinimum { guarded |= 1 << UInt64(region) }
    return guarded
  }
}
