import Core

/// Whether messages in neighbours' names go on failing authentication. A gateway with another key serves whom we serve, and neither knows.
struct Forgery {
  private var count = 0
  private var since = Instant.zero
  private var last: Instant?

  /// A retained status that an old key has signed comes once with each connection.
  private static let onset = Interval.seconds(15)
  /// A gateway that knows of no neighbour greets every ten seconds.
  private static let memory = Interval.seconds(30)

  mutating func lasts(_ count: Int, at now: Instant) -> Bool {
    let isOver = last.map { now - $0 > Self.memory } ?? true
    guard count != self.count else { return !isOver && hasLasted }
    if isOver { since = now }
    (self.count, last) = (count, now)
    return hasLasted
  }

  private var hasLasted: Bool { last.map { $0 - since >= Self.onset } ?? false }
}
