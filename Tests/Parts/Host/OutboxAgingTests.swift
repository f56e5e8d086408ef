import Core
import Foundation
import Testing

@testable import Host

@Suite("old history goes, and reading it costs little") struct OutboxAgingTests {
  let scratch = Scratch()
  private static let start: Int64 = 1_790_000_000_000_000

  /// Rows 1 to 3000 with the state of history; the odd ones are ordinary, the even ones urgent.
  private func outbox(_ settled: StaticString) throws -> Outbox {
    var settings = OutboxSettings()
    (settings.path, settings.maxAge) = (scratch["outbox.db"], .hours(1))
    do { _ = try Outbox(settings, machine: 1) }
    let database = try Database(path: settings.path)
    try database.run(
      """
      INSERT INTO event (id, state, machine, topic, payload, rank)
      WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 3000)
      SELECT i, 1, 1, 't', printf('{"number":%d}%450c', i, ' '), i % 2 = 0 FROM n
      """)
    try database.run(settled)
    return try Outbox(settings, machine: 1)
  }

  /// When what was settled so many seconds after the start has just not become old.
  private func moment(_ seconds: Int64) -> Moment {
    Moment(at: .zero + .hours(10), wall: Self.start + (seconds + 3_600) * 1_000_000, isTrusted: true)
  }

  private func left(_ outbox: Outbox) throws -> [Int64] {
    var rows: [Int64] = []
    let query = try outbox.database.statement("SELECT id FROM event ORDER BY id")
    while try query.step() { rows.append(query.integer(0)) }
    return rows
  }

  private static let inOrder: StaticString = "UPDATE event SET settled = 1790000000000000 + id * 1000000"

  @Test("while nothing is old only the oldest are read: a page further on that cannot be read stops nobody") func little() throws {
    let outbox = try outbox(Self.inOrder)
    try outbox.database.run("PRAGMA wal_checkpoint(TRUNCATE); PRAGMA shrink_memory")
    let path = String(outbox.settings.path)
    let row = try #require(try Data(contentsOf: URL(filePath: path)).range(of: Data("{\"number\":2900}".utf8)))
    let file = try #require(FileHandle(forUpdatingAtPath: path))
    try file.seek(toOffset: UInt64(row.lowerBound / 4_096 * 4_096))
    file.write(Data([0]))
    #expect(try !outbox.age(at: moment(1)))
    #expect(throws: StoreFault.self) { _ = try left(outbox) }
  }

  @Test("what is old goes, the oldest first, a thousand of each rank at once; without a clock that can be trusted nothing does")
  func pages() throws {
    let outbox = try outbox(Self.inOrder)
    var unsure = moment(2_201)
    unsure.isTrusted = false
    #expect(try !outbox.age(at: unsure))
    for first in [2_001, 2_201] as [Int64] {
      #expect(try outbox.age(at: moment(2_201)))
      #expect(try left(outbox) == Array(first...3_000))
    }
    #expect(try !outbox.age(at: moment(2_201)))
    // Counted, too: there is room for as many as before.
    outbox.settings.maxEvents = 800
    try outbox.startTransaction(isDurable: true)
    #expect(try outbox.commit() == 0)
    #expect(try left(outbox).count == 800)
  }

  @Test("rows of the future, from a clock that was wrong, stay until their time and keep nobody else") func ahead() throws {
    let outbox = try outbox(
      "UPDATE event SET settled = 1790000000000000 + id * 1000000 + CASE WHEN id <= 2500 THEN 31536000000000 ELSE 0 END")
    #expect(try outbox.age(at: moment(2_901)))
    #expect(try left(outbox) == Array(1...2_500) + Array(2_901...3_000))
    #expect(try outbox.age(at: moment(3_001)))
    #expect(try left(outbox) == Array(1...2_500))
    #expect(try outbox.age(at: moment(31_536_000 + 101)))
    #expect(try left(outbox) == Array(101...2_500))
  }

  @Test("rows that were settled earlier than those before them go with those") func behind() throws {
    let outbox = try outbox("UPDATE event SET settled = 1790000000000000 + CASE WHEN id <= 2500 THEN 1000000000 ELSE 0 END")
    #expect(try !outbox.age(at: moment(1_000)))
    while try outbox.age(at: moment(1_001)) {}
    #expect(try left(outbox).isEmpty)
  }

  @Test("the courier deletes a page a second, and looks again after an hour") func courier() throws {
    _ = try outbox(Self.inOrder)
    var played = Played(scratch) { $0.outbox.maxAge = .hours(1) }
    played.now = moment(2_201)
    played.store.agingDue = played.now.at
    for wait in [Interval.seconds(1), .seconds(1), .hours(1)] {
      played.store.flush(at: played.now)
      #expect(played.store.agingDue == played.now.at + wait)
      played.now.at = played.now.at + .seconds(1)
    }
    #expect(try left(try #require(played.store.outbox)) == Array(2_201...3_000))
  }
}
