/// The average of what one radio hears of one device: slow while somebody stands, quick when he moves.
///
/// It is an exponential average over time that begins anew when the level has changed. Whether it has is weighed packet by
/// packet: what lies further from the average than the drift is evidence (two cumulative sums, one for each direction), and
/// when there is enough of it, only the packets since that evidence began speak for the new level. One packet never suffices.
/// Chosen on real walks; Tests/Bench/Average/README.md has the tables and the reasons.
package struct Average: BitwiseCopyable {
  /// What a sample was taken for.
  package enum Verdict: UInt8, Sendable {
    /// The first, or the first after a silence that made the average unknown.
    case started
    case taken
    /// So far off that it counts only as far as the gate allows.
    case held
    /// The last proof needed that the level is another one now.
    case shifted
  }

  private var last = Instant.zero
  private var mean: Float = 0
  /// The samples behind the mean, each counted less the older it is; one that comes early counts less from the start.
  private var weight: Float = 1
  private var variance: Float = 0
  private var rise = Movement()
  private var fall = Movement()
  /// The mean time between packets, in seconds.
  private var gap: Float = 0
  private var gaps: UInt8 = 0
  private var levels = LevelRing()
  /// Since the average began, or began anew.
  private var count: UInt16 = 0

  package init() {}

  package var level: Decibels { Decibels(mean) }
  package var samples: Int { Int(count) }

  @discardableResult @inline(__always)
  package mutating func heard(_ sample: Int8, at now: Instant, _ settings: AverageSettings) -> Verdict {
    guard count > 0 else {
      last = now
      return start(sample)
    }
    let silence = max(now - last, .zero)
    last = max(last, now)
    note(silence)
    guard silence < settings.stale else { return start(sample) }

    let elapsed = silence.seconds
    let early = Proof.weight(after: silence)
    var (value, verdict) = (Double(sample), Verdict.taken)
    if abs(value - Double(mean)) > Double(settings.outlier.value), count >= 3 { (value, verdict) = gated(value, settings) }
    let error = value - Double(mean)
    take(error, weighing: early, after: elapsed, settings)
    rise.add(error - Proof.drift, weighing: early)
    fall.add(-error - Proof.drift, weighing: early)
    levels.append(sample)
    if count < .max { count &+= 1 }
    guard rise.isProof || fall.isProof else { return verdict }
    return shift(run: rise.isProof ? rise.run : fall.run, weighing: early, settings)
  }

  /// Silence makes the average unknown: it is never frozen.
  package func isStale(at now: Instant, _ settings: AverageSettings) -> Bool { count == 0 || now - last >= settings.stale }

  /// One standard deviation of what the average says of the path, the transmitter's power being known: walls, bodies and
  /// reflections, which no average removes, and the noise of the samples.
  package var doubt: Decibels {
    let samples = max(1, min(Double(count), 2 * Double(weight) - 1))
    let noise = (Double(variance) * samples + Doubt.priorVariance * Doubt.priorSamples) / (samples + Doubt.priorSamples)
    return Decibels(Float((Doubt.shadowing * Doubt.shadowing + noise / samples).squareRoot()))
  }

  /// The observed time between packets, lost ones included; nil before there are two.
  package var interval: Interval? { gaps == 0 ? nil : Interval(microseconds: Int64(Double(gap) * 1e6 + 0.5)) }

  /// Packets per second.
  package var rate: Float { gap > 0 ? 1 / gap : 0 }

  @inline(never)
  private mutating func start(_ sample: Int8) -> Verdict {
    mean = Float(sample)
    (weight, variance, count) = (1, 0, 1)
    (rise, fall) = (Movement(), Movement())
    levels.append(sample)
    return .started
  }

  @inline(__always)
  private mutating func note(_ silence: Interval) {
    guard silence <= Limits.longestSilence else {
      (gap, gaps) = (0, 0)
      return
    }
    let error = silence.seconds - Double(gap)
    // What division by 16 would give, to the last bit.
    if gaps == 16 { return gap = Float(Double(gap) + error * 0.0625) }
    gaps &+= 1
    gap = Float(Double(gap) + error / Double(gaps))
  }

  /// `weight` decays with time, so a sample's share in steady state is 1 − exp(−Δt/τ). A young average is the plain mean of
  /// what there is (the first sample stands for as long as the second did), and a slow beacon's spans four samples at least.
  private mutating func take(_ error: Double, weighing early: Double, after elapsed: Double, _ settings: AverageSettings) {
    let decay = exp2(elapsed * settings.octaves)
    let older = count == 1 ? early : Double(weight) * decay
    let total = max(older + early, early * Double(min(samples + 1, 4)))
    let share = early / total
    weight = Float(total)
    variance = Float((1 - share) * (Double(variance) + share * error * error))
    mean = Float(Double(mean) + share * error)
  }

  /// The gate opens `outlier` beyond the window's median or beyond the average, whichever is nearer to the sample: after a
  /// change one of them still stands at the old level.
  @inline(never)
  private func gated(_ value: Double, _ settings: AverageSettings) -> (Double, Verdict) {
    let outlier = Double(settings.outlier.value)
    let average = Double(mean)
    let median = levels.median(ofLast: min(samples, settings.windowSamples))
    let low = min(average, median) - outlier
    let high = max(average, median) + outlier
    return value < low ? (low, .held) : value > high ? (high, .held) : (value, .taken)
  }

  /// Begins anew with the last `run` samples, each held to within `outlier` of their median.
  @inline(never)
  private mutating func shift(run packets: UInt8, weighing early: Double, _ settings: AverageSettings) -> Verdict {
    let run = min(Int(packets), settings.windowSamples)
    let outlier = Double(settings.outlier.value)
    let median = levels.median(ofLast: run)
    var sum = 0.0
    for age in 0..<run { sum += min(max(levels[age], median - outlier), median + outlier) }
    let center = sum / Double(run)
    var squares = 0.0
    for age in 0..<run {
      let error = min(max(levels[age], median - outlier), median + outlier) - center
      squares += error * error
    }
    mean = Float(center)
    variance = Float(squares / Double(run))
    weight = Float(early * Double(run))
    count = UInt16(run)
    (rise, fall) = (Movement(), Movement())
    return .shifted
  }
}

/// The evidence that the level has moved one way, in dB beyond the drift, and the packets since it began.
private struct Movement: BitwiseCopyable {
  private var sum: Float = 0
  private(set) var run: UInt8 = 0

  mutating func add(_ excess: Double, weighing early: Double) {
    let sum = Double(self.sum) + early * excess
    // No branch: nobody can foretell which way noise goes.
    let isMoving: UInt8 = sum > 0 ? 1 : 0
    self.sum = Float(max(sum, 0))
    run = (run &+ (run == .max ? 0 : 1)) &* isMoving
  }

  var isProof: Bool { sum > Proof.enough && run >= Proof.leastRun }
}

private enum Proof {
  /// Packets closer than this tell less than a packet's worth: the fading is still the same.
  static let spacing = Interval.milliseconds(150)

  static func weight(after silence: Interval) -> Double {
    silence >= spacing ? 1 : max(0.05, silence.seconds / spacing.seconds)
  }

  /// Twice this is the smallest change worth beginning anew for, in dB.
  static let drift = 3.0
  static let enough: Float = 25
  static let leastRun: UInt8 = 3
}

private enum Doubt {
  /// In dB; 90 % of the estimates of calibrated transmitters in six sets of measurements lie within 1.645 of the whole.
  static let shadowing = 4.5
  /// A single packet's variance and the samples it is worth, until there are enough of our own.
  static let priorVariance = 25.0
  static let priorSamples = 2.0
}
