package import Core

/// How long to wait before connecting again: from half a second, doubling up to a quarter of a minute, for a fire waits a minute at most;
/// with jitter, so that a site's gateways do not all come back at once.
package struct Backoff {
  private static let shortest: Int64 = 500_000
  private static let longest: Int64 = 15_000_000

  private var ceiling = shortest
  private var random: SplitMix64

  package init(seed: UInt64) { random = SplitMix64(state: seed) }

  package mutating func next() -> Interval {
    defer { ceiling = min(ceiling * 2, Self.longest) }
    let least = max(ceiling / 2, Self.shortest)
    return Interval(microseconds: least + Int64(random.next() % UInt64(ceiling - least + 1)))
  }

  package mutating func reset() { ceiling = Self.shortest }
}
