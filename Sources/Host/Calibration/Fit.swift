import Core

/// The measured power, the exponent and the receive offsets that fit the levels best, and their standard deviations:
/// level = power + offset − 10 · exponent · log10(distance).
///
/// Shadowing shifts a device's level at one place by some 3 dB, however many packets arrive: staying longer does not help, moving about
/// does. So a place's variance is estimated from how far its level varied there; if it did not vary, the full shadow is assumed.
package struct Fit {
  package struct Value {
    package var value: Double
    /// One standard deviation.
    package var doubt: Double
  }

  package private(set) var power: Value
  /// nil if the places do not determine it; then `assumedExponent` was used.
  package private(set) var exponent: Value?
  package let assumedExponent: Double
  /// By radio; nil for a radio without samples. The first one with samples keeps its offset.
  package private(set) var offsets: [Value?]
  package private(set) var reference = 0
  /// By place: how far it lies off the line at its worst radio.
  package private(set) var residuals: [Double]
  /// How much worse the places agree than their variances predict; 1 is as expected.
  package private(set) var disagreement = 1.0

  package var exponentInForce: Double { exponent?.value ?? assumedExponent }

  /// The standard deviation of a level from place to place, if nothing better is known.
  package static let shadow = 3.0
  /// A less certain exponent is not used.
  private static let mostExponentDoubt = 0.4
  private static let plausible = 1.0...5.0
  /// If places disagree more, at least one is wrong.
  private static let mostDisagreement = 6.0

  @export(interface) package init(
    _ windows: [SampleWindow], radios: Int, places: Int, offsets known: [Double], assuming exponent: Double
  ) throws(FitRefusal) {
    guard !windows.isEmpty else { throw .nothingHeard }
    assumedExponent = exponent
    let groups = Group.all(windows)
    var present: [Int] = []
    for radio in 0..<radios where groups.contains(where: { $0.radio == radio }) { present.append(radio) }
    reference = present[0]
    let whole = Solution(groups, present, exponent: nil, known[present[0]])
    if let whole, whole.exponentDoubt <= Self.mostExponentDoubt {
      guard Self.plausible.contains(whole.exponent) else { throw .exponent(whole.exponent) }
    } else if let whole, whole.exponent + 2 * whole.exponentDoubt < Self.plausible.lowerBound {
      throw .exponent(whole.exponent)
    }
    let isTold = whole.map { $0.exponentDoubt <= Self.mostExponentDoubt } ?? false
    guard let solution = isTold ? whole : Solution(groups, present, exponent: exponent, known[present[0]]) else { throw .nothingHeard }
    disagreement = solution.disagreement
    residuals = [Double](repeating: 0, count: places)
    for (index, group) in groups.enumerated() where abs(solution.residuals[index]) > abs(residuals[group.place]) {
      residuals[group.place] = solution.residuals[index]
    }
    guard disagreement <= Self.mostDisagreement else { throw .contradiction(place: Self.worst(residuals), by: residuals) }
    power = Value(value: solution.values[0], doubt: solution.doubt(0))
    self.exponent = isTold ? Value(value: solution.exponent, doubt: solution.exponentDoubt) : nil
    offsets = [Value?](repeating: nil, count: radios)
    offsets[reference] = Value(value: known[reference], doubt: 0)
    for (index, radio) in present.dropFirst().enumerated() {
      let column = (isTold ? 2 : 1) + index
      offsets[radio] = Value(value: solution.values[column], doubt: solution.doubt(column))
    }
  }

  private static func worst(_ residuals: [Double]) -> Int {
    residuals.indices.reduce(0) { abs(residuals[$1]) > abs(residuals[$0]) ? $1 : $0 }
  }
}

/// Why there is no fit.
package enum FitRefusal: Error {
  case nothingHeard
  case exponent(Double)
  case contradiction(place: Int, by: [Double])
}

/// One place at one radio: its distance, its mean level and the variance of that.
private struct Group {
  let radio: Int
  let place: Int
  let logDistance: Double
  let level: Double
  let variance: Double

  /// Successive windows are not wholly independent.
  private static let independence = 0.6
  /// The usual variance of windows at one place while somebody moves a little, and how many windows this prior is worth.
  private static let usual = 2.0
  private static let usualWindows = 2.0
  /// The variance of one place's level: shadowing, and each channel's own reflections.
  private static let place = Fit.shadow * Fit.shadow + 4

  static func all(_ windows: [SampleWindow]) -> [Group] {
    var stays: [[SampleWindow]] = []
    for window in windows {
      let known = stays.firstIndex { $0[0].radio == window.radio && $0[0].place == window.place && $0[0].logDistance == window.logDistance }
      if let known { stays[known].append(window) } else { stays.append([window]) }
    }
    let within = variance(within: stays)
    // What is left of the shadowing, given how far the level varied there.
    let left = max(place - 1.8 * within, 0.5)
    return stays.map { windows in
      let mean = windows.reduce(0.0) { $0 + $1.level } / Double(windows.count)
      return Group(
        radio: windows[0].radio, place: windows[0].place, logDistance: windows[0].logDistance, level: mean,
        variance: left + within / max(1, independence * Double(windows.count)))
    }
  }

  private static func variance(within stays: [[SampleWindow]]) -> Double {
    var squares = usual * usualWindows
    var freedom = usualWindows
    for windows in stays where windows.count > 1 {
      let mean = windows.reduce(0.0) { $0 + $1.level } / Double(windows.count)
      squares += windows.reduce(0.0) { $0 + ($1.level - mean) * ($1.level - mean) }
      freedom += Double(windows.count - 1)
    }
    return squares / freedom
  }
}

/// The robust weighted line through the groups: outliers count less (Huber).
private struct Solution {
  private(set) var values: [Double] = []
  private(set) var residuals: [Double] = []
  private(set) var disagreement = 1.0
  private var covariance: [[Double]] = []

  /// Unknowns: the power; the exponent, unless given; the offset of each radio but the first.
  init?(_ groups: [Group], _ radios: [Int], exponent: Double?, _ reference: Double) {
    let slopes = exponent == nil ? 1 : 0
    let unknowns = radios.count + slopes
    guard groups.count >= unknowns else { return nil }
    var weights = [Double](repeating: 1, count: groups.count)
    for _ in 0..<12 {
      var system = LeastSquares(unknowns: unknowns)
      for (index, group) in groups.enumerated() {
        let (row, value) = Self.equation(group, radios, exponent, reference)
        system.add(row, value, weight: weights[index] / group.variance)
      }
      guard let (values, covariance) = system.solved() else { return nil }
      (self.values, self.covariance) = (values, covariance)
      residuals = groups.map { group in
        let (row, value) = Self.equation(group, radios, exponent, reference)
        return value - (0..<unknowns).reduce(0.0) { $0 + row[$1] * values[$1] }
      }
      for index in groups.indices {
        let off = abs(residuals[index]) / groups[index].variance.squareRoot()
        weights[index] = off <= 2 ? 1 : 2 / off
      }
    }
    let squares = groups.indices.reduce(0.0) { $0 + weights[$1] * residuals[$1] * residuals[$1] / groups[$1].variance }
    let freedom = groups.count - unknowns
    if freedom > 0 { disagreement = squares / Double(freedom) }
  }

  private static func equation(_ group: Group, _ radios: [Int], _ exponent: Double?, _ reference: Double) -> ([Double], Double) {
    var row = [1.0]
    var value = group.level
    if let exponent { value += 10 * exponent * group.logDistance } else { row.append(-10 * group.logDistance) }
    for radio in radios.dropFirst() { row.append(group.radio == radio ? 1 : 0) }
    // The first radio keeps its offset: levels only show the sum of power and offset.
    if group.radio == radios[0] { value -= reference }
    return (row, value)
  }

  var exponent: Double { values[1] }
  var exponentDoubt: Double { doubt(1) }

  func doubt(_ index: Int) -> Double { (max(covariance[index][index], 0) * max(disagreement, 1)).squareRoot() }
}
