/// What the best-placed radio says of a device at one moment.
package struct Estimate: BitwiseCopyable {
  /// Without the receiver's offset.
  package var average: Decibels
  /// The path's loss beyond the first metre: independent of transmitter and receiver.
  package var loss: Decibels
  /// One standard deviation of the loss.
  package var doubt: Decibels
  package var samples: Int
  package var rate: Float
  package var radio: Int
  package var distance: Meters
  package var low: Meters
  package var high: Meters
}

extension Devices {
  /// The radio that hears the device best now; the first when none does.
  @inline(__always)
  package func bestRadio(of slot: Int, at now: Instant, _ settings: borrowing Settings) -> Int {
    radios == 1 ? 0 : bestOfSeveral(slot, at: now, settings)
  }

  @inline(never)
  private func bestOfSeveral(_ slot: Int, at now: Instant, _ settings: borrowing Settings) -> Int {
    var best = 0
    for radio in 1..<radios where !self[slot, radio].isStale(at: now, settings.average) {
      let isBetter = average(of: slot, radio, settings) > average(of: slot, best, settings)
      if isBetter || self[slot, best].isStale(at: now, settings.average) { best = radio }
    }
    return best
  }

  func bestAverage(of slot: Int, at now: Instant, _ settings: borrowing Settings) -> Decibels {
    average(of: slot, bestRadio(of: slot, at: now, settings), settings)
  }

  /// Without the receiver's offset.
  package func average(of slot: Int, _ radio: Int, _ settings: borrowing Settings) -> Decibels {
    self[slot, radio].level - settings.receiveOffset(of: radio)
  }

  /// nil when no radio has a fresh average.
  package func estimate(of slot: Int, at now: Instant, _ settings: borrowing Settings) -> Estimate? {
    let radio = bestRadio(of: slot, at: now, settings)
    guard !self[slot, radio].isStale(at: now, settings.average) else { return nil }
    let path = PathLoss(settings.calibration)
    let average = average(of: slot, radio, settings)
    let doubt = self[slot, radio].doubt.joined(with: self[slot].power.doubt(otherwise: settings.calibration.doubt))
    let loss = self[slot].power.level - average
    let reach = path.reach(of: doubt)
    return Estimate(
      average: average, loss: loss, doubt: doubt, samples: self[slot, radio].samples, rate: self[slot, radio].rate, radio: radio,
      distance: path.distance(atLoss: loss), low: path.distance(atLoss: loss - reach), high: path.distance(atLoss: loss + reach))
  }
}

/// How the level falls with distance: 10 n dB for every tenfold.
package struct PathLoss: BitwiseCopyable {
  package let exponent: Float

  package init(_ calibration: borrowing CalibrationSettings) { exponent = calibration.pathLossExponent }

  /// The loss beyond that of the first metre.
  package func loss(at distance: Meters) -> Decibels { Decibels(Float(10 * Double(exponent) * log10(Double(distance.value)))) }

  package func distance(atLoss loss: Decibels) -> Meters { Meters(Float(exp10(Double(loss.value) / (10 * Double(exponent))))) }

  /// Nine times in ten the truth lies within this, either way.
  package func reach(of doubt: Decibels) -> Decibels { Decibels(1.645 * doubt.value) }
}

extension Decibels {
  /// Two independent doubts combined.
  package func joined(with other: Decibels) -> Decibels { Decibels((value * value + other.value * other.value).squareRoot()) }
}
