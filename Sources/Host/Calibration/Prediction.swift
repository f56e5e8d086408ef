import Core

/// How often a trigger will miss a device at its pump, and fire for one elsewhere, as far as levels and distances tell.
package struct Prediction {
  /// The standard deviation of a level from place to place.
  package let deviation: Double
  /// The standard deviation, at one place, of the quick average that decides.
  package let noise: Double
  package let exponent: Double
  /// How far below the level of `fire_m` a device may be and still fire.
  package let allowance: Double

  package init(exponent: Double, powerDoubt: Double, rate: Double, allowance: Double) {
    self.exponent = exponent
    self.allowance = allowance
    deviation = (Fit.shadow * Fit.shadow + powerDoubt * powerDoubt).squareRoot()
    // One packet deviates by about 5 dB, and the average looks back over 1.4 s.
    noise = 5 / (1 + 1.4 * max(rate, 0.1)).squareRoot()
  }

  private func loss(_ distance: Double) -> Double { 10 * exponent * log10(max(distance, 0.05)) }
  private func distance(loss: Double) -> Double { exp10(loss / (10 * exponent)) }

  /// The average varies around the place's level while the device stays; the best of it counts.
  private var luck: Double { 1.5 * noise }

  /// The probability that a device at this distance makes the trigger fire.
  package func chance(at distance: Double, fire: Double) -> Double {
    Normal.below((loss(fire) + allowance + luck - loss(distance)) / deviation)
  }

  package struct Suggestion {
    package let fire: Double
    package let leave: Double
    /// Whether both goals can be met: fires for the device at the pump, and not for one elsewhere.
    package let isClear: Bool
  }

  /// Misses one visit in 200 and fires for one stay elsewhere in 1,000, if both can be met; else balances them.
  package func suggestion(pump: Double, elsewhere: Double?) -> Suggestion {
    let least = loss(pump) + 2.58 * deviation - luck
    var edge = least + deviation
    var isClear = true
    if let elsewhere {
      let most = loss(elsewhere) - 3.09 * deviation - luck
      isClear = least <= most
      edge = isClear ? min(edge, most) : (2.58 * most + 3.09 * least) / (2.58 + 3.09)
    }
    let fire = min(max(distance(loss: edge - allowance), 0.2), 50)
    // A body in between must not end a visit: 8 dB are allowed beyond leave_m.
    let leave = max(distance(loss: loss(pump) + 3.3 * deviation + luck - 8), fire * 2)
    return Suggestion(fire: fire, leave: min(leave, 200), isClear: isClear)
  }
}

package enum Normal {
  /// The share of a normal distribution below `z` (Abramowitz and Stegun 26.2.17, to 1 part in 10⁷).
  package static func below(_ z: Double) -> Double {
    let t = 1 / (1 + 0.2316419 * abs(z))
    let series = t * (0.319381530 + t * (-0.356563782 + t * (1.781477937 + t * (-1.821255978 + t * 1.330274429))))
    let tail = 0.3989422804014327 * exp2(-z * z / 2 * 1.4426950408889634) * series
    return z >= 0 ? 1 - tail : tail
  }
}
