import Glibc
import Testing

@testable import Core
@testable import Host

extension OutboxSettings {
  fileprivate init(at path: Path) {
    self.init()
    self.path = path
  }
}

/// The next run learns from the outbox whom this one has served lately.
@Suite("Fires that the outbox keeps") struct StoredFireTests {
  private let scratch = Scratch()
  static let began = Moment(at: .zero + .seconds(50), wall: 1_790_000_000_000_000, isTrusted: true)

  func outbox(machine: Int64 = 1, rest seconds: Double = 60) throws -> Outbox {
    var settings = OutboxSettings()
    settings.path = scratch["outbox.db"]
    settings.longestRest = .seconds(seconds)
    return try Outbox(settings, machine: machine)
  }

  func event(_ name: String, _ id: String, at moment: Moment, isUrgent: Bool = true) -> Message {
    var message = Message()
    (message.care, message.isUrgent, message.at, message.expires) = (.event, isUrgent, moment.at, moment.at + .seconds(40))
    message.visit = ["fire", "manual"].contains(name) ? .begins : name == "leave" ? .ends : .none
    (message.topic, message.payload) = (Topic("forecourt/site/gateway/trigger/one"), Payload(#"{"event":"\#(name)","id":"\#(id)"}"#))
    return message
  }

  func store(_ outbox: Outbox, _ messages: [Message], at now: Moment) throws {
    try outbox.startTransaction(isDurable: true)
    for message in messages { try outbox.store(message, at: now) }
    _ = try outbox.commit()
  }

  func after(_ seconds: Double, wall: Double? = nil) -> Moment {
    Moment(at: Self.began.at + .seconds(seconds), wall: Self.began.wall.map { $0 + Int64((wall ?? seconds) * 1e6) }, isTrusted: true)
  }

  /// By their ids: when, in seconds after the beginning.
  func fires(_ outbox: Outbox, at now: Moment) throws -> [String: Double] {
    let found = try outbox.recentFires(at: now)
    #expect(found.allSatisfy { $0.topic == Topic("forecourt/site/gateway/trigger/one") })
    return Dictionary(found.map { (String($0.id), ($0.since - Self.began.at).seconds) }, uniquingKeysWith: max)
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
    #expect(try fires(outbox, at: after(659)) == ["irk:old": 0, "irk:ann": 30, "irk:leave": 30, "irk:eve": 30])
    #expect(try fires(outbox, at: after(660)) == ["irk:ann": 30, "irk:leave": 30, "irk:eve": 30], "and ten minutes longer")
    #expect(try fires(outbox, at: after(695)) == [:])
    let all = try outbox.recentFires(at: after(59)).map { String($0.id) }
    #expect(all == ["irk:eve", "irk:leave", "irk:ann", "irk:old"], "the newest first")
  }

  @Test("whoever has another lasting name is recorded under both; its visit is one") func otherName() throws {
    let outbox = try outbox()
    var fire = event("fire", "peer:00000005", at: Self.began)
    fire.otherName = try Identity(written: Text<128>("ibeacon:2f234454-cf6d-4a0f-adf2-f4911ba9ffa6:7:1").bytes)
    try store(outbox, [fire], at: Self.began)
    let names = ["ibeacon:2f234454-cf6d-4a0f-adf2-f4911ba9ffa6:7:1", "peer:00000005"]
    #expect(try fires(outbox, at: after(10)).keys.sorted() == names)
    var open: [String] = []
    try outbox.openVisits { visit in
      open.append(String(visit.id))
      return true
    }
    #expect(open == ["peer:00000005"])
  }

  @Test("the end of a visit counts for as long, however long ago its fire was", arguments: [1, 2] as [Int64])
  func ends(machine: Int64) throws {
    do {
      let outbox = try outbox()
      try store(outbox, [event("fire", "irk:ann", at: Self.began)], at: Self.began)
    }
    do {
      let (outbox, left) = (try outbox(), after(5_000))
      try outbox.age(at: left)
      try store(outbox, [event("leave", "irk:ann", at: left)], at: left)
      try outbox.openVisits { _ in
        Issue.record("it is open")
        return true
      }
    }
    let outbox = try outbox(machine: machine)
    // Another start's clock began anew.
    func later(_ seconds: Double) -> Moment { machine == 1 ? after(seconds) : after(seconds - 4_000, wall: seconds) }
    for (seconds, isKnown) in [(5_659, true), (5_661, false)] as [(Double, Bool)] {
      #expect(try fires(outbox, at: later(seconds)).count == (isKnown ? 1 : 0))
      try outbox.age(at: later(seconds))
      #expect(try outbox.keptFires().count == (isKnown ? 1 : 0))
    }
  }

  @Test("within one start of the machine its own clock says when, whatever happens to the time of day") func sameStart() throws {
    let outbox = try outbox()
    try store(outbox, [event("fire", "irk:ann", at: Self.began)], at: Self.began)
    #expect(try outbox.recentFires(at: after(20)).map(\.isOfOtherStart) == [false])
    for wall in [20.0, 9_000, -9_000] { #expect(try fires(outbox, at: after(20, wall: wall)) == ["irk:ann": 0]) }
    var unknown = after(20)
    unknown.wall = nil
    #expect(try fires(outbox, at: unknown) == ["irk:ann": 0])
  }

  @Test("after another start of the machine the time of day says when; what nobody knows was just now") func anotherStart() throws {
    try store(outbox(), [event("fire", "irk:ann", at: Self.began)], at: Self.began)
    let outbox = try outbox(machine: 2)
    var now = Moment(at: Self.began.at - .seconds(40), wall: Self.began.wall.map { $0 + 25_000_000 }, isTrusted: true)
    #expect(try fires(outbox, at: now) == ["irk:ann": -65] && outbox.recentFires(at: now).map(\.isOfOtherStart) == [true])
    now.wall = Self.began.wall.map { $0 + 661_000_000 }
    #expect(try fires(outbox, at: now) == [:])
    for wall in [nil, Self.began.wall.map { $0 - 1 }] {
      now.wall = wall
      #expect(try fires(outbox, at: now) == ["irk:ann": -40])
    }
  }

  @Test("one stored without a trusted clock happened when it did") func untrusted() throws {
    var began = Self.began
    began.isTrusted = false
    let outbox = try outbox()
    try store(outbox, [event("fire", "irk:ann", at: began)], at: began)
    #expect(try fires(outbox, at: after(20)) == ["irk:ann": 0])
    #expect(try fires(outbox, at: after(70)) == ["irk:ann": 0])
  }

  @Test("a clock that nothing has set ends no rest, also when a later start of the machine has the right time") func unset() throws {
    var began = Self.began
    (began.wall, began.isTrusted) = (Self.began.wall.map { $0 - 172_800_000_000 }, false)
    do {
      let outbox = try outbox(rest: 3_600)
      try store(outbox, [event("fire", "irk:ann", at: began)], at: began)
      try outbox.openVisits { visit in
        #expect(visit.wall == nil)
        return true
      }
    }
    for isFromHistory in [false, true] {
      let outbox = try outbox(machine: 2, rest: 3_600)
      #expect(try fires(outbox, at: after(-40, wall: 100)) == ["irk:ann": -40], "taken from the history: \(isFromHistory)")
      if !isFromHistory { try outbox.database.run("DROP TABLE fire") }
    }
    // It rests from the first moment at which the time is known, and not anew from each start of the machine.
    try outbox(machine: 2, rest: 3_600).age(at: after(-40, wall: 100))
    #expect(try fires(outbox(machine: 3, rest: 3_600), at: after(-30, wall: 400)) == ["irk:ann": -330])
    #expect(try fires(outbox(machine: 3, rest: 3_600), at: after(-30, wall: 4_300)) == [:])
  }

  @Test("once the time is known a fire of this start of the machine has its own") func dated() throws {
    var now = Self.began
    now.isTrusted = false
    try store(outbox(), [event("fire", "irk:ann", at: now)], at: now)
    try outbox().age(at: after(20))
    #expect(try fires(outbox(machine: 2), at: after(-40, wall: 25)) == ["irk:ann": -65])
  }

  @Test("a clock that nothing has set deletes neither history nor fires") func unsetAge() throws {
    do {
      let outbox = try outbox()
      try store(outbox, [event("fire", "irk:ann", at: Self.began)], at: Self.began)
      try deliver(outbox, at: Self.began)
    }
    let outbox = try outbox(machine: 2)
    outbox.settings.maxAge = .seconds(60)
    var ahead = after(-40, wall: 1e6)
    ahead.isTrusted = false
    try outbox.age(at: ahead)
    #expect(try rows(outbox) == 1 && fires(outbox, at: ahead) == ["irk:ann": -40])
    ahead.isTrusted = true
    try outbox.age(at: ahead)
    #expect(try rows(outbox) == 0 && outbox.keptFires().isEmpty)
  }

  @Test("a rehearsal's fires bar nobody who is real") func rehearsal() throws {
    let outbox = try outbox()
    var simulated = event("fire", "irk:eve", at: Self.began)
    simulated.payload = Payload(#"{"event":"fire","id":"irk:eve","simulated":true}"#)
    outbox.isRehearsal = true
    try store(outbox, [simulated], at: Self.began)
    outbox.isRehearsal = false
    try store(outbox, [event("fire", "irk:ann", at: Self.began)], at: Self.began)
    #expect(try fires(outbox, at: after(5)) == ["irk:ann": 0])
  }

  @Test("a clock that was behind at another start of the machine hides no fire that was stored before it") func clockBehind() throws {
    try store(outbox(), [event("fire", "irk:ann", at: Self.began)], at: Self.began)
    let late = after(-40, wall: -9_000)
    try store(outbox(machine: 2), [event("fire", "irk:bob", at: late)], at: late)
    let now = after(-20, wall: 30)
    #expect(try fires(outbox(machine: 3), at: now) == ["irk:ann": -50])
    #expect(try fires(outbox(machine: 2), at: now) == ["irk:ann": -50, "irk:bob": -40])
  }

  func deliver(_ outbox: Outbox, at now: Moment) throws {
    try outbox.startTransaction(isDurable: true)
    for row in 1...outbox.newest { try outbox.record(row, as: .delivered, at: now) }
    try outbox.commitStates()
  }

  func rows(_ outbox: Outbox) throws -> Int64 { try outbox.database.number("SELECT count(*) FROM event") }

  @Test("they count for as long as triggers rest, however soon the history forgets", arguments: [1, 2] as [Int64])
  func aged(machine: Int64) throws {
    do {
      let outbox = try outbox(rest: 3_600)
      try store(outbox, [event("fire", "irk:ann", at: Self.began)], at: Self.began)
      try deliver(outbox, at: Self.began)
    }
    let outbox = try outbox(machine: machine, rest: 3_600)
    outbox.settings.maxAge = .seconds(60)
    // Another start's clock began anew.
    func later(_ seconds: Double) -> Moment { machine == 1 ? after(seconds) : after(seconds - 10, wall: seconds) }
    try outbox.age(at: later(4_199))
    #expect(try rows(outbox) == 0, "max_age_s holds")
    #expect(try fires(outbox, at: later(4_199)).keys.sorted() == ["irk:ann"])
    try outbox.age(at: later(4_201))
    outbox.settings.longestRest = .hours(24)
    #expect(try fires(outbox, at: later(4_201)) == [:], "nor is an id kept for longer than it can count")
  }

  @Test("they count whatever follows them, the newest 1,024 with the ends of visits", arguments: [true, false])
  func pushedOut(isDelivered: Bool) throws {
    let outbox = try outbox()
    outbox.settings.maxEvents = 100
    func follow(_ name: String, _ count: Int) throws {
      for start in stride(from: 0, to: count, by: 100) {
        try store(outbox, (start..<min(start + 100, count)).map { event(name, "irk:\($0)", at: Self.began) }, at: Self.began)
        if isDelivered { try deliver(outbox, at: Self.began) }
      }
    }
    try store(outbox, [event("fire", "irk:ann", at: Self.began)], at: Self.began)
    if isDelivered { try deliver(outbox, at: Self.began) }
    try follow("arm", 300)
    #expect(try rows(outbox) == 100, "max_events holds")
    #expect(try fires(outbox, at: after(5)) == ["irk:ann": 0])
    try follow("fire", 600)
    try follow("leave", 600)
    let kept = try fires(outbox, at: after(5))
    #expect(try kept.count == 600 && kept["irk:ann"] == nil && outbox.keptFires().count == 1_024)
    #expect(try rows(outbox) == 100)
  }

  @Test("they go on in another file, whether new settings name it or somebody deleted the old one", arguments: [false, true])
  func anotherFile(isDeleted: Bool) throws {
    var played = Played(scratch) { $0.outbox.longestRest = .seconds(60) }
    played.store.add(event("fire", "irk:ann", at: played.now))
    played.store.flush(at: played.now)
    if isDeleted {
      for suffix in ["", "-wal", "-shm"] { unlink(scratch.path + "/outbox.db" + suffix) }
    } else {
      played.reload { $0.outbox.path = scratch["other.db"] }
    }
    played.pass(.seconds(2))
    played.store.flush(at: played.now)
    played.store.close()
    var settings = played.settings
    settings.boot = Text("another")
    var next = EventStore(settings, CourierCounters()) { _, _ in }
    next.open(at: played.now)
    #expect(next.recentFires.map { [String($0.id), "\((played.now.at - $0.since).seconds)"] } == [["irk:ann", "2.0"]])
    if !isDeleted { #expect(try Outbox(OutboxSettings(at: scratch["outbox.db"]), machine: 1).keptFires().isEmpty) }
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
