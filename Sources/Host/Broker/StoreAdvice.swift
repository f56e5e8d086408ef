extension StoreFault {
  /// For the log: what it means for an outbox, and what mends it.
  func advice(for path: String) -> (StaticString, String) {
    let folder = FileSystem.folder(of: path)
    let restart = "systemctl restart forecourt"
    switch kind {
    case .forbidden:
      let words: StaticString = "this user may not write the outbox; events are in memory only and end with the gateway. Once as root:"
      return (words, "chown \(userName) " + (FileSystem.imprint(of: Path(path)) == nil ? folder : path + "*"))
    case .gone:
      return ("its folder is not there; events are in memory only and end with the gateway. Make it; then the service needs:", restart)
    // The unit lets the gateway write in the folder that was there at the start, not in a later one of the same name.
    case .readOnly where same(folder, Examined.ServiceView.ownFolder):
      let words: StaticString =
        "nothing can be written there; events are in memory only and end with the gateway. If the disk is well, the folder was made anew:"
      return (words, restart)
    case .readOnly:
      let words: StaticString =
        "nothing can be written there; events are in memory only and end with the gateway. If not the disk but the service forbids it: systemctl edit forecourt, [Service]"
      return (words, "ReadWritePaths=\(folder)")
    default: return ("the outbox cannot be used; events are kept in memory only. SQLite says:", said)
    }
  }
}
