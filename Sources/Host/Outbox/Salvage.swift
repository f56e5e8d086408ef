import Core

/// What can still be read from a file that was set aside.
extension Outbox {
  struct Salvage {
    var (events, visits, fires) = (0, 0, 0)
    /// Waiting events that are known to be lost.
    fileprivate(set) var lost = 0
    /// Whether each of their tables could be read from end to end.
    var (areEventsWhole, areVisitsWhole, areFiresWhole) = (true, true, true)
  }

  /// Between what was read forward and what was read backwards: no row is read twice, whatever order the damage pretends.
  private struct Gap {
    private var (low, high) = (Int64(0), Int64(1) << 60)

    mutating func narrow(to row: Int64, _ isBackwards: Bool) -> Bool {
      guard low < row, row < high else { return false }
      if isBackwards { high = row } else { low = row }
      return true
    }
  }

  /// So many rows are read at most, whatever they say: garbage may have no end.
  private static let (eventsMost, visitsMost) = (1 << 20, 20_000)

  /// Waiting events, open visits and fires of a damaged file go on in this one. The tables are read without their indexes, each by itself, and
  /// from both ends as far as the damage. In an empty file events keep their rows: what is in flight is known by them. Nil if this file has
  /// them: the run before came to its end before it could rename that one. What is still open can be read also if it was deleted.
  func salvage(_ damaged: Path, from open: Outbox? = nil) throws(StoreFault) -> Salvage? {
    let old: Database
    if let open { old = open.database } else { old = try Database(path: damaged, readOnly: true) }
    let inode = Int64(truncatingIfNeeded: FileSystem.imprint(of: damaged)?.inode ?? 0)
    guard try marked("salvaged") != inode else { return nil }
    var salvaged = Salvage()
    try startTransaction(isDurable: true)
    if newest == 0, let mark = try? old.number("SELECT value FROM mark WHERE name = 'left'"), mark > 0 { try self.mark("left", mark) }
    try takeEvents(of: old, &salvaged)
    if let open, !salvaged.areEventsWhole { salvaged.lost = max(salvaged.lost, open.waiting - salvaged.events) }
    let most = Self.visitsMost
    salvaged.areVisitsWhole = try Self.scan(old, Schema.visits, Schema.visitsBackwards, atMost: most) { query, _ throws(StoreFault) in
      let visit = OpenVisit(query)
      if visit.isPlausible { try record(visit) }
      return true
    }
    salvaged.visits = Int(try database.number("SELECT count(*) FROM visit"))
    try takeFires(of: old, &salvaged)
    try self.mark("salvaged", inode)
    salvaged.lost += try commit()
    return salvaged
  }

  /// The next file that is `unread`, or that an older version has set aside and this one can read, above that number; nil: none. A file gets
  /// the first free number: those that were taken leave gaps, but none as wide as this.
  static func waitingFile(beside path: Path, isUnread: Bool, above number: inout UInt64) -> Path? {
    var gap = 0
    while gap < 100 {
      number += 1
      gap += 1
      var name = path
      name.append(isUnread ? ".unread-" : ".newer-")
      name.append(decimal: number)
      guard !name.overflowed, FileSystem.exists(name) else { continue }
      gap = 0
      guard let file = try? Database(path: name, readOnly: true) else { continue }
      // What a newer version means by its rows nobody here knows.
      if (try? file.number("PRAGMA user_version")) ?? (isUnread ? 0 : .max) <= Schema.version { return name }
    }
    return nil
  }

  private func takeEvents(of old: Database, _ salvaged: inout Salvage) throws(StoreFault) {
    let base = newest
    let most = Self.eventsMost
    var gap = Gap()
    var (events, damaged) = (0, 0)
    salvaged.areEventsWhole = try Self.scan(old, Schema.rows, Schema.rowsBackwards, atMost: most) { query, isBackwards throws(StoreFault) in
      let row = query.integer(0)
      guard gap.narrow(to: row, isBackwards) else { return false }
      guard query.integer(1) == 0 else {
        newest = max(newest, base + row)
        return true
      }
      let event = StoredEvent(query)
      // What has no checksum may be anything.
      guard query.optionalInteger(9) == event.checksum else {
        damaged += 1
        return true
      }
      try insert(event, as: base + row)
      events += 1
      return true
    }
    // The index may still list those that the table has lost.
    let listed = salvaged.areEventsWhole ? 0 : Self.listed(old)
    (salvaged.events, salvaged.lost) = (events, max(damaged, listed - events))
  }

  private static func listed(_ old: Database) -> Int {
    var rows = 0
    guard let query = try? old.statement(Schema.listed) else { return 0 }
    while rows < eventsMost, (try? query.step()) ?? false { rows += 1 }
    return rows
  }

  private func takeFires(of old: Database, _ salvaged: inout Salvage) throws(StoreFault) {
    var gap = Gap()
    // The newest first: those behind the damage are recorded after those before it.
    var behind: [OpenVisit] = []
    salvaged.areFiresWhole = try Self.scan(old, Schema.numberedFires, Schema.recentFires, atMost: Self.visitsMost) {
      query, isBackwards throws(StoreFault) in
      let fire = Self.fire(kept: query)
      guard gap.narrow(to: query.integer(5), isBackwards) else { return false }
      guard fire.isPlausible else { return true }
      if isBackwards { behind.append(fire) } else { try recordFire(fire) }
      return true
    }
    while let fire = behind.popLast() { try recordFire(fire) }
    salvaged.fires = Int(try database.number("SELECT count(*) FROM (SELECT DISTINCT topic, id FROM fire)"))
  }

  /// Forward; then, if that did not come to the end, backwards. False if it did not.
  private static func scan(
    _ database: Database, _ forward: StaticString, _ backwards: StaticString, atMost most: Int,
    _ body: (borrowing Statement, _ isBackwards: Bool) throws(StoreFault) -> Bool
  ) throws(StoreFault) -> Bool {
    for isBackwards in [false, true] {
      guard let query = try? database.statement(isBackwards ? backwards : forward) else { return false }
      for _ in 0..<most {
        guard let isRow = try? query.step() else { break }
        guard isRow else {
          if isBackwards { break }
          return true
        }
        guard try body(query, isBackwards) else { break }
      }
    }
    return false
  }
}

extension Outbox.OpenVisit {
  /// No checksum guards it: its end must not go to a topic that is none.
  fileprivate var isPlausible: Bool {
    for index in 0..<topic.count {
      let byte = topic[index]
      if byte < 0x20 || byte == UInt8(ascii: "+") || byte == UInt8(ascii: "#") { return false }
    }
    return !topic.isEmpty && !id.isEmpty
  }
}
