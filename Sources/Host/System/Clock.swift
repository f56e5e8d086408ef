import CLinux
package import Core

/// The machine's clocks. Core never reads them.
package enum Clock {
  /// Since the machine started, sleep included.
  package static func now() -> Instant { Instant(microseconds: microseconds(CLOCK_BOOTTIME)) }

  /// Unix time; nil if the clock is obviously not set.
  package static func wall() -> Int64? {
    let time = microseconds(CLOCK_REALTIME)
    return time < earliest ? nil : time
  }

  /// Unix time at `Instant.zero`, by what both clocks say now; nil if the wall clock is obviously not set.
  package static func epoch(at now: Instant = Clock.now()) -> Int64? { wall().map { $0 - now.microseconds } }

  /// A board without a battery starts in 1970, or at its file system's last time. This moment is before any release.
  private static let earliest: Int64 = 1_767_225_600_000_000

  /// Unix time even if the clock is not set: to compare with other moments on the same clock.
  static func wallMicroseconds() -> Int64 { microseconds(CLOCK_REALTIME) }

  private static func microseconds(_ clock: clockid_t) -> Int64 {
    var time = timespec()
    // SAFETY: the call fills the structure, which is ours.
    unsafe clock_gettime(clock, &time)
    return Int64(time.tv_sec) * 1_000_000 + Int64(time.tv_nsec) / 1_000
  }
}
