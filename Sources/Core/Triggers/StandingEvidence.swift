/// For how many seconds a device has stood here by the evidence, at most `dwell_s`: however long it has stood, doubt takes effect at once.
struct StandingEvidence: BitwiseCopyable {
  /// Time counts in full when the level is clear, in part when it is doubtful, and negatively when the level speaks against.
  private(set) var seconds: Float = 0
  /// The same by what the pattern showed in the last seconds.
  private var settled: Float = 0
  /// What a second of the last sample counted.
  private var weight: Float = -1

  /// A sample answers alone for so many seconds before it; for the rest the one before must agree. Otherwise one loud packet would make a
  /// device fire that sends one a second.
  private static let alone: Float = 0.2

  mutating func gather(_ evidence: TriggerEvidence, after elapsed: Interval, dwell: Interval) {
    let (elapsed, whole, before) = (Float(elapsed.seconds), Float(dwell.seconds), weight)
    weight = evidence.weight
    let gained = weight * elapsed + min(before - weight, 0) * max(elapsed - Self.alone, 0)
    seconds = min(max(seconds + gained, 0), whole)
    guard evidence.pattern != nil else { return }
    settled = min(max(settled + evidence.settledWeight * elapsed, 0), PatternVerdict.settledSeconds)
    if settled == PatternVerdict.settledSeconds { seconds = whole }
  }

  /// A sample came from where nothing is gathered.
  mutating func interrupt() { weight = -1 }
}
