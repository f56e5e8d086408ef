/// Counts for cost.sh: one function that does nothing but call the average, on a signal made beforehand.
@main enum Cost {
  static func main() {
    let packets = 100_000
    let jumps = CommandLine.arguments.contains("jumps")
    var state: UInt64 = 1
    var levels = [Int8]()
    for i in 0..<packets {
      var sum = 0.0
      for _ in 0..<12 {
        state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
        sum += Double(state >> 40) / Double(1 << 24) - 0.5
      }
      levels.append(Int8(-70 + 5 * sum) - (jumps && i / 50 % 2 == 1 ? 20 : 0))
    }
    var average = Average()
    feed(&average, levels)
    print(average.level.value, average.doubt.value)
  }

  @inline(never) static func feed(_ average: inout Average, _ levels: [Int8]) {
    let settings = AverageSettings()
    var now = Instant.zero
    for level in levels {
      now = now + .milliseconds(103)
      average.observe(level, at: now, settings)
    }
  }
}
