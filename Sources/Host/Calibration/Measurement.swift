package import Core

/// The samples of one radio in some seconds at one place, averaged.
package struct SampleWindow {
  package let radio: Int
  package let place: Int
  /// The mean of log10 of the distance.
  package let logDistance: Double
  package let level: Double
  package let samples: Int
}

/// All samples of one radio at one place, or on the way between two.
package struct Measurement {
  package struct Reading {
    package let at: Instant
    package let level: Double

    package init(at: Instant, level: Double) { (self.at, self.level) = (at, level) }
  }

  package let radio: Int
  package let place: Int
  /// Distance in metres at the beginning and at the end.
  package let from: Double
  package let to: Double
  package let begin: Instant
  package let end: Instant
  package var readings: [Reading] = []

  package init(radio: Int, place: Int, from: Double, to: Double, begin: Instant, end: Instant) {
    (self.radio, self.place, self.from, self.to, self.begin, self.end) = (radio, place, from, to, begin, end)
  }

  package var isWalked: Bool { from != to }
  package var seconds: Double { max((end - begin).seconds, 0.001) }
  package var rate: Double { Double(readings.count) / seconds }
  package var deviation: Double {
    let mean = mean
    return (readings.reduce(0.0) { $0 + ($1.level - mean) * ($1.level - mean) } / Double(max(readings.count - 1, 1))).squareRoot()
  }

  /// The mean, with every sample clamped to the gate around the median: a reflection's level is not the place's.
  package var mean: Double { Self.robustMean(readings.map { $0.level }) }

  /// How much stronger the last third is than the first.
  package var drift: Double {
    let third = readings.count / 3
    guard third > 0 else { return 0 }
    return Self.robustMean(readings.suffix(third).map { $0.level }) - Self.robustMean(readings.prefix(third).map { $0.level })
  }

  /// Whether a measurement can be believed.
  package enum Worth: Equatable {
    case good
    case few
    /// The device was moving: the level drifted by so many dB.
    case moving(Double)
    /// Only this share of its adverts arrived: the strong ones.
    case faint(Double)
  }

  package static let fewest = 10
  private static let mostDrift = 12.0
  private static let leastShare = 0.75

  /// `best` is the highest rate at any place.
  package func worth(besides best: Double) -> Worth {
    if readings.count < Self.fewest { return .few }
    if !isWalked, abs(drift) > Self.mostDrift { return .moving(abs(drift)) }
    return rate < best * Self.leastShare ? .faint(rate / best) : .good
  }

  /// Shadowing changes within a few metres, and people walk about a metre in a second.
  private static let windowSeconds = 6.0
  private static let gate = 12.0
  private static let fewestInWindow = 3

  package var windows: [SampleWindow] {
    let count = max(1, Int((seconds / Self.windowSeconds).rounded()))
    var windows: [SampleWindow] = []
    for index in 0..<count {
      let low = begin + .seconds(seconds * Double(index) / Double(count))
      let high = begin + .seconds(seconds * Double(index + 1) / Double(count))
      let these = readings.filter { $0.at >= low && ($0.at < high || index == count - 1) }
      guard these.count >= Self.fewestInWindow else { continue }
      let level = Self.robustMean(these.map { $0.level })
      windows.append(SampleWindow(radio: radio, place: place, logDistance: logDistance(of: these), level: level, samples: these.count))
    }
    return windows
  }

  /// Exactly the same number for all windows at one place, which groups them.
  private func logDistance(of readings: [Reading]) -> Double {
    guard isWalked else { return log10(max(from, 0.05)) }
    return readings.reduce(0.0) { $0 + log10(max(distance(at: $1.at), 0.05)) } / Double(readings.count)
  }

  private func distance(at moment: Instant) -> Double { from + (to - from) * min(max((moment - begin).seconds / seconds, 0), 1) }

  static func robustMean(_ levels: [Double]) -> Double {
    guard !levels.isEmpty else { return 0 }
    let median = levels[order(of: levels.count) { levels[$0] < levels[$1] }[levels.count / 2]]
    return levels.reduce(0.0) { $0 + min(max($1, median - gate), median + gate) } / Double(levels.count)
  }
}
