import CLinux
import Host

/// `forecourt version`: the release and the architecture.
extension Command {
  static var version: Command {
    Command(
      name: "version", summary: "print the version and the architecture",
      description: [
        "Prints one line: the program's name, its release and commit, and the architecture."
      ],
      run: { invocation throws(Exit) in
        invocation.out.line("forecourt \(release) (\(architecture))")
      })
  }
}

/// The release and the commit.
var release: String {
  // SAFETY: a literal of the C door, terminated and never freed.
  unsafe String(cString: linux_version())
}

/// Debian's name for it.
private var architecture: String {
  #if arch(x86_64)
    "amd64"
  #elseif arch(arm64)
    "arm64"
  #elseif arch(arm)
    "armhf"
  #endif
}
