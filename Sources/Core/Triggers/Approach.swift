/// What one radio hears of one device at the moment: the level, and whether it still moves.
///
/// The published average serves distances and is slow. A trigger must decide within a second after a device stops, so it keeps two quick
/// averages of its own. The quicker one is the level; its lead over the slower one shows that the device still comes or passes by. The time
/// constants come from the proving ground (Tests/Firing/ProvingGround/README.md).
package struct Approach: BitwiseCopyable {
  private var quick: Float = 0
  private var slow: Float = 0
  private var slowest: Float = 0
  private var last = Instant.zero
  /// The mean time between samples that are apart, in seconds.
  private(set) var spacing: Float = 0
  package private(set) var samples: UInt16 = 0

  private static let quickSeconds = 0.7
  private static let slowSeconds = 2.0
  /// About how far back the level looks.
  package static let windowSeconds = Float(2 * quickSeconds)
  /// However slow a beacon is, one packet never makes up half of the average.
  private static let mostShare = 0.45
  private static let mostCounted = Interval.milliseconds(1_200)
  /// Nearer samples are one advert that came twice, or came late together: they say nothing about the rhythm.
  private static let apart = Interval.milliseconds(5)
  /// How far the averages differ while a device stands still.
  private static let calm: Float = 1

  package init() {}

  /// Another radio hears it from now on.
  package mutating func shift(by step: Decibels) { (quick, slow, slowest) = (quick + step.value, slow + step.value, slowest + step.value) }

  package var level: Decibels { Decibels(quick) }
  package var steady: Decibels { Decibels(slow) }
  package var settled: Decibels { Decibels(slowest) }
  package var motion: Decibels { Decibels(max((quick - slow).magnitude - Self.calm, 0)) }
  package var heard: Instant { last }
  package var rate: Float { spacing > 0 ? 1 / spacing : 0 }
  package var interval: Interval? { spacing > 0 ? .seconds(Double(spacing)) : nil }

  /// Returns the time that the sample stands for: a longer gap than usual says nothing about the time in it.
  package mutating func observe(_ level: Decibels, at now: Instant) -> Interval {
    guard samples > 0 else {
      (quick, slow, slowest, last, samples) = (level.value, level.value, level.value, now, 1)
      return .zero
    }
    let elapsed = max(now - last, .zero)
    last = max(last, now)
    if samples < .max { samples += 1 }
    let (seconds, rhythm) = (Float(elapsed.seconds), 2 * spacing)
    let isInRhythm = seconds <= rhythm || rhythm == 0
    if elapsed >= Self.apart { spacing += (seconds - spacing) / (rhythm > 0 ? min(float(samples) - 1, 8) : 1) }
    // A young average is the plain mean.
    let least = 1 / double(samples)
    let keptSlow = kept(of: elapsed, within: Self.slowSeconds)
    quick += share(kept(of: elapsed, within: Self.quickSeconds), isInRhythm, atLeast: least) * (level.value - quick)
    slow += share(keptSlow, isInRhythm, atLeast: least) * (level.value - slow)
    // Twice as slow.
    slowest += share(keptSlow.squareRoot(), isInRhythm, atLeast: least) * (level.value - slowest)
    return min(isInRhythm ? elapsed : .seconds(Double(rhythm)), Self.mostCounted)
  }

  /// After a gap, the old average has aged by the whole gap.
  private func share(_ kept: Double, _ isInRhythm: Bool, atLeast least: Double) -> Float {
    let steady = 1 - kept
    return Float(max(isInRhythm ? min(steady, Self.mostShare) : steady, least))
  }

  private func kept(of elapsed: Interval, within seconds: Double) -> Double { exp2(-elapsed.seconds / seconds * 1.4426950408889634) }
}
