/// The path of one phone's signal to one gateway: shadows, and reflections that differ between the advertising channels. Both belong to
/// places, so they change with the distance travelled, not with time.
struct Fading: BitwiseCopyable, Sendable {
  private var random: Random
  private var shadow = CorrelatedNoise()
  private var channels = InlineArray<3, CorrelatedNoise>(repeating: CorrelatedNoise())
  private var inPhase = InlineArray<3, CorrelatedNoise>(repeating: CorrelatedNoise())
  private var quadrature = InlineArray<3, CorrelatedNoise>(repeating: CorrelatedNoise())

  init(seed: UInt64, index: Int) { random = Random(seed: seed, 0x4C49_4E4B, index) }

  /// What is added to the level that distance alone gives, after `travelled` metres.
  mutating func fading(on channel: Int, after travelled: Double, at time: Double, in air: borrowing AirModel) -> Double {
    let settings = air.settings
    let way = travelled + settings.stir * time
    let slow = shadow.step(to: settings.stirsShadows ? way : travelled, reach: settings.shadowReach, &random) * settings.shadowing
    let place = channels[channel].step(to: way, reach: settings.channelReach, &random) * settings.channelSpread
    let x = air.straight + air.scattered * inPhase[channel].step(to: way, reach: settings.fadeReach, &random)
    let y = air.scattered * quadrature[channel].step(to: way, reach: settings.fadeReach, &random)
    return slow + place + Arithmetic.decibels(ofRatio: max(x * x + y * y, 1e-6)) - air.meanFade
  }

  mutating func happens(_ probability: Double) -> Bool { random.happens(probability) }

  mutating func error(_ deviation: Double) -> Double { deviation * random.normal() }
}

/// Correlated noise with mean 0 and deviation 1, forgotten exponentially over a distance (Gudmundson 1991).
private struct CorrelatedNoise: BitwiseCopyable, Sendable {
  private var value = 0.0
  private var way = -Double.infinity

  mutating func step(to way: Double, reach: Double, _ random: inout Random) -> Double {
    let kept = Arithmetic.exp((self.way - way) / reach)
    value = kept * value + max(0, 1 - kept * kept).squareRoot() * random.normal()
    self.way = way
    return value
  }
}

/// The air's constants and what follows from them, computed once.
struct AirModel: Sendable {
  let settings: Air
  /// Amplitudes of the straight ray and of each half of the scattered rest; together they carry a mean power of 1.
  let straight: Double
  let scattered: Double
  /// The mean of a Rician fade in dB, which is below 0 dB: a calibration measures it together with the power.
  let meanFade: Double

  init(_ settings: Air) {
    self.settings = settings
    let factor = settings.ricianFactor
    straight = (factor / (factor + 1)).squareRoot()
    scattered = (1 / (2 * (factor + 1))).squareRoot()
    meanFade = Self.meanDecibels(ricianFactor: factor)
  }

  func pathLoss(over distance: Double) -> Double {
    settings.pathLossExponent * Arithmetic.decibels(ofRatio: max(distance, 0.3))
  }

  /// E[ln P] = ln K + E1(K) - ln(K + 1), with the series of the exponential integral; for a large K, of which E1 leaves nothing, without it.
  static func meanDecibels(ricianFactor factor: Double) -> Double {
    if factor > 15 { return -Arithmetic.ln(1 + 1 / factor) * 10 / Arithmetic.ln(10) }
    let euler = 0.57721566490153286061
    var term = 1.0
    var sum = 0.0
    var k = 1.0
    while k < 60 {
      term *= -factor / k
      sum += term / k
      k += 1
    }
    return (-euler - sum - Arithmetic.ln(factor + 1)) * 10 / Arithmetic.ln(10)
  }
}
