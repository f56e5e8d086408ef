import Core

/// When to retry what the broker refused: after a second, and twice as long after each further refusal.
struct RefusalBackoff: BitwiseCopyable {
  private(set) var due = Instant.zero
  private var pause = Interval.zero

  var wasRefused: Bool { pause > .zero }

  /// An urgent event expires soon and is retried more often: a quota may be free again.
  mutating func start(at now: Instant, isUrgent: Bool) {
    pause = min(max(pause * 2, .seconds(1)), .seconds(isUrgent ? 5 : 60))
    due = now + pause
  }
}

/// The rows that the broker refused, each with its back-off.
struct RefusedRows {
  /// Twice what can be in flight; further refused rows are retried with the last of these.
  private static let most = 256

  private var rows: [(row: Int64, backoff: RefusalBackoff)] = []

  var isEmpty: Bool { rows.isEmpty }

  mutating func add(_ row: Int64, at now: Instant, isUrgent: Bool) -> Instant {
    if let index = rows.firstIndex(where: { $0.row == row }) {
      rows[index].backoff.start(at: now, isUrgent: isUrgent)
      return rows[index].backoff.due
    }
    var backoff = RefusalBackoff()
    backoff.start(at: now, isUrgent: isUrgent)
    guard rows.count < Self.most else { return now + .seconds(60) }
    rows.append((row, backoff))
    return backoff.due
  }

  func isBackingOff(_ row: Int64, at now: Instant) -> Bool { rows.contains { $0.row == row && $0.backoff.due > now } }

  mutating func remove(_ row: Int64) { rows.removeAll { $0.row == row } }
  mutating func removeAll() { rows.removeAll() }

  /// When the next one may be retried. Drops those that were due a minute ago: they are gone.
  mutating func next(after now: Instant) -> Instant {
    rows.removeAll { $0.backoff.due + .seconds(60) < now }
    var next = Instant.never
    for (_, backoff) in rows where backoff.due > now { next = min(next, backoff.due) }
    return next
  }
}
