import Core

// [calibration], [average], [zones], [ranging]: how levels become distances and zones.

extension Configuration {
  mutating func readCalibration(_ section: inout Section) {
    section.read("path_loss_exponent", &core.calibration.pathLossExponent, 1...6)
    section.read("measured_power_dbm", &core.calibration.measuredPower, Self.powers)
    warn(ofMeasured: core.calibration.measuredPower, section)
    section.read("doubt_db", &core.calibration.doubt, 0...20)
    section.read("learn", &core.calibration.learns)
    var sections: [Section] = []
    var matches: [Slice] = []
    section.tables("device", atMost: CalibrationList.capacity, namedBy: "match") { device in
      var calibration = DeviceCalibration()
      calibration.match = readMatch(&device)
      if device.node["measured_power_dbm"] == nil { calibration.measuredPower = core.calibration.measuredPower }
      device.read("measured_power_dbm", &calibration.measuredPower, Self.powers)
      warn(ofMeasured: calibration.measuredPower, device)
      _ = core.calibration.devices.append(calibration)
      sections.append(device)
      matches.append(calibration.match)
    }
    noteCovered(sections, matches, "calibration.device", "this one never applies")
  }

  /// The levels that a receiver can measure at one metre.
  static let powers = -110.0...20.0

  mutating func readAverage(_ section: inout Section) {
    section.read("time_constant_s", seconds: &core.average.timeConstant, 0.1...60)
    section.read("window_samples", &core.average.windowSamples, 3...Limits.windowSamples)
    section.read("outlier_db", &core.average.outlier, 5...60)
    section.read("stale_s", seconds: &core.average.stale, 1...3_600)
  }

  mutating func readZones(_ section: inout Section) {
    guard case .levels(var immediateLevel, var nearLevel) = ZoneSettings.levels,
      case .distances(var immediate, var near) = ZoneSettings.distances
    else { return }
    let faults = section.reading.count
    section.read("immediate_dbm", &immediateLevel, -127...20)
    section.read("near_dbm", &nearLevel, -127...20)
    section.read("immediate_m", &immediate, 0.05...100)
    section.read("near_m", &near, 0.05...100)
    section.read("hysteresis_db", &core.zones.hysteresis, 0...20)
    guard section.reading.count == faults else { return }

    let byLevel = section.node["immediate_dbm"] != nil || section.node["near_dbm"] != nil
    let byDistance = section.node["immediate_m"] != nil || section.node["near_m"] != nil
    if byLevel && byDistance {
      section.fault(at: section.place(of: ["immediate_m", "near_m"]), "name levels (_dbm) or distances (_m), not both")
    }
    if byDistance {
      core.zones.edges = .distances(immediate: immediate, near: near)
      order(section, "immediate_m", immediate.value, "near_m", near.value, immediate < near, "less")
    } else {
      core.zones.edges = .levels(immediate: immediateLevel, near: nearLevel)
      order(section, "immediate_dbm", immediateLevel.value, "near_dbm", nearLevel.value, immediateLevel > nearLevel, "greater")
    }
  }

  private func order(
    _ section: Section, _ a: String, _ valueA: Float, _ b: String, _ valueB: Float, _ isRight: Bool, _ comparison: StaticString
  ) {
    if isRight { return }
    let words = "\(section.quoted(a, else: valueA)) must be \(comparison) than \(section.quoted(b, else: valueB))"
    section.fault(at: section.place(of: [a, b]), words)
  }

  mutating func readRanging(_ section: inout Section) {
    section.read("interval_s", seconds: &core.ranging.interval, 0.1...60)
    section.read("extend_s", seconds: &core.ranging.extend, 0...86_400)
  }
}
