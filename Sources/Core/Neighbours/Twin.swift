/// Another gateway with our site and name, as a copied card makes one: what comes in our own name, of another run than ours.
struct Twin: BitwiseCopyable {
  private var since = Instant.zero
  private var last: Instant?

  /// One sign alone may be left of our own run before: a broker that was restored brings an old status once.
  private static let onset = Interval.seconds(3)
  /// The two take the connection from each other at least every half minute.
  private static let memory = Interval.seconds(120)

  mutating func suspect(at now: Instant) {
    if last.map({ now - $0 > Self.memory }) ?? true { since = now }
    last = now
  }

  func isThere(at now: Instant) -> Bool { last.map { now - $0 <= Self.memory && $0 - since >= Self.onset } ?? false }
}
