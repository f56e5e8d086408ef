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
  /// Whether the time of day can be believed across a power cut: since the machine started somebody has synchronised it. A clock chip
  /// proves nothing: its battery may be empty, or was never there.
  fileprivate static var isTrusted: Bool {
    var state = timex()
    // SAFETY: with no modes set the call only fills the structure, which is ours.
    let answer = unsafe adjtimex(&state)
    if answer >= 0 { return answer != TIME_ERROR }
    // The unit lets nobody ask the kernel. What systemd-timesyncd writes at each synchronisation cannot be of the future, unless the clock
    // was put back since.
    return Files.written(Path("/run/systemd/timesync/synchronized")).map { $0 <= wallMicroseconds() } ?? false
  }
}
