// Double arithmetic with the same bits on every machine. The C library's functions differ in the last digit from board to board, and one
// digit is another advert heard, another message, another table.

enum Arithmetic {
  static let ln2 = 0.693147180559945309417
  /// dB per doubling: 10 log10(2).
  static let decibelsPerOctave = 3.01029995663981195214

  /// For positive, normal numbers.
  static func log2(_ x: Double) -> Double {
    var exponent = Int64(x.bitPattern >> 52 & 0x7FF) - 1023
    var mantissa = Double(bitPattern: x.bitPattern & 0x000F_FFFF_FFFF_FFFF | 0x3FF0_0000_0000_0000)
    if mantissa > 1.41421356237309504880 {
      mantissa *= 0.5
      exponent += 1
    }
    // ln m = 2 artanh s, and |s| < 0.172 here: ten terms leave less than 1e-17.
    let s = (mantissa - 1) / (mantissa + 1)
    let square = s * s
    var sum = 0.0
    var divisor = 19.0
    while divisor > 0 {
      sum = sum * square + 1 / divisor
      divisor -= 2
    }
    return Double(exponent) + 2 * s * sum / ln2
  }

  /// Zero below -1000; meant for powers up to 1000.
  static func exp2(_ x: Double) -> Double {
    guard x > -1000 else { return 0 }
    precondition(x < 1000, "a power of two beyond what a simulation meets")
    let whole = Int64(x < 0 ? x - 0.5 : x + 0.5)
    let y = (x - Double(whole)) * ln2
    // |y| < 0.347: fourteen terms of the exponential series leave less than 1e-17.
    var sum = 1.0
    var term = 14.0
    while term > 0 {
      sum = 1 + sum * y / term
      term -= 1
    }
    return sum * Double(bitPattern: UInt64(whole + 1023) << 52)
  }

  static func ln(_ x: Double) -> Double { log2(x) * ln2 }
  static func exp(_ x: Double) -> Double { exp2(x / ln2) }
  static func decibels(ofRatio ratio: Double) -> Double { decibelsPerOctave * log2(ratio) }

  /// To the nearest, halves away from zero.
  static func rounded(_ x: Double) -> Int64 { Int64(x < 0 ? x - 0.5 : x + 0.5) }
}
