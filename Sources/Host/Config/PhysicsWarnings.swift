package import Core

// Warnings: what the grammar allows and physics does not.

package enum PhysicsWarnings {
  /// Nearer than this the near field and the hand decide the level, not the distance.
  static let nearest: Float = 0.5
  /// How far levels vary while nothing moves.
  static let wandering: Float = 3
  /// Adverts come ten times a second at best, as phones and beacons send them.
  static let quickest = Interval.milliseconds(100)
  /// Usual receivers hear nothing below this level.
  static let floor: Float = -97
  /// Below this level few adverts arrive: whoever is heard at all is about there.
  static let edge: Float = -90
  /// How far above the level at 1 m a transmitter is when it touches the antenna.
  static let touch: Float = 12
  /// No transmitter is louder at 1 m; what one is set to send with may be more.
  static let loudest: Float = -20
  /// Where pumps stand nearer to each other, a body turns one's lead into the other's (Tests/Firing/ProvingGround).
  static let apart: Float = 5

  /// How much weaker a device is at its leave than at its fire; nil if that is enough.
  package static func tooSmallStep(from fire: Meters, to leave: Meters, _ path: PathLoss) -> Decibels? {
    let step = path.loss(at: leave) - path.loss(at: fire)
    return step.value < wandering ? step : nil
  }
}

extension Configuration {
  func warn(of trigger: TriggerSettings, _ section: Section) {
    let path = PathLoss(core.calibration)
    if trigger.fire.value < PhysicsWarnings.nearest {
      section.warning("fire_m", "(\(number(trigger.fire.value))) is less than levels can tell: half a metre is the least")
    }
    if let step = PhysicsWarnings.tooSmallStep(from: trigger.fire, to: trigger.leave, path) {
      let words = "is only \(number(step.value)) dB beyond fire_m, less than levels vary by: visits will end too early"
      section.warning("leave_m", "(\(number(trigger.leave.value))) " + words)
    }
    if trigger.dwell < PhysicsWarnings.quickest * 3 {
      let words = "is shorter than three adverts, which come ten times a second at best: one reflection is enough to fire"
      section.warning("dwell_s", "(\(number(Float(trigger.dwell.seconds)))) " + words)
    }
    let stale = Float(core.average.stale.seconds)
    if trigger.minimumRate > 0, trigger.minimumRate * stale < 1 {
      let words =
        "allows \(number(1 / trigger.minimumRate)) s between two adverts, but after stale_s (\(number(stale))) a device begins anew: none that "
        + "sends so seldom ever fires"
      section.warning("min_rate_hz", "(\(number(trigger.minimumRate, places: 3))) " + words)
    }
    for key in ["margin_db", "settle_s", "group_refractory_s", "at_m"] where trigger.group.isEmpty && section.node[key] != nil {
      section.warning(key, "does nothing without a group")
    }
    if !trigger.group.isEmpty, section.node["at_m"] != nil, !hasPlacedRadio {
      section.warning("at_m", "needs at_m of a [[radio]], too: without that nobody knows where the levels are heard")
    }
    let nearby = core.calibration.measuredPower - path.loss(at: trigger.fire)
    if nearby.value < PhysicsWarnings.edge {
      let words =
        "is heard at \(number(nearby.value.rounded())) dBm with this measured_power_dbm and path_loss_exponent, about the weakest that a radio "
        + "hears: whoever is heard at all may fire, also on the street"
      section.warning("fire_m", "(\(number(trigger.fire.value))) " + words)
    }
    let level = core.calibration.measuredPower - path.loss(at: trigger.arm)
    if level.value < PhysicsWarnings.floor {
      let words =
        "is heard at \(number(level.value.rounded())) dBm with this measured_power_dbm and path_loss_exponent: no radio hears that"
      section.warning("arm_m", "(\(number(trigger.arm.value))) " + words)
    }
  }

  /// Triggers of one group at two places too near to be told apart, or of which one is on no plan. `sections` are their tables.
  func warnOfNearPlaces(_ sections: [Section]) {
    guard sections.count == core.triggers.count else { return }
    for index in core.triggers.indices where !core.triggers[index].group.isEmpty {
      for other in core.triggers.indices where other != index && core.triggers[other].group == core.triggers[index].group {
        guard let words = doubtAboutPlace(of: index, beside: other) else { continue }
        sections[index].warning("group", "has trigger \"\(printable(String(core.triggers[other].name)))\" " + words)
        break
      }
    }
  }

  private func doubtAboutPlace(of index: Int, beside other: Int) -> String? {
    let (here, there) = (pointOfRadio(of: index), pointOfRadio(of: other))
    if here == nil, there != nil {
      return "at a radio with at_m, and this one's has none: give at_m to all radios of a group, or to none"
    }
    guard other < index else { return nil }
    if let here, let there, radio(of: index) != radio(of: other), here.distance(to: there) < PlanFault.onePlace,
      haveCommonDevices(core.triggers[index], core.triggers[other])
    {
      return "at a radio that stands within a metre of this one's (at_m): nothing tells the two places apart, and nobody is served whose "
        + "power was not measured"
    }
    guard let spot = point(of: index), let rival = point(of: other), spot != rival else { return nil }
    let metres = spot.distance(to: rival)
    guard metres < PhysicsWarnings.apart else { return nil }
    return "\(number(metres)) m from here: nearer than 5 m a phone at one may fire at "
      + "the other. Turn the antennas down, or ask the driver for the pump's number (command \"trigger\")"
  }

  private var hasPlacedRadio: Bool {
    for index in core.radios.indices where core.radios[index].point != nil { return true }
    return false
  }

  func point(of trigger: Int) -> PlanPoint? { core.triggers[trigger].point ?? pointOfRadio(of: trigger) }

  private func pointOfRadio(of trigger: Int) -> PlanPoint? {
    let place = radio(of: trigger)
    return place < core.radios.count ? core.radios[place].point : nil
  }

  private func radio(of trigger: Int) -> Int { Int(core.triggers[trigger].radio ?? 0) }

  func warn(ofLevel level: Decibels, _ key: String, _ section: Section) {
    let power = core.calibration.measuredPower
    guard level > power + Decibels(PhysicsWarnings.touch) else { return }
    let most = number(power.value + PhysicsWarnings.touch)
    let words = "is never reached: \(number(power.value)) dBm at 1 m are at most \(most) dBm at the antenna"
    section.warning(key, "(\(number(level.value))) " + words)
  }

  /// `power`: what the section's `measured_power_dbm` says.
  func warn(ofMeasured power: Decibels, _ section: Section) {
    guard let node = section.node["measured_power_dbm"], power.value > PhysicsWarnings.loudest else { return }
    let words = "is no level at 1 m: transmitters have -90 to -20; is this the power with which it sends?"
    section.warning("measured_power_dbm", "(\(printable(node.text))) " + words)
  }
}

private func number(_ value: Float, places: Int = 1) -> String {
  var text = Text<32>()
  text.append(number: value, places: places)
  return String(text)
}
