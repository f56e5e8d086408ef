/// When to publish how near a device is: its zone changed, its distance moved, or it is near and the interval is over.
///
/// Each message also fixes the band of averages that would say nothing new, so that a packet costs two comparisons.
package struct Proximity {
  package init() {}

  /// A sample has entered the average.
  package func observe(
    _ slot: Int, at now: Instant, devices: inout Devices, settings: borrowing Settings, publisher: inout Publisher
  ) {
    let average = devices.average(of: slot, devices.bestRadio(of: slot, at: now, settings), settings)
    let isTimeAgain = devices[slot].zone >= .near && now - devices[slot].published >= settings.publish.interval
    if !isTimeAgain && devices[slot].settled.contains(average) { return }
    update(slot, at: now, devices: &devices, settings: settings, publisher: &publisher)
  }

  /// Publishes that the average became stale; returns when it will.
  package func check(
    _ slot: Int, at now: Instant, devices: inout Devices, settings: borrowing Settings, publisher: inout Publisher
  ) -> Instant {
    let stale = devices[slot].heard + settings.average.stale
    guard stale <= now else { return stale }
    let gone = Self.gone(slot, devices, settings)
    guard gone <= now else { return gone }
    if devices[slot].zone != .unknown {
      update(slot, at: now, devices: &devices, settings: settings, publisher: &publisher)
    }
    return .never
  }

  /// When a device that stays silent counts as gone: a slow tag loses packets, and must not go and come all day.
  @inline(never)
  private static func gone(_ slot: Int, _ devices: borrowing Devices, _ settings: borrowing Settings) -> Instant {
    let silence = devices.interval(of: slot).map { Interval.silence(after: $0) } ?? .zero
    return devices[slot].heard + max(settings.average.stale, silence)
  }

  /// It is forgotten: nobody must go on thinking that it is near.
  func end(
    _ slot: Int, at now: Instant, _ devices: borrowing Devices, _ settings: borrowing Settings, _ publisher: inout Publisher
  ) {
    guard devices[slot].zone != .unknown else { return }
    var device = devices[slot]
    device.zone = .unknown
    publish(device, nil, at: now, settings, &publisher)
  }

  /// What is known of a device now, for those who may have missed the last message: also that nothing is.
  func publishAgain(
    _ identity: Identity, at now: Instant, _ devices: borrowing Devices, _ settings: borrowing Settings, _ publisher: inout Publisher
  ) {
    guard let slot = devices.find(identity) else {
      var device = Device(identity: identity)
      // Somebody asked for it, perhaps by another of its names.
      device.interest.regions = 1
      return publish(device, nil, at: now, settings, &publisher)
    }
    var device = devices[slot]
    let estimate = devices.estimate(of: slot, at: now, settings)
    if estimate == nil, Self.gone(slot, devices, settings) <= now { device.zone = .unknown }
    publish(device, estimate, at: now, settings, &publisher)
  }

  /// A subscriber has missed all since `lost`: who is heard again is published again, and who has gone meanwhile at once.
  @_optimize(size)
  func publishMissed(
    since lost: Instant, at now: Instant, _ devices: inout Devices, _ settings: borrowing Settings, _ publisher: inout Publisher
  ) {
    for slot in 0..<devices.capacity where devices.isUsed(slot) && devices[slot].published != .never {
      devices[slot].settled = .empty
      if devices[slot].zone == .unknown, devices[slot].published >= lost { publish(devices[slot], nil, at: now, settings, &publisher) }
    }
  }

  /// A function of its own: writing takes much stack, and most packets write nothing.
  @inline(never)
  private func update(
    _ slot: Int, at now: Instant, devices: inout Devices, settings: borrowing Settings, publisher: inout Publisher
  ) {
    let estimate = devices.estimate(of: slot, at: now, settings)
    let path = PathLoss(settings.calibration)
    let edges = settings.zones.edges(for: devices[slot].power, along: path)
    let zone = estimate.map { edges.zone(at: $0.average, from: devices[slot].zone) } ?? .unknown
    devices[slot].zone = zone
    devices[slot].published = now
    devices[slot].settled = estimate.map { edges.band(of: zone).clamped(to: settings.publish.band(around: $0, along: path)) } ?? .empty
    publish(devices[slot], estimate, at: now, settings, &publisher)
  }

  @inline(never) @_optimize(size)
  private func publish(
    _ device: Device, _ estimate: Estimate?, at now: Instant, _ settings: borrowing Settings, _ publisher: inout Publisher
  ) {
    let name = publisher.name(of: device, at: now)
    guard !name.isEmpty else { return }
    publisher.compose(.fleeting, publisher.topics.proximity(name.bytes), at: now)
    publisher.json.member("id", text: name.bytes)
    // A pseudonym with a name would be none.
    if !publisher.isPseudonym(device.interest) { publisher.json.member(nameOf: device.identity, settings) }
    publisher.compose(device, estimate)
    publisher.stamp("at", now)
    publisher.publish()
  }
}

extension Publisher {
  /// The members that proximity and ranging share. What is unknown is left out.
  package mutating func compose(_ device: Device, _ estimate: Estimate?) {
    if let estimate {
      json.member("rssi", Int64(device.level))
      json.member("average", estimate.average.value, places: 1)
      json.member("distance_m", estimate.distance.value, places: 2)
      json.member("low_m", estimate.low.value, places: 2)
      json.member("high_m", estimate.high.value, places: 2)
    }
    json.member("zone", device.zone.name)
    if let estimate {
      json.member("samples", Int64(estimate.samples))
      json.member("rate_hz", estimate.rate, places: 1)
    }
  }
}
