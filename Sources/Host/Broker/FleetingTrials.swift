import Core

/// Which messages of the moment the broker forbids, where it ends the connection instead of an answer: no acknowledgement names them.
///
/// Once connections end again and again, the first message of each kind goes alone for a second. What ends two connections in a row is left
/// out, and tried again after a quarter of an hour.
struct FleetingTrials {
  /// The kinds that are left out.
  private(set) var leftOut = Troubles()
  private var retryDue = Instant.never
  private var trying: (kind: Troubles, until: Instant)?
  /// What this connection has survived.
  private var passed = Troubles()
  private var suspect = Troubles()
  /// How many connections in a row ended before they were old.
  private var losses = 0

  private static let alone = Interval.seconds(1)
  private static let patience = Interval.seconds(900)

  /// Nothing is looked for: any message may go.
  var isIdle: Bool { !isCareful && leftOut.isEmpty }
  /// Telemetry comes at most every ten minutes, so the connections that it ends may last as long.
  private var isCareful: Bool { losses >= 3 }

  mutating func allows(_ kind: Troubles, at now: Instant) -> Bool {
    if let tried = trying, now >= tried.until { pass(tried.kind) }
    if leftOut.contains(kind) {
      guard now >= retryDue else { return false }
    } else if !isCareful || passed.contains(kind) {
      return true
    }
    guard trying == nil else { return false }
    trying = (kind, now + Self.alone)
    return true
  }

  private mutating func pass(_ kind: Troubles) {
    trying = nil
    passed.insert(kind)
    leftOut.remove(kind)
  }

  func isTrying(at now: Instant) -> Bool { trying.map { now < $0.until } ?? false }

  /// The connection is lost. Returns what is left out because of that. `isTelling`: nothing else is known to end connections as soon.
  mutating func lose(after lived: Interval, isTelling: Bool, at now: Instant) -> Troubles? {
    let tried = isTrying(at: now) ? trying?.kind : nil
    (trying, passed) = (nil, [])
    losses = lived < Self.patience ? losses + 1 : 0
    guard let tried, isTelling || leftOut.contains(tried) else {
      suspect = []
      return nil
    }
    let isKnown = leftOut.contains(tried)
    guard isKnown || suspect == tried else {
      suspect = tried
      return nil
    }
    (suspect, losses, retryDue) = ([], 0, now + Self.patience)
    leftOut.insert(tried)
    return isKnown ? nil : tried
  }

  /// Somebody may have mended the access list.
  mutating func retry(at now: Instant) { retryDue = now }
}

extension Troubles {
  /// What of a message of the moment is left out, if the broker forbids it.
  static func ofForbidden(_ topic: RawSpan, _ topics: borrowing Topics) -> Troubles {
    var (site, own) = (Levels(topic), Levels(topic))
    if site.skip(topics.hellos.bytes) { return .noHellos }
    if site.skip(topics.claim.bytes) { return .noClaims }
    if topic.equals(topics.telemetry.bytes) { return .noTelemetry }
    _ = own.skip(topics.base.bytes)
    return own.rest.byteCount > 1 && own.rest[1] == UInt8(ascii: "p") ? .noProximity : .noRanging
  }
}
