import Core
import Foundation
import Testing

@testable import Host

extension Text {
  fileprivate var words: String { String(self) }
}

private func event(_ number: Int, lasting: Interval? = nil, at moment: Moment = morning) -> Message {
  var message = Message()
  message.care = .event
  message.at = moment.at
  if let lasting { message.expires = message.at + lasting }
  message.sequence = UInt64(number)
  message.topic = Topic("forecourt/site/gateway/trigger/pump-\(number % 4)")
  message.payload = Payload(#"{"v":1,"event_id":"0-\#(number)"}"#)
  return message
}

private let morning = Moment(at: Instant(microseconds: 50_000_000), wall: 1_790_000_000_000_000, isTrusted: true)

extension Moment {
  fileprivate func after(_ interval: Interval, wall: Bool = true) -> Moment {
    var later = self
    later.at = at + interval
    later.wall = wall ? self.wall.map { $0 + interval.microseconds } : nil
    return later
  }
}

extension Outbox {
  fileprivate func store(_ messages: [Message], at now: Moment = morning) throws -> Int {
    try startTransaction(isDurable: true)
    for message in messages { try store(message, at: now) }
    return try commit()
  }

  fileprivate func waitingPayloads(at now: Moment = morning) throws -> [String] {
    var payloads: [String] = []
    var row: Int64 = 0
    while let event = try next(.ordinary, after: row, at: now) {
      payloads.append(event.payload.words)
      row = event.row
    }
    return payloads
  }

  fileprivate func recordAll(as state: State, at now: Moment = morning) throws {
    try startTransaction(isDurable: false)
    var row: Int64 = 0
    while let event = try next(.ordinary, after: row, at: now) {
      try record(event.row, as: state, at: now)
      row = event.row
    }
    try commitStates()
  }
}

@Suite struct OutboxTests {
  let scratch = Scratch()
  var settings: OutboxSettings {
    var settings = OutboxSettings()
    settings.path = scratch["outbox.db"]
    return settings
  }

  @Test("stored events wait in order until acknowledged, across processes")
  func order() throws {
    do {
      let outbox = try Outbox(settings, machine: 1)
      #expect(try outbox.store((1...5).map { event($0) }) == 0)
      #expect(outbox.waiting == 5)
    }
    let outbox = try Outbox(settings, machine: 1)
    #expect(try outbox.waitingPayloads() == (1...5).map { event($0).payload.words })
    let first = try #require(try outbox.next(.ordinary, after: 0, at: morning))
    #expect(first.topic == event(1).topic && first.left == .unlimited)
    try outbox.startTransaction(isDurable: false)
    try outbox.record(first.row, as: .delivered, at: morning)
    try outbox.record(first.row, as: .expired, at: morning)
    try outbox.commitStates()
    #expect(outbox.waiting == 4)
    #expect(try outbox.waitingPayloads() == (2...5).map { event($0).payload.words })
  }

  @Test("a rolled-back transaction leaves nothing")
  func rollBack() throws {
    let outbox = try Outbox(settings, machine: 1)
    _ = try outbox.store([event(1)])
    try outbox.startTransaction(isDurable: true)
    try outbox.store(event(2), at: morning)
    outbox.rollBack()
    #expect(outbox.waiting == 1)
    #expect(try outbox.waitingPayloads() == [event(1).payload.words])
  }

  @Test("room is made from history first, then from the oldest undelivered event, counted")
  func bound() throws {
    var settings = settings
    settings.maxEvents = 4
    let outbox = try Outbox(settings, machine: 1)
    _ = try outbox.store([event(1), event(2)])
    try outbox.recordAll(as: .delivered)
    #expect(try outbox.store([event(3), event(4), event(5)]) == 0)
    #expect(try outbox.waitingPayloads() == [3, 4, 5].map { event($0).payload.words })
    #expect(try outbox.store([event(6), event(7)]) == 1)
    #expect(try outbox.waitingPayloads() == [4, 5, 6, 7].map { event($0).payload.words })
    #expect(outbox.waiting == 4)
  }

  @Test("history expires, waiting events do not")
  func aging() throws {
    let outbox = try Outbox(settings, machine: 1)
    _ = try outbox.store([event(1)])
    try outbox.recordAll(as: .delivered)
    _ = try outbox.store([event(2)])
    try outbox.age(at: morning.after(settings.maxAge + .seconds(1)))
    #expect(try outbox.waitingPayloads() == [event(2).payload.words])
    #expect(try Database(path: settings.path, readOnly: true).number("SELECT count(*) FROM event") == 1)
  }

  @Test("what is old goes, and what is new moves from the log into the file") func checkpoint() throws {
    let outbox = try Outbox(settings, machine: 1)
    _ = try outbox.store((1...200).map { event($0) })
    let before = try #require(FileSystem.imprint(of: settings.path)).size
    try outbox.age(at: morning)
    #expect(try #require(FileSystem.imprint(of: settings.path)).size > before + 8_192)
    #expect(try outbox.waitingPayloads().count == 200 && outbox.isUntouched)
  }

  @Test("a file that is deleted just before we write stays noticed", arguments: ["store", "record", "age", "mark", "undo"], ["", "-wal"])
  func deleted(before step: String, end: String) throws {
    let outbox = try Outbox(settings, machine: 1)
    _ = try outbox.store([event(1)])
    try FileManager.default.removeItem(atPath: String(settings.path) + end)
    switch step {
    case "store": _ = try outbox.store([event(2)])
    case "record": try outbox.recordAll(as: .delivered)
    case "age": try outbox.age(at: morning)
    case "mark": try outbox.mark("tried", 1)
    default: outbox.rollBack()
    }
    #expect(!outbox.isUntouched)
  }

  @Test("an event's time runs on the machine's clock, and across a start of the machine on the time of day")
  func deadlines() throws {
    do {
      let outbox = try Outbox(settings, machine: 1)
      _ = try outbox.store([event(1, lasting: .seconds(60))])
      #expect(try outbox.next(.ordinary, after: 0, at: morning.after(.seconds(20)))?.left == .span(.seconds(40)))
      // The wall clock jumps; the machine's does not.
      var jumped = morning.after(.seconds(20))
      jumped.wall = 0
      #expect(try outbox.next(.ordinary, after: 0, at: jumped)?.left == .span(.seconds(40)))
    }
    let outbox = try Outbox(settings, machine: 2)
    var later = morning.after(.seconds(30))
    later.at = .zero
    #expect(try outbox.next(.ordinary, after: 0, at: later)?.left == .span(.seconds(30)))
    later.isTrusted = false
    #expect(try outbox.next(.ordinary, after: 0, at: later)?.left == .unknown)
    later.isTrusted = true
    later.wall = nil
    #expect(try outbox.next(.ordinary, after: 0, at: later)?.left == .unknown)
    // The clock is of before the event: it was put back, and knows nothing.
    later.wall = morning.wall.map { $0 - 1 }
    #expect(try outbox.next(.ordinary, after: 0, at: later)?.left.isOver == true)
    // Whatever the time is: the machine has run for a minute.
    later.at = .zero + .seconds(60)
    later.isTrusted = false
    #expect(try outbox.next(.ordinary, after: 0, at: later)?.left.isOver == true)
  }

  @Test("an event stored under an unsynchronised clock expires at the machine's next start")
  func wrongClock() throws {
    do {
      let outbox = try Outbox(settings, machine: 1)
      var ahead = morning.after(.hours(24))
      ahead.isTrusted = false
      _ = try outbox.store([event(1, lasting: .seconds(60), at: ahead)], at: ahead)
      #expect(try outbox.next(.ordinary, after: 0, at: ahead)?.left == .span(.seconds(60)))
    }
    let outbox = try Outbox(settings, machine: 2)
    var later = morning
    later.at = .zero
    #expect(try outbox.next(.ordinary, after: 0, at: later)?.left.isOver == true)
  }

  @Test("the kernel and systemd identify a start of the machine by the same number; an unknown start equals no other")
  func machineStarts() {
    let kernels = Array("0b6a3e1c-8f0d-4c5e-9a57-51f2c3d4e5f6\n".utf8)
    let systemds = Array("0b6a3e1c8f0d4c5e9a5751f2c3d4e5f6".utf8)
    let other = Array("0b6a3e1c8f0d4c5e9a5751f2c3d4e5f7".utf8)
    #expect(machineStart(kernels, systemds: []) == machineStart([], systemds: systemds))
    #expect(machineStart(kernels, systemds: other) == machineStart(kernels, systemds: []))
    #expect(machineStart([], systemds: other) != machineStart([], systemds: systemds))
    for nothing in [[], Array("%b".utf8), Array("0".utf8)] {
      #expect(machineStart([], systemds: nothing) != machineStart([], systemds: nothing))
    }
    #expect(machineStart() == machineStart())
  }

  @Test("an event stored without a clock expires at the machine's next start")
  func noClock() throws {
    do {
      let outbox = try Outbox(settings, machine: 1)
      _ = try outbox.store([event(1, lasting: .seconds(60))], at: Moment(at: morning.at, wall: nil))
    }
    let outbox = try Outbox(settings, machine: 2)
    #expect(try outbox.next(.ordinary, after: 0, at: morning)?.left.isOver == true)
  }

  @Test("a version 1 file is migrated, and its waiting events go on waiting, triggers first")
  func migration() throws {
    try Database(path: settings.path).run(
      """
      CREATE TABLE event (
        id INTEGER PRIMARY KEY, state INTEGER NOT NULL DEFAULT 0, stored INTEGER, settled INTEGER,
        machine INTEGER NOT NULL, deadline INTEGER, expires INTEGER, topic TEXT NOT NULL, payload TEXT NOT NULL);
      CREATE INDEX waiting ON event (id) WHERE state = 0;
      CREATE INDEX settled ON event (id) WHERE state != 0;
      INSERT INTO event (state, machine, topic, payload) VALUES (1, 1, 'f/s/g/region/a/event', '0'), (0, 1, 'f/s/g/region/a/event', '1'),
        (0, 1, 'f/s/g/trigger/b', '2');
      PRAGMA application_id = 0x46435254; PRAGMA user_version = 1;
      """)
    #expect(throws: Never.self) { try OutboxHistory(path: String(settings.path)).read { _ in true } }
    let outbox = try Outbox(settings, machine: 1)
    #expect(outbox.setAside == nil && outbox.waiting == 2)
    let urgent = try #require(try outbox.next(.urgent, after: 0, at: morning))
    #expect(urgent.payload.words == "2" && !urgent.isDamaged)
    #expect(try outbox.next(.urgent, after: urgent.row, at: morning) == nil)
    #expect(try outbox.waitingPayloads() == ["1"])
    _ = try outbox.store([event(1)])
    #expect(try outbox.waitingPayloads() == ["1", event(1).payload.words])
  }

  @Test("a damaged file is set aside under a number, and a new one is created", arguments: ["no database at all", "damaged", "newer"])
  func damaged(how: String) throws {
    scratch.write("outbox.db.unread-1", [1])
    if how == "no database at all" {
      scratch.write("outbox.db", Array(repeating: 0x41, count: 9_000))
    } else {
      do {
        let outbox = try Outbox(settings, machine: 1)
        for batch in 0..<40 { _ = try outbox.store((0..<20).map { event(batch * 20 + $0) }) }
      }
      if how == "newer" {
        try Database(path: settings.path).run("PRAGMA user_version = 99")
      } else {
        let file = try #require(FileHandle(forUpdatingAtPath: scratch.path + "/outbox.db"))
        for page in 1..<20 {
          try file.seek(toOffset: UInt64(page * 4_096))
          file.write(Data(repeating: 0xA5, count: 2_000))
        }
      }
    }
    let outbox = try Outbox(settings, machine: 1)
    let name = how == "newer" ? "outbox.db.newer-1" : "outbox.db.unread-2"
    #expect(outbox.waiting == 0)
    _ = try outbox.store([event(1)])
    #expect(scratch.names.contains(name) && outbox.setAside == scratch[name])
  }

  @Test("a foreign database is left alone")
  func foreign() throws {
    try Database(path: settings.path).run("CREATE TABLE accounts (id INTEGER); PRAGMA user_version = 1")
    #expect(throws: StoreFault.self) { _ = try Outbox(settings, machine: 1) }
    #expect(scratch.names == ["outbox.db"])
  }

  @Test("what may not be written is told from what another has")
  func forbidden() throws {
    try Database(path: settings.path).run("CREATE TABLE accounts (id INTEGER)")
    let error = #expect(throws: StoreFault.self) { try Database(path: settings.path, readOnly: true).run("DROP TABLE accounts") }
    #expect(error?.kind == .forbidden && error?.said == "attempt to write a readonly database")
  }

  @Test("one outbox serves one gateway")
  func exclusive() throws {
    let first = try Outbox(settings, machine: 1)
    _ = try first.store([event(1)])
    do {
      _ = try Outbox(settings, machine: 1)
      Issue.record("two gateways have one outbox")
    } catch { #expect(error.kind == .taken) }
  }

  @Test("a store without a folder says why")
  func nowhere() {
    var settings = OutboxSettings()
    settings.path = scratch["no/such/outbox.db"]
    do {
      _ = try Outbox(settings, machine: 1)
      Issue.record("an outbox in no folder")
    } catch { #expect(error.said == "No such file or directory") }
  }
}
