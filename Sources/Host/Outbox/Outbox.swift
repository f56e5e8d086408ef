package import Core

/// Events on their way and, behind them, their history: one SQLite file that outlives `kill -9` and power cuts.
///
/// Stored → published → acknowledged → history. A batch is stored in one transaction that is on the disk when `commit` returns.
/// What the broker has acknowledged is noted without waiting for the disk: a power cut may bring a duplicate, never a loss.
package final class Outbox {
  /// As it stands in the file; never renumber.
  package enum Fate: Int64, BitwiseCopyable, Sendable { case waiting, delivered, expired }

  /// `[outbox]` of the config.
  package struct Settings: BitwiseCopyable, Sendable {
    package var path = Path("/var/lib/forecourt/outbox.db")
    package var maxEvents = 100_000
    package var maxAge = Interval.hours(24 * 30)

    package init() {}
  }

  package struct Waiting: BitwiseCopyable, Sendable {
    package var row: Int64 = 0
    package var topic = Topic()
    package var payload = Payload()
    package var left = TimeLeft.unlimited
  }

  /// The path never changes; the bounds may.
  package var settings: Settings
  /// The new name of a file that could not be used, if that happened when opening.
  package let setAside: Path?
  package private(set) var waiting: Int
  private var total: Int
  private let machine: Int64
  private var isPatient: Bool

  private let statements: Statements
  private let database: Database
  private let lock: FileLock

  /// A damaged file, or one of a newer version, is renamed and a new one begun.
  package init(_ settings: Settings, machine: Int64) throws(StoreFault) {
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
    self.settings = settings
    self.setAside = setAside
    self.machine = machine
    self.waiting = Int(waiting)
    self.total = Int(total)
    isPatient = true
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
    statements.insertion.bind(1, now.wall)
    statements.insertion.bind(2, machine)
    statements.insertion.bind(3, lifetime.map { (now.at + $0).microseconds })
    statements.insertion.bind(4, lifetime.flatMap { span in now.trustedWall.map { $0 + span.microseconds } })
    statements.insertion.bind(5, text: message.topic.bytes)
    statements.insertion.bind(6, text: message.payload.bytes)
    try statements.insertion.execute()
    waiting += 1
    total += 1
  }

  /// Returns how many undelivered events had to go to make room.
  package func commit() throws(StoreFault) -> Int {
    let lost = try shrink()
    try database.run("COMMIT")
    return lost
  }

  /// Nothing of the transaction happened.
  package func rollBack() {
    // A transaction that SQLite has already rolled back is refused, which is as good.
    try? database.run("ROLLBACK")
    waiting = Int((try? database.number("SELECT count(*) FROM event WHERE state = 0")) ?? 0)
    total = Int((try? database.number("SELECT count(*) FROM event")) ?? 0)
  }

  private func shrink() throws(StoreFault) -> Int {
    guard total > settings.maxEvents else { return 0 }
    statements.forgetting.bind(1, Int64(total - settings.maxEvents))
    try statements.forgetting.execute()
    total -= database.changes
    guard total > settings.maxEvents else { return 0 }
    statements.eviction.bind(1, Int64(total - settings.maxEvents))
    try statements.eviction.execute()
    let lost = database.changes
    total -= lost
    waiting -= lost
    return lost
  }

  // -- Out ----------------------------------------------------------------------------------------------------------------

  /// The oldest event that waits behind `row`.
  package func next(after row: Int64, at now: Moment) throws(StoreFault) -> Waiting? {
    statements.selection.bind(1, row)
    defer { statements.selection.reset() }
    guard try statements.selection.step() else { return nil }
    var event = Waiting()
    event.row = statements.selection.integer(0)
    event.topic = statements.selection.text(1)
    event.payload = statements.selection.text(2)
    if let deadline = statements.selection.optionalInteger(4) {
      event.left = TimeLeft(
        until: Instant(microseconds: deadline), sameStart: statements.selection.integer(3) == machine,
        stored: statements.selection.optionalInteger(6), expires: statements.selection.optionalInteger(5), at: now)
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

  package func endSettling() throws(StoreFault) { try database.run("COMMIT") }

  /// Forgets history that is too old. Without a clock nothing ages.
  package func age(at now: Moment) throws(StoreFault) {
    guard let wall = now.wall else { return }
    statements.aging.bind(1, wall - settings.maxAge.microseconds)
    try statements.aging.execute()
    total -= database.changes
  }

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
    guard version == Schema.version else { throw StoreFault(.corrupt, "the file is of another version") }
    let check = try database.statement("PRAGMA quick_check(1)")
    guard try check.step(), (check.text(0) as Text<8>) == Text<8>("ok") else { throw StoreFault(.corrupt, "the file is damaged") }
    return database
  }

  /// To `PATH.damaged-N`, with the files SQLite keeps beside it, so that nobody mistakes them for the new file's.
  private static func rename(_ path: Path) -> Path {
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
