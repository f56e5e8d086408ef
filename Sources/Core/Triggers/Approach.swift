/// What one radio hears of one device just now: where the level is, and whether it still moves.
///
/// The published average is made for distances and takes its time. A trigger must decide within a second of somebody's stopping,
/// so it keeps two quick averages of its own: the level is the quicker one, and how far it is ahead of the slower one tells that
/// somebody is still coming, or passing by. The time constants were chosen in the proving ground (Tests/Firing/ProvingGround/README.md).
package struct Approach: BitwiseCopyable {
  private var quick: Float = 0
  private var slow: Float = 0
  private var last = Instant.zero
  /// The observed time between samples, in seconds.
  private var gap: Float = 0
  package private(set) var samples: UInt16 = 0

  private static let quickSeconds = 0.7
  private static let slowSeconds = 2.0
  /// How far back the level looks, about.
  package static let windowSeconds = Float(2 * quickSeconds)
  /// However slow a beacon is, one packet is never the half of what is believed.
  private static let mostShare = 0.45
  private static let mostCounted = Interval.milliseconds(1_200)
  /// So much the averages differ while somebody stands still.
  private static let calm: Float = 1

  package init() {}

  package var level: Decibels { Decibels(quick) }
  package var steady: Decibels { Decibels(slow) }
  package var motion: Decibels { Decibels(max((quick - slow).magnitude - Self.calm, 0)) }
  package var heard: Instant { last }
  package var rate: Float { gap > 0 ? 1 / gap : 0 }
  package var interval: Interval? { gap > 0 ? .seconds(Double(gap)) : nil }

  /// Returns the time that the sample speaks for: a gap in a device's rhythm tells nothing about the time in it.
  package mutating func observe(_ level: Decibels, at now: Instant) -> Interval {
    guard samples > 0 else {
      (quick, slow, last, samples) = (level.value, level.value, now, 1)
      return .zero
    }
    let elapsed = max(now - last, .zero)
    let rhythm = gap > 0 ? Interval.seconds(Double(gap)) * 2 : elapsed
    last = max(last, now)
    if samples < .max { samples += 1 }
    gap += (Float(elapsed.seconds) - gap) / min(Float(samples) - 1, 8)
    quick += share(of: elapsed, inRhythm: elapsed <= rhythm, within: Self.quickSeconds) * (level.value - quick)
    slow += share(of: elapsed, inRhythm: elapsed <= rhythm, within: Self.slowSeconds) * (level.value - slow)
    return min(min(elapsed, rhythm), Self.mostCounted)
  }

  /// A young average is the plain mean of what there is. After a gap, what was before it is as old as the gap is long.
  private func share(of elapsed: Interval, inRhythm: Bool, within seconds: Double) -> Float {
    let steady = 1 - exp2(-elapsed.seconds / seconds * 1.4426950408889634)
    return Float(max(inRhythm ? min(steady, Self.mostShare) : steady, 1 / Double(samples)))
  }
}
