/// How many events one identity, one region, one trigger may cause: a thousand invented beacons a second must not fill the disk and the
/// broker. The start and the end of a visit at a pump are never limited.
package struct RateLimits: BitwiseCopyable {
  package enum Place: BitwiseCopyable {
    case region(Int)
    case trigger(Int)
  }

  /// A bus full of phones at once; in the long run more than any site has visitors.
  private var regions = InlineArray<64, TokenBucket>(repeating: TokenBucket(burst: 256, pace: .milliseconds(200)))
  private var triggers = InlineArray<64, TokenBucket>(repeating: TokenBucket(burst: 64, pace: .seconds(1)))
  /// Identities with the same hash share a place.
  private var identities = InlineArray<512, TokenBucket>(repeating: TokenBucket(burst: Limits.eventsOfOne, pace: .seconds(5)))
  private let seed: UInt64

  init(seed: UInt64) { self.seed = seed }

  mutating func allow(_ identity: Identity, at place: Place, _ now: Instant) -> Bool {
    guard identities[Int(identity.hash(seed: seed) % 512)].take(at: now) else { return false }
    switch place {
    case .region(let number): return regions[number].take(at: now)
    case .trigger(let number): return triggers[number].take(at: now)
    }
  }

  /// Regions and triggers have new numbers.
  mutating func reset() { self = RateLimits(seed: seed) }
}
