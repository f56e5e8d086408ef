package import Core

/// Events that wait for delivery, and their history: one SQLite file that survives `kill -9` and power cuts.
///
/// Stored → published → acknowledged → history. A batch is one transaction, which is on the disk when `commit` returns. Acknowledgements
/// are recorded without waiting for the disk: a power cut may cause a duplicate, never a loss.
package final class Outbox {
  /// The numbers are in the file; never change them.
  package enum State: Int64, BitwiseCopyable, Sendable {
    case waiting, delivered, expired
    /// The content has changed on the disk: kept for reading, never delivered.
    case damaged
  }

  /// Urgent ones are delivered first and evicted last.
  package enum Rank: Int64, BitwiseCopyable, Sendable { case ordinary, urgent }

  package struct Waiting: BitwiseCopyable, Sendable {
    package var row: Int64 = 0
    package var isDamaged = false
    package var topic = Topic()
    package var payload = Payload()
    package var left = TimeLeft.unlimited
  }

  /// Identifies this run, for the visits that it starts.
  package var boot = Text<16>()
  /// A rehearsal's visits are not recorded: nobody need end them. Nor are its fires: they served nobody.
  package var isRehearsal = false
  /// The bounds may change, the path may not.
  package var settings: OutboxSettings
  /// The new name of an unusable file, if `init` has set one aside; and whether nothing is wrong with it, but it is a newer version's.
  package let setAside: Path?
  package let isSetAsideNewer: Bool
  /// An index was damaged, and `init` has built it anew.
  package let isMended: Bool
  package private(set) var waiting: Int
  private var total: Int
  /// What a roll-back restores; the disk that failed may not tell.
  private var counted = (waiting: 0, total: 0)
  /// Never used twice in a run: an acknowledgement may still come for a row that is gone.
  var newest: Int64
  let machine: Int64
  private var isDurable: Bool
  /// Nil if the opening has looked through the whole file.
  let lateCheck: LateCheck?
  /// The file and its log as this process left them.
  var seen: Fingerprint

  let statements: Statements
  let database: Database
  private let lock: FileLock

  /// Renames a damaged file, or one of a newer version, and starts a new one: a gateway that went back a version goes on. A damaged one is
  /// `unread` until `salvage` is through. A file of more bytes than `checkedAtOnce` is looked through later.
  package init(_ settings: OutboxSettings, machine: Int64, checkedAtOnce: Int64 = .max) throws(StoreFault) {
    var isLate = (FileSystem.imprint(of: settings.path)?.size ?? 0) > checkedAtOnce
    // Before the lock makes a file where there is none.
    let isEmptied = Fingerprint(settings.path).isEmptied
    var lock = try FileLock(settings.path)
    var (setAside, isNewer): (Path?, Bool) = (nil, false)
    var (database, statements, isMended): (Database, Statements, Bool)
    do throws(StoreFault) {
      // SQLite would delete the log of a file that a failing disk has emptied, and begin anew without a word.
      if isEmptied { throw StoreFault(.corrupt, "the file is empty, and its log is not") }
      (database, isMended) = try Self.open(settings.path, isLate)
      statements = try Statements(database)
    } catch {
      isLate = false
      isNewer = error.kind == .newer
      guard isNewer || error.kind == .corrupt || error.kind == .misshapen else { throw error }
      setAside = Self.rename(settings.path, settings.path, isNewer ? ".newer-" : ".unread-")
      lock = try FileLock(settings.path)
      (database, isMended) = try Self.open(settings.path, isLate)
      statements = try Statements(database)
    }
    // From the indexes, which are small.
    let waiting = try database.number("SELECT count(*) FROM event INDEXED BY waiting WHERE state = 0")
    let total = try waiting + database.number("SELECT count(*) FROM event INDEXED BY settled WHERE state != 0")
    newest = try database.number("SELECT max(id) FROM event")
    self.settings = settings
    self.setAside = setAside
    isSetAsideNewer = isNewer
    self.isMended = isMended
    self.machine = machine
    self.waiting = Int(waiting)
    self.total = Int(total)
    isDurable = true
    seen = Fingerprint(settings.path)
    lateCheck = isLate ? LateCheck(settings.path) : nil
    self.statements = statements
    self.database = database
    self.lock = lock
  }

  // -- In -----------------------------------------------------------------------------------------------------------------

  /// `isDurable`: `commit` returns when the disk has it.
  package func startTransaction(isDurable: Bool) throws(StoreFault) {
    counted = (waiting, total)
    if isDurable != self.isDurable { try database.run(isDurable ? "PRAGMA synchronous = FULL" : "PRAGMA synchronous = NORMAL") }
    self.isDurable = isDurable
    try database.run("BEGIN IMMEDIATE")
  }

  /// Within a transaction.
  package func store(_ message: borrowing Message, at now: Moment) throws(StoreFault) {
    let expiry = message.expiry(at: now.at)
    let deadline = expiry == .never ? nil : expiry.microseconds
    let expires = expiry == .never ? nil : now.trustedWall.map { $0 + (expiry - now.at).microseconds }
    let event = StoredEvent(
      stored: now.wall, machine: machine, deadline: deadline, expires: expires, topic: message.topic, payload: message.payload,
      rank: message.isUrgent ? .urgent : .ordinary)
    try insert(event, as: newest + 1)
    try recordVisit(of: message, at: now)
  }

  /// Within a transaction.
  func insert(_ event: borrowing StoredEvent, as row: Int64) throws(StoreFault) {
    statements.insertion.bind(1, row)
    statements.insertion.bind(2, event.stored)
    statements.insertion.bind(3, event.machine)
    statements.insertion.bind(4, event.deadline)
    statements.insertion.bind(5, event.expires)
    statements.insertion.bind(6, text: event.topic.bytes)
    statements.insertion.bind(7, text: event.payload.bytes)
    statements.insertion.bind(8, event.rank.rawValue)
    statements.insertion.bind(9, event.checksum)
    try statements.insertion.execute()
    newest = max(newest, row)
    waiting += 1
    total += 1
  }

  /// Returns how many undelivered events were evicted.
  package func commit() throws(StoreFault) -> Int {
    let lost = try shrink()
    try database.run("COMMIT")
    recordOwnChange()
    return lost
  }

  /// Undoes the transaction.
  package func rollBack() {
    // SQLite may have rolled it back already; then this fails, which is fine.
    try? database.run("ROLLBACK")
    (waiting, total) = counted
    recordOwnChange()
  }

  /// Evicts history before waiting events, and ordinary ones before urgent ones.
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

  /// The oldest waiting event of a rank after `row`.
  package func next(_ rank: Rank, after row: Int64, at now: Moment) throws(StoreFault) -> Waiting? {
    statements.selection.bind(1, rank.rawValue)
    statements.selection.bind(2, row)
    defer { statements.selection.reset() }
    guard try statements.selection.step() else { return nil }
    var event = Waiting()
    event.row = statements.selection.integer(0)
    // A damaged index leads back, and would do so for ever; or to what was delivered.
    guard event.row > row, statements.selection.integer(8) == 0 else { throw StoreFault(.corrupt, "an index is damaged") }
    event.topic = statements.selection.text(1)
    event.payload = statements.selection.text(2)
    let deadline = statements.selection.optionalInteger(4)
    let expires = statements.selection.optionalInteger(5)
    let stored = statements.selection.optionalInteger(7)
    let sum = Checksum(event.topic, event.payload, [stored, statements.selection.integer(3), deadline, expires])
    event.isDamaged = statements.selection.optionalInteger(6).map { $0 != sum.value } ?? false
    // A damaged row's times mean nothing.
    if let deadline, !event.isDamaged {
      event.left = TimeLeft(
        until: Instant(microseconds: deadline), sameStart: statements.selection.integer(3) == machine,
        stored: stored, expires: expires, at: now)
    }
    return event
  }

  /// Within a transaction: what became of an event.
  package func record(_ row: Int64, as state: State, at now: Moment) throws(StoreFault) {
    statements.outcome.bind(1, state.rawValue)
    statements.outcome.bind(2, now.wall)
    statements.outcome.bind(3, row)
    try statements.outcome.execute()
    waiting -= database.changes
  }

  package func commitStates() throws(StoreFault) {
    try database.run("COMMIT")
    recordOwnChange()
  }

  /// Deletes a page of history that is too old, if the clock can be trusted; returns whether there may be more. Also shows failures of SQLite's
  /// checkpoint, which `commit` does not report.
  @discardableResult
  package func age(at now: Moment) throws(StoreFault) -> Bool {
    defer { recordOwnChange() }
    let before = total
    if let wall = now.trustedWall {
      for rank in [Rank.ordinary, .urgent] {
        statements.aging.bind(1, rank.rawValue)
        statements.aging.bind(2, wall)
        statements.aging.bind(3, wall - settings.maxAge.microseconds)
        try statements.aging.execute()
        total -= database.changes
      }
    }
    try forgetFires(at: now)
    // The next start reads what comes behind it.
    knowFires()
    _ = try database.number("PRAGMA wal_checkpoint(PASSIVE)")
    return total < before
  }

  /// Our own writing never replaces the files: a deleted one stays noticed, also when it is deleted just before.
  func recordOwnChange() {
    let now = Fingerprint(settings.path)
    if now.areSameFiles(as: seen) { seen = now }
  }

  /// Whether the file and its log are as this process left them: nobody else has written them.
  package var isUntouched: Bool { Fingerprint(settings.path) == seen }

  // -- The file -----------------------------------------------------------------------------------------------------------

  private static func open(_ path: Path, _ isLate: Bool) throws(StoreFault) -> (Database, isMended: Bool) {
    let database = try Database(path: path)
    try database.run(Schema.manners)
    let version = try database.number("PRAGMA user_version")
    let owner = try database.number("PRAGMA application_id")
    let tables = try database.number("SELECT count(*) FROM sqlite_schema")
    if version == 0 && owner == 0 && tables == 0 {
      try database.run(Schema.creation)
      try database.run(Schema.fires)
      return (database, isMended: false)
    }
    guard owner == Schema.owner else { throw StoreFault(.other, "the file is some other program's database") }
    try Schema.mustKnow(version)
    var isMended = false
    if !isLate || version == Schema.oldest { isMended = try !isWhole(database) }
    if isMended { try mendIndexes(of: database) }
    if version == Schema.oldest { try database.run(Schema.migration) }
    if try database.number(Schema.hasVouched) == 0 { try database.run(Schema.vouched) }
    try takeFires(ofHistory: database)
    // Small, and read at once: whose visit is open, and who was served.
    let checks: [StaticString] = ["PRAGMA integrity_check(visit)", "PRAGMA integrity_check(fire)", "PRAGMA integrity_check(mark)"]
    for check in checks where isLate {
      guard try isWhole(database, check) else { throw StoreFault(.corrupt, "the file is damaged") }
    }
    return (database, isMended)
  }

  /// To `BASE.damaged-N` or the like, together with SQLite's files beside it, so that nothing mixes them with the new file. The log goes first:
  /// whoever finds a file without it takes it for whole.
  @discardableResult
  @inline(never) static func rename(_ path: Path, _ base: Path, _ ending: StaticString) -> Path {
    var number: UInt64 = 1
    while true {
      var name = base
      name.append(ending)
      name.append(decimal: number)
      if name.overflowed || !FileSystem.exists(name) {
        for suffix in 0..<3 { FileSystem.rename(path, name, suffix: suffix == 0 ? "-shm" : suffix == 1 ? "-wal" : "") }
        return name
      }
      number += 1
    }
  }
}

extension Message {
  /// However late the courier takes it from the ring, it lives no longer: the disk may have hung. Nor longer than meant, whatever its clock.
  func expiry(at now: Instant) -> Instant { expires == .never ? .never : min(expires, now + (expires - at)) }
}
