import Core

/// Events that wait under another name than this gateway's own. Whoever renames a gateway has its next run end there the visits that the last
/// one began there, and the broker's access list may know the new name only. Nobody mends that list for them: they expire an hour after the
/// broker first forbade one. What it forbids under our own name waits: there the list is wrong.
struct FormerNames {
  private static let patience = Interval.hours(1)

  /// What our own topics begin with.
  private var own = Topic()
  private var forbiddenSince = Instant.never
  /// Said of this topic last.
  private var said: UInt64?

  init(_ settings: CourierSettings) { reload(settings) }

  mutating func reload(_ settings: CourierSettings) {
    let base = settings.topics.base
    own = Topic(base.bytes)
    own.append(byte: UInt8(ascii: "/"))
  }

  func have(_ topic: Topic) -> Bool {
    topic.count < own.count || !topic.bytes.extracting(first: own.count).equals(own.bytes)
  }

  /// Of an event under another name, which the broker has forbidden.
  mutating func isOver(at now: Instant) -> Bool {
    forbiddenSince = min(forbiddenSince, now)
    return now - forbiddenSince >= Self.patience
  }

  /// The broker takes what it refused.
  mutating func forgive() { forbiddenSince = .never }

  /// Whether to say it: of many events of one topic once.
  mutating func isNews(_ topic: Topic) -> Bool {
    defer { said = topic.hash }
    return said != topic.hash
  }
}
