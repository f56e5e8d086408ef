/// What visits teach about a site: how much more each receiver hears than supposed, and how quickly levels fall with distance.
///
/// A device that was served stands at the trigger. What all receivers hear of it, less what they should, has four causes: the receivers'
/// offsets, the exponent's error, the device's own loudness, and chance. A Kalman filter gives each its part.
package struct LearntSite: BitwiseCopyable {
  private static let receivers = 8
  /// After the offsets: by what share the exponent is larger than configured, and the loudness of the device at hand.
  private static let exponent = 8
  private static let loudness = 9
  private static let states = 10

  private var means = InlineArray<10, Float>(repeating: 0)
  private var covariance = InlineArray<100, Float>(repeating: 0)
  private var visits = InlineArray<8, UInt16>(repeating: 0)
  /// How far each receiver has lately been from what was expected, in deviations.
  private var surprises = InlineArray<8, Float>(repeating: 0)

  /// One standard deviation: of antennas and mountings, and of the exponent's share.
  static let antenna: Float = 2.5
  private static let exponentSpread: Float = 0.15
  /// What shadows, bodies and the place leave of a visit.
  static let chance: Float = 4.3
  /// The receiver beside which the device stands teaches nothing: only those visits are served at which it hears well.
  static let besideLoss: Float = 6
  /// Antennas differ by so much; less gains nothing (Tests/Firing/ProvingGround). What a receiver hears beyond that is taken out, up to a bound:
  /// nobody can shift one further, however often it comes.
  private static let usual: Float = 3
  private static let mostOffset: Float = 6
  /// One visit moves nothing far.
  private static let mostSurprise: Float = 2.5
  /// Antennas age.
  private static let drift: Float = 0.03

  init() {
    for receiver in 0..<Self.receivers { forget(receiver) }
    self[Self.exponent, Self.exponent] = Self.exponentSpread * Self.exponentSpread
  }

  private subscript(row: Int, column: Int) -> Float {
    get { covariance[row * Self.states + column] }
    set { covariance[row * Self.states + column] = newValue }
  }

  /// What is taken from the receiver's levels.
  func offset(of receiver: Int) -> Float {
    let known = means[receiver]
    let excess = min(max(known.magnitude - Self.usual, 0), Self.mostOffset)
    return known < 0 ? -excess : excess
  }

  // MARK: Learning

  /// The places of the receivers that hear the device, their levels against its supposed power, and the losses on the way to them by the
  /// configured exponent. Returns the device's loudness against its supposed power.
  mutating func learn(levels: PerReceiver, losses: PerReceiver, heardBy: SIMDMask<SIMD8<Int32>>, _ prior: LevelPattern.Loudness) -> Float {
    renewLoudness(prior)
    for receiver in 0..<Self.receivers where heardBy[receiver] && losses[receiver] > Self.besideLoss {
      self[receiver, receiver] += Self.drift
      update(receiver, level: levels[receiver], loss: losses[receiver])
      if visits[receiver] < .max { visits[receiver] += 1 }
    }
    return means[Self.loudness]
  }

  private mutating func renewLoudness(_ prior: LevelPattern.Loudness) {
    for state in 0..<Self.states {
      self[state, Self.loudness] = 0
      self[Self.loudness, state] = 0
    }
    means[Self.loudness] = prior.mean
    self[Self.loudness, Self.loudness] = prior.deviation * prior.deviation
  }

  private mutating func update(_ receiver: Int, level: Float, loss: Float) {
    var crossed = InlineArray<10, Float>(repeating: 0)
    for row in 0..<Self.states { crossed[row] = self[row, receiver] - loss * self[row, Self.exponent] + self[row, Self.loudness] }
    let variance = crossed[receiver] - loss * crossed[Self.exponent] + crossed[Self.loudness] + Self.chance * Self.chance
    let expected = means[Self.loudness] - (1 + means[Self.exponent]) * loss + means[receiver]
    let deviation = variance.squareRoot()
    let surprise = (level - expected) / deviation
    surprises[receiver] += (surprise - surprises[receiver]) / 5
    let error = max(min(surprise, Self.mostSurprise), -Self.mostSurprise) * deviation
    for row in 0..<Self.states {
      let gain = crossed[row] / variance
      means[row] += gain * error
      for column in 0..<Self.states { self[row, column] -= gain * crossed[column] }
    }
  }

  // MARK: Receivers that come, move and go

  /// Whether the receiver hears otherwise than it did for many visits: somebody has moved it, or its antenna.
  func isMoved(_ receiver: Int) -> Bool { visits[receiver] >= 12 && surprises[receiver].magnitude > 1.6 }

  mutating func forget(_ receiver: Int) { restore(receiver, offset: Decibels(0), doubt: Decibels(Self.antenna), visits: 0) }

  mutating func restore(_ receiver: Int, offset: Decibels, doubt: Decibels, visits: UInt16) {
    for state in 0..<Self.states {
      self[state, receiver] = 0
      self[receiver, state] = 0
    }
    self[receiver, receiver] = doubt.value * doubt.value
    means[receiver] = offset.value
    surprises[receiver] = 0
    self.visits[receiver] = visits
  }

  /// As it was learnt, beyond what is applied, too.
  func known(of receiver: Int) -> (offset: Decibels, doubt: Decibels, visits: UInt16) {
    (Decibels(means[receiver]), Decibels(max(self[receiver, receiver], 0).squareRoot()), visits[receiver])
  }
}
