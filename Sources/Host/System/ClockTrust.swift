import CLinux
import Core

extension Clock {
  /// Whether the time of day can be trusted across a power cut: it has been synchronised since the machine started. A clock chip proves
  /// nothing: its battery may be empty or missing.
  static var isTrusted: Bool { trust ?? false }

  /// nil: the unit forbids to ask the kernel, and no systemd-timesyncd runs. So chrony or ntpd may have synchronised it, or nobody.
  package static var trust: Bool? {
    let answer = kernelsAnswer
    guard answer >= 0 || hasTimesyncd else { return nil }
    return isTrustworthy(answer, synchronised: FileSystem.written(synchronisations), now: wallMicroseconds())
  }

  /// Nobody but the kernel can tell.
  static var isTheKernels: Bool { mustAskKernel(kernelsAnswer, hasTimesyncd: hasTimesyncd, hasFile: FileSystem.exists(synchronisations)) }

  /// No systemd-timesyncd runs, whatever synchronises it now or later; or one does, and chrony or ntpd has synchronised it.
  static func mustAskKernel(_ answer: CInt, hasTimesyncd: Bool, hasFile: Bool) -> Bool {
    !hasTimesyncd || !hasFile && isTrustworthy(answer, synchronised: nil, now: 0)
  }

  private static var hasTimesyncd: Bool { FileSystem.isFolder(Path("/run/systemd/timesync")) }

  /// systemd-timesyncd writes this file at each synchronisation.
  private static var synchronisations: Path { Path("/run/systemd/timesync/synchronized") }

  private static var kernelsAnswer: CInt {
    var state = timex()
    // SAFETY: with no modes set the call only fills the structure, which is ours.
    return unsafe adjtimex(&state)
  }

  /// `answer` is adjtimex's, negative if the unit forbids it. A synchronisation in the future: the clock was set back since.
  static func isTrustworthy(_ answer: CInt, synchronised: @autoclosure () -> Int64?, now: Int64) -> Bool {
    if answer >= 0 { return answer != TIME_ERROR }
    return synchronised().map { $0 <= now } ?? false
  }
}
