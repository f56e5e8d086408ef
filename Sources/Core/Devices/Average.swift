/// The average of what one radio hears of one device: slow while the device stands, quick when it moves.
///
/// An exponential average over time that restarts when the level has changed. Each packet further from the average than the drift adds
/// evidence of a change (two cumulative sums, one for each direction). With enough evidence, only the packets since it began count for the
/// new level. One packet never suffices. Chosen on real walks; Tests/Cost/Average/README.md has the tables and the reasons.
package struct Average: BitwiseCopyable {
  /// What a sample did.
  package enum Verdict: UInt8, Sendable {
    /// The first, or the first after a silence that made the average stale.
    case started
    case taken
    /// An outlier: it counted only as far as the gate allows.
    case held
    /// The last evidence needed: the level has changed.
    case shifted
  }

  // A row is one cache line, and the movement is aligned to its own size in it.
  private var last = Instant.zero
  private var mean: Float = 0
  /// The number of samples behind the mean, older ones counted less. A sample soon after another counts less from the start.
  private var weight: Float = 0
  private var movement = Movement()
  private var variance: Float = 0
  /// The mean time between packets that are apart, in microseconds.
  private var gap: Float = 0
  /// Samples since the average started or restarted.
  private var count: UInt16 = 0
  private var gaps: UInt8 = 0
  /// Also in `observe`, as a number.
  private static let mostGaps: UInt8 = 16
  /// In microseconds. Nearer packets are one advert that came twice, or with its scan response: they say nothing about the rhythm.
  private static let apart: Float = 5_000
  private var levels = LevelRing()

  package init() {}

  package var level: Decibels { Decibels(mean) }
  package var samples: Int { Int(count) }
  package var heard: Instant { last }

  @discardableResult @inline(always)
  package mutating func observe(_ sample: Int8, at now: Instant, _ settings: AverageSettings) -> Verdict {
    let silence = now - last
    let error = float(Int32(sample)) - mean
    // The path of nearly every packet. Everything else is a function of its own, whose calls cost nothing here.
    guard settings.isOrdinary(silence), count >= 3, gaps == Self.mostGaps, abs(error) <= settings.outlier.value else {
      return observeRare(sample, at: now, settings)
    }
    last = now
    let elapsed = float(Int32(truncatingIfNeeded: silence.microseconds))
    if elapsed >= Self.apart { gap += (elapsed - gap) * (1 / 16) }
    let early = Proof.weight(after: elapsed)
    let older = shrunken(weight, octaves: elapsed * settings.octavesPerMicrosecond)
    take(error, weighing: early, beside: older, atLeast: 4 * early)
    levels.append(sample)
    return movement.isNotable ? judge(.taken, weighing: early, settings) : .taken
  }

  @inline(never)
  private mutating func observeRare(_ sample: Int8, at now: Instant, _ settings: AverageSettings) -> Verdict {
    guard count > 0 else {
      last = now
      return start(sample)
    }
    let silence = max(now - last, .zero)
    last = max(last, now)
    record(silence)
    guard silence < settings.stale else { return start(sample) }

    let early = Proof.weight(after: silence.brief)
    var (value, verdict) = (float(sample), Verdict.taken)
    if abs(value - mean) > settings.outlier.value, count >= 3 { (value, verdict) = gated(value, settings) }
    let older = weight * Float(exp2(Double(silence.brief * settings.octavesPerMicrosecond)))
    take(value - mean, weighing: early, beside: older, atLeast: early * Float(min(samples + 1, 4)))
    levels.append(sample)
    return judge(verdict, weighing: early, settings)
  }

  /// After silence the average is stale: it is never frozen.
  package func isStale(at now: Instant, _ settings: AverageSettings) -> Bool { count == 0 || now - last >= settings.stale }

  /// One standard deviation of the path's loss, the transmitter's power being known: walls, bodies and reflections, which no average
  /// removes, and the noise of the samples.
  package var doubt: Decibels {
    let samples = max(1, min(double(count), 2 * Double(weight) - 1))
    let noise = (Double(variance) * samples + DoubtModel.priorVariance * DoubtModel.priorSamples) / (samples + DoubtModel.priorSamples)
    return Decibels(Float((DoubtModel.shadowing * DoubtModel.shadowing + noise / samples).squareRoot()))
  }

  /// The observed time between packets, lost ones included; nil before the second.
  package var interval: Interval? { gaps == 0 ? nil : Interval(microseconds: Int64(gap + 0.5)) }

  /// Packets per second.
  package var rate: Float { gap > 0 ? 1e6 / gap : 0 }

  private mutating func start(_ sample: Int8) -> Verdict {
    mean = float(sample)
    (weight, variance, count) = (0, 0, 1)
    movement = Movement()
    levels.append(sample)
    return .started
  }

  private mutating func record(_ silence: Interval) {
    guard silence <= Limits.longestSilence else {
      (gap, gaps) = (0, 0)
      return
    }
    guard silence.brief >= Self.apart else { return }
    gaps = min(gaps + 1, Self.mostGaps)
    gap += (silence.brief - gap) / float(UInt16(gaps))
  }

  /// `weight` decays with time, so a sample's share in steady state is 1 − exp(−Δt/τ). A young average is the plain mean (the first sample
  /// counts as long as the second), and a slow beacon's average spans four samples at least.
  @inline(always)
  private mutating func take(_ error: Float, weighing early: Float, beside older: Float, atLeast least: Float) {
    weight = larger(older + early, least)
    let share = early / weight
    variance = (1 - share) * (variance + share * (error * error))
    mean += share * error
    movement.add(error, weighing: early)
    if count < .max { count &+= 1 }
  }

  /// Whether the evidence proves another level.
  @inline(never)
  private mutating func judge(_ verdict: Verdict, weighing early: Float, _ settings: AverageSettings) -> Verdict {
    guard let run = movement.proven else { return verdict }
    shift(run: min(run, settings.windowSamples), weighing: early, settings.outlier.value)
    return .shifted
  }

  /// The gate opens `outlier` beyond the window's median or the average, whichever is nearer to the sample: after a change one of them is
  /// still at the old level.
  private func gated(_ value: Float, _ settings: AverageSettings) -> (Float, Verdict) {
    let outlier = settings.outlier.value
    let median = levels.median(ofLast: min(samples, settings.windowSamples))
    let low = min(mean, median) - outlier
    let high = max(mean, median) + outlier
    return value < low ? (low, .held) : value > high ? (high, .held) : (value, .taken)
  }

  /// Restarts with the last `run` samples, each held within `outlier` of their median.
  private mutating func shift(run: Int, weighing early: Float, _ outlier: Float) {
    let median = levels.median(ofLast: run)
    var sum: Float = 0
    for age in 0..<run { sum += min(max(levels[age], median - outlier), median + outlier) }
    let center = sum / Float(run)
    var squares: Float = 0
    for age in 0..<run {
      let error = min(max(levels[age], median - outlier), median + outlier) - center
      squares += error * error
    }
    mean = center
    variance = squares / Float(run)
    weight = early * Float(run)
    count = UInt16(run)
    movement = Movement()
  }
}

/// Evidence that the level has moved, up and down, in dB beyond the drift, and the packets since each began.
///
/// No branches: noise is unpredictable, and a wrong prediction costs as much as the rest.
private struct Movement: BitwiseCopyable {
  /// The sums, up and down, and the packets in each.
  private var state = SIMD4<Float>()

  @inline(__always)
  mutating func add(_ error: Float, weighing early: Float) {
    let evidence = early * (SIMD2(error, -error) - Proof.drift)
    let grown = state + SIMD4(lowHalf: evidence, highHalf: SIMD2(repeating: 1))
    state = SIMD4().replacing(with: grown, where: SIMD4(lowHalf: grown.lowHalf, highHalf: grown.lowHalf) .> 0)
  }

  /// Enough evidence in one direction, though perhaps from too few packets.
  var isNotable: Bool { larger(state.x, state.y) > Proof.enough }

  /// The number of packets that prove a movement.
  var proven: Int? {
    for way in 0..<2 where state[way] > Proof.enough && state[way + 2] >= Proof.leastRun { return Int(state[way + 2]) }
    return nil
  }
}

private enum Proof {
  /// Packets closer than 150 ms count less: the fading is still the same.
  @inline(always)
  static func weight(after elapsed: Float) -> Float { smaller(1, larger(0.05, elapsed * (1 / 150_000))) }

  /// Twice this is the smallest change that restarts the average, in dB.
  static let drift: Float = 3
  static let enough: Float = 25
  static let leastRun: Float = 3
}

private enum DoubtModel {
  /// In dB; 90 % of the estimates of calibrated transmitters in six sets of measurements lie within 1.645 of the whole.
  static let shadowing = 4.5
  /// A single packet's variance, and how many samples that prior is worth.
  static let priorVariance = 25.0
  static let priorSamples = 2.0
}
