import Testing

@testable import Core

@Suite("Whoever cannot know whether a device is here consents to nothing") struct CompetenceTests {
  private let loan = Loan()

  func at(_ seconds: Double) -> Instant { .zero + .seconds(seconds) }

  func other(isOnline: Bool = true) -> Neighbour {
    var neighbour = Neighbour()
    (neighbour.name, neighbour.boot, neighbour.isOnline) = ("other", "b", isOnline)
    neighbour.groups.append("pumps")
    return neighbour
  }

  func beside(_ change: (inout Settings) -> Void = { _ in }) -> Rig {
    var rig = Rig {
      $0.calibrateEverybody()
      $0.addTrigger("one", group: "pumps")
      change(&$0)
    }
    rig.gateway.receive(status: other(), at: .zero)
    return rig
  }

  func claim(_ id: Text<40>, _ standing: Claim.Standing, at seconds: Double) -> Claim {
    var claim = Claim()
    (claim.gateway, claim.group, claim.boot, claim.sequence) = ("other", "pumps", "b", UInt32(seconds * 10))
    (claim.level, claim.standing, claim.identity) = (Decibels(-60), standing, try! Identity(written: id.bytes))
    return claim
  }

  static let somebody: Text<40> = "address:c0:00:00:00:00:01"

  /// What a neighbour is told that wants to serve a device; nil: nothing.
  func answer(_ rig: inout Rig, about id: Text<40> = somebody, at seconds: Double) -> String? {
    _ = rig.said()
    rig.gateway.receive(claim: claim(id, .holding, at: seconds), at: at(seconds))
    let answer = rig.said().first { $0.topic.contains("claim") && $0.payload.contains("state") }
    return answer?.payload.firstMatch(of: /"state":"(\w+)"/).map { String($0.1) }
  }

  @Test("a gateway whose radio hears nothing answers when it hears again") func deaf() {
    var rig = beside()
    var told = [answer(&rig, at: 1)]
    rig.gateway.radio(0, isDeaf: true, at: at(2))
    told.append(answer(&rig, at: 3))
    rig.gateway.radio(0, isDeaf: false, at: at(4))
    told.append(answer(&rig, at: 5))
    told.append(answer(&rig, at: 7))
    #expect(told == ["withdrawn", nil, nil, "withdrawn"], "at first it may not have heard yet who is here")
  }

  @Test(
    "a device that it has heard since it listens again it answers for at once, and not by what it heard before", arguments: [false, true])
  func again(isHeard: Bool) {
    var rig = beside()
    rig.gateway.caughtUp(at: .zero)
    rig.hear(from: 1, to: 2, level: -90)
    rig.gateway.radio(0, isDeaf: true, at: at(2))
    rig.gateway.radio(0, isDeaf: false, at: at(3))
    if isHeard { rig.hear(from: 3, to: 3.5, level: -90) }
    #expect(answer(&rig, at: 4) == (isHeard ? "withdrawn" : nil))
    #expect(answer(&rig, at: 6) == "withdrawn")
  }

  @Test("nor what its radio cannot have heard yet: a gateway that starts says nothing until it listens") func starting() {
    var rig = beside()
    rig.gateway.radio(0, isDeaf: true, at: .zero)
    var told = [answer(&rig, at: 4)]
    rig.gateway.radio(0, isDeaf: false, at: at(5))
    for seconds in [5.1, 7.9, 8.1] { told.append(answer(&rig, at: seconds)) }
    #expect(told == [nil, nil, nil, "withdrawn"])
  }

  @Test(
    "nor one at whose trigger the device stands under another id; one that only hears it so answers at what level", arguments: [-90, -60])
  func otherwise(level: Int8) {
    var rig = beside()
    rig.hear(from: 1, to: 4, level: Double(level))
    _ = rig.said()
    rig.gateway.receive(claim: claim("name:Anna@c0:00:00:00:00:01", .holding, at: 5), at: at(5))
    let answer = rig.said().first { $0.topic.contains("claim/") && $0.payload.contains("name:Anna") }
    #expect(answer?.payload.contains("\"state\":\"withdrawn\",\"level_db\":\(level)") ?? (level == -60), "\(String(describing: answer))")
    #expect((answer == nil) == (level == -60))
    #expect(self.answer(&rig, about: "name:Anna@c0:00:00:00:00:02", at: 6) == "withdrawn")
  }

  @Test("what stands at a trigger of another group is asked about as anything else", arguments: [false, true]) func group(isOurs: Bool) {
    var rig = beside {
      $0.addTrigger("door", group: "doors")
      $0.triggers[isOurs ? 1 : 0].fire = Meters(0.2)
    }
    rig.hear(from: 1, to: 4, level: -60)
    _ = rig.said()
    rig.gateway.receive(claim: claim("name:Anna@c0:00:00:00:00:01", .holding, at: 5), at: at(5))
    #expect(rig.said().contains { $0.topic.contains("claim/pumps/name:Anna") } != isOurs)
  }

  @Test("a radio at another group's trigger may be deaf") func apart() {
    var rig = beside {
      $0.addRadios(2)
      $0.triggers[0].radio = 0
      $0.addTrigger("door", group: "doors", radio: 1)
    }
    rig.gateway.radio(1, isDeaf: true, at: at(1))
    #expect(answer(&rig, at: 6) == "withdrawn")
    rig.gateway.radio(0, isDeaf: true, at: at(7))
    #expect(answer(&rig, at: 8) == nil)
  }

  @Test("nor one that asks no phone for its installation id", arguments: [false, true]) func installations(asks: Bool) {
    var rig = beside { $0.peer.identify = asks }
    #expect(answer(&rig, about: "peer:BC00BD17", at: 1) == (asks ? "withdrawn" : nil))
  }

  @Test("nor one that hears a phone whose id nobody has read: it may be this one, and its level is told") func unread() {
    var rig = beside {
      $0.peer.identify = true
      _ = $0.services.append(PeerSettings().service)
    }
    func answer(at seconds: Double) -> String? {
      _ = rig.said()
      rig.gateway.receive(claim: claim("peer:BC00BD17", .holding, at: seconds), at: at(seconds))
      return rig.said().first { $0.topic.contains("claim/") }.map(\.payload)
    }
    rig.hear(50, at: 4, level: -40)
    #expect(answer(at: 5)?.contains("level_db") == false, "a stranger")
    for device in 0..<20 as Range<UInt8> { rig.hear(device, at: 6, level: device == 18 ? -63 : -70, data: ModelPhone(address: 1).advert) }
    #expect(answer(at: 7)?.contains(#""state":"withdrawn","level_db":-63"#) == true)
    #expect(answer(at: 40)?.contains("level_db") == false, "they have gone")
  }

  @Test("of an EID both clocks must agree to one of its periods", arguments: [nil, -3, -2, 0, 2, 3] as [Int64?]) func clocks(ahead: Int64?)
  {
    var rig = beside {
      var key = KeySettings()
      (key.alias, key.kind) = ("van", .eid(exponent: 1, clock: 0))
      _ = $0.keys.append(key)
    }
    func answers(_ unixTime: Int64?, at seconds: Double) -> Bool {
      var claim = claim("eid:van", .holding, at: seconds)
      claim.unixTime = unixTime
      _ = rig.said()
      rig.gateway.receive(claim: claim, at: at(seconds))
      return rig.said().contains { $0.topic.contains("claim/") }
    }
    let told = answers(ahead.map { 1_760_000_001 + $0 }, at: 1)
    #expect(told == (ahead.map { $0.magnitude < 3 } ?? true), "an older gateway does not say")
    rig.gateway.setClock(nil, at: at(2))
    #expect(!answers(1_760_000_003, at: 3), "without a clock nothing is recognised")
  }

  @Test("and one that may not listen, when it may") func denied() {
    for authorization in [Authorization.denied, .whenInUse] {
      var rig = beside { $0.gateway.authorization = authorization }
      var told = [answer(&rig, at: 1)]
      rig.gateway.authorize(.always, at: at(2))
      told.append(answer(&rig, at: 3))
      #expect(told == [nil, "withdrawn"])
    }
  }

  @Test(
    "of two radios the trigger's own counts, or both",
    arguments: [(nil, [false, true]), (0, [true, true]), (1, [false, true])] as [(Int8?, [Bool])])
  func radios(own: Int8?, isSilent: [Bool]) {
    var rig = beside {
      $0.addRadios(2)
      $0.triggers[0].radio = own
    }
    for radio in 0..<2 {
      rig.gateway.radio(radio, isDeaf: true, at: at(Double(radio) + 1))
      #expect((answer(&rig, at: Double(radio) + 1.5) == nil) == isSilent[radio], "\(radio)")
    }
  }

  @Test("nor does one without the key or the service by which the device is known", arguments: [false, true]) func strangers(isKnown: Bool)
  {
    var rig = beside {
      guard isKnown else { return }
      var key = KeySettings()
      key.alias = "ann"
      _ = $0.keys.append(key)
      _ = $0.services.append(ServiceUUID(short: 0x180F))
    }
    let told = (answer(&rig, about: "irk:ann", at: 1), answer(&rig, about: "service:180f@c0:00:00:00:00:01", at: 2))
    #expect(told == (isKnown ? ("withdrawn", "withdrawn") : (nil, nil)))
    #expect(answer(&rig, about: "name:Anna@c0:00:00:00:00:01", at: 3) == "withdrawn")
  }

  @Test("nobody waits for one that has no trigger in the group") func elsewhere() {
    var rig = beside { $0.triggers[0].group = "doors" }
    rig.gateway.radio(0, isDeaf: true, at: at(1))
    #expect(answer(&rig, at: 2) == "withdrawn")
  }

  @Test("whom it serves it goes on serving while it hears nothing, and says so; the visit ends when it hears again, and not this one")
  func served() {
    var rig = beside()
    rig.gateway.caughtUp(at: .zero)
    rig.gateway.receive(status: other(isOnline: false), at: at(1))
    rig.hear(from: 10, to: 18, level: -84, becoming: -60)
    rig.hear(from: 18, to: 25, level: -60)
    #expect(rig.told().contains { $0.event == "fire" })
    rig.gateway.receive(status: other(), at: at(25))
    rig.gateway.radio(0, isDeaf: true, at: at(25))
    rig.wait(until: 90)
    #expect(!rig.told().contains { $0.event == "leave" })
    #expect(answer(&rig, at: 91) == "fired")
    rig.gateway.radio(0, isDeaf: false, at: at(92))
    rig.wait(until: 96.9)
    #expect(!rig.told().contains { $0.event == "leave" })
    rig.wait(until: 103)
    #expect(rig.told().filter { !$0.event.isEmpty } == [Told("leave", "one", reason: "lost")])
  }

  @Test("its hello says so after two seconds, and the others name it") func hello() {
    var rig = beside()
    rig.gateway.connected(true, at: .zero)
    rig.gateway.radio(0, isDeaf: true, at: at(10))
    func isSaid(until seconds: Double) -> Bool {
      _ = rig.said()
      rig.wait(until: seconds)
      return rig.said().last { $0.topic.contains("/hello/") }?.payload.contains(#""deaf":true"#) ?? false
    }
    let told = [isSaid(until: 11.5), isSaid(until: 14)]
    rig.gateway.radio(0, isDeaf: false, at: at(14))
    #expect(told + [isSaid(until: 16)] == [false, true, false])

    var list = GroupList()
    list.append("pumps")
    var membership = Membership(on: loan)
    membership.reload(Settings.grouped(["we", "other"]))
    membership.connected(true, at: .zero)
    var seen: [Unheard?] = []
    for second in 0..<20 {
      membership.updateHearing(for: list, at: at(Double(second)))
      seen.append(membership.hearing.unheard)
      let number = membership.nextHello(at: at(Double(second)))
      membership.receiveOwnHello(number, at: at(Double(second)))
      var hello = other()
      (hello.sequence, hello.echo, hello.isDeaf) = (UInt32(second + 1), number, 10..<15 ~= second)
      membership.receive(hello: hello, at: at(Double(second)))
    }
    #expect(seen[8] == nil && seen[12] == .deaf("other") && seen[18] == nil)
  }

  @Test("who rests tells how long") func told() throws {
    var rig = beside { $0.triggers[0].groupRefractory = .seconds(60) }
    let topic = Topic(Array("forecourt/site/gateway/trigger/one".utf8).span.bytes)
    rig.gateway.recall(Unfinished(topic: topic, id: Text(Self.somebody.bytes), since: at(-10)), at: .zero)
    rig.gateway.receive(claim: claim(Self.somebody, .holding, at: 5), at: at(5))
    let answer = try #require(rig.said().first { $0.payload.contains(#""state":"fired""#) })
    #expect(answer.payload.contains(#""rest_ms":45000"#), "\(answer)")
  }
}
