import Core
import Host

/// How often one trigger would miss or misfire where the device was measured: as configured, and as suggested.
struct TriggerPrediction {
  let words: [String]
  private(set) var fragment: [String]

  init(_ trigger: TriggerSettings, _ fit: Fit, rate: Double, pump: Double, elsewhere: [Double]) {
    let name = json(String(trigger.name))
    let hasRivals = !trigger.group.isEmpty
    let prediction = Prediction(
      exponent: fit.exponentInForce, powerDoubt: fit.power.doubt, rate: rate,
      allowance: Double(TriggerEvidence.allowance(hasRivals: hasRivals).value))
    var words = ["", "Trigger \(name), once the device's power is known:"]
    words.append(
      Self.row("as it is, fire_m = \(number(Double(trigger.fire.value)))", prediction, Double(trigger.fire.value), pump, elsewhere))
    // At least three adverts: fewer do not show that it stays.
    let dwell = max(trigger.dwell.seconds, Self.rounded(3 / max(rate, 0.1)))
    fragment = ["# In the [[trigger]] \(name):"]
    // What fires at the pump alone may fire for the next one, too.
    guard !elsewhere.isEmpty else {
      words.append("  No fire_m is suggested: nothing was measured where it must not fire, such as at the next pump.")
      self.words = words
      fragment.append("# dwell_s = \(number(dwell))")
      return
    }
    let suggestion = prediction.suggestion(pump: pump, elsewhere: elsewhere.first)
    let fire = Self.rounded(suggestion.fire)
    let leave = max(Self.rounded(suggestion.leave), fire + 0.5)
    words.append(Self.row("suggested, fire_m = \(number(fire))", prediction, fire, pump, elsewhere))
    if !suggestion.isClear {
      words.append("  No fire_m does both, this is the best compromise; a radio at each place, with their triggers in one group, would.")
    } else if hasRivals {
      words.append("  The group's margin_db makes both rarer still where a rival hears it, too.")
    }
    self.words = words
    fragment += ["# fire_m = \(number(fire))", "# leave_m = \(number(leave))"]
    if Double(trigger.arm.value) < fire * 2 { fragment.append("# arm_m = \(number(fire * 3))") }
    fragment.append("# dwell_s = \(number(dwell))")
  }

  private static func row(
    _ title: String, _ prediction: Prediction, _ fire: Double, _ pump: Double, _ elsewhere: [Double]
  ) -> String {
    let missed = 1 - prediction.chance(at: pump, fire: fire)
    var parts = ["misses \(percent(missed)) of those who stand at \(number(pump)) m"]
    for distance in elsewhere {
      parts.append("fires for \(percent(prediction.chance(at: distance, fire: fire))) of those at \(number(distance)) m")
    }
    return "  \(title): \(listed(parts, with: "and"))"
  }

  private static func percent(_ chance: Double) -> String {
    chance < 0.0001 ? "less than 0.01 %" : chance < 0.01 ? fixed(chance * 100, 2) + " %" : fixed(chance * 100, chance < 0.1 ? 1 : 0) + " %"
  }

  private static func rounded(_ metres: Double) -> Double { (metres * 10).rounded() / 10 }
}

private func number(_ value: Double) -> String { String(number: value) }

extension Calibration {
  /// The nearest place is the pump; all others are elsewhere.
  func predictions(_ fit: Fit, _ usable: [Measurement]) -> [TriggerPrediction] {
    var predictions: [TriggerPrediction] = []
    for trigger in settings.triggers {
      let radio = Int(trigger.radio ?? Int8(fit.reference))
      var distances: [Double] = []
      for place in places { if let way = place.ways[radio], way.from == way.to { distances.append(way.from) } }
      for place in places {
        if let way = place.ways[radio], way.from != way.to { distances += [min(way.from, way.to), max(way.from, way.to)] }
      }
      let unordered = distances
      distances = order(of: unordered.count) { unordered[$0] < unordered[$1] }.map { unordered[$0] }
      guard let pump = distances.first else { continue }
      let rates = usable.filter { $0.radio == radio }
      let rate = rates.reduce(0.0) { max($0, $1.rate) }
      guard rate > 0 else { continue }
      var elsewhere: [Double] = []
      for distance in distances where distance > pump * 1.5 && distance != elsewhere.last { elsewhere.append(distance) }
      predictions.append(TriggerPrediction(trigger, fit, rate: rate, pump: pump, elsewhere: elsewhere))
    }
    return predictions
  }
}
