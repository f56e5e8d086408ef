package import Core

/// How long to wait before connecting again: from half a second, doubling up to a minute, with jitter so that a site's gateways do not
/// all come back at once.
package struct Backoff {
  private static let shortest: Int64 = 500_000
  private static let longest: Int64 = 60_000_000

  private var ceiling = shortest
  private var state: UInt64

  package init(seed: UInt64) { state = seed }

  package mutating func next() -> Interval {
    defer { ceiling = min(ceiling * 2, Self.longest) }
    let least = max(ceiling / 2, Self.shortest)
    return Interval(microseconds: least + Int64(random() % UInt64(ceiling - least + 1)))
  }

  package mutating func reset() { ceiling = Self.shortest }

  /// SplitMix64.
  private mutating func random() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var z = state
    z = (z ^ (z >> 30)) &* 0xBF58_476D_1CE4_E5B9
    z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
    return z ^ (z >> 31)
  }
}
