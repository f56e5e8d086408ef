/// The last `Limits.windowSamples` levels of one device at one radio, in dBm.
struct LevelRing: BitwiseCopyable {
  private var levels = InlineArray<16, Int8>(repeating: 0)
  private var next: UInt8 = 0

  mutating func append(_ level: Int8) {
    levels[Int(next & 15)] = level
    next &+= 1
  }

  /// `age` counts packets: 0 is the newest.
  subscript(age: Int) -> Float { float(levels[(Int(next) + 15 - age) & 15]) }

  /// The mean of the two middle ones when `count` is even.
  func median(ofLast count: Int) -> Float {
    precondition(1...Limits.windowSamples ~= count, "a median of more levels than there are")
    var sorted = InlineArray<16, Int8>(repeating: 0)
    for age in 0..<count {
      let level = levels[(Int(next) + 15 - age) & 15]
      var place = age
      while place > 0, sorted[place - 1] > level {
        sorted[place] = sorted[place - 1]
        place -= 1
      }
      sorted[place] = level
    }
    return (float(sorted[(count - 1) / 2]) + float(sorted[count / 2])) / 2
  }
}
