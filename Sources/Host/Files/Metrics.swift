import CLinux
package import Core

/// The figures as a file for Prometheus's node exporter (its textfile collector): no port is opened for it.
package enum Metrics {
  /// The file is replaced as a whole: a reader never sees half of it. False when it cannot be written.
  package static func write(_ text: [UInt8], to path: String) -> Bool {
    guard let file = try? NewFile(creating: path, .own) else { return false }
    file.write(text)
    return file.keep() == 0
  }

  package static func text(_ telemetry: Telemetry, site: Name, gateway: Name) -> [UInt8] {
    var text: [UInt8] = []
    func line(_ name: StaticString, _ type: StaticString, _ suffix: StaticString, _ value: Text<32>) {
      var words = Text<255>("# TYPE forecourt_")
      words.append(name)
      words.append(suffix)
      words.append(type)
      words.append("\nforecourt_")
      words.append(name)
      words.append(suffix)
      words.append("{site=\"")
      words.append(escaping: site.bytes)
      words.append("\",gateway=\"")
      words.append(escaping: gateway.bytes)
      words.append("\"} ")
      words.append(value)
      words.append("\n")
      for index in 0..<words.count { text.append(words[index]) }
    }
    telemetry.read(
      { name, count in
        var value = Text<32>()
        value.append(decimal: count)
        // Memory goes up and down, but is too large for the precision of a gauge.
        let isLevel = Name(name) == Name("memory_bytes")
        line(name, isLevel ? " gauge" : " counter", isLevel ? "" : "_total", value)
      },
      { name, level, places in
        var value = Text<32>()
        value.append(number: level, places: places)
        line(name, " gauge", "", value)
      })
    return text
  }
}

/// What the process has used.
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
