// What falls due of a device.

extension Gateway {
  mutating func check(_ slot: Int) {
    let stale = proximity.check(slot, at: now, devices: &devices, settings: settings, publisher: &publisher)
    let exit = regions.check(slot, at: now, devices: &devices, settings: settings, publisher: &publisher)
    let lost = triggers.check(slot, at: now, devices: &devices, settings: settings, publisher: &publisher)
    if regions.changed == now { ranging.wake(at: now) }
    // At least a microsecond ahead: a deadline in the past would come due for ever.
    deadlines.enter(slot, due: max(min(min(stale, exit), lost), now + Interval(microseconds: 1)))
  }

  /// What new settings end sooner must not wait for what was due by the old ones.
  mutating func checkWatched() {
    for slot in 0..<devices.capacity where devices.isUsed(slot) && devices[slot].isWatched { check(slot) }
  }
}
