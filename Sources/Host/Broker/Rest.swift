import Core

/// How long to leave in peace what the broker refused: a second, and twice as long each time after.
struct Rest: BitwiseCopyable {
  private(set) var due = Instant.zero
  private var pause = Interval.zero

  var isNeeded: Bool { pause > .zero }

  /// Whose time is short is asked for more often: a quota may free itself, and an event must not lie until nobody wants it.
  mutating func begin(at now: Instant, isUrgent: Bool) {
    pause = min(max(pause * 2, .seconds(1)), .seconds(isUrgent ? 5 : 60))
    due = now + pause
  }
}

/// The rows that the broker refused, each with its rest.
struct RefusedRows {
  /// Twice what may be on its way at once; whatever else is refused meanwhile is tried again with the last of these.
  private static let most = 256

  private var rows: [(row: Int64, rest: Rest)] = []

  var isEmpty: Bool { rows.isEmpty }

  mutating func add(_ row: Int64, at now: Instant, isUrgent: Bool) -> Instant {
    if let index = rows.firstIndex(where: { $0.row == row }) {
      rows[index].rest.begin(at: now, isUrgent: isUrgent)
      return rows[index].rest.due
    }
    var rest = Rest()
    rest.begin(at: now, isUrgent: isUrgent)
    guard rows.count < Self.most else { return now + .seconds(60) }
    rows.append((row, rest))
    return rest.due
  }

  func isResting(_ row: Int64, at now: Instant) -> Bool { rows.contains { $0.row == row && $0.rest.due > now } }

  mutating func remove(_ row: Int64) { rows.removeAll { $0.row == row } }
  mutating func removeAll() { rows.removeAll() }

  /// When the next of those that rest may be tried. What was due a minute ago is there no more.
  mutating func next(after now: Instant) -> Instant {
    rows.removeAll { $0.rest.due + .seconds(60) < now }
    var next = Instant.never
    for (_, rest) in rows where rest.due > now { next = min(next, rest.due) }
    return next
  }
}
