import CLinux
package import Core

/// The processor time and memory of this process.
package struct Usage: BitwiseCopyable, Sendable {
  package var processor = Interval.zero
  package var memoryBytes: Int64 = 0

  package static func now() -> Usage {
    var (used, usage) = (Usage(), rusage())
    // SAFETY: the call fills the structure, which is ours.
    unsafe getrusage(CInt(RUSAGE_SELF.rawValue), &usage)
    let times = (usage.ru_utime, usage.ru_stime)
    used.processor = Interval(
      microseconds: Int64(times.0.tv_sec + times.1.tv_sec) * 1_000_000 + Int64(times.0.tv_usec) + Int64(times.1.tv_usec))
    used.memoryBytes = residentPages() * Int64(sysconf(CInt(_SC_PAGESIZE)))
    return used
  }

  /// The second number of /proc/self/statm.
  private static func residentPages() -> Int64 {
    var (pages, spaces): (Int64, Int) = (0, 0)
    for byte in (try? File(reading: "/proc/self/statm", atMost: 256))?.bytes ?? [] {
      if byte == UInt8(ascii: " ") { spaces += 1 } else if spaces == 1 { pages = pages * 10 + Int64(byte &- UInt8(ascii: "0")) }
    }
    return pages
  }
}
