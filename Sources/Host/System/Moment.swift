import CLinux
package import Core

/// One moment on both clocks.
package struct Moment: BitwiseCopyable, Sendable {
  package var at: Instant
  package var wall: Int64?
  /// For tests; nil asks the machine.
  package var isTrusted: Bool?

  package init(at: Instant, wall: Int64?, isTrusted: Bool? = nil) {
    self.at = at
    self.wall = wall
    self.isTrusted = isTrusted
  }

  package static func now() -> Moment { Moment(at: Clock.now(), wall: Clock.wall()) }

  var trustedWall: Int64? { isTrusted ?? Clock.isTrusted ? wall : nil }
}

extension Clock {
  /// Whether the time of day can be trusted across a power cut: it has been synchronised since the machine started. A clock chip proves
  /// nothing: its battery may be empty or missing.
  fileprivate static var isTrusted: Bool {
    var state = timex()
    // SAFETY: with no modes set the call only fills the structure, which is ours.
    let answer = unsafe adjtimex(&state)
    if answer >= 0 { return answer != TIME_ERROR }
    // The unit may forbid adjtimex. systemd-timesyncd writes this file at each synchronisation; if its time is in the future, the clock was
    // set back since.
    return FileSystem.written(Path("/run/systemd/timesync/synchronized")).map { $0 <= wallMicroseconds() } ?? false
  }
}
