import Core
import Host

/// What `forecourt calibrate` prints: figures, predictions and the fragment.
extension Calibration {
  /// The figures for people and the fragment for the configuration; or why there are none.
  func printResult(to out: Output) throws(Exit) {
    let usable = try usable()
    var windows: [SampleWindow] = []
    for measurement in usable { windows += measurement.windows }
    let fit: Fit
    do throws(FitRefusal) {
      fit = try Fit(windows, radios: radios.count, places: places.count, offsets: settings.offsets, assuming: settings.exponent)
    } catch {
      say("forecourt: " + sentence(error))
      throw .failed
    }
    for line in figures(fit) { say(line) }
    let predictions = predictions(fit, usable)
    for prediction in predictions { for line in prediction.words { say(line) } }
    for line in fragment(fit, usable, predictions) { out.line(line) }
  }

  // MARK: What was heard

  /// The measurements that can be trusted; says why the others cannot.
  private func usable() throws(Exit) -> [Measurement] {
    var kept: [Measurement] = []
    let best = measurements.reduce(0.0) { max($0, $1.rate) }
    for measurement in measurements {
      let name = title(measurement)
      say("\(name): \(counted(measurement.readings.count, "sample")), \(summary(measurement))")
      switch measurement.worth(besides: best) {
      case .good: kept.append(measurement)
      case .few: say("  left out: at least \(Measurement.fewest) are needed")
      case .faint(let part):
        say("  left out: only \(fixed(part * 100, 0)) % of its adverts arrived there, and those are the loud ones")
      case .moving(let change):
        say("forecourt: at \(name) the level changed by \(fixed(change, 0)) dB: was the device moving? Measure again")
        throw .failed
      }
    }
    if kept.isEmpty {
      say("forecourt: too little was heard of \(identity.shown) for any figure")
      throw .failed
    }
    return kept
  }

  private func title(_ measurement: Measurement) -> String {
    let place = places[measurement.place].written
    return radios.count > 1 ? "\(place) m, by \(radios[measurement.radio])" : "\(place) m"
  }

  private func summary(_ measurement: Measurement) -> String {
    guard measurement.readings.count > 1 else { return "nothing to average" }
    return "\(fixed(measurement.mean, 1)) dBm, deviation \(fixed(measurement.deviation, 1)) dB, \(fixed(measurement.rate, 1)) a second"
  }

  private func sentence(_ refusal: FitRefusal) -> String {
    switch refusal {
    case .nothingHeard: return "too little was heard for any figure"
    case .exponent(let exponent):
      return
        "the levels contradict the distances: they would need an exponent of \(fixed(exponent, 1)), and real ones lie between 1 and 5. Were the places in this order, and was it the same device?"
    case .contradiction(let place, let residuals):
      let off = fixed(abs(residuals[place]), 0)
      let how = residuals[place] > 0 ? "louder" : "quieter"
      return
        "the places contradict each other: at \(places[place].written) m it is \(off) dB \(how) than the others say. Measure again, with the device held free and in sight"
    }
  }

  // MARK: Figures

  private func figures(_ fit: Fit) -> [String] {
    var lines = ["", "At 1 m: \(value(fit.power, 1)) dBm."]
    if let exponent = fit.exponent {
      lines.append("Path-loss exponent: \(value(exponent, 2)).")
    } else {
      let assumed = fixed(fit.assumedExponent, 2)
      lines.append("These places do not show the exponent: \(assumed) is assumed. Measure at places further apart, or at more of them.")
    }
    for radio in radios.indices where radio != fit.reference {
      if let offset = fit.offsets[radio] {
        lines.append("Receive offset of \(radios[radio]): \(value(offset, 1)) dB, where \(radios[fit.reference])'s is \(reference(fit)).")
      }
    }
    if let known = settings.power {
      let excess = fit.power.value - known
      lines.append(
        "The configuration says \(fixed(known, 1)) dBm: either that is \(fixed(abs(excess), 1)) dB too \(excess > 0 ? "low" : "high"), or the radio's receive_offset_db should be \(fixed(settings.offsets[fit.reference] + excess, 1))."
      )
    }
    if fit.power.doubt > 2 {
      lines.append("That is rough: a walk, with a minute of moving about at each place, would be better.")
    }
    return lines
  }

  private func reference(_ fit: Fit) -> String { fixed(settings.offsets[fit.reference], 1) }
  private func value(_ value: Fit.Value, _ places: Int) -> String { "\(fixed(value.value, places)) ± \(fixed(value.doubt, places))" }

  // MARK: The fragment

  private func fragment(_ fit: Fit, _ usable: [Measurement], _ predictions: [TriggerPrediction]) -> [String] {
    let samples = usable.reduce(0) { $0 + $1.readings.count }
    let unknown = isRecorded ? "from a recording without a date" : "at an unknown date: the clock is not set"
    let known = date.map { String(Text<32>(moment: $0)) } ?? unknown
    let stamp = isRehearsal ? "a rehearsal, nothing was measured" : known
    var used: [String] = []
    for index in places.indices where usable.contains(where: { $0.place == index }) { used.append(places[index].written) }
    var lines = ["# forecourt calibrate, \(stamp): \(counted(samples, "sample")) at \(listed(used, with: "and")) m."]
    let exponent = fit.exponent.map { value($0, 2) } ?? "\(fixed(fit.assumedExponent, 2)), assumed"
    lines.append("# Power at 1 m \(value(fit.power, 1)) dBm, exponent \(exponent).")
    if let exponent = fit.exponent { lines += ["[calibration]", "path_loss_exponent = \(fixed(exponent.value, 2))", ""] }
    lines += ["[[calibration.device]]", "match = \(json(identity.text))", "measured_power_dbm = \(fixed(fit.power.value, 1))"]
    for radio in radios.indices where radio != fit.reference {
      guard let offset = fit.offsets[radio] else { continue }
      lines += [
        "", "# In the [[radio]] \(json(radios[radio])):", "# receive_offset_db = \(fixed(offset.value, 1))  (± \(fixed(offset.doubt, 1)))",
      ]
    }
    for prediction in predictions { lines += [""] + prediction.fragment }
    return lines
  }
}
