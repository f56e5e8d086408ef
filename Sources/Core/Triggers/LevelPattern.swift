/// What all receivers hear of one phone at one moment.
struct LevelPattern: BitwiseCopyable {
  /// The gain of each path against the phone's supposed level at 1 m: usually negative.
  private(set) var levels = PerReceiver()
  /// How much each level is worth: one over its variance, nothing where none is known.
  private(set) var trust = PerReceiver()
  /// The same for receivers that listen and hear nothing.
  private(set) var silence = PerReceiver()
  private(set) var shiftGain: Float = 0
  /// What does not depend on the losses: twice the weighed levels, their sum, and whether any receiver is silent.
  private(set) var doubled = PerReceiver()
  private(set) var total: Float = 0
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
  @inline(__always)
  static func faintness(_ rates: PerReceiver, receivers: Int = 8) -> PerReceiver {
    let best = receivers == 2 ? max(rates[0], rates[1]) : rates.greatest()
    guard best > 0 else { return PerReceiver() }
    var missing = 0.7 - rates / best
    missing.replace(with: 0, where: missing .< 0)
    return missing * (6 / 0.7)
  }

  mutating func hearNothing(_ receiver: Int) {
    silence[receiver] = 1 / (Self.noise * Self.noise)
    hasSilence = true
  }

  /// Before `likelihood`. `excess`: how much too loud each receiver hears it; there are so many.
  @inline(__always)
  mutating func close(_ loudness: Loudness, floor: Float, excess: PerReceiver = PerReceiver(), receivers: Int = 8) {
    levels -= excess
    self.loudness = loudness
    self.floor = floor
    let weighed = (levels - loudness.mean) * trust
    let square = loudness.deviation * loudness.deviation
    let trusted = receivers == 2 ? trust[0] + trust[1] : trust.sum()
    shiftGain = square / (1 + square * trusted)
    (doubled, total) = (2 * weighed, receivers == 2 ? weighed[0] + weighed[1] : weighed.sum())
  }

  /// Closed again with other levels, none of them old.
  mutating func renew(_ levels: PerReceiver, excess: PerReceiver, receivers: Int) {
    self.levels = levels
    trust.replace(with: 1 / (Self.noise * Self.noise), where: trust .> 0)
    close(loudness, floor: floor, excess: excess, receivers: receivers)
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
