/// The power of one device, measured from a known distance: its level at 1 m, and the doubt of that.
package struct PowerMeasurement: BitwiseCopyable {
  package struct Result: BitwiseCopyable {
    /// The level at 1 m.
    package var power: Decibels
    /// One standard deviation of it.
    package var doubt: Decibels
    /// One standard deviation of a single packet's level.
    package var spread: Decibels
  }

  /// Fewer samples show the difference of the advertising channels rather than the device.
  package static let fewest = 10
  /// What remains after averaging: how the device is turned, and a hand's width of its place.
  private static let place = Decibels(2)

  /// How often each level came, from 0 dBm down to -127.
  private var counts = InlineArray<128, UInt32>(repeating: 0)
  package private(set) var samples = 0

  package init() {}

  package mutating func observe(_ level: Int8) {
    counts[Int(-min(max(level, -127), 0))] += 1
    samples += 1
  }

  /// nil with too few samples.
  package func result(at distance: Meters, along path: PathLoss, offset: Decibels) -> Result? {
    guard samples >= Self.fewest else { return nil }
    // The middle half: a passing body or a reflection has no part in it.
    let (all, _) = moments(skipping: 0)
    let (middle, _) = moments(skipping: samples / 4)
    let (_, variance) = moments(skipping: 0, around: all)
    let spread = variance.squareRoot()
    let power = Decibels(Float(middle)) - offset + path.loss(at: distance)
    return Result(
      power: power, doubt: Self.place.joined(with: Decibels(Float(spread / Double(samples).squareRoot()))), spread: Decibels(Float(spread)))
  }

  /// Mean and variance without the lowest and the highest `few`.
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
