import Core

/// A row's checksum (FNV-1a, 64 bits): a bit that a worn card has flipped must not reach a pump.
struct Checksum {
  private(set) var value: Int64 = 0

  init(_ topic: Topic, _ payload: Payload, _ numbers: [Int64?]) {
    var hash = Hash()
    hash.mix(topic.bytes)
    // Separates the two: no byte is so large.
    hash.mix(0x100)
    hash.mix(payload.bytes)
    for number in numbers {
      let word = UInt64(bitPattern: number ?? -1)
      for byte in 0..<8 { hash.mix(word >> UInt64(byte * 8) & 0xFF) }
    }
    value = Int64(bitPattern: hash.value)
  }
}

/// An event as its row has it.
struct StoredEvent: BitwiseCopyable {
  var stored: Int64?
  var machine: Int64
  var deadline, expires: Int64?
  var topic: Topic
  var payload: Payload
  var rank: Outbox.Rank

  var checksum: Int64 { Checksum(topic, payload, [stored, machine, deadline, expires]).value }
}

extension StoredEvent {
  /// A row of a damaged file.
  init(_ query: borrowing Statement) {
    (stored, machine, deadline, expires) =
      (query.optionalInteger(2), query.integer(3), query.optionalInteger(4), query.optionalInteger(5))
    (topic, payload, rank) = (query.text(6), query.text(7), query.integer(8) == 0 ? .ordinary : .urgent)
  }
}

/// Identifies SQLite's file and its log, and their last changes.
struct Fingerprint: Equatable {
  private let file: FileSystem.Imprint?
  private let log: FileSystem.Imprint?

  init(_ path: Path) {
    file = FileSystem.imprint(of: path)
    var name = path
    name.append("-wal")
    log = FileSystem.imprint(of: name)
  }

  /// SQLite gives a file its first page before the file's log begins.
  var isEmptied: Bool { file?.size == 0 && (log?.size ?? 0) > 0 }

  /// Whatever is in them. The log may have come into being.
  func areSameFiles(as other: Fingerprint) -> Bool {
    guard let file, let before = other.file, file.isSameFile(as: before) else { return false }
    guard let before = other.log else { return true }
    return log?.isSameFile(as: before) ?? false
  }
}
