import Core
import Testing

@testable import Host

@Suite("the intake of the broker's messages") struct IntakeTests {
  @Test("a request dropped for lack of room is accepted when repeated")
  func busy() {
    let door = Door()
    for _ in 0..<16 { #expect(door.core.push(.caughtUp) == nil) }
    #expect(door.command("ranging", #"{"action":"start","request":"a"}"#).first?.contains("busy") == true)
    while door.core.pop() != nil {}
    #expect(door.command("ranging", #"{"action":"start","request":"a"}"#) == [] && door.heard != nil)
  }

  @Test("every command is understood, and a bare word is enough for commands with one argument")
  func commands() throws {
    let door = Door()
    for (name, payload) in [
      ("ping", ""), ("ping", "{}"), ("reload", #"{"request":"r"}"#), ("capture", #"{"seconds":5}"#), ("ranging", "start"),
      ("ranging", "\"stop\""),
    ] {
      #expect(door.command(name, payload) == [])
      let (command, ticket) = try #require(door.heard)
      #expect("\(command.kind)" == name && ticket.number > 0)
    }
    #expect(door.command("trigger", #"{"trigger":"pump-3","id":"irk:anna","request":"r-1"}"#) == [])
    guard case (.trigger(let name, let identity), let ticket)? = door.heard else { throw Lost() }
    #expect(name == Name("pump-3") && identity.kind == .irk && ticket.request == Text("r-1"))
    #expect(door.command("ranging", #"{"seconds":180,"region":"door"}"#) == [])
    guard case (.ranging(.during(let span), let region), _)? = door.heard else { throw Lost() }
    #expect(span == .seconds(180) && region == Name("door"))
    #expect(door.command("authorization", "when-in-use") == [])
    guard case (.authorization(.whenInUse), _)? = door.heard else { throw Lost() }
    #expect(door.command("calibrate", #"{"id":"irk:anna","distance_m":2}"#) == [])
    guard case (.calibrate(_, let distance, let span), _)? = door.heard else { throw Lost() }
    #expect(distance == Meters(2) && span == .seconds(10))
  }

  private struct Lost: Error {}

  @Test(
    "a malformed, unknown or out-of-range command gets an error reply and changes nothing",
    arguments: [
      ("ping", "{", "malformed JSON"), ("ping", "{}{}", "malformed JSON"), ("ping", "[]", "not a JSON object"),
      ("ping", #"{"a":1}"#, "unknown member"), ("ping", #"{"request":1}"#, "request: a text of at most 64 bytes"),
      ("ping", "{\"request\":\"" + String(repeating: "x", count: 65) + "\"}", "request: a text of at most 64 bytes"),
      ("ping", String(repeating: " ", count: 1_025), "longer than 1024 bytes"),
      ("ping", #"{"request":[[[[1]]]]}"#, "nested too deeply"), ("ping", "hello", "not a word this command knows"),
      ("trigger", #"{"trigger":"pump-3"}"#, "id: is missing"), ("ping", #"{"request":"","re\u0071uest":""}"#, "a member comes twice"),
      ("trigger", #"{"trigger":"","id":"irk:a"}"#, "not the name of a region or trigger"), ("calibrate", "{}", "id: is missing"),
      ("trigger", #"{"trigger":"pump-3","id":"irk:*"}"#, "id: not an identity"), ("trigger", #"{"id":"irk:a"}"#, "trigger: is missing"),
      ("ranging", #"{"seconds":0}"#, "seconds: a number within the bounds that config.toml names"),
      ("ranging", #"{"seconds":1e999}"#, "seconds: a number within the bounds that config.toml names"),
      ("ranging", #"{"action":"stop","seconds":5}"#, "action: start or stop"), ("ranging", "{}", "action: start or stop"),
      ("authorization", "sometimes", "authorization: always, when-in-use or denied"),
      ("calibrate", #"{"id":"irk:a","distance_m":-1}"#, "distance_m: a number from 0.1 to 20"),
    ])
  func refusals(name: String, payload: String, words: String) {
    let door = Door()
    let replies = door.command(name, payload)
    #expect(replies.count == 1 && replies[0].hasPrefix(#"{"v":1,"ok":false,"error":"\#(words)","request":"#), "\(replies)")
    #expect(door.heard == nil && door.counters.requestsRefused.count == 1)
  }

  @Test("replies go to the gateway's own topics only, and disabled commands are not read")
  func strangers() {
    let door = Door()
    for name in ["", "pong", "ping/x", "../reply"] { #expect(door.command(name, "") == []) }
    door.say("forecourt/site/elsewhere/command/ping", "")
    door.say("", "")
    let closed = Door { $0.commands = false }
    #expect(closed.command("ping", "") == [] && closed.heard == nil)
    #expect(door.heard == nil && door.counters.requestsRefused.count == 6)
  }

  @Test("a retained command is refused: it would come back with every connection")
  func retained() {
    let door = Door()
    let order = #"{"trigger":"pump-3","id":"irk:anna","request":"r-1"}"#
    door.say("forecourt/site/gateway/command/trigger", order, isRetained: true)
    let told = door.intake.takeReplies().map { String($0.payload) }
    #expect(told == [#"{"v":1,"ok":false,"error":"a command must not be retained","request":"r-1"}"#] && door.heard == nil)
    #expect(door.command("trigger", order) == [] && door.heard != nil, "nor does it answer for one that comes after it")
  }

  @Test("a repeated request is answered again and not executed again")
  func idempotence() throws {
    let door = Door()
    let order = #"{"trigger":"pump-3","id":"irk:anna","request":"r-1"}"#
    #expect(door.command("trigger", order) == [])
    let (_, ticket) = try #require(door.heard)
    #expect(door.command("trigger", order) == [] && door.heard == nil, "still at it")
    let reply = Message.reply(to: ticket, from: door.topics, simulated: false)
    door.intake.record(reply)
    #expect(door.command("trigger", order) == [String(reply.payload)] && door.heard == nil)
    #expect(door.command("ping", #"{"request":"r-1"}"#) == [] && door.heard != nil, "another command is another request")
    let next = #"{"trigger":"pump-3","id":"irk:bob","request":"r-1"}"#
    #expect(door.command("trigger", next) == [] && door.heard != nil, "another driver is another request, whatever the till calls it")
    #expect(door.command("trigger", order) == [String(reply.payload)] && door.heard == nil)
  }

  @Test("ping and reload are carried out each time, also under one id", arguments: ["ping", "reload"]) func again(name: String) {
    let door = Door()
    for _ in 0..<3 { #expect(door.command(name, #"{"request":"nightly"}"#) == [] && door.heard != nil) }
  }

  @Test("commands are carried out in the order in which they came, whatever they concern")
  func order() {
    let door = Door()
    let names = ["ping", "reload", "capture", "ranging", "reload"]
    for name in names { #expect(door.command(name, name == "ranging" ? "start" : "") == []) }
    #expect(names.allSatisfy { $0 == door.heard.map { "\($0.0.kind.name)" } } && door.heard == nil)
  }

  @Test("a flood of commands is rate-limited, and so are the log lines about it")
  func flood() {
    let door = Door()
    var replies = 0
    for _ in 0..<500 {
      replies += door.command("ping", "").count
      _ = door.heard
    }
    #expect(door.counters.requestsLimited.count >= 480 && replies <= 4)
  }

  @Test("a claim arrives as it was published")
  func claims() throws {
    let door = Door()
    let claim = try #require(door.claim { $0.standing = .fired })
    #expect(claim.gateway == Name("other") && claim.group == Name("island") && claim.trigger == Name("pump-1"))
    #expect(
      claim.standing == .fired && claim.level == Decibels(-61.25) && claim.sequence == 9 && claim.boot == Text<16>("b") && claim.echo == 7
        && claim.samples == 12)
    #expect(claim.dwell == .milliseconds(800) && claim.age == .milliseconds(40) && !claim.simulated)
    #expect(try #require(door.claim { $0.simulated = true }).simulated)
  }

  @Test("a neighbour is known by its retained status, and our own status is no neighbour")
  func statuses() throws {
    let door = Door()
    let words = #"{"v":1,"state":"degraded","reason":null,"version":"1","boot":"b7","groups":"island/yard","radios":[],"purpose":"p"}"#
    door.say("forecourt/site/other/status", words)
    guard case .neighbour(let neighbour)? = door.core.pop() else { throw Lost() }
    #expect(neighbour.name == Name("other") && neighbour.boot == Text("b7") && neighbour.groups.has(Name("yard")))
    #expect(!neighbour.groups.has(Name("gate")) && !neighbour.isRetained)
    door.say("forecourt/site/other/status", #"{"v":1,"state":"offline","reason":"connection lost"}"#, isRetained: true)
    guard case .neighbour(let gone)? = door.core.pop() else { throw Lost() }
    #expect(!gone.isOnline && gone.isRetained && gone.isLost)
    door.say("forecourt/site/other/status", words.replacing(#""v":1"#, with: #""v":1,"simulated":true"#))
    guard case .neighbour(let rehearsing)? = door.core.pop() else { throw Lost() }
    #expect(rehearsing.simulated)
    door.say("forecourt/site/other/status", "")
    guard case .neighbour(let removed)? = door.core.pop() else { throw Lost() }
    #expect(!removed.isOnline)
    let refused = door.counters.requestsRefused.count
    door.say("forecourt/site/gateway/telemetry", words)
    door.say("forecourt/site/a/b/status", words)
    door.say("forecourt/site/other/telemetry", words)
    door.say("forecourt/site/other/status", "online")
    #expect(door.core.pop() == nil && door.counters.requestsRefused.count == refused + 3)
  }

  @Test("a status is read as it was published: its run, its groups, and whether it is a rehearsal")
  func published() throws {
    let door = Door()
    var settings = Settings()
    settings.gateway.name = Name("other")
    for (groups, isRehearsal) in [("island/yard", false), ("*", true), ("", false)] as [(StaticString, Bool)] {
      var report = StatusReport()
      (report.boot, report.groups, report.simulated, report.state) = (Name("b7"), Text(groups), isRehearsal, .degraded)
      let message = Message.status(report, topics: Topics(settings), at: .zero)
      door.say(String(message.topic), String(message.payload))
      guard case .neighbour(let neighbour)? = door.core.pop() else { throw Lost() }
      #expect(neighbour.boot == Text("b7") && neighbour.groups.text == report.groups)
      #expect(neighbour.isOnline && neighbour.simulated == isRehearsal)
    }
  }

  @Test(
    "a number in a command is taken at both ends of its range, and refused beyond them",
    arguments: [
      ("capture", "seconds", 1, 3_600), ("ranging", "seconds", 1, 86_400), ("calibrate", "seconds", 1, 300),
      ("calibrate", "distance_m", 0.1, 20),
    ])
  func ends(name: String, member: String, least: Double, most: Double) {
    for (value, isTaken) in [(least, true), (most, true), (least * 0.99, false), (most * 1.01, false), (0, false)] {
      let door = Door()
      let replies = door.command(name, "{\"\(member)\":\(value)\(name == "calibrate" ? #","id":"irk:anna""# : "")}")
      #expect(replies.isEmpty == isTaken && (door.heard != nil) == isTaken, "\(name) \(member) \(value): \(replies)")
    }
  }

  @Test("a claim that contradicts its topic is refused, and our own are ignored")
  func forged() {
    let door = Door()
    for topic in [
      "island/peer:BC00BD17/third", "other/peer:BC00BD17/other", "island/peer:00000000/other", "island/other",
      "island/peer:BC00BD17/other/x",
    ] {
      #expect(door.claim(topic) == nil)
    }
    #expect(door.counters.requestsRefused.count == 5)
    #expect(door.claim("island/peer:BC00BD17/gateway") { $0.gateway = Name("gateway") } == nil)
    #expect(door.counters.requestsRefused.count == 5)
  }

  @Test("a flooding neighbour is rate-limited, the others are not")
  func neighbours() {
    let door = Door()
    let heard = (0..<1_000).count { _ in door.claim() != nil }
    #expect((Limits.claimsPerSecond..<Limits.claimsPerSecond + 100).contains(heard))
    // Its will, which the broker publishes once.
    door.say("forecourt/site/other/status", #"{"v":1,"state":"offline","reason":"connection lost","boot":"b"}"#)
    guard case .neighbour(let neighbour)? = door.core.pop() else {
      Issue.record("no goodbye")
      return
    }
    #expect(neighbour.name == Name("other") && !neighbour.isOnline)
    let statuses = (0..<1_000).count { _ in
      door.say("forecourt/site/other/status", #"{"v":1,"state":"online","boot":"b"}"#)
      return door.core.pop() != nil
    }
    #expect((99..<200).contains(statuses) && door.claim("island/peer:BC00BD17/quiet") { $0.gateway = Name("quiet") } != nil)
  }

  @Test("with a key only proven messages pass, with a roster only listed gateways, and the first of them cleans up")
  func trust() {
    var keys = SiteProof()
    keys.append([UInt8](repeating: 9, count: 32))
    let door = Door {
      $0.siteKeys = keys
      _ = $0.roster.append($0.name)
      _ = $0.roster.append(Name("other"))
    }
    #expect(door.claim() == nil && door.counters.forged.count == 1)
    #expect(door.claim("island/peer:BC00BD17/nobody") { $0.gateway = Name("nobody") } == nil && door.counters.strangers.count == 1)
    let topic = "forecourt/site/claim/site/hello/other"
    var payload = Payload()
    for byte in #"{"v":1,"gateway":"other","boot":"b","seq":7,"groups":"island"}"#.utf8 { payload.append(byte: byte) }
    #expect(keys.prove(Array(topic.utf8).span.bytes, &payload))
    door.say(topic, String(payload))
    guard case .hello(let hello)? = door.core.pop() else {
      Issue.record("no hello")
      return
    }
    #expect(hello.name == Name("other") && hello.sequence == 7 && hello.groups.has(Name("island")) && hello.echo == 0)
    door.say("forecourt/site/claim/site/hello/nobody", String(payload))
    door.say("forecourt/site/retired/status", #"{"v":1,"state":"online","boot":"b"}"#, isRetained: true)
    door.say("forecourt/site/retired/status", #"{"v":1,"state":"offline","reason":"stopped"}"#)
    #expect(door.core.pop() == nil && door.intake.takeReplies().isEmpty)
    door.say("forecourt/site/retired/status", #"{"v":1,"state":"offline","reason":"stopped"}"#, isRetained: true)
    #expect(door.intake.takeReplies().map { String($0.topic) + String($0.payload) } == ["forecourt/site/retired/status"])
  }

  @Test("an established neighbour keeps its place, however many new names appear")
  func talkers() {
    var talkers = RateLimiter()
    func talks(_ name: String, _ seconds: Double) -> Bool {
      talkers.allows(Array(name.utf8).span.bytes, at: Instant(microseconds: Int64(seconds * 1e6)))
    }
    for second in 0..<12 { #expect(talks("real", Double(second))) }
    for number in 0..<1_000 { _ = talks("forged \(number)", 12) }
    #expect(talks("real", 13) && talks("new", 13))
    for _ in 0..<1_000 { _ = talks("loud", 14) }
    #expect(!talks("loud", 14) && talks("real", 14), "a flood is charged to who floods")
  }

  @Test("a peer id shared by a neighbour is read")
  func peers() {
    let door = Door()
    let known = KnownPeer(address: Address(word: 1 << 48 | 0xAABB_CCDD_EE0F), id: 0xBC00_BD17)
    door.say("forecourt/site/peer/aa:bb:cc:dd:ee:0f/other", #"{"v":1,"random":true,"id":"BC00BD17"}"#)
    guard case .peer(let peer)? = door.core.pop() else {
      Issue.record("no peer")
      return
    }
    #expect(peer.id == known.id && peer.address == known.address && peer.age == .zero)
    for (topic, payload) in [("aa:bb/other", "{}"), ("aa:bb:cc:dd:ee:0f/other", #"{"id":"x"}"#), ("aa:bb:cc:dd:ee:0f/other", "{}")] {
      door.say("forecourt/site/peer/" + topic, payload)
    }
    #expect(door.core.pop() == nil && door.counters.requestsRefused.count == 3)
  }

  @Test("a retained peer id is as old as its expiry says; without an expiry it is ignored")
  func keptPeers() {
    let door = Door()
    func age(isRetained: Bool, left: Double?) -> Interval? {
      let topic = "forecourt/site/peer/aa:bb:cc:dd:ee:0f/other"
      door.say(topic, #"{"v":1,"random":true,"id":"BC00BD17"}"#, isRetained: isRetained, left: left.map { .seconds($0) })
      if case .peer(let peer)? = door.core.pop() { return peer.age } else { return nil }
    }
    #expect(age(isRetained: true, left: nil) == nil)
    #expect(age(isRetained: false, left: nil) == .zero)
    #expect(age(isRetained: true, left: 960) == .zero)
    #expect(age(isRetained: true, left: 60) == .seconds(900))
    #expect(age(isRetained: true, left: 0) == .seconds(960))
    #expect(age(isRetained: true, left: 4e9) == .zero, "more than we would have said")
  }
}
