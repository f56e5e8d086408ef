import CLinux
package import Core

/// The system's random numbers.
package enum SystemRandom {
  package static func word() -> UInt64 {
    var word: UInt64 = 0
    // SAFETY: eight bytes that are ours. getrandom never fails for so few.
    _ = unsafe getrandom(&word, 8, 0)
    return word
  }

  /// Identifies this run: 64 random bits in hexadecimal, the first half of every event id.
  ///
  /// A counter would have to survive any failure of the disk; with random bits, a fleet of a million gateways that start once a day sees a
  /// collision about once in a thousand years.
  package static func boot() -> Text<16> {
    let word = word()
    var text = Text<16>()
    for byte in 0..<8 { text.append(hex: UInt8(truncatingIfNeeded: word >> UInt64(56 - byte * 8))) }
    return text
  }
}
