/// The outbox as SQLite sees it. Times are microseconds: `deadline` on the clock of one start of the machine, which `machine`
/// names; the others since 1970, NULL while the clock was not set, `expires` also while nothing had synchronised it.
enum Schema {
  static let version: Int64 = 1
  /// "FCRT": what `file` and we recognise the file by.
  static let owner: Int64 = 0x4643_5254

  /// WAL keeps readers and the writer apart; FULL means that what is committed is on the disk. The log is cut back at 256 pages,
  /// 1 MiB, and the cache kept small: a board's memory and flash are.
  static let manners: StaticString = """
    PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA wal_autocheckpoint = 256; PRAGMA journal_size_limit = 2097152;
    PRAGMA cache_size = -256; PRAGMA temp_store = MEMORY;
    """

  static let creation: StaticString = """
    BEGIN IMMEDIATE;
    CREATE TABLE event (
      id INTEGER PRIMARY KEY, state INTEGER NOT NULL DEFAULT 0, stored INTEGER, settled INTEGER,
      machine INTEGER NOT NULL, deadline INTEGER, expires INTEGER, topic TEXT NOT NULL, payload TEXT NOT NULL);
    CREATE INDEX waiting ON event (id) WHERE state = 0;
    CREATE INDEX settled ON event (id) WHERE state != 0;
    PRAGMA application_id = 0x46435254;
    PRAGMA user_version = 1;
    COMMIT;
    """

  static let insertion: StaticString = """
    INSERT INTO event (stored, machine, deadline, expires, topic, payload) VALUES (?, ?, ?, ?, ?, ?)
    """
  static let selection: StaticString = """
    SELECT id, topic, payload, machine, deadline, expires, stored FROM event INDEXED BY waiting WHERE state = 0 AND id > ? ORDER BY id LIMIT 1
    """
  static let settlement: StaticString = "UPDATE event SET state = ?, settled = ? WHERE id = ? AND state = 0"
  static let forgetting: StaticString = """
    DELETE FROM event WHERE id IN (SELECT id FROM event INDEXED BY settled WHERE state != 0 ORDER BY id LIMIT ?)
    """
  static let eviction: StaticString = "DELETE FROM event WHERE id IN (SELECT id FROM event ORDER BY id LIMIT ?)"
  static let aging: StaticString = "DELETE FROM event WHERE state != 0 AND coalesce(settled, stored) < ?"
}

/// The sentences above, prepared once.
struct Statements {
  let insertion, selection, settlement, forgetting, eviction, aging: Statement

  init(_ database: Database) throws(StoreFault) {
    insertion = try database.statement(Schema.insertion)
    selection = try database.statement(Schema.selection)
    settlement = try database.statement(Schema.settlement)
    forgetting = try database.statement(Schema.forgetting)
    eviction = try database.statement(Schema.eviction)
    aging = try database.statement(Schema.aging)
  }
}
