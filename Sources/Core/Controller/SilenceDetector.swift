/// How lively the recent past was, and what a silence means after it.
///
/// Silence alone proves nothing: a yard at night is silent. One device falls silent because it leaves; four or more, heard for a minute
/// without a pause, do not all leave between two adverts. So silence after a *lively* past is the radio's fault until it hears again.
/// Silence after any other past leads to a rescan, which costs a few milliseconds, ever more rarely.
package struct SilenceDetector: BitwiseCopyable, Sendable {
  /// The last advert, or the start of listening.
  private(set) var last = Instant.zero
  private var windowBegan = Instant.zero
  private var reports = 0
  /// One bit for each of 64 classes of addresses heard in this window, and in the one before.
  private var present: UInt64 = 0
  private var before: UInt64 = 0
  /// How many windows in a row were crowded.
  private var crowdedWindows = 0
  /// Reports a second, averaged over about eight windows of listening.
  package private(set) var rate: Float = 0
  private var windows = 0

  static let window = Interval.seconds(4)
  static let crowd = 4
  /// A minute of crowded windows makes a past lively.
  static let livelyWindows = 15

  package init() {}

  mutating func start(at now: Instant) {
    last = now
    windowBegan = now
  }

  /// A time without listening says nothing about who is there.
  mutating func resumed(at now: Instant) {
    guard now - windowBegan >= Self.window else { return }
    windowBegan = now
    reports = 0
  }

  mutating func observe(_ address: Address, at now: Instant) {
    if now - windowBegan >= Self.window { turn(at: now) }
    last = max(last, now)
    reports += 1
    // Fibonacci hashing: the top six bits of the product.
    present |= 1 << ((address.word &* 0x9E37_79B9_7F4A_7C15) >> 58)
  }

  /// So much was heard, from so many devices, that a sudden silence cannot be natural.
  var isLively: Bool { crowdedWindows >= Self.livelyWindows }

  /// When a silence becomes remarkable: five missed adverts, at least three seconds, at most five minutes.
  var patience: Interval {
    let expected = rate > 0 ? 5 / rate : 3
    return .seconds(Double(min(max(expected, 3), 300)))
  }

  private mutating func turn(at now: Instant) {
    let passed = (now - windowBegan).microseconds / Self.window.microseconds
    windows = min(windows + 1, 8)
    rate += (Float(reports) / Float(Self.window.seconds) - rate) / Float(windows)
    // A skipped window was silent.
    for _ in 1..<max(min(passed, 64), 2) where passed > 1 { rate *= 7 / 8 }
    crowdedWindows = passed == 1 && (present | before).nonzeroBitCount >= Self.crowd ? crowdedWindows + 1 : 0
    before = passed == 1 ? present : 0
    present = 0
    reports = 0
    windowBegan = windowBegan + Self.window * passed
  }
}
