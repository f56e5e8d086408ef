import Core
import Synchronization

/// Looks through a large outbox while the courier uses it: a card takes a minute for a gigabyte, and whoever was served at the start must be
/// known before that.
final class LateCheck: Sendable {
  private let found = Atomic<Bool>(false)
  private let over = Atomic<Bool>(false)

  var hasFoundDamage: Bool { found.load(ordering: .acquiring) }
  var isOver: Bool { over.load(ordering: .acquiring) }

  init(_ path: Path) { _ = Thread("outbox check") { self.run(path) } }

  /// With a connection of its own, which sees the file as it was at one moment. Nobody waits for its end, the process's neither.
  private func run(_ path: Path) {
    do throws(StoreFault) {
      let database = try Database(path: path, readOnly: true)
      try database.run("PRAGMA cache_size = -256")
      let isWhole = try Outbox.isWhole(database)
      found.store(!isWhole, ordering: .releasing)
    } catch {
      if error.kind == .corrupt { found.store(true, ordering: .releasing) }
    }
    over.store(true, ordering: .releasing)
  }
}

extension Outbox {
  /// Also compares the indexes with the tables, which SQLite's quick check does not: one flipped bit in an index hides an event for ever, or
  /// brings it again and again.
  static func isWhole(_ database: Database, _ pragma: StaticString = "PRAGMA integrity_check(1)") throws(StoreFault) -> Bool {
    let check = try database.statement(pragma)
    return try check.step() && (check.text(0) as Text<8>) == Text<8>("ok")
  }

  /// All that an index says stands in its table too. Undone if that was not all: a damaged file is kept as it was.
  static func mendIndexes(of database: Database) throws(StoreFault) {
    try database.run("BEGIN IMMEDIATE; REINDEX")
    guard try isWhole(database) else {
      try? database.run("ROLLBACK")
      throw StoreFault(.corrupt, "the file is damaged")
    }
    try database.run("COMMIT")
  }
}
