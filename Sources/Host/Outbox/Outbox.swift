package import Core

/// Events on their way and, behind them, their history: one SQLite file that outlives `kill -9` and power cuts.
///
/// Stored → published → acknowledged → history. A batch is stored in one transaction that is on the disk when `commit` returns.
/// What the broker has acknowledged is noted without waiting for the disk: a power cut may bring a duplicate, never a loss.
package final class Outbox {
  /// As it stands in the file; never renumber.
  package enum Fate: Int64, BitwiseCopyable, Sendable {
    case waiting, delivered, expired
    /// Not what was stored: kept for reading, never delivered.
    case damaged
  }

  /// What goes first: in the queue, and last when room has to be made.
  package enum Rank: Int64, BitwiseCopyable, Sendable { case ordinary, urgent }

  package struct Waiting: BitwiseCopyable, Sendable {
    package var row: Int64 = 0
    package var isDamaged = false
    package var topic = Topic()
    package var payload = Payload()
    package var left = TimeLeft.unlimited
  }

  /// What this run is called, for the visits that it begins.
  package var boot = Text<16>()
  /// What a rehearsal begins, nobody need end.
  package var isRehearsal = false
  /// The path never changes; the bounds may.
  package var settings: OutboxSettings
  /// The new name of a file that could not be used, if that happened when opening.
  package let setAside: Path?
  package private(set) var waiting: Int
  private var total: Int
  /// Never given twice in a run: an acknowledgement may still be under way for a row that is gone.
  private var newest: Int64
  let machine: Int64
  private var isPatient: Bool
  /// As this process left the file and its log.
  var seen: Fingerprint

  let statements: Statements
  let database: Database
  private let lock: FileLock

  /// A damaged file, or one of a newer version, is renamed and a new one begun.
  package init(_ settings: OutboxSettings, machine: Int64) throws(StoreFault) {
    var lock = try FileLock(settings.path)
    var setAside: Path?
    var database: Database
    do {
      database = try Self.open(settings.path)
    } catch {
      guard error.kind == .corrupt else { throw error }
      setAside = Self.rename(settings.path)
      lock = try FileLock(settings.path)
      database = try Self.open(settings.path)
    }
    let statements = try Statements(database)
    let waiting = try database.number("SELECT count(*) FROM event WHERE state = 0")
    let total = try database.number("SELECT count(*) FROM event")
    newest = try database.number("SELECT max(id) FROM event")
    self.settings = settings
    self.setAside = setAside
    self.machine = machine
    self.waiting = Int(waiting)
    self.total = Int(total)
    isPatient = true
    seen = Fingerprint(settings.path)
    self.statements = statements
    self.database = database
    self.lock = lock
  }

  // -- In -----------------------------------------------------------------------------------------------------------------

  package func begin() throws(StoreFault) {
    if !isPatient { try database.run("PRAGMA synchronous = FULL") }
    isPatient = true
    try database.run("BEGIN IMMEDIATE")
  }

  /// Within a transaction.
  package func store(_ message: borrowing Message, at now: Moment) throws(StoreFault) {
    let lifetime = message.expires == .never ? nil : message.expires - message.at
    let deadline = lifetime.map { (now.at + $0).microseconds }
    let expires = lifetime.flatMap { span in now.trustedWall.map { $0 + span.microseconds } }
    let rank = message.isUrgent ? Rank.urgent : .ordinary
    statements.insertion.bind(1, newest + 1)
    statements.insertion.bind(2, now.wall)
    statements.insertion.bind(3, machine)
    statements.insertion.bind(4, deadline)
    statements.insertion.bind(5, expires)
    statements.insertion.bind(6, text: message.topic.bytes)
    statements.insertion.bind(7, text: message.payload.bytes)
    statements.insertion.bind(8, rank.rawValue)
    statements.insertion.bind(9, Sum(message.topic, message.payload, [now.wall, machine, deadline, expires]).value)
    try statements.insertion.execute()
    newest += 1
    waiting += 1
    total += 1
    try note(message, at: now)
  }

  /// Returns how many undelivered events had to go to make room.
  package func commit() throws(StoreFault) -> Int {
    let lost = try shrink()
    try database.run("COMMIT")
    seen = Fingerprint(settings.path)
    return lost
  }

  /// Nothing of the transaction happened.
  package func rollBack() {
    // A transaction that SQLite has already rolled back is refused, which is as good.
    try? database.run("ROLLBACK")
    waiting = Int((try? database.number("SELECT count(*) FROM event WHERE state = 0")) ?? 0)
    total = Int((try? database.number("SELECT count(*) FROM event")) ?? 0)
    seen = Fingerprint(settings.path)
  }

  /// History before what waits, and at a pump is who goes last.
  private func shrink() throws(StoreFault) -> Int {
    for rank in [Rank.ordinary, .urgent] { _ = try remove(rank, statements.forgetting) }
    var lost = 0
    for rank in [Rank.ordinary, .urgent] { lost += try remove(rank, statements.eviction) }
    waiting -= lost
    return lost
  }

  private func remove(_ rank: Rank, _ removal: Statement) throws(StoreFault) -> Int {
    guard total > settings.maxEvents else { return 0 }
    removal.bind(1, rank.rawValue)
    removal.bind(2, Int64(total - settings.maxEvents))
    try removal.execute()
    total -= database.changes
    return database.changes
  }

  // -- Out ----------------------------------------------------------------------------------------------------------------

  /// The oldest event of a rank that waits behind `row`.
  package func next(_ rank: Rank, after row: Int64, at now: Moment) throws(StoreFault) -> Waiting? {
    statements.selection.bind(1, rank.rawValue)
    statements.selection.bind(2, row)
    defer { statements.selection.reset() }
    guard try statements.selection.step() else { return nil }
    var event = Waiting()
    event.row = statements.selection.integer(0)
    event.topic = statements.selection.text(1)
    event.payload = statements.selection.text(2)
    let deadline = statements.selection.optionalInteger(4)
    let expires = statements.selection.optionalInteger(5)
    let stored = statements.selection.optionalInteger(7)
    let sum = Sum(event.topic, event.payload, [stored, statements.selection.integer(3), deadline, expires])
    event.isDamaged = statements.selection.optionalInteger(6).map { $0 != sum.value } ?? false
    if let deadline {
      event.left = TimeLeft(
        until: Instant(microseconds: deadline), sameStart: statements.selection.integer(3) == machine,
        stored: stored, expires: expires, at: now)
    }
    return event
  }

  /// Many at once: between `beginSettling` and `endSettling`.
  package func settle(_ row: Int64, as fate: Fate, at now: Moment) throws(StoreFault) {
    statements.settlement.bind(1, fate.rawValue)
    statements.settlement.bind(2, now.wall)
    statements.settlement.bind(3, row)
    try statements.settlement.execute()
    waiting -= database.changes
  }

  package func beginSettling() throws(StoreFault) {
    if isPatient { try database.run("PRAGMA synchronous = NORMAL") }
    isPatient = false
    try database.run("BEGIN IMMEDIATE")
  }

  package func endSettling() throws(StoreFault) {
    try database.run("COMMIT")
    seen = Fingerprint(settings.path)
  }

  /// Forgets history that is too old. Without a clock nothing ages. What SQLite keeps from whoever commits, that its log cannot be
  /// brought home, comes out here.
  package func age(at now: Moment) throws(StoreFault) {
    defer { seen = Fingerprint(settings.path) }
    if let wall = now.wall {
      statements.aging.bind(1, wall - settings.maxAge.microseconds)
      try statements.aging.execute()
      total -= database.changes
    }
    _ = try database.number("PRAGMA wal_checkpoint(PASSIVE)")
  }

  /// Whether the file and its log are as this process left them: nobody else writes there.
  package var isUntouched: Bool { Fingerprint(settings.path) == seen }

  // -- The file -----------------------------------------------------------------------------------------------------------

  private static func open(_ path: Path) throws(StoreFault) -> Database {
    let database = try Database(path: path)
    try database.run(Schema.manners)
    let version = try database.number("PRAGMA user_version")
    let owner = try database.number("PRAGMA application_id")
    let tables = try database.number("SELECT count(*) FROM sqlite_schema")
    if version == 0 && owner == 0 && tables == 0 {
      try database.run(Schema.creation)
      return database
    }
    guard owner == Schema.owner else { throw StoreFault(.other, "the file is some other program's database") }
    guard Schema.oldest...Schema.version ~= version else { throw StoreFault(.corrupt, "the file is of another version") }
    let check = try database.statement("PRAGMA quick_check(1)")
    guard try check.step(), (check.text(0) as Text<8>) == Text<8>("ok") else { throw StoreFault(.corrupt, "the file is damaged") }
    check.reset()
    if version == Schema.oldest { try database.run(Schema.migration) }
    return database
  }

  /// To `PATH.damaged-N`, with the files SQLite keeps beside it, so that nobody mistakes them for the new file's.
  static func rename(_ path: Path) -> Path {
    var number: UInt64 = 1
    while true {
      var name = path
      name.append(".damaged-")
      name.append(decimal: number)
      if name.overflowed || !Files.exists(name) {
        for suffix in 0..<3 { Files.rename(path, name, suffix: suffix == 0 ? "" : suffix == 1 ? "-wal" : "-shm") }
        return name
      }
      number += 1
    }
  }
}
