import Core
import Host

/// Tells when nothing has synchronised the machine's clock: the times in events may be wrong then, by hours on a board without a clock chip.
struct ClockWatch {
  private(set) var isUnsynchronised = false
  /// nil: nobody can say. `check` tells what to do about that.
  var trust: () -> Bool? = { Clock.trust }
  private var due: Instant?

  /// At a start the time server has not answered yet.
  private static let patience = Interval.seconds(120)
  private static let pace = Interval.seconds(60)

  /// Returns the log's words when that is news.
  mutating func turned(at now: Instant) -> (level: LogSettings.Level, sentence: String)? {
    guard let due else {
      self.due = now + Self.patience
      return nil
    }
    guard now >= due else { return nil }
    self.due = now + Self.pace
    guard let isTrusted = trust(), isTrusted == isUnsynchronised else { return nil }
    isUnsynchronised = !isTrusted
    if isTrusted { return (.info, "the clock is synchronised") }
    return (
      .warning,
      "nothing has synchronised the clock: the times in events may be wrong, so that subscribers refuse a fire, or take an old one; events of "
        + "before a power cut wait: timedatectl set-ntp true; forecourt check tells more"
    )
  }
}
