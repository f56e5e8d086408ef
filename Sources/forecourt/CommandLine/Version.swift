import CLinux

extension Command {
  static var version: Command {
    Command(
      name: "version", summary: "print the version and the architecture",
      description: [
        "Prints one line: the program's name, the release with the commit it was built from, and the architecture it was built for."
      ],
      run: { invocation throws(Exit) in
        invocation.out.line("forecourt \(release) (\(architecture))")
      })
  }
}

/// The release and the commit.
var release: String {
  // SAFETY: a literal of the C door, terminated and there for ever.
  unsafe String(cString: linux_version())
}

/// As Debian calls it.
private var architecture: String {
  #if arch(x86_64)
    "amd64"
  #elseif arch(arm64)
    "arm64"
  #elseif arch(arm)
    "armhf"
  #endif
}
