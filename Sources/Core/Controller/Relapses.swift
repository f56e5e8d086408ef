/// Failures in a row, each soon after the one before, with listening in between.
struct Relapses: BitwiseCopyable, Sendable {
  private let soon: Interval
  private var last = Instant.zero
  private var count = 0

  /// What comes back so often comes back again.
  private static let many = 3

  init(within soon: Interval) { self.soon = soon }

  var areMany: Bool { count >= Self.many }

  mutating func add(at now: Instant) {
    count = now - last < soon ? count + 1 : 0
    last = now
  }
}
