import CLinux
package import Core

/// What nobody can foresee.
package enum SystemRandom {
  package static func word() -> UInt64 {
    var word: UInt64 = 0
    // SAFETY: eight bytes that are ours. So few are never refused or given in part.
    _ = unsafe getrandom(&word, 8, 0)
    return word
  }

  /// Tells this run from every other: 64 random bits in hexadecimal, the first half of every event id.
  ///
  /// A counter would have to survive whatever happens to the disk; with chance, a fleet of a million gateways that start once a
  /// day would see two alike once in a thousand years.
  package static func boot() -> Text<16> {
    let word = word()
    var text = Text<16>()
    for byte in 0..<8 { text.append(hex: UInt8(truncatingIfNeeded: word >> UInt64(56 - byte * 8))) }
    return text
  }
}
