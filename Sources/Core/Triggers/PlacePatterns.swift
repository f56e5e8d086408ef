/// What each receiver hears of somebody at each other's place, where nobody has said where they stand: first supposed, then learnt.
///
/// As losses beyond that of the first metre. Supposed: all others hear somebody who stands at a receiver 21 dB less than it does, and
/// somebody beside it, in the next lane or in the street, 6 dB less. Chosen on the even seeds of `prove unplaced`.
struct PlacePatterns: ~Copyable {
  private struct Place: BitwiseCopyable {
    var losses = PerReceiver(repeating: PlacePatterns.apart)
    /// How little visits have taught so far.
    var variances = PerReceiver(repeating: PlacePatterns.apartDoubt * PlacePatterns.apartDoubt)
    var visits = InlineArray<8, UInt16>(repeating: 0)
  }

  private var places = InlineArray<8, Place>(repeating: Place())
  /// How far each receiver has lately been from what was expected, in deviations.
  private var surprises = PerReceiver()
  private let pin = Pin()

  private static let here: Float = 1
  private static let hereDoubt: Float = 3
  private static let apart: Float = 22
  private static let apartDoubt: Float = 5
  private static let beside: (own: Float, others: Float, doubt: Float) = (20, 26, 4)
  /// However many visits say otherwise: nobody can teach that the street sounds like the pump.
  private static let bounds: ClosedRange<Float> = 10...45
  /// What shadows, bodies and the way of carrying leave of one visit: the next visitor stands in other ones.
  private static let chance: Float = 9
  private static let mostSurprise: Float = 2.5
  private static let leastVariance: Float = 4
  private static let drift: Float = 0.03

  init() { for receiver in 0..<8 { forget(receiver) } }

  mutating func forget(_ receiver: Int) {
    let fresh = Place()
    for other in 0..<8 {
      places[other].losses[receiver] = fresh.losses[receiver]
      places[other].variances[receiver] = fresh.variances[receiver]
      places[other].visits[receiver] = 0
    }
    places[receiver] = fresh
    places[receiver].losses[receiver] = Self.here
    surprises[receiver] = 0
  }

  /// From now on the receiver's levels are so much lower. What is only supposed stays so.
  mutating func shift(_ receiver: Int, by change: Float) {
    for other in 0..<8 where other != receiver {
      if places[other].visits[receiver] > 0 { places[other].losses[receiver] = Self.bounded(places[other].losses[receiver] + change) }
      if places[receiver].visits[other] > 0 { places[receiver].losses[other] = Self.bounded(places[receiver].losses[other] - change) }
    }
  }

  private static func bounded(_ loss: Float) -> Float { max(min(loss, bounds.upperBound), bounds.lowerBound) }

  // MARK: Comparing

  func compare(_ pattern: borrowing LevelPattern, at own: Int, _ receivers: Int) -> SitePlan.Comparison {
    let here = pattern.likelihood(places[own].losses, Self.doubts(at: own))
    var comparison = SitePlan.Comparison(rival: -1, overRival: .infinity, overRest: .infinity)
    for rival in 0..<receivers where rival != own {
      let lead = here - pattern.likelihood(places[rival].losses, Self.doubts(at: rival))
      if lead < comparison.overRival { (comparison.rival, comparison.overRival) = (Int8(rival), lead) }
    }
    var losses = PerReceiver(repeating: Self.beside.others)
    losses[own] = Self.beside.own
    let variance = Self.beside.doubt * Self.beside.doubt
    comparison.overRest = here - pattern.likelihood(losses, PerReceiver(repeating: variance))
    return comparison
  }

  /// Variances of what a visitor there loses on the way to each receiver. Learning does not narrow them: each stands elsewhere around it.
  private static func doubts(at place: Int) -> PerReceiver {
    var doubts = PerReceiver(repeating: apartDoubt * apartDoubt)
    doubts[place] = hereDoubt * hereDoubt
    return doubts
  }

  // MARK: Learning

  /// A device was served at a place: what do the others hear of it?
  mutating func learn(_ pattern: LevelPattern, at place: Int) {
    guard pattern.trust[place] > 0 else { return }
    var found = PerReceiver()
    var sorted = Bounded<8, Float>(filledWith: 0)
    for receiver in 0..<8 where receiver != place && pattern.trust[receiver] > 0 {
      let loss = places[place].losses[place] + pattern.levels[place] - pattern.levels[receiver]
      found[receiver] = update(place, receiver, loss)
      sorted.insert(found[receiver])
    }
    guard sorted.count > 0 else { return }
    // What most have in common is laid to the place's own receiver; of two in the middle, the lesser surprise.
    let middle = (sorted[(sorted.count - 1) / 2], sorted[sorted.count / 2])
    let common = min(max(0, middle.0), middle.1)
    surprises[place] += (-common - surprises[place]) / 5
    for receiver in 0..<8 where receiver != place && pattern.trust[receiver] > 0 {
      surprises[receiver] += (found[receiver] - common - surprises[receiver]) / 5
    }
  }

  /// Returns how surprising it was, in deviations.
  private mutating func update(_ place: Int, _ receiver: Int, _ loss: Float) -> Float {
    let variance = places[place].variances[receiver] + Self.drift
    let whole = variance + Self.chance * Self.chance
    let deviation = (variance + LevelPattern.noise * LevelPattern.noise).squareRoot()
    let surprise = (loss - places[place].losses[receiver]) / deviation
    let error = max(min(surprise, Self.mostSurprise), -Self.mostSurprise) * deviation
    let learnt = places[place].losses[receiver] + error * variance / whole
    places[place].losses[receiver] = Self.bounded(learnt)
    places[place].variances[receiver] = max(variance * (1 - variance / whole), Self.leastVariance)
    if places[place].visits[receiver] < .max { places[place].visits[receiver] += 1 }
    return surprise
  }

  /// Whether the receiver hears otherwise than it did for many visits: somebody has moved it, or its antenna.
  func isMoved(_ receiver: Int) -> Bool { visits(of: receiver) >= 12 && surprises[receiver].magnitude > 1.6 }

  func visits(of receiver: Int) -> UInt16 {
    var visits: UInt16 = 0
    for other in 0..<8 { visits = max(visits, max(places[receiver].visits[other], places[other].visits[receiver])) }
    return visits
  }

  // MARK: For the file that keeps it

  func known(of receiver: Int, at place: Int) -> (loss: Decibels, doubt: Decibels, visits: UInt16) {
    let known = places[place]
    return (Decibels(known.losses[receiver]), Decibels(known.variances[receiver].squareRoot()), known.visits[receiver])
  }

  mutating func restore(_ receiver: Int, at place: Int, loss: Decibels, doubt: Decibels, visits: UInt16) {
    places[place].losses[receiver] = Self.bounded(loss.value)
    places[place].variances[receiver] = max(doubt.value * doubt.value, Self.leastVariance)
    places[place].visits[receiver] = visits
  }
}

extension LevelPattern {
  /// As that of points on a plan, but each loss has a variance of its own.
  @inline(never)
  func likelihood(_ losses: PerReceiver, _ variances: PerReceiver) -> Float {
    let weights = trust / (1 + trust * variances)
    let errors = levels + losses - loudness.mean
    let weighed = weights * errors
    let sum = weighed.sum()
    let square = loudness.deviation * loudness.deviation
    let shift = sum * square / (1 + square * weights.sum())
    var squares = (weighed * errors).sum() - sum * shift
    if hasSilence {
      var missing = shift + loudness.mean - floor - losses
      missing.replace(with: 0, where: missing .< 0)
      missing *= missing * (silence / (1 + silence * variances))
      missing.replace(with: Self.mostSilence, where: missing .> Self.mostSilence)
      squares += missing.sum()
    }
    return -0.5 * squares
  }
}

extension Bounded<8, Float> {
  /// They stay in order.
  fileprivate mutating func insert(_ value: Float) {
    guard append(value) == nil else { return }
    var place = count - 1
    while place > 0, self[place - 1] > value {
      self[place] = self[place - 1]
      place -= 1
    }
    self[place] = value
  }
}
