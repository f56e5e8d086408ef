import Core

/// Which controller each radio had, saved for the next run: one JSON object per line.
package enum AdapterFile {
  private static let mostBytes = 4_096

  /// Beside the outbox.
  package static func path(beside outbox: String) -> String { outbox.folder + "adapters.jsonl" }

  /// What is not readable is skipped: its radio's controller counts as new.
  package static func read(_ path: String) throws(FileRefusal) -> [KnownAdapters.Entry] {
    let bytes: [UInt8]
    do throws(FileRefusal) {
      bytes = try File(reading: path, atMost: mostBytes).bytes
    } catch {
      guard case .missing = error.reason else { throw error }
      return []
    }
    return bytes.split(separator: UInt8(ascii: "\n")).compactMap { line in
      var text = Text<400>()
      for byte in line { text.append(byte: byte) }
      guard let object = try? JSONObject(text.bytes), let radio: Name = try? object.text("radio"), !radio.isEmpty,
        let written: Text<17> = try? object.text("address"), let address = Address(written: String(written)), address.isDistinctive
      else { return nil }
      return KnownAdapters.Entry(radio, address)
    }
  }

  package static func text(_ entries: [KnownAdapters.Entry]) -> [UInt8] {
    var bytes: [UInt8] = []
    for entry in entries {
      var line = Text<400>()
      line.openObject()
      line.member("radio", text: entry.radio.bytes)
      line.member("address", text: Text<17>(entry.address.written).bytes)
      line.closeObject()
      line.append(byte: UInt8(ascii: "\n"))
      for index in 0..<line.count { bytes.append(line[index]) }
    }
    return bytes
  }
}
