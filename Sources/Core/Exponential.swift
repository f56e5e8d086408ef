// Powers and logarithms in plain arithmetic: the same bits on every machine, where the systems' own differ.

/// 2 to the power of `x`, to 2 parts in 10⁹: a polynomial on half an octave either way; the rest goes into the exponent's bits.
@inline(__always)
package func exp2(_ x: Double) -> Double { x > -0.5 && x < 0.5 ? octaveFraction(x) : farExp2(x) }

@inline(never)
private func farExp2(_ x: Double) -> Double {
  let bounded = min(max(x, -1_000), 1_000)
  let octaves = Int(bounded < 0 ? bounded - 0.5 : bounded + 0.5)
  return octaveFraction(bounded - Double(octaves)) * Double(bitPattern: UInt64(octaves + 1_023) << 52)
}

private func octaveFraction(_ f: Double) -> Double {
  // Three parts, which a processor computes in parallel: every report waits for this.
  let square = f * f
  let low = 1 + f * 0.6931472028552
  let middle = 0.2402264791360 + f * 0.05550332470697
  let high = (0.009618437359528 + f * 0.001339887459371) + square * 0.0001535336181556
  return (low + square * middle) + (square * square) * high
}

/// `value` times 2 to the power of `x`, for `x` between −½ and 0, to 6 parts in 10⁶: enough for an average, and fast enough for every
/// packet. The processor computes what does not depend on `x` in parallel.
@inline(always)
func shrunken(_ value: Float, octaves x: Float) -> Float {
  (value + (value * 0.6929332587) * x) + (x * x) * (value * 0.2377258045 + (value * 0.04689445531) * x)
}

/// The logarithm to base 2 of a positive, normal number, to 4 parts in 10⁹. An odd series in (m - 1) / (m + 1) for the mantissa.
package func log2(_ x: Double) -> Double {
  precondition(x.isNormal && x > 0, "a logarithm is of a positive number")
  var octaves = Double(Int(x.bitPattern >> 52) - 1_023)
  var mantissa = Double(bitPattern: x.bitPattern & 0x000F_FFFF_FFFF_FFFF | 0x3FF0_0000_0000_0000)
  if mantissa >= 1.414_213_562_373_095 {
    mantissa /= 2
    octaves += 1
  }
  let s = (mantissa - 1) / (mantissa + 1)
  let q = s * s
  let upper = 0.577078016355585 + q * (0.412198583111132 + q * 0.320598897975325)
  return octaves + s * (2.885390081777927 + q * (0.961796693925976 + q * upper))
}

package func exp10(_ x: Double) -> Double { exp2(x * 3.321928094887362) }

package func log10(_ x: Double) -> Double { log2(x) * 0.3010299956639812 }

/// `min` and `max` in a single instruction, for numbers that are not NaN.
@inline(__always) func smaller<Number: Comparable>(_ a: Number, _ b: Number) -> Number { a < b ? a : b }
@inline(__always) func larger<Number: Comparable>(_ a: Number, _ b: Number) -> Number { a > b ? a : b }

/// Exact for a whole number below 2²² either way. The usual conversion would wait for its register's old value, which belongs to the packet
/// before.
@inline(always) func float(_ number: Int32) -> Float { Float(bitPattern: UInt32(bitPattern: 0x4B40_0000 &+ number)) - 0x1.8p23 }

// For the usual conversions 32-bit ARM calls a function that takes 64 bits, whatever the number's type. These give the same bits.
#if arch(arm)
  @inline(always) func float(_ number: Int8) -> Float { float(Int32(number)) }
  @inline(always) func float(_ number: UInt16) -> Float { float(Int32(number)) }
  @inline(always) func float(wide number: Int32) -> Float { float(halves: number) }
  @inline(always) func double(_ number: UInt16) -> Double { Double(float(number)) }
  @inline(always) func double(_ number: Int64) -> Double { double(halves: number) }
#else
  @inline(always) func float(_ number: Int8) -> Float { Float(number) }
  @inline(always) func float(_ number: UInt16) -> Float { Float(number) }
  @inline(always) func float(wide number: Int32) -> Float { Float(number) }
  @inline(always) func double(_ number: UInt16) -> Double { Double(number) }
  @inline(always) func double(_ number: Int64) -> Double { Double(number) }
#endif

/// Rounded once.
@inline(always) func float(halves number: Int32) -> Float { float(number >> 16) * 65_536 + float(number & 0xFFFF) }
@inline(always) func double(halves number: Int64) -> Double {
  // Each half is the low part of a mantissa: with 2⁸⁴ and 2⁶³ for its sign, and with 2⁵².
  let (high, low) = (UInt64(bitPattern: number) >> 32, UInt64(bitPattern: number) & 0xFFFF_FFFF)
  return (Double(bitPattern: 0x4530_0000_8000_0000 ^ high) - 0x1.00000801p84) + Double(bitPattern: 0x4330_0000_0000_0000 | low)
}
