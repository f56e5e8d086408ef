import Core

/// When to retry what the broker refused: after a second, and twice as long after each further refusal.
struct RefusalBackoff: BitwiseCopyable {
  private(set) var due = Instant.zero
  /// Whether later messages of its topic wait for it.
  private(set) var holdsTopic = false
  /// The broker's access list is why.
  private(set) var isForbidden = false
  private var pause = Interval.zero

  var wasRefused: Bool { pause > .zero }

  /// An urgent event expires soon and is retried more often: a quota may be free again.
  mutating func start(at now: Instant, isUrgent: Bool, holdsTopic: Bool = false, isForbidden: Bool = false) {
    (self.holdsTopic, self.isForbidden) = (holdsTopic, isForbidden)
    pause = min(max(pause * 2, .seconds(1)), .seconds(isUrgent ? 5 : 60))
    due = now + pause
  }
}

/// The rows that the broker refused, each with its back-off.
struct RefusedRows {
  /// Twice what can be in flight.
  private static let most = 256
  private static let patience = Interval.seconds(900)

  private var rows: [(row: Int64, backoff: RefusalBackoff)] = []
  /// From the first to the last of further refused rows: tens of thousands would be sent again and again. They wait until one of `rows` is
  /// taken, or so long.
  private var further: (rows: ClosedRange<Int64>, due: Instant)?

  var isEmpty: Bool { rows.isEmpty }

  mutating func add(_ row: Int64, at now: Instant, isUrgent: Bool, holdsTopic: Bool = false, isForbidden: Bool = false) -> Instant {
    if let index = rows.firstIndex(where: { $0.row == row }) {
      rows[index].backoff.start(at: now, isUrgent: isUrgent, holdsTopic: holdsTopic, isForbidden: isForbidden)
      return rows[index].backoff.due
    }
    var backoff = RefusalBackoff()
    backoff.start(at: now, isUrgent: isUrgent, holdsTopic: holdsTopic, isForbidden: isForbidden)
    guard rows.count < Self.most else {
      if isUrgent { return now + .seconds(60) }
      let all = further?.rows ?? row...row
      further = (min(all.lowerBound, row)...max(all.upperBound, row), now + Self.patience)
      return now + Self.patience
    }
    rows.append((row, backoff))
    return backoff.due
  }

  func contains(_ row: Int64) -> Bool { rows.contains { $0.row == row } }
  func holdsTopic(_ row: Int64) -> Bool { rows.contains { $0.row == row && $0.backoff.holdsTopic } }
  func isForbidden(_ row: Int64) -> Bool { rows.contains { $0.row == row && $0.backoff.isForbidden } }
  func isBackingOff(_ row: Int64, at now: Instant) -> Bool { rows.contains { $0.row == row && $0.backoff.due > now } }

  /// The last of the further rows, if this one is among them.
  func last(waitingWith row: Int64, at now: Instant) -> Int64? {
    guard let further, further.due > now, further.rows.contains(row) else { return nil }
    return further.rows.upperBound
  }

  /// Whether other rows need wait no longer.
  mutating func remove(_ row: Int64) -> Bool {
    guard contains(row) else { return false }
    defer { further = nil }
    let heldOthers = further != nil || holdsTopic(row)
    rows.removeAll { $0.row == row }
    return heldOthers
  }

  /// It has expired: that says nothing of the others.
  mutating func forget(_ row: Int64) { rows.removeAll { $0.row == row } }

  mutating func removeAll() { (rows, further) = ([], nil) }

  /// What was on its way among the further ones goes again.
  mutating func requeue(keepingRows: Bool) {
    further = nil
    if !keepingRows { rows.removeAll() }
  }

  /// When the next one may be retried. Drops those that were due a minute ago: they are gone.
  mutating func next(after now: Instant) -> Instant {
    rows.removeAll { $0.backoff.due + .seconds(60) < now }
    if let further, further.due <= now { self.further = nil }
    var next = further?.due ?? .never
    for (_, backoff) in rows where backoff.due > now { next = min(next, backoff.due) }
    return next
  }
}

extension Topic {
  var hash: UInt64 {
    var hash = Hash()
    hash.mix(bytes)
    return hash.value
  }
}
