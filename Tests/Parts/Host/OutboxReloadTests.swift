import Core
import Foundation
import Seeds
import Testing

@testable import Host

/// What the courier's side of the outbox holds, as anybody would expect it who knows its rules and not its code.
private struct ModelStore {
  struct Event {
    var payload: String
    var isUrgent: Bool
  }

  var files: [String: [Event]] = [:]
  var memory: [Event] = []
  /// nil: its folder does not exist.
  var file: String? = "outbox.db"
  var most = OutboxSettings().maxEvents
  var lost = 0
  var delivered: [String] = []
  var open: Set<String> = []

  /// What the disk has not taken yet it takes now, and drops what is too much.
  mutating func store() {
    guard let file else { return }
    var waiting = files[file, default: []] + memory
    memory = []
    while waiting.count > most {
      waiting.remove(at: waiting.firstIndex { !$0.isUrgent } ?? 0)
      lost += 1
    }
    files[file] = waiting
  }

  /// Urgent ones first, those in the file before those in memory.
  mutating func deliver() {
    for isUrgent in [true, false] {
      if let file, let place = files[file, default: []].firstIndex(where: { $0.isUrgent == isUrgent }) {
        return delivered.append(files[file]!.remove(at: place).payload)
      }
      if let place = memory.firstIndex(where: { $0.isUrgent == isUrgent }) {
        return delivered.append(memory.remove(at: place).payload)
      }
    }
  }

  var waiting: Int { (file.flatMap { files[$0]?.count } ?? 0) + memory.count }
}

@Suite("the outbox after any reload") struct OutboxReloadTests {
  let scratch = Scratch()

  /// Two that sign, one that is no key, and none.
  private static let keys: [Text<512>] = [EventSignerTests.key("w"), other, Text("no key"), Text()]

  private static var other: Text<512> {
    // RFC 8410, 7: what stands before the 32 bytes of the key.
    let key = Data([0x30, 0x2E, 2, 1, 0, 0x30, 5, 6, 3, 0x2B, 0x65, 0x70, 4, 0x22, 4, 0x20] + [UInt8](repeating: 7, count: 32))
    return Text("-----BEGIN PRIVATE KEY-----\n\(key.base64EncodedString())\n-----END PRIVATE KEY-----\n")
  }

  private func signed(_ payload: String, _ key: Text<512>) -> String {
    var payload = Payload(payload)
    _ = EventSigner(key)?.sign(&payload, of: Topic("forecourt/site/gateway/trigger/pump-1"))
    return String(payload)
  }

  @Test("what is old goes within twice its time, however short that is") func shortLives() throws {
    var played = Played(scratch) { $0.outbox.maxAge = .seconds(600) }
    played.push(1)
    played.drain()
    let database = try #require(played.store.outbox?.database)
    for (seconds, left) in [(300.0, 1), (800, 0)] as [(Double, Int64)] {
      played.pass(.seconds(seconds))
      played.store.flush(at: played.now)
      let found = try database.number("SELECT count(*) FROM event")
      #expect(found == left, "\(seconds)")
    }
  }

  @Test("an event is signed with the key of its moment, also with the one that the gateway started with") func firstKey() {
    for (number, key) in Self.keys.enumerated() {
      let isBad = number == 2
      var played = Played(scratch) {
        $0.signingKey = key
        $0.outbox.path = scratch["\(number).db"]
      }
      #expect(played.counters.troubles == (isBad ? .unsigned : []) && played.log.take().count == (isBad ? 1 : 0))
      played.push(1)
      // The same settings once more.
      played.reload { _ in }
      played.push(1)
      played.drain()
      #expect(played.delivered == played.pushed.map { signed($0, key) } && played.log.take() == [])
    }
  }

  @Test(
    "after any file, key, size and loss what waits, in which order it goes, what was lost and who is there are as in a model",
    arguments: 1...12 as ClosedRange<UInt64>)
  func asAModel(seed: UInt64) throws {
    var random = Seeded(seed)
    func below(_ bound: Int) -> Int { Int.random(in: 0..<bound, using: &random) }
    var (played, model) = (Played(scratch), ModelStore())
    func add(isUrgent: Bool) {
      model.memory.append(ModelStore.Event(payload: signed(played.pushed.last!, played.settings.signingKey), isUrgent: isUrgent))
      model.store()
    }
    for step in 0..<80 {
      switch below(10) {
      case 0, 1:
        model.file = [nil, "outbox.db", "b.db", "c.db"][below(4)]
        played.reload { $0.outbox.path = scratch[model.file ?? "no/such/folder"] }
      case 2: played.reload { $0.signingKey = Self.keys[below(4)] }
      case 3:
        model.most = [3, 10, 1_000][below(3)]
        played.reload { $0.outbox.maxEvents = model.most }
      case 4: played.reload { $0.outbox.maxAge = .hours(Int64(1 + below(100))) }
      case 5:
        played.publish(atMost: below(5))
        played.loseTheLine()
      case 6:
        guard let file = model.file else { break }
        try FileManager.default.removeItem(atPath: scratch.path + "/" + file)
      case 7:
        let (id, isComing) = ("irk:\(below(4))", Bool.random(using: &random))
        guard model.open.contains(id) != isComing else { break }
        played.push(isComing ? .begins : .ends, of: id)
        model.open.formSymmetricDifference([id])
        add(isUrgent: true)
      default:
        for _ in 0..<below(8) {
          model.deliver()
          played.publish(atMost: 1)
          played.acknowledge()
        }
        played.settle()
      }
      // With something to write it looks at the disk, whatever has happened there.
      let isUrgent = Bool.random(using: &random)
      played.push(1, isUrgent: isUrgent)
      add(isUrgent: isUrgent)
      let here = "seed \(seed), step \(step)"
      #expect(played.counters.eventsWaiting.count == model.waiting && played.counters.eventsLost.count == model.lost, "\(here)")
      #expect(played.delivered == model.delivered, "\(here)")
      #expect(played.counters.troubles.contains(.store) == (model.file == nil), "\(here)")
      #expect(played.counters.troubles.contains(.unsigned) == (played.settings.signingKey == Self.keys[2]), "\(here)")
      try #require(played.counters.eventsDelivered.count == model.delivered.count, "\(here)")
    }
    let open = try openAtLast(&played)
    #expect(open == model.open, "seed \(seed)")
  }

  /// Who is there, as another file has it at last.
  private func openAtLast(_ played: inout Played) throws -> Set<String> {
    played.reload { $0.outbox.path = scratch["last.db"] }
    played.drain()
    played.store.close()
    var open: Set<String> = []
    try Outbox(played.settings.outbox, machine: machineStart()).openVisits {
      open.insert(String($0.id))
      return true
    }
    return open
  }

  @Test("what became of events in one file says nothing of the rows of another") func otherRows() {
    var played = Played(scratch)
    played.push(4)
    played.publish()
    // Two are acknowledged, which the file does not know yet, and one is refused.
    played.acknowledge()
    played.acknowledge()
    played.acknowledge(refusing: true)
    played.reload { $0.outbox.path = scratch["b.db"] }
    played.push(4)
    #expect(played.publish() == 4, "all of them, and at once")
    played.loseTheLine()
    played.drain()
    #expect(played.counters.eventsWaiting.count == 0 && played.counters.eventsDelivered.count == 4)
    #expect(Array(played.delivered.dropFirst(2)) == Array(played.pushed[4...]))
  }

  @Test("an event that was acknowledged does not go again when its file is deleted before that stands in it") func onceOnly() throws {
    var played = Played(scratch)
    played.push(3)
    played.publish(atMost: 2)
    for _ in 0..<2 { played.acknowledge() }
    try FileManager.default.removeItem(atPath: scratch.path + "/outbox.db")
    played.pass(.seconds(2))
    played.drain()
    #expect(played.delivered == played.pushed && played.counters.troubles == .touched)
  }

  @Test("of more events in a deleted file than memory holds the urgent ones are saved first, if there can be no new file; else all are")
  func urgentFirst() throws {
    for isGone in [false, true] {
      try FileManager.default.createDirectory(atPath: scratch.path + "/sub", withIntermediateDirectories: true)
      var played = Played(scratch) { $0.outbox.path = scratch["sub/outbox.db"] }
      played.push(HeldEvents.most)
      played.push(2, isUrgent: true)
      try FileManager.default.removeItem(atPath: scratch.path + (isGone ? "/sub" : "/sub/outbox.db"))
      played.pass(.seconds(2))
      played.drain()
      let ordinary = played.pushed[..<(HeldEvents.most - (isGone ? 2 : 0))]
      #expect(played.delivered == Array(played.pushed[HeldEvents.most...] + ordinary))
      #expect(played.counters.eventsLost.count == (isGone ? 2 : 0) && played.counters.eventsWaiting.count == 0)
      played.store.close()
    }
  }
}
