import Core

// Two keys that name one file: what the gateway writes would take the place of what it reads, or keeps.

/// A file that the configuration names, and by which key.
struct NamedFile {
  let key: String
  let path: String
  let at: Position
  /// As in a finding.
  let subject: String
}

extension Configuration {
  /// The keys of what the gateway writes.
  private static var written: [String] { ["metrics_file", "salt_file", "id_file", "path"] }

  /// When everything is read.
  func keepFilesApart(_ reading: Findings) {
    let outbox = String(host.outbox.path)
    let kept = [outbox, outbox + "-wal", outbox + "-shm"] + SideFiles.paths(beside: outbox)
    // Whether they are named or not, in this order: of two that are named the first is told of.
    var (keys, paths) = ([String](), [String]())
    func add(_ key: String, _ path: String) {
      keys.append(key)
      paths.append(path)
    }
    if let file = host.metricsFile { add("metrics_file", file) }
    add("salt_file", host.saltFile)
    add("id_file", host.idFile)
    for path in kept { add("path", path) }
    add("this configuration", reading.source.name)
    for file in reading.files where !Self.written.contains(where: { same($0, file.key) }) { add(file.key, file.path) }
    for file in reading.files where Self.written.contains(where: { same($0, file.key) }) {
      let own = same(file.key, "path") ? kept : [file.path]
      var isBehind = false
      for index in keys.indices {
        if same(keys[index], file.key) {
          isBehind = true
          continue
        }
        // A default has no place in the file, so of it the other is told.
        let isTold = !isBehind && reading.files.contains { same($0.key, keys[index]) }
        guard !isTold, own.contains(where: { FileSystem.isSame($0, paths[index]) }) else { continue }
        let name = same(keys[index], "path") ? "the outbox or one beside it" : keys[index]
        reading.record(
          .error, at: file.at, file.subject, "\(file.key) is the same file as \(name): the gateway would write over it, name another")
        break
      }
    }
  }
}
