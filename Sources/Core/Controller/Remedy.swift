/// The remedies for a deaf radio, the cheapest first.
package enum Remedy: UInt8, BitwiseCopyable, Sendable {
  /// Scanning off and on again: a few milliseconds of deafness.
  case rescan
  /// HCI Reset and the whole bring-up: a tenth of a second; connections and advertising end.
  case reset
  /// The line closed and opened again, like unplugging.
  case reopen
}

/// What to do about silence, and when: often soon after an advert, ever more rarely later.
///
/// After a lively past: rescan, reset, reopen. From then on the radio is degraded, with a rescan every four seconds, a reset every fifth
/// time and a reopening every fifteenth. After any other past: rescan, with a reset the second and every sixth time and a reopening every
/// sixtieth. Ten minutes (lively) or two minutes after the last advert the pauses grow with the silence, to five minutes at most. Only an
/// advert ends the fault of a radio that fell silent after a lively past, whatever else fails and is cured meanwhile; after any other the
/// radio counts as quiet.
struct Silence: BitwiseCopyable, Sendable {
  /// Since the last advert.
  private(set) var tries = 0
  /// When listening began or resumed.
  private var since = Instant.zero

  private static let pause = Interval.seconds(4)
  private static let longestPause = Interval.seconds(300)
  /// From then on the radio counts as quiet.
  private static let quiet = Interval.seconds(300)
  /// So long everything is tried at once.
  private static let alarm = Interval.seconds(600)
  private static let concern = Interval.seconds(120)

  mutating func ended() { tries = 0 }
  mutating func listening(since now: Instant) { since = now }

  /// Since when nothing was heard, or the last remedy.
  func start(_ hearing: SilenceDetector) -> Instant { tries == 0 ? max(since, hearing.last) : since }

  /// Whether the radio must be at fault: a lively past ended minutes ago.
  func isAlarming(_ hearing: SilenceDetector, at now: Instant) -> Bool { hearing.isLively && now - hearing.last < Self.alarm }

  func isQuiet(_ hearing: SilenceDetector, at now: Instant) -> Bool { now - hearing.last >= Self.quiet && !isAlarming(hearing, at: now) }

  /// When to act, unless something is heard.
  func deadline(_ hearing: SilenceDetector) -> Instant {
    if tries == 0 { return start(hearing) + hearing.patience }
    let age = since - hearing.last
    if isAlarming(hearing, at: since) { return since + Self.pause }
    if age < Self.concern { return since + max(Self.pause, hearing.patience) }
    return since + min(Interval(microseconds: age.microseconds / 8), Self.longestPause)
  }

  mutating func remedy(_ hearing: SilenceDetector, isShared: Bool, at now: Instant) -> Remedy {
    tries += 1
    if isAlarming(hearing, at: now) {
      if tries == 3 || tries % 15 == 0 { return .reopen }
      return tries == 2 || tries % 5 == 0 ? .reset : .rescan
    }
    if tries % 60 == 0 { return .reopen }
    // A shared adapter must not be reset because a yard is empty.
    return (tries == 2 || tries % 6 == 0) && !isShared ? .reset : .rescan
  }
}
