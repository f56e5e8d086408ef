/// The comparison of a plan where there are only two receivers, and none of them is silent: a small site must not pay for a large one.
///
/// However loud the phone is, the difference of the two levels remains; and it is hardly much louder than supposed. So most points need not
/// be asked: they cannot be likelier than one that was. All that is found is what asking every point finds, to the last bit.
struct PairComparison {
  private typealias Four = SIMD4<Float>

  /// As in `LevelPattern`, for four points each.
  private let trust: (Four, Four)
  private let doubled: (Four, Four)
  private let total: Four
  private let shiftGain: Four
  /// What any point's errors lack to be a sum of squares.
  private let same: Float
  /// The likelihood of the likeliest point here.
  fileprivate var here: Float = 0
  /// What the first receiver's loss should be, and how much more than the second's; then the same negated. One standard deviation of each.
  private let middle: Four
  private let deviation: Four
  /// The least errors of those asked, and between which bounds points may have less.
  fileprivate private(set) var least = Float.infinity
  private var bounds = Four(repeating: .infinity)
  private(set) var found = SitePlan.Comparison(rival: -1, overRival: .infinity, overRest: .infinity)

  /// Sums are not exact.
  private static let margin: Float = 0.01

  @inline(__always)
  init(_ pattern: borrowing LevelPattern) {
    let loudness = pattern.loudness
    trust = (Four(repeating: pattern.trust[0]), Four(repeating: pattern.trust[1]))
    doubled = (Four(repeating: pattern.doubled[0]), Four(repeating: pattern.doubled[1]))
    (total, shiftGain) = (Four(repeating: pattern.total), Four(repeating: pattern.shiftGain))
    let (a, b) = (loudness.mean - pattern.levels[0], loudness.mean - pattern.levels[1])
    same = a * a * pattern.trust[0] + b * b * pattern.trust[1] + Self.margin
    middle = Four(a, a - b, -a, b - a)
    // Without trust they are infinite, and nothing is left out.
    let variance = 1 / pattern.trust[0]
    let deviation = SIMD2(variance + loudness.deviation * loudness.deviation, variance + 1 / pattern.trust[1]).squareRoot()
    self.deviation = Four(lowHalf: deviation, highHalf: deviation)
  }

  /// As `LevelPattern.likelihood`, times -2: of the likeliest of those whose bits are set.
  @inline(never)
  func errors(_ points: borrowing Lent<PlanPoints>, _ index: Int, of set: UInt8 = .max) -> Float {
    var low = errors(points[index].losses[0].lowHalf, points[index].losses[1].lowHalf)
    var high = errors(points[index].losses[0].highHalf, points[index].losses[1].highHalf)
    if set != .max {
      let bits = SIMD4<Int32>(repeating: Int32(set))
      low.replace(with: .infinity, where: bits & SIMD4(1, 2, 4, 8) .== 0)
      high.replace(with: .infinity, where: bits & SIMD4(16, 32, 64, 128) .== 0)
    }
    let all = PerPoint(lowHalf: low, highHalf: high)
    let halves = (smaller(all[0], all[4]), smaller(all[1], all[5]), smaller(all[2], all[6]), smaller(all[3], all[7]))
    return smaller(smaller(halves.0, halves.2), smaller(halves.1, halves.3))
  }

  @inline(__always)
  private func errors(_ a: Four, _ b: Four) -> Four {
    let (x, y) = (a * trust.0, b * trust.1)
    let sum = total + x + y
    return (x + doubled.0) * a + (y + doubled.1) * b - sum * (sum * shiftGain)
  }

  func lead(_ errors: Float) -> Float { here + 0.5 * errors }

  /// From now on only points with less errors need be found, or as many.
  mutating func begin(with errors: Float) {
    least = errors
    let reach = deviation * max(same + errors, 0).squareRoot()
    bounds = middle + reach
  }

  /// The same, where a lead is known.
  mutating func begin(with errors: Float, lead: Float) { begin(with: min(errors, 2 * (lead - here))) }

  /// The standard library's own `any` and `max` allocate.
  @inline(__always)
  func mayFind(_ points: borrowing PlanPoints) -> Bool {
    let beyond = points.extent - bounds
    return !(larger(larger(beyond[0], beyond[1]), larger(beyond[2], beyond[3])) > 0)
  }

  /// It has no more errors than any that was asked.
  @inline(never)
  mutating func consider(_ index: Int, of owner: Int8, _ errors: Float) {
    found.consider(index, of: owner, lead(errors))
    begin(with: errors)
  }
}

extension SitePlan {
  /// The points `first` are asked before all others: they are likely, which leaves out most. `isForLead`: only the lead counts.
  @inline(never)
  func comparePair(
    _ pattern: borrowing LevelPattern, at trigger: Int, first: Int, after last: Comparison? = nil, isForLead: Bool = false
  ) -> Comparison {
    var pair = PairComparison(pattern)
    pair.here = -0.5 * pair.errors(pointsHere, trigger)
    var (asked, known) = (-1, Float.infinity)
    if first < count, case let set = elsewhere[first &* 64 &+ trigger], set != 0 {
      (asked, known) = (first, pair.errors(points, first, of: set))
      if let last, pair.lead(known) < Self.settled { return last.renewed(asked, of: points[asked].owner, pair.lead(known)) }
    }
    pair.begin(with: asked < rest ? known : .infinity)
    for index in 0..<rest { ask(index, trigger, asked, known, &pair) }
    if pair.found.overRival < Self.hopeless { return pair.found }
    pair.begin(with: asked < rest ? .infinity : known, lead: isForLead ? pair.found.overRival : .infinity)
    for index in rest..<count { ask(index, trigger, asked, known, &pair) }
    return pair.found
  }

  @inline(__always)
  private func ask(_ index: Int, _ trigger: Int, _ asked: Int, _ known: Float, _ pair: inout PairComparison) {
    guard pair.mayFind(points[index]), case let set = elsewhere[index &* 64 &+ trigger], set != 0 else { return }
    let errors = index == asked ? known : pair.errors(points, index, of: set)
    if errors <= pair.least { pair.consider(index, of: points[index].owner, errors) }
  }
}
