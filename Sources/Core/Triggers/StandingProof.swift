/// How long a device has certainly stood here, and its highest level meanwhile: what a visit teaches of its power.
struct StandingProof: BitwiseCopyable {
  private var certain: Float = 0
  private var highest = Decibels(-200)

  private static let seconds: Float = 5

  var isComplete: Bool { certain >= Self.seconds }

  /// The level of a device that has certainly stood here long enough, when that is complete.
  mutating func stand(_ level: Decibels, for elapsed: Interval) -> Decibels? {
    certain += Float(elapsed.seconds)
    highest = max(highest, level)
    return isComplete ? highest : nil
  }
}
