import Core

extension Examined {
  /// What a gateway writes beside its outbox, by key. The secrets are made once, and only read from then on.
  static func written(_ settings: borrowing Settings, _ host: HostSettings) -> [(key: String, path: String, isSecret: Bool)] {
    var written: [(key: String, path: String, isSecret: Bool)] = []
    if let file = host.metricsFile { written.append(("metrics_file", file, false)) }
    if settings.peer.serve { written.append(("id_file", host.idFile, true)) }
    if settings.publish.unknown == .hash { written.append(("salt_file", host.saltFile, true)) }
    return written
  }

  /// Those that cannot be files where they are named: the gateway would not start, or would write none. `user`: as for the outbox.
  static func files(_ settings: borrowing Settings, _ host: HostSettings, as user: String) -> [Examined] {
    var found: [Examined] = []
    for (key, path, isSecret) in written(settings, host) {
      let folder = FileSystem.folder(of: path)
      if FileSystem.isFolder(Path(path)) {
        found.append(Examined(key, .bad(.other), "\(path): is a folder, not a file: \(key) names a file"))
      } else if !isSecret, FileSystem.isSpecial(path) {
        found.append(Examined(key, .bad(.other), "\(path): \(FileRefusal(.special).sentence): \(key) names a file"))
      } else if !FileSystem.isFolder(Path(folder)) {
        found.append(Examined(key, .bad(.other), "\(path): its folder does not exist: mkdir -p \(folder)"))
      } else if isSecret, let refusal = SecretFile.refusal(of: path, atMost: same(key, "id_file") ? SecretFile.id : SecretFile.salt) {
        // Without its name, which may be the salt itself.
        found.append(Examined(key, .bad(.other), "the file that it names \(refusal.sentence): the gateway would not start"))
      } else if !FileSystem.isWritable(Path(folder)), !isSecret || !FileSystem.exists(Path(path)) {
        found.append(Examined(key, .bad(.forbidden), "\(path): \(user) may not write in its folder: name another place"))
      }
    }
    return found
  }
}
