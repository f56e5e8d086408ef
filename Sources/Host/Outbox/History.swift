package import Core

/// Reads the outbox, also while the gateway writes it.
package struct OutboxHistory {
  package struct Entry: BitwiseCopyable, Sendable {
    package var row: Int64 = 0
    package var state = Outbox.State.waiting
    /// Unix time in microseconds; nil if the clock was not set.
    package var stored: Int64?
    package var settled: Int64?
    package var expires: Int64?
    package var topic = Topic()
    package var payload = Payload()

    package var trigger: Name? { member("trigger") }
    package var region: Name? { member("region") }
    package var identity: Text<128>? { member("id") }
    package var event: Name? { member("event") }
    package var eventID: Text<40>? { member("event_id") }
    package var isSimulated: Bool { (try? JSONObject(payload.bytes).boolean("simulated")) ?? nil ?? false }
    package var isObject: Bool { (try? JSONObject(payload.bytes)) != nil }

    private func member<let capacity: Int>(_ name: StaticString) -> Text<capacity>? {
      (try? JSONObject(payload.bytes).text(name)) ?? nil
    }
  }

  private let database: Database
  private let hasSums: Bool
  private let single: Statement

  @export(interface) package init(path: String) throws(StoreFault) {
    let file = Path(path)
    guard FileSystem.exists(file) else { throw StoreFault(.other, "there is none yet: the gateway has not run") }
    database = try Self.database(file)
    guard try database.number("PRAGMA application_id") == Schema.owner else { throw StoreFault(.corrupt, "the file is no outbox") }
    let version = try database.number("PRAGMA user_version")
    try Schema.mustKnow(version)
    hasSums = version > 1
    single = try database.statement(hasSums ? Schema.event : Schema.firstEvent)
  }

  /// To read a database with a log SQLite makes files beside it. Whoever may not write there reads the file as it is after a clean stop,
  /// when it has no log.
  private static func database(_ file: Path) throws(StoreFault) -> Database {
    do throws(StoreFault) {
      let database = try Database(path: file, readOnly: true)
      _ = try database.number("PRAGMA user_version")
      return database
    } catch {
      var (log, plain) = (file, Path("file:"))
      log.append("-wal")
      for index in 0..<file.count {
        let byte = file[index]
        if byte == UInt8(ascii: "%") || byte == UInt8(ascii: "?") || byte == UInt8(ascii: "#") {
          plain.append(byte: UInt8(ascii: "%"))
          plain.append(hex: byte)
        } else {
          plain.append(byte: byte)
        }
      }
      plain.append("?immutable=1")
      guard error.kind != .corrupt, !FileSystem.exists(log), !plain.overflowed else { throw error }
      return try Database(path: plain, readOnly: true)
    }
  }

  /// The newest first, until `body` returns false.
  package func read(_ body: (borrowing Entry) -> Bool) throws(StoreFault) {
    let query = try database.statement(hasSums ? Schema.history : Schema.firstHistory)
    while try query.step() { guard body(Entry(query)) else { return } }
  }

  /// nil if it has gone since.
  package func entry(_ row: Int64) throws(StoreFault) -> Entry? {
    single.bind(1, row)
    defer { single.reset() }
    return try single.step() ? Entry(single) : nil
  }
}

extension OutboxHistory.Entry {
  fileprivate init(_ query: borrowing Statement) {
    (state, stored, settled) = (Outbox.State(rawValue: query.integer(0)) ?? .damaged, query.optionalInteger(1), query.optionalInteger(2))
    (expires, topic, payload, row) = (query.optionalInteger(3), query.text(4), query.text(5), query.integer(9))
    let sum = Checksum(topic, payload, [stored, query.integer(6), query.optionalInteger(7), expires])
    if let stored = query.optionalInteger(8), stored != sum.value { state = .damaged }
  }
}

extension Outbox.State {
  package var name: StaticString {
    switch self {
    case .waiting: "waiting"
    case .delivered: "delivered"
    case .expired: "expired"
    case .damaged: "damaged"
    }
  }
}
