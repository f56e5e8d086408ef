/// Failures in a row, each soon after the one before, with listening in between.
struct Relapses: BitwiseCopyable, Sendable {
  private var last = Instant.zero
  private var count = 0

  /// What comes back so often comes back again.
  private static let many = 3

  var areMany: Bool { count >= Self.many }

  mutating func add(at now: Instant, within soon: Interval) {
    count = now - last < soon ? count + 1 : 0
    last = now
  }
}
