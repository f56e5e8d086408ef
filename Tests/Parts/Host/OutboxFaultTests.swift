import Core
import Foundation
import Testing

@testable import Host

@Suite("events survive what disks and their users do") struct OutboxFaultTests {
  let scratch = Scratch()

  @Test("a row's checksum is what earlier versions wrote") func checksum() {
    // Computed by hand in Python: FNV-1a of the topic, of 0x100 in one step, of the payload, and of the numbers, the least byte first.
    #expect(Checksum(Topic("site/a"), Payload("{}"), [1_760_000_000, nil]).value == 3_243_787_724_226_526_293)
  }

  @Test("the history of an outbox of another version is not read") func otherVersions() throws {
    let path = Played(scratch).settings.outbox.path
    for (version, isRead) in [
      ("PRAGMA user_version = 0", false), ("PRAGMA user_version = 1", true), ("PRAGMA user_version = 2", true),
      ("PRAGMA user_version = 3", false),
    ] as [(StaticString, Bool)] {
      try Database(path: path).run(version)
      let history = try? OutboxHistory(path: String(path))
      #expect((history != nil) == isRead, "\(version)")
    }
  }

  @Test(
    "an event that the disk has changed is not sent, but counted and kept for reading",
    arguments: ["payload", "stored", "expires", "topic", "every time"])
  func flipped(column: String) throws {
    var played = Played(scratch)
    played.push(3, lasting: .seconds(60))
    played.store.close()
    let database = try Database(path: played.settings.outbox.path)
    switch column {
    case "payload": try database.run("UPDATE event SET payload = replace(payload, '1}', '3}') WHERE id = 2")
    case "stored": try database.run("UPDATE event SET stored = stored + (1 << 40) WHERE id = 2")
    case "expires": try database.run("UPDATE event SET expires = expires | (1 << 40), deadline = deadline | (1 << 40) WHERE id = 2")
    case "every time":
      try database.run(
        """
        UPDATE event SET machine = 7, stored = stored | (1 << 62), expires = expires | (-9223372036854775807 - 1), deadline = 5 WHERE id = 2
        """)
    default: try database.run("UPDATE event SET topic = replace(topic, 'pump-1', 'pump-3') WHERE id = 2")
    }
    played.store.open(at: played.now)
    played.drain()
    #expect(played.delivered == [played.pushed[0], played.pushed[2]])
    #expect(played.counters.eventsLost.count == 1 && played.counters.troubles.contains(.lost) && played.counters.eventsWaiting.count == 0)
    var states: [Outbox.State] = []
    try OutboxHistory(path: String(played.settings.outbox.path)).read {
      states.append($0.state)
      return true
    }
    #expect(states == [.delivered, .damaged, .delivered])
  }

  @Test(
    "an outbox deleted, cut, overwritten or replaced while in use is noticed; waiting events are delivered, open visits stay open",
    arguments: ["deleted", "all deleted", "log cut", "log overwritten", "file overwritten"])
  func touched(how: String) throws {
    var played = Played(scratch)
    played.push(3)
    played.push(.begins, of: "irk:ann")
    played.push(2, isUrgent: true)
    let path = String(played.settings.outbox.path)
    func overwrite(_ suffix: String, at offset: UInt64, _ bytes: Int) throws {
      let file = try #require(FileHandle(forUpdatingAtPath: path + suffix))
      try file.seek(toOffset: offset)
      file.write(Data(repeating: 0, count: bytes))
      try file.close()
    }
    switch how {
    case "deleted": try FileManager.default.removeItem(atPath: path)
    case "all deleted": for suffix in ["", "-wal", "-shm"] { try FileManager.default.removeItem(atPath: path + suffix) }
    case "log cut": try #require(FileHandle(forUpdatingAtPath: path + "-wal")).truncate(atOffset: 8_192)
    case "log overwritten": try overwrite("-wal", at: 32, 16)
    default: try overwrite("", at: 24, 4)
    }
    played.pass(.seconds(2))
    played.store.flush(at: played.now)
    #expect(played.counters.troubles.contains(.touched))
    played.push(1)
    played.drain()
    if how != "log cut" { #expect(Set(played.delivered).isSuperset(of: played.pushed)) }
    #expect(played.counters.eventsWaiting.count == 0 && !played.counters.troubles.contains(.store))
    played.store.close()
    var open: [String] = []
    try Outbox(played.settings.outbox, machine: 1).openVisits {
      open.append(String($0.id))
      return true
    }
    if how != "log cut" { #expect(open == ["irk:ann"]) }
  }

  @Test("a file that was emptied beside its log is set aside, and not taken for a new one", arguments: [true, false])
  func emptied(hasLog: Bool) throws {
    var played = Played(scratch)
    let path = String(played.settings.outbox.path)
    played.store.close()
    FileManager.default.createFile(atPath: path, contents: nil)
    if hasLog { FileManager.default.createFile(atPath: path + "-wal", contents: Data(repeating: 1, count: 8_192)) }
    let outbox = try Outbox(played.settings.outbox, machine: 1)
    #expect((outbox.setAside != nil) == hasLog && FileManager.default.fileExists(atPath: path + ".unread-1-wal") == hasLog)
  }

  /// As a worn card does: in the index of waiting events, that of one row leads to another row.
  private func misdirect(_ path: Path, root: Int64, _ row: UInt8, to other: UInt8) throws {
    let file = try #require(FileHandle(forUpdatingAtPath: String(path)))
    let start = UInt64(root - 1) * 4_096
    try file.seek(toOffset: start)
    let page = try #require(try file.read(upToCount: 4_096))
    // SQLite's record: its length, the length and types of its fields, then the number and the row. The rank 0 takes no byte.
    let entry = try #require(page.range(of: Data([6, 4, 8, 1, 1, row, row])))
    try file.seek(toOffset: start + UInt64(entry.upperBound - 1))
    file.write(Data([other]))
    try file.close()
  }

  private static let root: StaticString = "SELECT rootpage FROM sqlite_schema WHERE name = 'waiting'"

  @Test("an index that the disk has changed is built anew at the start: no event is lost or goes twice", arguments: [2, 5, 9] as [UInt8])
  func misleading(other: UInt8) throws {
    var played = Played(scratch)
    played.push(5)
    let root = try #require(played.store.outbox).database.number(Self.root)
    played.store.close()
    try misdirect(played.settings.outbox.path, root: root, 4, to: other)
    _ = played.log.take()
    played.store.open(at: played.now)
    #expect(played.log.take().map { $0.contains("an index of the outbox, which was built anew") } == [true])
    played.drain()
    #expect(played.delivered == played.pushed && played.counters.eventsLost.count == 0 && played.counters.storeFailures.count == 0)
    #expect(scratch.names.allSatisfy { !$0.contains("damaged") } && played.counters.eventsWaiting.count == 0)
  }

  @Test(
    "an index that the disk changes during the run leads to a failure, not round and round; what is in flight does not go again",
    arguments: [2, 6] as [UInt8])
  func misled(other: UInt8) throws {
    var played = Played(scratch)
    played.push(5)
    played.push(1, isUrgent: true)
    played.publish(atMost: 1)
    played.acknowledge()
    played.settle()
    let database = try #require(played.store.outbox).database
    try database.run("PRAGMA wal_checkpoint(TRUNCATE); PRAGMA shrink_memory")
    try misdirect(played.settings.outbox.path, root: database.number(Self.root), 4, to: other)
    #expect(played.publish() == 3 && played.counters.troubles.contains(.store) && played.counters.storeFailures.count == 1)
    played.acknowledge()
    played.pass(.seconds(5))
    played.store.flush(at: played.now)
    #expect(played.publish() == 2 && !played.counters.troubles.contains(.touched))
    played.drain()
    #expect(played.delivered == [5, 0, 1, 2, 3, 4].map { played.pushed[$0] })
    #expect(played.counters.eventsWaiting.count == 0 && played.counters.eventsDelivered.count == 6)
    #expect(!played.counters.troubles.contains(.store))
  }

  @Test("a large file is in use at once and looked through meanwhile: damage is found, and no event is lost or goes twice")
  func late() throws {
    var played = Played(scratch) { $0.outbox.longestRest = .seconds(60) }
    played.push(.begins, of: "irk:ann")
    played.push(5)
    let root = try #require(played.store.outbox).database.number(Self.root)
    played.store.close()
    try misdirect(played.settings.outbox.path, root: root, 4, to: 9)
    played.store = EventStore(played.settings, played.counters) { [log = played.log] in log.append($0, $1) }
    played.store.checkedAtOnce = 0
    played.store.open(at: played.now)
    #expect(played.counters.eventsWaiting.count == 6 && played.store.recentFires.map { String($0.id) } == ["irk:ann"])
    let check = try #require(played.store.outbox?.lateCheck)
    for _ in 0..<1_000 where !check.isOver { usleep(10_000) }
    #expect(check.hasFoundDamage)
    played.push(1)
    #expect(played.store.outbox == nil && played.counters.troubles.contains(.store))
    _ = played.log.take()
    played.pass(.seconds(5))
    played.store.flush(at: played.now)
    #expect(played.log.take().contains { $0.contains("an index of the outbox, which was built anew") })
    #expect(try #require(played.store.outbox).lateCheck == nil)
    played.drain()
    #expect(played.delivered == played.pushed && played.counters.eventsLost.count == 0 && played.counters.eventsWaiting.count == 0)
  }

  @Test("a whole file that is written meanwhile is found whole") func whole() throws {
    var played = Played(scratch)
    played.push(2_000)
    played.store.close()
    played.store.checkedAtOnce = 0
    played.store.open(at: played.now)
    let check = try #require(played.store.outbox?.lateCheck)
    for _ in 0..<1_000 where !check.isOver {
      played.push()
      played.publish(atMost: 1)
      played.acknowledge()
      played.settle()
    }
    #expect(check.isOver && !check.hasFoundDamage && played.counters.storeFailures.count == 0)
  }

  @Test("what must last is on the disk when it is stored, whatever was written before; what may be lost is not waited for")
  func durable() throws {
    var settings = OutboxSettings()
    settings.path = scratch["outbox.db"]
    let outbox = try Outbox(settings, machine: 1)
    for (isDurable, step) in zip([true, false, false, true, true, false, true], 1...) {
      try outbox.startTransaction(isDurable: isDurable)
      try outbox.mark("step", Int64(step))
      _ = try outbox.commit()
      // SQLite: 1 is NORMAL, which leaves the log of a database in WAL mode to the kernel; 2 is FULL.
      #expect(try outbox.database.number("PRAGMA synchronous") == (isDurable ? 2 : 1), "step \(step)")
    }
  }

  @Test("a disk that fails to note what was delivered is tried again every five seconds, and no event is lost or sent twice")
  func unnoted() throws {
    var played = Played(scratch)
    played.push(3)
    let database = try #require(played.store.outbox?.database)
    try database.run("PRAGMA query_only = 1")
    #expect(played.publish() == 3)
    for _ in 0..<3 { played.acknowledge() }
    for second in 0..<20 {
      for _ in 0..<10 {
        played.settle()
        played.pass(.milliseconds(100))
      }
      #expect(played.counters.storeFailures.count == second / 5 + 1, "after \(second + 1) s")
    }
    #expect(played.counters.eventsDelivered.count == 0 && played.publish() == 0)
    try database.run("PRAGMA query_only = 0")
    played.drain()
    #expect(played.delivered == played.pushed && played.counters.eventsDelivered.count == 3 && played.counters.eventsWaiting.count == 0)
  }

  @Test("a roll-back of a disk that cannot even be read restores what was counted") func countless() throws {
    let scratch = Scratch()
    var settings = OutboxSettings()
    (settings.path, settings.maxEvents) = (scratch["outbox.db"], 3)
    let outbox = try Outbox(settings, machine: 1)
    let now = Moment(at: .zero, wall: nil, isTrusted: false)
    var event = Message()
    (event.care, event.topic, event.payload) = (.event, Topic("t"), Payload("{}"))
    func store(_ count: Int) throws {
      try outbox.startTransaction(isDurable: true)
      for _ in 0..<count { try outbox.store(event, at: now) }
    }
    try store(2)
    _ = try outbox.commit()
    // What was undone takes up no room.
    try store(1)
    outbox.rollBack()
    let other = try Database(path: settings.path)
    try other.run("ALTER TABLE event RENAME TO hidden")
    #expect(throws: StoreFault.self) { try store(1) }
    outbox.rollBack()
    #expect(outbox.waiting == 2, "no question about events can be answered")
    try other.run("ALTER TABLE hidden RENAME TO event")
    try store(2)
    #expect(try outbox.commit() == 1, "of four, three may stay")
  }
}
