import CLinux
import Core

extension Clock {
  /// Whether the time of day can be trusted across a power cut: it has been synchronised since the machine started. A clock chip proves
  /// nothing: its battery may be empty or missing.
  static var isTrusted: Bool {
    var state = timex()
    // SAFETY: with no modes set the call only fills the structure, which is ours.
    let answer = unsafe adjtimex(&state)
    if answer >= 0 { return answer != TIME_ERROR }
    // The unit may forbid adjtimex. systemd-timesyncd writes this file at each synchronisation; if its time is in the future, the clock was
    // set back since.
    return FileSystem.written(Path("/run/systemd/timesync/synchronized")).map { $0 <= wallMicroseconds() } ?? false
  }
}
