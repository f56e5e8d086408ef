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
  /// When everything is read.
  func keepFilesApart(_ reading: Findings) {
    let written = writtenFiles
    for place in written.indices {
      guard let own = reading.files.first(where: { same($0.key, written[place].key) }) else { continue }
      var others: [(key: String, paths: [String])] = [("this configuration", [reading.source.name])]
      for file in reading.files where !written.contains(where: { same($0.key, file.key) }) { others.append((file.key, [file.path])) }
      for index in written.indices where index != place {
        // Of two that are named the first is told of; a default has no place in the file.
        let isTold = index < place && reading.files.contains { same($0.key, written[index].key) }
        if !isTold { others.append(written[index]) }
      }
      guard let other = others.first(where: { haveCommonFile($0.paths, written[place].paths) }) else { continue }
      let name = same(other.key, "path") ? "the outbox or one beside it" : other.key
      reading.record(
        .error, at: own.at, own.subject, "\(own.key) is the same file as \(name): the gateway would write over it, name another")
    }
  }

  /// What the gateway writes, with the keys that name it.
  private var writtenFiles: [(key: String, paths: [String])] {
    var files: [(key: String, paths: [String])] = []
    if let file = host.metricsFile { files.append(("metrics_file", [file])) }
    files.append(("salt_file", [host.saltFile]))
    files.append(("id_file", [host.idFile]))
    let outbox = String(host.outbox.path)
    files.append(("path", [outbox, outbox + "-wal", outbox + "-shm"] + SideFiles.paths(beside: outbox)))
    return files
  }
}

private func haveCommonFile(_ some: [String], _ others: [String]) -> Bool {
  for path in some {
    for other in others where FileSystem.isSame(path, other) { return true }
  }
  return false
}
