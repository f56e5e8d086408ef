/// Whether what the line brings makes sense: events that no controller sends, as many as those that one does, for ten seconds, are a line
/// or a controller on which nobody should rely, whatever else may get through.
struct Babble: BitwiseCopyable, Sendable {
  private var start = Instant.zero
  private var sense = 0
  private var nonsense = 0

  private static let window = Interval.seconds(10)
  /// A bad packet now and then is a bad cable.
  private static let enough = 5

  /// What the window that ends with this event says; nil where none ends.
  mutating func observe(_ makesSense: Bool, at now: Instant) -> Bool? {
    if makesSense { sense += 1 } else { nonsense += 1 }
    guard now - start >= Self.window else { return nil }
    let isBabble = nonsense >= Self.enough && nonsense >= sense
    self = Babble()
    start = now
    return isBabble
  }
}
