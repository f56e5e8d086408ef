import Testing

@testable import Core
@testable import Host

@Suite("What the gateways of a site say to one another") struct SiteWordsTests {
  /// A gateway with its memory, and a device that comes to its pump.
  private final class Speaker {
    private let messages: Ring<Message>
    private var gateway: Gateway

    init(simulated: Bool) {
      var settings = Settings()
      (settings.gateway.name, settings.gateway.devices, settings.gateway.simulated) = (Name("other"), 64, simulated)
      settings.gateway.purpose = Sentence("tests")
      var trigger = TriggerSettings()
      (trigger.name, trigger.group, trigger.match) = (Name("pump-1"), Name("island"), Slice(start: 0, count: 1))
      var radio = RadioSettings()
      radio.point = PlanPoint(x: 3.5, y: -7)
      precondition(settings.radios.append(radio) == nil)
      precondition(settings.selectors.append(.any) == nil && settings.triggers.append(trigger) == nil)
      var arena = Arena.taken(bytes: Gateway.bytes(for: settings) + Ring<Message>.bytes(for: 256))
      messages = Ring(capacity: 256, in: &arena)
      let cipher: Cipher = { key, plain in key &+ plain }
      let publisher = Publisher(
        into: messages, boot: Text("b7"), clock: WallClock(started: .zero, epoch: nil), pseudonyms: Pseudonyms(cipher, salt: Block()))
      gateway = Gateway(settings, seed: 1, cipher: cipher, publisher: publisher, in: &arena)
    }

    /// What it tells the site of an id that it has read.
    func share(_ peer: KnownPeer, at now: Instant) -> Message? {
      gateway.receive(PeerNews.identified(peer), radio: 0, at: now)
      while let message = messages.pop() { if String(message.topic).contains("/peer/") { return message } }
      return nil
    }

    /// A neighbour has said hello with this number; then a device comes near for some seconds. All that is said meanwhile.
    func words(after sequence: UInt32, of neighbour: Name, _ boot: Text<16>, simulated: Bool) -> [Message] {
      gateway.connected(true, at: .zero)
      var hello = Neighbour()
      (hello.name, hello.boot, hello.sequence, hello.isOnline, hello.simulated) = (neighbour, boot, sequence, true, simulated)
      hello.groups.append(Name("island"))
      gateway.receive(hello: hello, at: .zero)
      var words: [Message] = []
      for step in 0..<30 {
        let level = UInt8(bitPattern: Int8(min(-80 + step, -60)))
        let packet: [UInt8] = [4, 0x3E, 12, 2, 1, 3, 1, 7, 0, 0, 0, 0, 0xC0, 0, level]
        gateway.receive(packet.span.bytes, radio: 0, at: .zero + .milliseconds(100 + Int64(step) * 100))
        while let message = messages.pop() { words.append(message) }
      }
      return words
    }
  }

  @Test("a hello and a claim are read as another gateway wrote them", arguments: [true, false]) func read(simulated: Bool) throws {
    let door = Door { $0.boot = Text("boot") }
    var (hellos, claims): ([Neighbour], [Claim]) = ([], [])
    for message in Speaker(simulated: simulated).words(after: 57, of: Name("gateway"), Text("boot"), simulated: simulated) {
      guard String(message.topic).contains("/claim/") else { continue }
      door.say(String(message.topic), String(message.payload))
      switch door.core.pop() {
      case .hello(let hello)?: hellos.append(hello)
      case .claim(let claim)?: claims.append(claim)
      default: Issue.record("not read: \(String(message.topic)) \(String(message.payload))")
      }
    }
    #expect(hellos.count >= 3 && claims.count >= 2)
    for hello in hellos {
      #expect(hello.name == Name("other") && hello.boot == Text("b7") && hello.isOnline && hello.simulated == simulated)
      #expect(hello.groups.has(Name("island")) && !hello.groups.has(Name("yard")))
    }
    #expect(hellos[0].echo == 0 && hellos.dropFirst().allSatisfy { $0.echo == 57 }, "it says hello, hears one, and repeats its number")
    #expect(hellos.map(\.uptime.seconds) == hellos.map(\.uptime.seconds).sorted() && hellos.last!.uptime > .seconds(1))
    for claim in claims {
      #expect(claim.gateway == Name("other") && claim.boot == Text("b7") && claim.simulated == simulated)
      #expect(claim.trigger == Name("pump-1") && claim.group == Name("island") && String(claim.identity) == "address:c0:00:00:00:00:07")
      #expect(claim.point == PlanPoint(x: 3.5, y: -7))
      #expect(-80 ... -59 ~= claim.level?.value ?? 0 && claim.age == .zero)
    }
    let numbers = (hellos.map(\.sequence) + claims.map(\.sequence)).sorted()
    #expect(Set(numbers).count == numbers.count && numbers.first == 1, "one counter for all that a gateway says")
    #expect(claims.first?.standing == .candidate && claims.map(\.samples) == claims.map(\.samples).sorted())
    #expect(claims.last!.dwell > .zero && claims.last!.samples > 9)
  }

  @Test("an installation id is read as another gateway wrote it", arguments: [1, 0] as [UInt64]) func ids(kind: UInt64) throws {
    let door = Door { $0.boot = Text("boot") }
    let speaker = Speaker(simulated: false)
    let address = Address(word: kind << 48 | 0xC0AB_CDEF_0123)
    let message = try #require(speaker.share(KnownPeer(address: address, id: 0x0BC0_BD17), at: .zero + .seconds(7.25)))
    door.say(String(message.topic), String(message.payload), isRetained: true, left: message.expires - message.at)
    guard case .peer(let peer)? = door.core.pop() else {
      Issue.record("not read: \(String(message.topic)) \(String(message.payload))")
      return
    }
    #expect(message.care == .state && message.isForSite && message.expires - message.at == Candidates.lifetime)
    #expect(peer.address == address && peer.id == 0x0BC0_BD17 && peer.gateway == Name("other") && peer.boot == Text("b7"))
    #expect(peer.uptime == .seconds(7.25) && peer.age == .zero)
  }

  @Test("a rehearsal's installation id is no real gateway's, nor the other way round", arguments: [true, false])
  func simulatedIDs(simulated: Bool) throws {
    let known = KnownPeer(address: Address(word: 0x1_C0AB_CDEF_0123), id: 0x0BC0_BD17)
    let message = try #require(Speaker(simulated: simulated).share(known, at: .zero + .seconds(7)))
    for isRehearsal in [true, false] {
      let door = Door { $0.simulated = isRehearsal }
      door.say(String(message.topic), String(message.payload))
      #expect((door.core.pop() != nil) == (isRehearsal == simulated))
      #expect(door.counters.requestsRefused.count == 0)
    }
  }

  @Test("a claim is read whatever bytes the name of its device has") func garbledNames() throws {
    for (name, level) in [
      (Array("Caf\u{E9}".utf8), "Caf\u{E9}"), (Array("Caf".utf8) + [0xE9], "Caf_"), (Array("Cafe*".utf8), "Cafe*"),
      (Array("50%25".utf8), "50%25"), ([0xFF, 0x2F, 0x41], "__A"),
    ] {
      var identity = Identity(.name, name.span.bytes)
      for byte in [0, 1, 2, 3, 4, 5, 6] as [UInt8] { identity.append(byte) }
      let (door, other) = (Door(), Name("other"))
      let topic = door.topics.claim(group: Name("island"), identity, gateway: other)
      #expect(String(topic) == "forecourt/site/claim/island/name:\(level)@01:02:03:04:05:06/other")
      door.say(String(topic), Door.words(of: other) { $0.identity = identity })
      guard case .claim(let claim)? = door.core.pop() else {
        Issue.record("not read: \(name)")
        continue
      }
      #expect(claim.identity == identity)
    }
  }

  @Test("a hello is its topic's gateway's, says which run and number it is, and is not retained")
  func hellos() throws {
    let words = #"{"v":1,"gateway":"other","boot":"b7","seq":9,"groups":"island","heard":"","runs":""}"#
    func take(_ words: String, _ gateway: String = "other", isRetained: Bool = false) -> Neighbour? {
      let door = Door()
      door.say("forecourt/site/claim/site/hello/" + gateway, words, isRetained: isRetained)
      guard case .hello(let hello)? = door.core.pop() else {
        #expect(door.counters.requestsRefused.count == 1)
        return nil
      }
      return hello
    }
    let hello = try #require(take(words))
    #expect(hello.name == Name("other") && hello.boot == Text("b7") && hello.sequence == 9 && hello.groups.has(Name("island")))
    #expect(take(words, "third") == nil && take(words, isRetained: true) == nil && take(words, "other/x") == nil)
    for member in [#""gateway":"other","#, #""boot":"b7","#, #""seq":9,"#] {
      #expect(take(words.replacing(member, with: "")) == nil, "without \(member)")
    }
    for (number, isTaken) in [(0, false), (1, true), (4_294_967_295, true), (4_294_967_296, false)] {
      #expect((take(words.replacing(#""seq":9"#, with: "\"seq\":\(number)")) != nil) == isTaken, "\(number)")
    }
  }
}

extension String {
  fileprivate init(_ identity: Identity) {
    var text = Text<128>()
    text.append(identity)
    self = String(text)
  }

  @Test("a status in our own name is a sign of another gateway if it is of another run, and no goodbye")
  func twins() {
    for (words, isSign) in [
      (#""state":"online","boot":"b7""#, true), (#""state":"degraded","boot":"b7""#, true), (#""state":"online","boot":"ours""#, false),
      (#""state":"offline","reason":"connection lost","boot":"b7""#, true), (#""state":"offline","reason":"stopped","boot":"b7""#, false),
      (#""state":"online""#, false), (#""state":"online","boot":"b7","simulated":true"#, false), ("", false),
    ] {
      for isHeard in [true, false] {
        let door = Door { ($0.boot, $0.claims) = (Text("ours"), isHeard) }
        door.say("forecourt/site/gateway/status", words.isEmpty ? "" : #"{"v":1,\#(words)}"#, isRetained: true)
        var isTold = false
        if case .twin? = door.core.pop() { isTold = true }
        #expect(isTold == (isSign && isHeard), "\(words)")
      }
    }
    var keys = SiteProof()
    keys.append([UInt8](repeating: 9, count: 32))
    let door = Door { ($0.boot, $0.siteKeys) = (Text("ours"), keys) }
    let topic = "forecourt/site/gateway/status"
    var payload = Payload()
    for byte in #"{"v":1,"state":"online","boot":"b7"}"#.utf8 { payload.append(byte: byte) }
    door.say(topic, String(payload))
    #expect(door.core.pop() == nil && door.counters.forged.count == 0, "an old one of ours, from before there was a key")
    #expect(keys.prove(Array(topic.utf8).span.bytes, &payload))
    door.say(topic, String(payload))
    guard case .twin? = door.core.pop() else {
      Issue.record("no sign")
      return
    }
  }
}
