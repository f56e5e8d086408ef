/// So many at once, and so many a second in the long run.
package struct TokenBucket: BitwiseCopyable, Sendable {
  private let burst: Int64
  private let pace: Int64
  /// When the bucket would be full again.
  private var full = Instant.zero

  /// `pace`: the time one token takes to come back.
  @export(interface) package init(burst: Int, pace: Interval) {
    self.burst = Int64(burst)
    self.pace = pace.microseconds
  }

  @export(interface) package mutating func take(at now: Instant) -> Bool {
    let debt = max((full - now).microseconds, 0)
    guard debt <= (burst - 1) * pace else { return false }
    full = now + Interval(microseconds: debt + pace)
    return true
  }
}
