/// How long connecting may keep a radio from scanning: 5 % of the time, and 2 s at once. No minute loses more than 5 s.
struct Deafness: BitwiseCopyable, Sendable {
  private var left = Self.most
  private var counted = Instant.zero

  private static let most = Interval.milliseconds(2_000)
  private static let share: Int64 = 20
  /// Less is not worth an attempt: it would miss the advert of a slow phone.
  private static let least = Interval.milliseconds(400)

  /// How long a connection attempt may take now.
  mutating func allowance(at now: Instant) -> Interval? {
    left = min(left + Interval(microseconds: max((now - counted).microseconds, 0) / Self.share), Self.most)
    counted = now
    return left >= Self.least ? left : nil
  }

  /// When there is an allowance again; `counted` is now.
  var nextAllowance: Instant { counted + max(Self.least - left, .milliseconds(1)) * Self.share }

  mutating func spend(_ interval: Interval) { left = left - interval }

  /// An attempt that ended with the radio: once it is tried again at once, but a radio that fails each time is not always asked.
  mutating func spendFailure(of interval: Interval) { spend(max(Self.least, min(interval, .milliseconds(1_500)))) }
}
