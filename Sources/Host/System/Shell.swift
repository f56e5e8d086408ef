import CLinux

/// Commands of the system that a person has agreed to.
package enum Shell {
  /// As a person would type it: with sudo, unless root asks.
  package static func written(_ line: String) -> String { geteuid() == 0 ? line : "sudo " + line }

  /// Returns whether it succeeded. What it prints goes where ours goes.
  package static func run(_ line: String) -> Bool {
    // SAFETY: the line is lent with its zero.
    unsafe line.withCString { unsafe linux_run($0) } == 0
  }
}
