import Testing

@testable import Core
@testable import Host

/// The next run learns from the outbox whom this one has served lately.
@Suite("Fires that the outbox keeps") struct StoredFireTests {
  private let scratch = Scratch()
  private static let began = Moment(at: .zero + .seconds(50), wall: 1_790_000_000_000_000, isTrusted: true)

  private func outbox(machine: Int64 = 1, rest seconds: Double = 60) throws -> Outbox {
    var settings = OutboxSettings()
    settings.path = scratch["outbox.db"]
    settings.longestRest = .seconds(seconds)
    return try Outbox(settings, machine: machine)
  }

  private func event(_ name: String, _ id: String, at moment: Moment, isUrgent: Bool = true) -> Message {
    var message = Message()
    (message.care, message.isUrgent, message.at, message.expires) = (.event, isUrgent, moment.at, moment.at + .seconds(40))
    (message.topic, message.payload) = (Topic("forecourt/site/gateway/trigger/one"), Payload(#"{"event":"\#(name)","id":"\#(id)"}"#))
    return message
  }

  private func store(_ outbox: Outbox, _ messages: [Message], at now: Moment) throws {
    try outbox.startTransaction(isDurable: true)
    for message in messages { try outbox.store(message, at: now) }
    _ = try outbox.commit()
  }

  private func after(_ seconds: Double, wall: Double? = nil) -> Moment {
    Moment(at: Self.began.at + .seconds(seconds), wall: Self.began.wall.map { $0 + Int64((wall ?? seconds) * 1e6) }, isTrusted: true)
  }

  /// By their ids: when, in seconds after the beginning.
  private func fires(_ outbox: Outbox, atMost most: Int = 9, at now: Moment) throws -> [String: Double] {
    let found = try outbox.recentFires(atMost: most, at: now)
    #expect(found.allSatisfy { $0.topic == Topic("forecourt/site/gateway/trigger/one") })
    return Dictionary(uniqueKeysWithValues: found.map { (String($0.id), ($0.since - Self.began.at).seconds) })
  }

  @Test("fires and a command's fires, waiting or delivered, for as long as triggers rest; nothing else") func kinds() throws {
    let outbox = try outbox()
    try store(outbox, [event("fire", "irk:old", at: Self.began)], at: Self.began)
    let later = after(30)
    let events = ["arm", "leave", "undecided"].map { event($0, "irk:\($0)", at: later) }
    try store(outbox, [event("fire", "irk:ann", at: later)] + events, at: later)
    try outbox.startTransaction(isDurable: true)
    for row in 1...5 as ClosedRange<Int64> { try outbox.record(row, as: .delivered, at: later) }
    try outbox.commitStates()
    try store(outbox, [event("manual", "irk:eve", at: later), event("fire", "irk:region", at: later, isUrgent: false)], at: later)
    #expect(try fires(outbox, at: after(659)) == ["irk:old": 0, "irk:ann": 30, "irk:eve": 30])
    #expect(try fires(outbox, at: after(660)) == ["irk:ann": 30, "irk:eve": 30], "and ten minutes longer")
    #expect(try fires(outbox, at: after(695)) == [:])
    #expect(try fires(outbox, atMost: 1, at: after(59)) == ["irk:eve": 30], "the newest, which waits")
    #expect(try fires(outbox, atMost: 2, at: after(59)) == ["irk:eve": 30, "irk:ann": 30])
  }

  @Test("within one start of the machine its own clock says when, whatever happens to the time of day") func sameStart() throws {
    let outbox = try outbox()
    try store(outbox, [event("fire", "irk:ann", at: Self.began)], at: Self.began)
    for wall in [20.0, 9_000, -9_000] { #expect(try fires(outbox, at: after(20, wall: wall)) == ["irk:ann": 0]) }
    var unknown = after(20)
    unknown.wall = nil
    #expect(try fires(outbox, at: unknown) == ["irk:ann": 0])
  }

  @Test("after another start of the machine the time of day says when; what nobody knows was just now") func anotherStart() throws {
    try store(outbox(), [event("fire", "irk:ann", at: Self.began)], at: Self.began)
    let outbox = try outbox(machine: 2)
    var now = Moment(at: Self.began.at - .seconds(40), wall: Self.began.wall.map { $0 + 25_000_000 }, isTrusted: true)
    #expect(try fires(outbox, at: now) == ["irk:ann": -65])
    now.wall = Self.began.wall.map { $0 + 661_000_000 }
    #expect(try fires(outbox, at: now) == [:])
    for wall in [nil, Self.began.wall.map { $0 - 1 }] {
      now.wall = wall
      #expect(try fires(outbox, at: now) == ["irk:ann": -40])
    }
  }

  @Test("one stored without a trusted clock happened no later than now") func untrusted() throws {
    var began = Self.began
    began.isTrusted = false
    let outbox = try outbox()
    try store(outbox, [event("fire", "irk:ann", at: began)], at: began)
    #expect(try fires(outbox, at: after(20)) == ["irk:ann": 20])
    #expect(try fires(outbox, at: after(70)) == ["irk:ann": 40])
  }

  @Test("the next run reads them once; a rehearsal does not", arguments: [false, true]) func nextRun(isRehearsal: Bool) throws {
    var played = Played(scratch) { $0.outbox.longestRest = .seconds(60) }
    #expect(played.store.recentFires.isEmpty)
    played.store.add(event("fire", "irk:ann", at: played.now))
    played.store.flush(at: played.now)
    played.store.close()
    var settings = played.settings
    (settings.boot, settings.simulated) = (Text("another"), isRehearsal)
    var next = EventStore(settings, CourierCounters()) { _, _ in }
    next.open(at: played.now)
    #expect(next.recentFires.map { String($0.id) } == (isRehearsal ? [] : ["irk:ann"]))
    next.recentFires = []
    next.close()
    next.open(at: played.now)
    #expect(next.recentFires.isEmpty, "once")
  }
}
