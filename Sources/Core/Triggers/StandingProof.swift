/// How long a device has certainly stood here, and its highest level meanwhile: what a visit teaches of its power.
struct StandingProof: BitwiseCopyable {
  private var certain: Float = 0
  private var highest = Decibels(-200)

  private static let seconds: Float = 5

  /// The level of a device that has certainly stood here long enough, returned once.
  mutating func stand(_ level: Decibels, for elapsed: Interval) -> Decibels? {
    guard certain < Self.seconds else { return nil }
    certain += Float(elapsed.seconds)
    highest = max(highest, level)
    return certain >= Self.seconds ? highest : nil
  }
}
