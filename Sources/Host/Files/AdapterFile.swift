import Core

/// Which controller each radio had, saved for the next run: one JSON object per line.
package enum AdapterFile {
  private static let mostBytes = 4_096

  /// Beside the outbox.
  package static var name: String { "adapters.jsonl" }

  /// What is not readable is skipped: its radio's controller counts as new.
  package static func read(_ path: String) throws(FileRefusal) -> [KnownAdapters.Entry] {
    var entries: [KnownAdapters.Entry] = []
    try JSONLines.read(path, atMost: mostBytes) { line in
      guard let object = try? JSONObject(line), let radio: Name = try? object.text("radio"), !radio.isEmpty,
        let written: Text<17> = try? object.text("address"), let address = Address(written: String(written)), address.isDistinctive
      else { return }
      entries.append(KnownAdapters.Entry(radio, address))
    }
    return entries
  }

  package static func text(_ entries: [KnownAdapters.Entry]) -> [UInt8] {
    var bytes: [UInt8] = []
    for entry in entries {
      var line = Text<512>()
      line.openObject()
      line.member("radio", text: entry.radio.bytes)
      line.member("address", text: Text<17>(entry.address.written).bytes)
      line.closeObject()
      JSONLines.append(line, to: &bytes)
    }
    return bytes
  }
}
