/// What all receivers hear of one phone at one moment.
struct LevelPattern: BitwiseCopyable {
  /// The gain of each path against the phone's supposed level at 1 m: usually negative.
  private(set) var levels = PerReceiver()
  /// How much each level is worth: one over its variance, nothing where none is known.
  private(set) var trust = PerReceiver()
  /// The same for receivers that listen and hear nothing.
  private(set) var silence = PerReceiver()
  private var shiftGain: Float = 0
  /// What does not depend on the losses: twice the weighed levels, their sum, and whether any receiver is silent.
  private var doubled = PerReceiver()
  private var total: Float = 0
  private(set) var hasSilence = false
  private(set) var floor: Float = 0
  private(set) var loudness = Loudness.unknown

  /// What is believed of the phone before anything is heard, in dB: how much louder it is than supposed, pocket included.
  struct Loudness: BitwiseCopyable {
    var mean: Float
    var deviation: Float

    static let unknown = Loudness(mean: -6, deviation: 9)
    static let known = Loudness(mean: -5, deviation: 6)
    /// A phone that visits taught may be carried otherwise.
    static let learnt: Float = 6
  }

  /// Shadows, bodies and antennas, one standard deviation.
  static let noise: Float = 5
  /// Any radio may have lost its antenna, so its silence proves no more than that. Twice a logarithm; chosen on even seeds.
  static let mostSilence: Float = 6
  /// No receiver hears less.
  static let leastHeard = Decibels(-96)

  mutating func hear(_ receiver: Int, _ level: Float, age: Interval = .zero) {
    let drift = Float(age.seconds) * 2
    levels[receiver] = level
    trust[receiver] = 1 / (Self.noise * Self.noise + drift * drift)
  }

  /// How many receivers hear it.
  var heard: Int {
    var heard = 0
    for receiver in 0..<8 where trust[receiver] > 0 { heard += 1 }
    return heard
  }

  /// The receiver that hears it best; -1: none does.
  var loudest: Int8 {
    var (loudest, most) = (Int8(-1), -Float.infinity)
    for receiver in 0..<8 where trust[receiver] > 0 && levels[receiver] > most {
      (loudest, most) = (Int8(receiver), levels[receiver])
    }
    return loudest
  }

  /// A receiver at its limit hears only the strongest packets, so its average flatters: by how much, from the share that it hears.
  static func faintness(_ rates: PerReceiver) -> PerReceiver {
    let best = rates.greatest()
    guard best > 0 else { return PerReceiver() }
    var missing = 0.7 - rates / best
    missing.replace(with: 0, where: missing .< 0)
    return missing * (6 / 0.7)
  }

  mutating func hearNothing(_ receiver: Int) { silence[receiver] = 1 / (Self.noise * Self.noise) }

  /// Before `likelihood`. `excess`: how much too loud each receiver hears it.
  mutating func close(_ loudness: Loudness, floor: Float, excess: PerReceiver = PerReceiver()) {
    levels -= excess
    self.loudness = loudness
    self.floor = floor
    let square = loudness.deviation * loudness.deviation
    shiftGain = square / (1 + square * trust.sum())
    let weighed = (levels - loudness.mean) * trust
    (doubled, total, hasSilence) = (2 * weighed, weighed.sum(), silence != PerReceiver())
  }

  /// Less what is the same for all points: -½ of the weighed squares of what loudness leaves of the errors, and of what a silent receiver
  /// should hear. Compiled once: it is long where there are no vectors. The points stay where they are: 288 bytes.
  @inline(never)
  func likelihood(_ points: borrowing Lent<PlanPoints>, _ index: Int, _ receivers: Int) -> PerPoint {
    var (sum, squares) = (PerPoint(repeating: total), PerPoint())
    for receiver in 0..<receivers {
      let losses = points[index].losses[receiver]
      let weighed = losses * trust[receiver]
      sum += weighed
      squares += (weighed + doubled[receiver]) * losses
    }
    let shift = sum * shiftGain
    var error = squares - sum * shift
    guard hasSilence else { return -0.5 * error }
    let heard = shift + (loudness.mean - floor)
    for receiver in 0..<receivers where silence[receiver] > 0 {
      var missing = heard - points[index].losses[receiver]
      missing.replace(with: 0, where: missing .< 0)
      missing *= missing * silence[receiver]
      missing.replace(with: Self.mostSilence, where: missing .> Self.mostSilence)
      error += missing
    }
    return -0.5 * error
  }
}
