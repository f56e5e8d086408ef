/// The outbox as SQLite sees it. Times are microseconds: `deadline` and `at` on the clock of one start of the machine, which `machine`
/// names; the others since 1970, NULL while the clock was not set. `expires` and `wall` are NULL also while nothing had synchronised it.
enum Schema {
  static let version: Int64 = 2
  /// Can be read as it is; opening it for writing migrates it.
  static let oldest: Int64 = 1

  static func mustKnow(_ version: Int64) throws(StoreFault) {
    if version > Self.version { throw StoreFault(.newer, "a newer version of forecourt wrote the file, and only such a one can read it") }
    if version < oldest { throw StoreFault(.corrupt, "the file is of another version") }
  }

  /// "FCRT": `file` and we recognise the file by it.
  static let owner: Int64 = 0x4643_5254

  /// WAL lets readers and the writer work at once; FULL puts a commit on the disk. The log is checkpointed at 256 pages (1 MiB) and the
  /// cache is small, because a board's memory and flash are.
  static let manners: StaticString = """
    PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA wal_autocheckpoint = 256; PRAGMA journal_size_limit = 2097152;
    PRAGMA cache_size = -256; PRAGMA temp_store = MEMORY;
    """

  /// `rank`: 1 for urgent events. `sum`: the row's checksum; NULL if an older version stored it. `visit`: open visits, by the topic of their
  /// start; `vouched`: the level in tenths of a dB at the command that began it, NULL if none did.
  static let creation: StaticString = """
    BEGIN IMMEDIATE;
    CREATE TABLE event (
      id INTEGER PRIMARY KEY, state INTEGER NOT NULL DEFAULT 0, stored INTEGER, settled INTEGER,
      machine INTEGER NOT NULL, deadline INTEGER, expires INTEGER, topic TEXT NOT NULL, payload TEXT NOT NULL,
      rank INTEGER NOT NULL DEFAULT 0, sum INTEGER);
    CREATE INDEX waiting ON event (rank, id) WHERE state = 0;
    CREATE INDEX settled ON event (rank, id) WHERE state != 0;
    CREATE TABLE visit (
      topic TEXT NOT NULL, id TEXT NOT NULL, boot TEXT NOT NULL, machine INTEGER NOT NULL, at INTEGER NOT NULL, wall INTEGER,
      vouched INTEGER, PRIMARY KEY (topic, id)) WITHOUT ROWID;
    CREATE TABLE mark (name TEXT PRIMARY KEY, value INTEGER NOT NULL) WITHOUT ROWID;
    PRAGMA application_id = 0x46435254;
    PRAGMA user_version = 2;
    COMMIT;
    """

  /// Events that wait in a file of version 1 go on waiting.
  static let migration: StaticString = """
    BEGIN IMMEDIATE;
    ALTER TABLE event ADD COLUMN rank INTEGER NOT NULL DEFAULT 0;
    ALTER TABLE event ADD COLUMN sum INTEGER;
    UPDATE event SET rank = 1 WHERE state = 0 AND topic LIKE '%/trigger/%';
    DROP INDEX waiting;
    DROP INDEX settled;
    CREATE INDEX waiting ON event (rank, id) WHERE state = 0;
    CREATE INDEX settled ON event (rank, id) WHERE state != 0;
    CREATE TABLE visit (
      topic TEXT NOT NULL, id TEXT NOT NULL, boot TEXT NOT NULL, machine INTEGER NOT NULL, at INTEGER NOT NULL, wall INTEGER,
      vouched INTEGER, PRIMARY KEY (topic, id)) WITHOUT ROWID;
    CREATE TABLE mark (name TEXT PRIMARY KEY, value INTEGER NOT NULL) WITHOUT ROWID;
    PRAGMA user_version = 2;
    COMMIT;
    """

  /// Files of version 2 from before this column. Programs from before it read and write the file as it is then, so the version stays.
  static let hasVouched: StaticString = "SELECT count(*) FROM sqlite_schema WHERE name = 'visit' AND sql LIKE '%vouched%'"
  static let vouched: StaticString = "ALTER TABLE visit ADD COLUMN vouched INTEGER"

  /// Files of version 2 from before this table: likewise. The last fires, which the next run must know however short the history is, and the
  /// ends of their visits, which may come long after them; `machine`, `at` and `wall` as of a visit.
  static let hasFires: StaticString = "SELECT count(*) FROM sqlite_schema WHERE name = 'fire'"
  static let fires: StaticString = """
    CREATE TABLE fire (
      number INTEGER PRIMARY KEY, topic TEXT NOT NULL, id TEXT NOT NULL, machine INTEGER NOT NULL, at INTEGER NOT NULL, wall INTEGER)
    """

  /// Up to which event `fire` has them: a program from before the table has stored what comes behind.
  static let firesKnown: StaticString = "SELECT coalesce(max(value), 0) FROM mark WHERE name = 'fires'"
  static let newest: StaticString = "SELECT coalesce(max(id), 0) FROM event"
  static let knowFires: StaticString = """
    INSERT OR REPLACE INTO mark SELECT 'fires', newest FROM (SELECT max(id) AS newest FROM event)
    WHERE newest > (SELECT coalesce(max(value), 0) FROM mark WHERE name = 'fires')
    """

  static let insertion: StaticString = """
    INSERT INTO event (id, stored, machine, deadline, expires, topic, payload, rank, sum) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)
    """
  static let selection: StaticString = """
    SELECT id, topic, payload, machine, deadline, expires, sum, stored, state FROM event INDEXED BY waiting
    WHERE state = 0 AND rank = ? AND id > ? ORDER BY id LIMIT 1
    """
  static let history: StaticString = """
    SELECT state, stored, settled, expires, topic, payload, machine, deadline, sum, id FROM event ORDER BY id DESC
    """
  static let event: StaticString = """
    SELECT state, stored, settled, expires, topic, payload, machine, deadline, sum, id FROM event WHERE id = ?
    """
  static let firstHistory: StaticString = """
    SELECT state, stored, settled, expires, topic, payload, machine, deadline, NULL, id FROM event ORDER BY id DESC
    """
  static let firstEvent: StaticString = """
    SELECT state, stored, settled, expires, topic, payload, machine, deadline, NULL, id FROM event WHERE id = ?
    """
  static let urgentHistory: StaticString = """
    SELECT topic, payload, stored, machine, deadline, expires FROM event WHERE rank = 1 AND id > ? ORDER BY id DESC
    """
  /// Of a damaged file: what its indexes say may be wrong.
  static let rows: StaticString = """
    SELECT id, state, stored, machine, deadline, expires, topic, payload, rank, sum FROM event NOT INDEXED ORDER BY id
    """
  static let rowsBackwards: StaticString = """
    SELECT id, state, stored, machine, deadline, expires, topic, payload, rank, sum FROM event NOT INDEXED ORDER BY id DESC
    """
  static let listed: StaticString = "SELECT id FROM event INDEXED BY waiting WHERE state = 0"
  static let outcome: StaticString = "UPDATE event SET state = ?, settled = ? WHERE id = ? AND state = 0"
  static let forgetting: StaticString = """
    DELETE FROM event WHERE id IN (SELECT id FROM event INDEXED BY settled WHERE state != 0 AND rank = ? ORDER BY id LIMIT ?)
    """
  static let eviction: StaticString = """
    DELETE FROM event WHERE id IN (SELECT id FROM event INDEXED BY waiting WHERE state = 0 AND rank = ? ORDER BY id LIMIT ?)
    """
  /// One page from the oldest end, a thousand rows: reading all of a large file takes a card a minute. What was settled earlier than a page
  /// before it goes with that page: as long again at most, as a rule. Rows of the future, settled while the clock was wrong, count for no
  /// page: what is behind them goes in its time. They go when theirs has come, or like all others for want of room (`forgetting`).
  static let aging: StaticString = """
    DELETE FROM event WHERE id IN (
      SELECT id FROM (
        SELECT id, coalesce(settled, stored) AS at FROM event INDEXED BY settled
        WHERE state != 0 AND rank = ? AND coalesce(settled, stored) <= ? ORDER BY id LIMIT 1000)
      WHERE at < ?)
    """

  static let beginning: StaticString = """
    INSERT OR REPLACE INTO visit (topic, id, boot, machine, at, wall, vouched) VALUES (?, ?, ?, ?, ?, ?, ?)
    """
  static let ending: StaticString = "DELETE FROM visit WHERE topic = ? AND id = ?"
  static let visits: StaticString = "SELECT topic, id, boot, machine, at, wall, vouched FROM visit ORDER BY topic, id"
  static let visitsLeftOpen: StaticString = """
    SELECT topic, id, boot, machine, at, wall, vouched FROM visit WHERE boot != ? AND (topic, id) < (?, ?)
    ORDER BY topic DESC, id DESC LIMIT ?
    """
  static let visitsBackwards: StaticString = "SELECT topic, id, boot, machine, at, wall, vouched FROM visit ORDER BY topic DESC, id DESC"
  static let firing: StaticString = "INSERT INTO fire (topic, id, machine, at, wall) VALUES (?, ?, ?, ?, ?)"
  static let crowding: StaticString = "DELETE FROM fire WHERE number <= (SELECT max(number) FROM fire) - ?"
  /// What happened at a time that nobody knew: on the same start of the machine its clock says when, on another one it is now.
  static let dating: StaticString = """
    UPDATE fire SET wall = ? - CASE machine WHEN ? THEN max(? - at, 0) ELSE 0 END WHERE wall IS NULL
    """
  /// A time that nobody knows is never long ago.
  static let cooling: StaticString = "DELETE FROM fire WHERE CASE machine WHEN ? THEN at <= ? ELSE wall <= ? END"
  static let recentFires: StaticString = "SELECT topic, id, machine, at, wall, number FROM fire ORDER BY number DESC"
  static let numberedFires: StaticString = "SELECT topic, id, machine, at, wall, number FROM fire ORDER BY number"
  static let marking: StaticString = "INSERT OR REPLACE INTO mark (name, value) VALUES (?, ?)"
  static let marked: StaticString = "SELECT value FROM mark WHERE name = ?"
}

/// The statements above, prepared once.
struct Statements {
  let insertion, selection, outcome, forgetting, eviction, aging, beginning, ending, firing, crowding, dating, cooling, marking: Statement

  init(_ database: Database) throws(StoreFault) {
    insertion = try database.statement(Schema.insertion)
    selection = try database.statement(Schema.selection)
    outcome = try database.statement(Schema.outcome)
    forgetting = try database.statement(Schema.forgetting)
    eviction = try database.statement(Schema.eviction)
    aging = try database.statement(Schema.aging)
    beginning = try database.statement(Schema.beginning)
    ending = try database.statement(Schema.ending)
    firing = try database.statement(Schema.firing)
    crowding = try database.statement(Schema.crowding)
    dating = try database.statement(Schema.dating)
    cooling = try database.statement(Schema.cooling)
    marking = try database.statement(Schema.marking)
  }
}
