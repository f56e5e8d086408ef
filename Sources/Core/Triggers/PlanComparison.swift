/// Compares what all receivers hear of a phone with what they would hear of one at a trigger, and anywhere else.
extension SitePlan {
  /// Logarithms of likelihoods.
  struct Comparison: BitwiseCopyable {
    /// The receiver at which it stands likeliest, if not here.
    var rival: Int8
    var overRival: Float
    var overRest: Float
    /// The points elsewhere that explain the pattern best, and whether all were asked.
    var likeliest: UInt8 = 0
    var isWhole = true

    /// Nothing has been compared: the receiver that hears it best is asked first.
    static let unasked = Comparison(rival: -1, overRival: .infinity, overRest: .infinity, likeliest: .max)

    var lead: Float { min(overRival, overRest) }

    /// Only its likeliest points were asked again.
    func renewed(_ index: Int, of owner: Int8, _ lead: Float) -> Comparison {
      var renewed = self
      (renewed.likeliest, renewed.isWhole) = (UInt8(index), false)
      if owner < 0 { renewed.overRest = lead } else { (renewed.rival, renewed.overRival) = (owner, lead) }
      return renewed
    }

    @inline(__always)
    mutating func consider(_ index: Int, of owner: Int8, _ lead: Float) {
      if lead < self.lead { likeliest = UInt8(index) }
      if owner < 0 {
        overRest = min(overRest, lead)
      } else if lead < overRival {
        (rival, overRival) = (owner, lead)
      }
    }
  }

  /// How much likelier the phone stands at the trigger than anywhere else. What it was likeliest at the last time is asked first: whoever
  /// still stands so clearly there need not be looked for anywhere else.
  @inline(never)
  func compare(_ pattern: borrowing LevelPattern, at trigger: Int, after last: Comparison? = nil) -> Comparison {
    var first = Int.max
    if let last { first = likeliest(last, pattern) }
    if receivers.count == 2, !pattern.hasSilence { return comparePair(pattern, at: trigger, first: first, after: last) }
    return compareAll(pattern, at: trigger, first: first, after: last)
  }

  @inline(never)
  private func compareAll(_ pattern: borrowing LevelPattern, at trigger: Int, first: Int, after last: Comparison?) -> Comparison {
    let here = pattern.likelihood(pointsHere, trigger, receivers.count).greatest()
    if let last, first < count, case let set = elsewhere[first * 64 + trigger], set != 0 {
      let lead = here - pattern.likelihood(points, first, receivers.count).greatest(of: set)
      if lead < Self.settled { return last.renewed(first, of: points[first].owner, lead) }
    }
    var comparison = Comparison(rival: -1, overRival: .infinity, overRest: .infinity)
    for index in 0..<count {
      let (set, owner) = (elsewhere[index * 64 + trigger], points[index].owner)
      guard set != 0 else { continue }
      if owner < 0, comparison.overRival < Self.hopeless { break }
      comparison.consider(index, of: owner, here - pattern.likelihood(points, index, receivers.count).greatest(of: set))
    }
    return comparison
  }

  /// Only the lead of the same. What it was likeliest a moment ago is asked first where that helps.
  @inline(never)
  func lead(_ pattern: borrowing LevelPattern, at trigger: Int, after last: Comparison) -> Float {
    guard receivers.count == 2, !pattern.hasSilence else { return compare(pattern, at: trigger).lead }
    return comparePair(pattern, at: trigger, first: Int(last.likeliest), isForLead: true).lead
  }

  @inline(__always)
  private func likeliest(_ last: Comparison, _ pattern: borrowing LevelPattern) -> Int {
    guard last.likeliest == .max else { return Int(last.likeliest) }
    let loudest = pattern.loudest
    for index in 0..<rest where points[index].owner == loudest { return index }
    return count
  }

  /// Whoever stands likelier where it stood last, and so clearly at another receiver, need not be looked for elsewhere.
  static let settled: Float = -1
  static let hopeless: Float = -6
}

extension PerPoint {
  /// Of those whose bits are set: mostly all. The standard library's own `max` allocates.
  func greatest(of set: UInt8 = .max) -> Float {
    if set == .max {
      let halves = (larger(self[0], self[4]), larger(self[1], self[5]), larger(self[2], self[6]), larger(self[3], self[7]))
      return larger(larger(halves.0, halves.2), larger(halves.1, halves.3))
    }
    var greatest = -Float.infinity
    for point in 0..<Self.scalarCount where set & 1 << UInt8(point) != 0 { greatest = larger(greatest, self[point]) }
    return greatest
  }
}
