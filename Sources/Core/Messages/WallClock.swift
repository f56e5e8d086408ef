/// What the monotonic clock means in calendar time. A board without a battery may not know until the network tells it.
package struct WallClock: BitwiseCopyable, Sendable {
  package var started: Instant
  /// Microseconds since 1970 at `Instant.zero`; nil while the system's clock is not set.
  package var epoch: Int64?

  package init(started: Instant, epoch: Int64?) {
    self.started = started
    self.epoch = epoch
  }

  /// More than a clock is corrected by in passing.
  func steps(to other: Int64?) -> Bool {
    guard let epoch, let other else { return epoch != other }
    return (other - epoch).magnitude >= 1_000_000
  }

  package func uptime(at now: Instant) -> Interval { now - started }

  /// Seconds since 1970; nil while the clock is not set.
  package func unixTime(at now: Instant) -> Int64? { epoch.map { ($0 &+ now.microseconds) / 1_000_000 } }

  /// The number of the day, for what changes daily; nil while the clock is not set.
  package func day(at now: Instant) -> Int64? {
    epoch.map { Self.floored($0 &+ now.microseconds, by: Self.microsecondsPerDay).quotient }
  }

  /// RFC 3339 with milliseconds, in UTC, quoted; or `null`, also outside the years 0000 to 9999, which it cannot say.
  package func write<let capacity: Int>(_ moment: Instant, to text: inout Text<capacity>) {
    let unix = epoch.map { $0 &+ moment.microseconds }
    guard let unix, unix >= -62_167_219_200_000_000, unix < 253_402_300_800_000_000 else { return text.append("null") }
    let (days, rest) = Self.floored(unix, by: Self.microsecondsPerDay)
    let (year, month, day) = Self.civil(days)
    text.append(byte: UInt8(ascii: "\""))
    text.append(year, digits: 4)
    text.append(byte: UInt8(ascii: "-"))
    text.append(month, digits: 2)
    text.append(byte: UInt8(ascii: "-"))
    text.append(day, digits: 2)
    text.append(byte: UInt8(ascii: "T"))
    text.append(rest / 3_600_000_000, digits: 2)
    text.append(byte: UInt8(ascii: ":"))
    text.append(rest / 60_000_000 % 60, digits: 2)
    text.append(byte: UInt8(ascii: ":"))
    text.append(rest / 1_000_000 % 60, digits: 2)
    text.append(byte: UInt8(ascii: "."))
    text.append(rest / 1_000 % 1_000, digits: 3)
    text.append("Z\"")
  }

  private static let microsecondsPerDay: Int64 = 86_400_000_000

  private static func floored(_ value: Int64, by divisor: Int64) -> (quotient: Int64, remainder: Int64) {
    let (quotient, remainder) = (value / divisor, value % divisor)
    return remainder < 0 ? (quotient - 1, remainder + divisor) : (quotient, remainder)
  }

  /// The Gregorian date of a day counted from 1970. Years start in March, so that the leap day comes last.
  private static func civil(_ days: Int64) -> (year: Int64, month: Int64, day: Int64) {
    let (era, dayOfEra) = floored(days + 719_468, by: 146_097)
    let yearOfEra = (dayOfEra - dayOfEra / 1_460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
    let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
    let shifted = (5 * dayOfYear + 2) / 153
    let month = shifted < 10 ? shifted + 3 : shifted - 9
    return (era * 400 + yearOfEra + (month <= 2 ? 1 : 0), month, dayOfYear - (153 * shifted + 2) / 5 + 1)
  }
}

extension Text {
  fileprivate mutating func append(_ value: Int64, digits: Int) {
    var scale: Int64 = 1
    for _ in 1..<digits { scale *= 10 }
    while scale > 0 {
      append(byte: UInt8(ascii: "0") + UInt8(truncatingIfNeeded: value / scale % 10))
      scale /= 10
    }
  }
}
