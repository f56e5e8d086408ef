package import Core

/// The identities that Home Assistant was told of, saved for the next run: one JSON object per line.
package enum AnnouncedFile {
  private static let most = 100

  /// What is not readable is skipped: nobody will be told that it has gone.
  package static func read(_ path: String) throws(FileRefusal) -> [Identity] {
    var identities: [Identity] = []
    try JSONLines.read(path, atMost: most * 256) { line in
      guard let object = try? JSONObject(line), let id: Text<128> = try? object.text("id") else { return }
      guard let known = try? Identity(written: id.bytes) else { return }
      if identities.count < most, !identities.contains(known) { identities.append(known) }
    }
    return identities
  }

  package static func text(_ identities: [Identity]) -> [UInt8] {
    var bytes: [UInt8] = []
    for identity in identities.prefix(most) {
      var (line, id) = (Text<512>(), Text<128>())
      id.append(identity)
      line.openObject()
      line.member("id", text: id.bytes)
      line.closeObject()
      JSONLines.append(line, to: &bytes)
    }
    return bytes
  }
}
