/// Whether the controller's events make sense. Ten seconds with as many impossible events as possible ones mean a line or a controller that
/// cannot be relied on, whatever still gets through.
struct NoiseDetector: BitwiseCopyable, Sendable {
  private var start = Instant.zero
  private var sense = 0
  private var nonsense = 0

  private static let window = Interval.seconds(10)
  /// Fewer bad packets are only a bad cable.
  private static let enough = 5

  /// The verdict of the window that ends with this event; nil when none ends.
  mutating func observe(_ makesSense: Bool, at now: Instant) -> Bool? {
    if makesSense { sense += 1 } else { nonsense += 1 }
    guard now - start >= Self.window else { return nil }
    let isBabble = nonsense >= Self.enough && nonsense >= sense
    self = NoiseDetector()
    start = now
    return isBabble
  }
}
