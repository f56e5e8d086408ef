import Testing

@testable import Core

@Suite("Where messages go") struct TopicTests {
  private let topics = Topics(prefix: "prefix", site: "yard", gateway: "pump")

  private func level(_ bytes: [UInt8]) -> String {
    var text = Text<64>()
    text.append(level: bytes.span.bytes)
    return String(text)
  }

  @Test("each topic stands where the README says, below the gateway's or the site's own") func all() throws {
    let identity = try Identity(written: Text<40>("irk:a/b").bytes)
    let address = Address(word: 0x1_0A1B_2C3D_4E5F)
    for (topic, words) in [
      (topics.status, "yard/pump/status"), (topics.check, "yard/pump/check"), (topics.telemetry, "yard/pump/telemetry"),
      (topics.commands, "yard/pump/command/+"), (topics.command, "yard/pump/command/"), (topics.reply("ping"), "yard/pump/reply/ping"),
      (topics.ranging("door"), "yard/pump/ranging/door"), (topics.region("door"), "yard/pump/region/door"),
      (topics.regionEvent("door"), "yard/pump/region/door/event"), (topics.trigger("a+b"), "yard/pump/trigger/a_b"),
      (topics.triggerState("a"), "yard/pump/trigger/a/state"), (topics.proximity(Text<8>("a#").bytes), "yard/pump/proximity/a_"),
      (topics.claims, "yard/claim/+/+/+"), (topics.claim, "yard/claim/"), (topics.statuses, "yard/+/status"), (topics.neighbour, "yard/"),
      (topics.peers, "yard/peer/+/+"), (topics.peer, "yard/peer/"), (topics.hellos, "yard/claim/site/hello/"),
      (topics.siteChecks, "yard/claim/site/check"), (topics.siteCheck("a/b"), "yard/claim/site/check/a_b"),
      (topics.siteCheck("a.b", isDotted: true), "yard/claim/site/check.dot/a.b"),
      (topics.hello("a/b"), "yard/claim/site/hello/a_b"), (topics.claim(group: "g/h", identity, gateway: "x"), "yard/claim/g_h/irk:a_b/x"),
      (topics.peer(address, gateway: "x/y"), "yard/peer/0a:1b:2c:3d:4e:5f/x_y"),
    ] { #expect(String(topic) == "prefix/" + words) }
    #expect(String(Topics(prefix: "a/b", site: "c#", gateway: "d+").base) == "a_b/c_/d_")
  }

  @Test("in a level only what a broker may refuse becomes _: separators, wildcards, controls, non-characters, broken bytes") func levels() {
    for bad: [UInt8] in [
      [0], [0x1F], [0x7F], [0x2F], [0x2B], [0x23], [0xC2, 0x80], [0xC2, 0x9F], [0xEF, 0xB7, 0x90], [0xEF, 0xB7, 0xAF], [0xEF, 0xBF, 0xBE],
      [0xEF, 0xBF, 0xBF], [0xF0, 0x9F, 0xBF, 0xBE], [0xF4, 0x8F, 0xBF, 0xBF],
    ] { #expect(level([0x61] + bad + [0x62]) == "a_b", "\(bad)") }
    for good: [UInt8] in [
      [0x20], [0x7E], [0x24], [0xC2, 0xA0], [0xEF, 0xB7, 0x8F], [0xEF, 0xB7, 0xB0], [0xEF, 0xBF, 0xBD], [0xEF, 0xBE, 0xBF],
      [0xF0, 0x9F, 0xBF, 0xBD], [0xF0, 0x9E, 0xBF, 0xBE], [0xF0, 0x9F, 0xBE, 0xBF], [0xE2, 0x82, 0xAC],
    ] { #expect(level([0x61] + good + [0x62]) == String(decoding: [0x61] + good + [0x62], as: UTF8.self), "\(good)") }
    for (broken, words) in [
      ([0x80], "_"), ([0xC2], "_"), ([0xE2, 0x82], "__"), ([0xED, 0xA0, 0x80], "___"), ([0xC0, 0x80], "__"), ([0xF5, 0x80], "__"),
    ]
      as [([UInt8], String)]
    { #expect(level([0x61] + broken + [0x62]) == "a" + words + "b", "\(broken)") }
  }

  @Test("an earlier run's topic names its region or trigger") func places() {
    for (topic, words) in [
      ("p/s/g/region/door/event", "region door"), ("p/s/g/trigger/pump", "trigger pump"), ("p/s/g/region/a/event", "region a"),
      ("p/s/g/region/event", nil), ("p/s/g/region/", nil), ("p/s/g/trigger/", "trigger "), ("p/s/g/door", nil), ("p/s/g", nil), ("", nil),
      ("region/door/event", nil),
    ] as [(String, String?)] {
      let unfinished = Unfinished(topic: Topic(Array(topic.utf8).span.bytes), id: Text(), since: .zero)
      #expect(unfinished.place.map { "\($0.0) \(String($0.name))" } == words, "\(topic)")
    }
  }
}

@Suite("What a publisher makes of a message") struct PublisherTests {
  /// Each byte of the result hangs on all bytes.
  static let cipher: Cipher = { key, plain in
    let mixed = key ^ plain
    var sum: UInt8 = 7
    for index in 0..<16 { sum = sum &* 31 &+ mixed[index] }
    return mixed &* 167 &+ sum
  }

  /// A publisher with its rings.
  private final class Desk {
    private let loan = Loan()
    let messages: Ring<Message>
    let urgent: Ring<Message>
    var publisher: Publisher

    init(epoch: Int64? = 1_760_000_000_000_000, _ change: (inout Settings) -> Void = { _ in }, whenFull: Publisher.WhenFull? = nil) {
      var arena = loan.arena
      messages = Ring(capacity: 4, in: &arena)
      urgent = Ring(capacity: 2, in: &arena)
      publisher = Publisher(
        into: messages, urgent: urgent, boot: "run", clock: WallClock(started: .zero, epoch: epoch),
        pseudonyms: Pseudonyms(PublisherTests.cipher, salt: Block(repeating: 3)), whenFull: whenFull)
      var settings = Settings()
      change(&settings)
      publisher.reload(settings)
    }
  }

  private func at(_ seconds: Double) -> Instant { Instant(microseconds: Int64(seconds * 1e6)) }

  @Test("nothing of a message is left in the next") func reuse() throws {
    let desk = Desk()
    desk.publisher.composeSiteMessage("one", at: at(1))
    desk.publisher.markUrgent()
    desk.publisher.mark(.begins)
    desk.publisher.identifyEvent()
    desk.publisher.expire(at: at(9))
    let isOut = desk.publisher.publish()
    #expect(isOut)
    let first = try #require(desk.urgent.pop())
    #expect(
      first.isUrgent && first.visit == .begins && first.isForSite && first.sequence == 1 && first.expires == at(9) && first.at == at(1))
    #expect(String(first.payload).contains(#""event_id":"run-1","at":"2025-10-09T08:53:21.000Z","uptime_s":1,"expires":"2025-10-09T"#))
    for care in [Message.Care.event, .state] {
      desk.publisher.compose(care, "two", at: at(2))
      desk.publisher.publish()
      let next = try #require(desk.messages.pop())
      #expect(next.care == care && !next.isUrgent && next.visit == .none && !next.isForSite && next.sequence == 0)
      #expect(next.expires == .never && next.at == at(2) && String(next.topic) == "two" && String(next.payload) == #"{"v":1}"#)
    }
    desk.publisher.clear("three", at: at(3))
    let cleared = try #require(desk.messages.pop())
    #expect(cleared.care == .state && cleared.payload.isEmpty && String(cleared.topic) == "three")
    desk.publisher.compose(.event, "four", at: at(4))
    desk.publisher.identifyEvent()
    desk.publisher.publish()
    #expect(desk.messages.pop()?.sequence == 2)
  }

  @Test("a full ring drops and counts, events apart; the urgent have a ring of their own") func full() {
    let desk = Desk()
    func publish(_ care: Message.Care, isUrgent: Bool = false) -> Bool {
      desk.publisher.compose(care, "t", at: .zero)
      if isUrgent { desk.publisher.markUrgent() }
      return desk.publisher.publish()
    }
    for _ in 0..<4 { #expect(publish(.fleeting)) }
    #expect(!publish(.fleeting) && desk.publisher.dropped == 1 && desk.publisher.eventsDropped == 0)
    #expect(!publish(.event) && desk.publisher.dropped == 2 && desk.publisher.eventsDropped == 1)
    #expect(publish(.event, isUrgent: true) && publish(.state, isUrgent: true) && !publish(.event, isUrgent: true))
    #expect(desk.publisher.dropped == 3 && desk.publisher.eventsDropped == 2 && desk.messages.count == 4 && desk.urgent.count == 2)
    _ = desk.messages.pop()
    #expect(!publish(.state, isUrgent: true) && publish(.state))
  }

  @Test("who makes room in a full ring is asked for events, states and replies, and gets them all; not for what is of the moment")
  func room() {
    var (taken, asked) = (0, 0)
    let desk = Desk(whenFull: { ring in
      asked += 1
      while ring.pop() != nil { taken += 1 }
    })
    for care in [Message.Care.event, .state, .reply] {
      for isUrgent in [false, true] {
        for _ in 0..<9 {
          desk.publisher.compose(care, "t", at: .zero)
          if isUrgent { desk.publisher.markUrgent() }
          let isOut = desk.publisher.publish()
          #expect(isOut)
        }
      }
    }
    #expect(taken + desk.messages.count + desk.urgent.count == 54 && asked == 19 && desk.publisher.dropped == 0)
    while desk.messages.count < 4 { desk.publisher.clear("t", at: .zero) }
    desk.publisher.compose(.fleeting, "t", at: .zero)
    let isOut = desk.publisher.publish()
    #expect(!isOut && asked == 19 && desk.publisher.dropped == 1)
    let isCleared = desk.publisher.clear("t", at: .zero)
    #expect(isCleared && asked == 20)
  }

  @Test("a rehearsal's messages say so, and others do not; nor is a time said that nobody knows") func marks() {
    for isRehearsal in [true, false] {
      let desk = Desk(epoch: nil) { $0.gateway.simulated = isRehearsal }
      desk.publisher.compose(.event, "t", at: at(1))
      desk.publisher.identifyEvent()
      desk.publisher.publish()
      let payload = desk.messages.pop().map { String($0.payload) } ?? ""
      #expect(payload == #"{"v":1,"event_id":"run-1","at":null,"uptime_s":1\#(isRehearsal ? #","simulated":true"# : "")}"#)
    }
  }

  @Test("a rehearsal clears nothing: what is retained under its topics is the real gateway's", arguments: [true, false])
  func clearing(isRehearsal: Bool) {
    let desk = Desk { $0.gateway.simulated = isRehearsal }
    for isUrgent in [true, false] {
      let isDone = desk.publisher.clear("t", isUrgent: isUrgent, at: at(1))
      #expect(isDone, "it is not tried again")
    }
    #expect(desk.messages.count + desk.urgent.count == (isRehearsal ? 0 : 2))
  }

  @Test("a device that nobody asked for has another name each day, at each site, and none without a date") func pseudonyms() throws {
    let desk = Desk { $0.publish.unknown = .hash }
    var device = Device(identity: try Identity(written: Text<40>("name:Anna@0a:1b:2c:3d:4e:5f").bytes))
    func name(_ day: Double) -> String { String(desk.publisher.name(of: device, at: at(day * 86_400))) }
    let today = name(0)
    #expect(today.hasPrefix("hash:") && today.count == 21 && name(0.1) == today && name(1) != today && name(0) == today)
    desk.publisher.clock.epoch = nil
    #expect(name(0) == "")
    device.interest.regions = 1
    #expect(name(0) == "name:Anna@0a:1b:2c:3d:4e:5f" && name(7) == name(0), "it was asked for")
    var names: Set<String> = []
    for text in [
      "name:Anna@0a:1b:2c:3d:4e:5f", "name:Anna@0a:1b:2c:3d:4e:5e", "name:Bnna@0a:1b:2c:3d:4e:5f", "name:Ann@0a:1b:2c:3d:4e:5f", "irk:a",
      "eid:a",
    ] {
      for salt in [3, 4] as [UInt8] {
        var pseudonyms = Pseudonyms(Self.cipher, salt: Block(repeating: salt))
        names.insert(String(pseudonyms.name(of: try Identity(written: Array(text.utf8).span.bytes), on: 20_000)))
      }
    }
    #expect(names.count == 12)
    let plain = Desk()
    #expect(String(plain.publisher.name(of: device, at: .zero)) == "name:Anna@0a:1b:2c:3d:4e:5f")
  }

  @Test("20 events of one device, 256 of a region and 64 of a trigger at once; each has its pace, and a reload begins anew")
  func limits() {
    for (place, burst, pace) in [(RateLimits.Place.region(63), 256, 0.2), (.trigger(63), 64, 1)] as [(RateLimits.Place, Int, Double)] {
      let desk = Desk()
      func allowed(_ count: Int, _ seconds: Double, of device: UInt32? = nil) -> Int {
        (0..<count).count { desk.publisher.mayPublish(of: Identity(installation: device ?? UInt32($0)), at: place, at(seconds)) }
      }
      // So few devices that hardly two share a place; each has its own twenty.
      let one = allowed(30, 0, of: 7)
      #expect(one == 20 && desk.publisher.eventsLeftOut == 10)
      #expect(allowed(1, 4.999, of: 7) == 0 && allowed(2, 5, of: 7) == 1)
      var all = 0
      for device in 100..<400 as Range<UInt32> { all += allowed(1, 1_000, of: device) }
      #expect(all == burst, "\(place)")
      let (early, due) = (allowed(1, 1_000 + pace - 0.001, of: 9), allowed(1, 1_000 + pace, of: 9))
      #expect(early == 0 && due == 1)
      let elsewhere = desk.publisher.mayPublish(of: Identity(installation: 9), at: .region(0), at(1_000))
      #expect(elsewhere, "another place")
      desk.publisher.reload(Settings())
      #expect(allowed(1, 1_000, of: 7) == 1)
    }
  }
}
