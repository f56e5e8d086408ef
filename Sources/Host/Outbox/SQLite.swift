import CSQLite
package import Core

/// Why the store failed, in SQLite's words.
package struct StoreFault: Error, Sendable {
  package enum Kind: UInt8, BitwiseCopyable, Sendable {
    /// No room on the disk, or the file may not grow.
    case full
    /// The file is damaged, or no outbox.
    case corrupt
    /// A newer version of this program wrote it.
    case newer
    /// A table or a column is missing.
    case misshapen
    /// Another gateway has the file.
    case taken
    /// This user may not write it.
    case forbidden
    /// Nobody may: the service's own rules, or a disk that has failed.
    case readOnly
    /// Its folder is not there.
    case gone
    case other
  }
  package var kind: Kind
  /// Not a text in place: on armhf the compiler copies one byte by byte in every function that an error may leave.
  package let said: String
}

/// One SQLite file. All that is unsafe about SQLite stays in this file.
@safe package final class Database {
  fileprivate let handle: OpaquePointer

  package init(path: Path, readOnly: Bool = false) throws(StoreFault) {
    var opened: OpaquePointer?
    let flags = SQLITE_OPEN_NOMUTEX | (readOnly ? SQLITE_OPEN_READONLY : SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE) | SQLITE_OPEN_URI
    // SAFETY: SQLite gives a handle even with an error, but for want of memory; it is closed here or in `deinit`.
    let code = unsafe path.withCString { unsafe sqlite3_open_v2($0, &opened, flags, nil) }
    guard code == SQLITE_OK, let opened = unsafe opened else {
      let fault = unsafe StoreFault(code, opened)
      unsafe sqlite3_close_v2(opened)
      throw fault
    }
    // SAFETY: ours from here to `deinit`.
    unsafe handle = opened
    unsafe sqlite3_extended_result_codes(handle, 1)
    unsafe sqlite3_busy_timeout(handle, 1_000)
  }

  // SAFETY: statements hold the database, so none is left.
  deinit { unsafe sqlite3_close_v2(handle) }

  package func run(_ sql: StaticString) throws(StoreFault) {
    // SAFETY: a literal ends with a zero.
    let code = unsafe sqlite3_exec(handle, UnsafeRawPointer(sql.utf8Start).assumingMemoryBound(to: CChar.self), nil, nil, nil)
    if code != SQLITE_OK { throw unsafe StoreFault(code, handle) }
  }

  package func statement(_ sql: StaticString) throws(StoreFault) -> Statement {
    var prepared: OpaquePointer?
    // SAFETY: a literal ends with a zero.
    let text = unsafe UnsafeRawPointer(sql.utf8Start).assumingMemoryBound(to: CChar.self)
    // SAFETY: the text is a literal of that length; the statement is finalized by its owner.
    let code = unsafe sqlite3_prepare_v3(handle, text, CInt(sql.utf8CodeUnitCount), UInt32(SQLITE_PREPARE_PERSISTENT), &prepared, nil)
    guard code == SQLITE_OK, let prepared = unsafe prepared else { throw unsafe StoreFault(code, handle) }
    return unsafe Statement(prepared, of: self)
  }

  /// The result of a query for one number.
  package func number(_ sql: StaticString) throws(StoreFault) -> Int64 {
    let query = try statement(sql)
    return try query.step() ? query.integer(0) : 0
  }

  // SAFETY: only asks.
  package var changes: Int { Int(unsafe sqlite3_changes(handle)) }
}

/// A prepared statement, which keeps its database open. Parameters count from 1, columns from 0, as SQLite has it.
@safe package final class Statement {
  private let statement: OpaquePointer
  private let database: Database

  fileprivate init(_ statement: OpaquePointer, of database: Database) {
    // SAFETY: ours from here to `deinit`.
    unsafe self.statement = statement
    self.database = database
  }

  // SAFETY: nobody else has it.
  deinit { unsafe sqlite3_finalize(statement) }

  package func bind(_ index: Int, _ value: Int64?) {
    // SAFETY: a number is copied; an index that does not exist is refused.
    if let value { unsafe sqlite3_bind_int64(statement, CInt(index), value) } else { unsafe sqlite3_bind_null(statement, CInt(index)) }
  }

  package func bind(_ index: Int, text: RawSpan) {
    // SAFETY: SQLite copies the bytes before it returns.
    unsafe text.withUnsafeBytes { bytes in
      let start = unsafe bytes.baseAddress?.assumingMemoryBound(to: CChar.self)
      _ = unsafe sqlite_bind_copied_text(statement, CInt(index), start, CInt(bytes.count))
    }
  }

  /// Whether there is a row to read.
  package func step() throws(StoreFault) -> Bool {
    // SAFETY: the statement is ours, and its database is open as long as it lives.
    switch unsafe sqlite3_step(statement) {
    case SQLITE_ROW: return true
    case SQLITE_DONE: return false
    case let code: throw unsafe StoreFault(code, database.handle)
    }
  }

  /// Runs it to its end and resets it.
  package func execute() throws(StoreFault) {
    defer { reset() }
    while try step() {}
  }

  package func reset() {
    // SAFETY: as in `step`.
    unsafe sqlite3_reset(statement)
  }

  // SAFETY: here and below a column that does not exist reads as NULL.
  package func integer(_ column: Int) -> Int64 { unsafe sqlite3_column_int64(statement, CInt(column)) }

  package func optionalInteger(_ column: Int) -> Int64? {
    unsafe sqlite3_column_type(statement, CInt(column)) == SQLITE_NULL ? nil : integer(column)
  }

  package func text<let capacity: Int>(_ column: Int) -> Text<capacity> {
    // SAFETY: SQLite says how long the text is, and keeps it until the next step.
    let start = unsafe sqlite3_column_text(statement, CInt(column))
    let count = Int(unsafe sqlite3_column_bytes(statement, CInt(column)))
    guard let start = unsafe start else { return Text() }
    // SAFETY: SQLite keeps `count` bytes there until the next step, and they are copied now.
    return Text(unsafe RawSpan(_unsafeStart: start, byteCount: count))
  }
}

extension StoreFault {
  fileprivate init(_ code: CInt, _ database: OpaquePointer?) {
    kind =
      switch code & 0xFF {
      case SQLITE_FULL: .full
      case SQLITE_CORRUPT, SQLITE_NOTADB: .corrupt
      case SQLITE_ERROR: .misshapen
      case SQLITE_BUSY, SQLITE_LOCKED: .taken
      case SQLITE_READONLY, SQLITE_PERM: .forbidden
      default: .other
      }
    // SAFETY: both are terminated texts, never missing, and copied at once.
    said = unsafe String(cString: database == nil ? sqlite3_errstr(code) : sqlite3_errmsg(database))
  }

  package init(_ kind: Kind, _ said: String) { (self.kind, self.said) = (kind, said) }
}
