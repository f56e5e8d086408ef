import Core

/// Random numbers that are the same on every machine. Every phone, and every pair of a phone and a gateway, has a stream of its own:
/// one more bystander changes nothing for the others.
package struct Random: BitwiseCopyable, Sendable {
  private var words: SplitMix64
  private var spare = 0.0
  private var hasSpare = false

  package init(seed: UInt64, _ kind: UInt64 = 0, _ index: Int = 0) {
    var mix = SplitMix64(state: seed)
    mix.state ^= mix.next() ^ kind &* 0xD6E8_FEB8_6659_FD93
    mix.state ^= mix.next() ^ UInt64(truncatingIfNeeded: index) &* 0xA076_1D64_78BD_642F
    words = SplitMix64(state: mix.next())
  }

  package mutating func next() -> UInt64 { words.next() }

  /// From zero to just below one.
  package mutating func fraction() -> Double { Double(next() >> 11) * 0x1p-53 }

  package mutating func between(_ low: Double, _ high: Double) -> Double { low + (high - low) * fraction() }

  package mutating func happens(_ probability: Double) -> Bool { fraction() < probability }

  /// Mean 0, deviation 1: Marsaglia's polar method, whose tails are whole.
  package mutating func normal() -> Double {
    if hasSpare {
      hasSpare = false
      return spare
    }
    while true {
      let u = 2 * fraction() - 1
      let v = 2 * fraction() - 1
      let s = u * u + v * v
      guard s > 0, s < 1 else { continue }
      let factor = (-2 * Arithmetic.ln(s) / s).squareRoot()
      spare = v * factor
      hasSpare = true
      return u * factor
    }
  }
}
