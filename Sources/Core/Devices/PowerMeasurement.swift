/// How strongly one device is heard from a place that was measured out: its level at 1 m, and how far that may be believed.
package struct PowerMeasurement: BitwiseCopyable {
  package struct Result: BitwiseCopyable {
    /// What it would give at 1 m.
    package var power: Decibels
    /// One standard deviation of it.
    package var doubt: Decibels
    /// One standard deviation of a single packet's level.
    package var spread: Decibels
  }

  /// Fewer say more of the three advertising channels' differences than of the device.
  package static let fewest = 10
  /// What turning the device, or moving it by a hand's width, changes though everything was averaged.
  private static let place = Decibels(2)

  /// How often each level was heard, from 0 dBm down to -127.
  private var counts = InlineArray<128, UInt32>(repeating: 0)
  package private(set) var samples = 0

  package init() {}

  package mutating func observe(_ level: Int8) {
    counts[Int(-min(max(level, -127), 0))] += 1
    samples += 1
  }

  /// nil when it was heard too rarely.
  package func result(at distance: Meters, along path: PathLoss, offset: Decibels) -> Result? {
    guard samples >= Self.fewest else { return nil }
    // The middle half: a body that walked by, or a reflection, has no part in it.
    let (all, _) = moments(skipping: 0)
    let (middle, _) = moments(skipping: samples / 4)
    let (_, variance) = moments(skipping: 0, around: all)
    let spread = variance.squareRoot()
    let power = Decibels(Float(middle)) - offset + path.loss(at: distance)
    return Result(
      power: power, doubt: Self.place.joined(with: Decibels(Float(spread / Double(samples).squareRoot()))), spread: Decibels(Float(spread)))
  }

  /// Mean and variance of what is left when so many are left out at either end.
  private func moments(skipping few: Int, around mean: Double = 0) -> (mean: Double, variance: Double) {
    var (sum, squares, passed) = (0.0, 0.0, 0)
    for index in 0..<128 {
      let count = Int(truncatingIfNeeded: counts[index])
      let taken = max(min(passed + count, samples - few) - max(passed, few), 0)
      sum -= Double(taken * index)
      squares += Double(taken) * (Double(-index) - mean) * (Double(-index) - mean)
      passed += count
    }
    let left = Double(samples - 2 * few)
    return (sum / left, squares / left)
  }
}
