/// When a device advertises next, as far as what was heard of it tells. A connection comes about by an advert, and until then the radio hears
/// nobody: so whoever calls shortly before one loses little.
struct AdvertRhythm: BitwiseCopyable, Sendable {
  private var last: Instant
  /// The last two, in microseconds; 0 for none. Where an advert was missed, one of them is twice as long.
  private var gap: UInt32 = 0
  private var gapBefore: UInt32 = 0

  /// What follows sooner is a scan response, or the same advert on another channel.
  private static let shortest = Interval.milliseconds(15)
  /// Whoever is silent for longer has no rhythm.
  static let slowest = Interval.seconds(6)
  /// A call that lasts less than a second meets several adverts of a device that is faster.
  private static let fast = Interval.milliseconds(300)
  /// Waiting for the right moment would gain nothing.
  private static let veryFast = Interval.milliseconds(150)
  /// Scanning takes that long to stop.
  private static let latest = Interval.milliseconds(30)

  init(at now: Instant) { last = now }

  mutating func hear(at now: Instant) {
    let new = now - last
    if new < Self.shortest { return }
    last = now
    (gapBefore, gap) = new > Self.slowest ? (0, 0) : (gap, UInt32(truncatingIfNeeded: new.microseconds))
  }

  /// nil until it has been heard twice.
  var interval: Interval? {
    if gap == 0 { return nil }
    return Interval(microseconds: Int64(gapBefore == 0 ? gap : min(gap, gapBefore)))
  }

  var isFast: Bool { interval.map { $0 <= Self.fast } ?? false }

  /// How long before an advert to call: each comes up to 10 ms later than the interval says, and we may have heard the last one late.
  private func lead(_ interval: Interval) -> Interval { Interval(microseconds: 50_000 + interval.microseconds / 32) }

  /// Whether it is time to call.
  func isDue(at now: Instant) -> Bool {
    guard let interval else { return true }
    if interval <= Self.veryFast { return true }
    let left = untilNext(interval, at: now)
    return left <= lead(interval) && left >= Self.latest
  }

  /// When it is, if it is not now.
  func nextCall(after now: Instant) -> Instant {
    guard let interval, !isDue(at: now) else { return .never }
    let (left, lead) = (untilNext(interval, at: now), lead(interval))
    return now + (left > lead ? left - lead : left + interval - lead)
  }

  /// How long a call is worth its while: several adverts of a fast device, one of a slow one, and whatever there is if nothing is known.
  var patience: Interval {
    guard let interval else { return .seconds(2) }
    return lead(interval) + (isFast ? .milliseconds(900) : .milliseconds(200))
  }

  private func untilNext(_ interval: Interval, at now: Instant) -> Interval {
    Interval(microseconds: interval.microseconds - max((now - last).microseconds, 0) % interval.microseconds)
  }
}
