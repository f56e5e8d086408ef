/// A moment on one monotonic clock, in microseconds. Core receives the time; it never reads a clock.
package struct Instant: Comparable, Hashable, Sendable, BitwiseCopyable {
  package var microseconds: Int64

  package init(microseconds: Int64) { self.microseconds = microseconds }

  package static let zero = Instant(microseconds: 0)
  package static let never = Instant(microseconds: .max)

  package static func < (a: Self, b: Self) -> Bool { a.microseconds < b.microseconds }
  package static func - (a: Self, b: Self) -> Interval { Interval(microseconds: a.microseconds &- b.microseconds) }
  package static func - (a: Self, b: Interval) -> Self { Self(microseconds: a.microseconds &- b.microseconds) }

  /// Whether another second, of 2²⁰ µs, has begun: often enough to update the order of the tables, and cheaper than at every packet.
  package func isLaterSecond(than other: Instant) -> Bool { microseconds >> 20 != other.microseconds >> 20 }

  /// `never` plus anything is `never`.
  package static func + (a: Self, b: Interval) -> Self {
    let (sum, overflow) = a.microseconds.addingReportingOverflow(b.microseconds)
    return overflow ? (b.microseconds > 0 ? .never : .zero) : Self(microseconds: sum)
  }
}

/// A span of time, in microseconds.
package struct Interval: Comparable, Hashable, Sendable, BitwiseCopyable {
  package var microseconds: Int64

  package init(microseconds: Int64) { self.microseconds = microseconds }

  package static let zero = Interval(microseconds: 0)
  package static func milliseconds(_ count: Int64) -> Self { Self(microseconds: count * 1_000) }
  /// `rounded()` would call libm.
  package static func seconds(_ count: Double) -> Self { Self(microseconds: Int64(count * 1e6 + (count < 0 ? -0.5 : 0.5))) }
  package static func hours(_ count: Int64) -> Self { Self(microseconds: count * 3_600_000_000) }

  package var seconds: Double { double(microseconds) * 1e-6 }
  /// Microseconds in 32 bits, half an hour at most: every packet needs them.
  @inline(always) var brief: Float { float(wide: Int32(truncatingIfNeeded: smaller(microseconds, 2_000_000_000))) }
  package static func < (a: Self, b: Self) -> Bool { a.microseconds < b.microseconds }
  package static func + (a: Self, b: Self) -> Self { Self(microseconds: a.microseconds + b.microseconds) }
  package static func - (a: Self, b: Self) -> Self { Self(microseconds: a.microseconds - b.microseconds) }
  package static func * (a: Self, b: Int64) -> Self { Self(microseconds: a.microseconds * b) }
}

/// A level (dBm) or a difference of levels (dB): the arithmetic is the same, and the value's name says which it is.
package struct Decibels: Comparable, Sendable, BitwiseCopyable {
  package var value: Float

  package init(_ value: Float) { self.value = value }

  package static func < (a: Self, b: Self) -> Bool { a.value < b.value }
  package static func + (a: Self, b: Self) -> Self { Self(a.value + b.value) }
  package static func - (a: Self, b: Self) -> Self { Self(a.value - b.value) }
  package static prefix func - (a: Self) -> Self { Self(-a.value) }
}

package struct Meters: Comparable, Sendable, BitwiseCopyable {
  package var value: Float

  package init(_ value: Float) { self.value = value }

  package static func < (a: Self, b: Self) -> Bool { a.value < b.value }
}
