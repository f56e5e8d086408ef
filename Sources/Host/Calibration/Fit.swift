import Core

/// The measured power, the exponent and the receive offsets that explain what was heard best, and how far off they may be:
/// level = power + offset − 10 · exponent · log10(distance).
///
/// What a device's level at one place says of its power is doubtful by a shadow of some 3 dB, however many packets are heard:
/// standing there for longer does not help, only going about does. So a place's doubt is told by how much its level wandered while
/// the device was there, and what a shadow has left over when it did not.
package struct Fit {
  package struct Value {
    package var value: Double
    /// One standard deviation.
    package var doubt: Double
  }

  package private(set) var power: Value
  /// nil when the places do not tell; then the assumed one was used.
  package private(set) var exponent: Value?
  package let assumedExponent: Double
  /// By radio; nil for one that was not needed or not heard. The first that heard keeps the offset it had.
  package private(set) var offsets: [Value?]
  package private(set) var reference = 0
  /// How far the places lie off the line, by place: the worst radio's.
  package private(set) var residuals: [Double]
  /// How much worse the places agree than their doubts allow; 1 is as expected.
  package private(set) var disagreement = 1.0

  package var exponentInForce: Double { exponent?.value ?? assumedExponent }

  /// What one device's level is off by from place to place, as long as nobody knows better.
  package static let shadow = 3.0
  /// An exponent less certain than this is none.
  private static let mostExponentDoubt = 0.4
  private static let plausible = 1.0...5.0
  /// Places that disagree so much cannot all be right.
  private static let mostDisagreement = 6.0

  @export(interface) package init(
    _ looks: [Look], radios: Int, places: Int, offsets known: [Double], assuming exponent: Double
  ) throws(FitRefusal) {
    guard !looks.isEmpty else { throw .nothingHeard }
    assumedExponent = exponent
    let groups = Group.all(looks)
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

/// Why nothing can be said.
package enum FitRefusal: Error {
  case nothingHeard
  case exponent(Double)
  case contradiction(place: Int, by: [Double])
}

/// One place as one radio has it: where it lies, how loud it is, and how far its mean may be off.
private struct Group {
  let radio: Int
  let place: Int
  let logDistance: Double
  let level: Double
  let variance: Double

  /// Looks that follow one another are not wholly independent.
  private static let independence = 0.6
  /// The variance of looks at one place by somebody who goes about a little, and how many looks this is worth.
  private static let usual = 2.0
  private static let usualLooks = 2.0
  /// Of one place's level: a shadow, and each channel's own reflections.
  private static let place = Fit.shadow * Fit.shadow + 4

  static func all(_ looks: [Look]) -> [Group] {
    var stays: [[Look]] = []
    for look in looks {
      let known = stays.firstIndex { $0[0].radio == look.radio && $0[0].place == look.place && $0[0].logDistance == look.logDistance }
      if let known { stays[known].append(look) } else { stays.append([look]) }
    }
    let within = variance(within: stays)
    // What is left of a shadow when the level wandered so much while the device was there.
    let left = max(place - 1.8 * within, 0.5)
    return stays.map { looks in
      let mean = looks.reduce(0.0) { $0 + $1.level } / Double(looks.count)
      return Group(
        radio: looks[0].radio, place: looks[0].place, logDistance: looks[0].logDistance, level: mean,
        variance: left + within / max(1, independence * Double(looks.count)))
    }
  }

  private static func variance(within stays: [[Look]]) -> Double {
    var squares = usual * usualLooks
    var freedom = usualLooks
    for looks in stays where looks.count > 1 {
      let mean = looks.reduce(0.0) { $0 + $1.level } / Double(looks.count)
      squares += looks.reduce(0.0) { $0 + ($1.level - mean) * ($1.level - mean) }
      freedom += Double(looks.count - 1)
    }
    return squares / freedom
  }
}

/// The robust weighted line through the groups: those far off it count less (Huber).
private struct Solution {
  private(set) var values: [Double] = []
  private(set) var residuals: [Double] = []
  private(set) var disagreement = 1.0
  private var covariance: [[Double]] = []

  /// The unknowns: the power; the exponent, unless it is given; the offset of each radio but the first.
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
    // The offset of the first radio is what it was: of power and offset only the sum is heard.
    if group.radio == radios[0] { value -= reference }
    return (row, value)
  }

  var exponent: Double { values[1] }
  var exponentDoubt: Double { doubt(1) }

  func doubt(_ index: Int) -> Double { (max(covariance[index][index], 0) * max(disagreement, 1)).squareRoot() }
}
