import Testing

@testable import Core

private func at(_ seconds: Double) -> Instant { .zero + .seconds(seconds) }

/// A gateway with the trigger "pump" beside another, which answers each of its claims.
private struct Pair: ~Copyable {
  var rig = Rig {
    $0.calibrateEverybody()
    // Whoever sends ten adverts a second, and is first heard after six, was not here at the start.
    $0.addTrigger("pump", group: "pumps") { $0.minimumRate = 1.4 }
  }
  var boot: Text<16> = "run 1"
  var begun = 0.0
  /// What the other's answers say of the device.
  var standing = Claim.Standing.withdrawn
  /// Its line hangs: what it says comes later.
  var hangs = false
  private var late: [Claim] = []
  private var sequence: UInt32 = 0
  private var step = 0
  private(set) var told: [(at: Double, event: String)] = []
  /// For how long our claims say that our group rests.
  private(set) var rests: [Int] = []

  init() { rig.gateway.connected(true, at: .zero) }

  /// Ten times a second the device is heard, unless the level is nil.
  mutating func pass(until end: Double, level: Int8? = nil) {
    while Double(step) / 10 < end {
      let now = Double(step) / 10
      rig.wait(until: now)
      if step % 10 == 0, !hangs { greet(at: now) }
      if let level { rig.hear(1, at: now, level: level) }
      for (topic, payload) in rig.said() { take(topic, payload, at: now) }
      step += 1
    }
  }

  private mutating func take(_ topic: String, _ payload: String, at now: Double) {
    if let event = Told(topic: topic, payload: payload), event.event != "" { told.append((now, event.event)) }
    guard let number = payload.firstMatch(of: /"seq":(\d+)/).flatMap({ UInt32($0.1) }) else { return }
    if topic.contains("/hello/") { rig.gateway.triggers.membership.receiveOwnHello(number, at: at(now)) }
    guard topic.contains("claim/pumps/") else { return }
    if let rest = payload.firstMatch(of: /"rest_ms":(\d+)/).flatMap({ Int($0.1) }), rest > 0 { rests.append(rest) }
    say(standing, echo: number, at: now)
  }

  private mutating func greet(at now: Double) {
    var hello = Neighbour()
    (hello.name, hello.boot, hello.isOnline) = ("other", boot, true)
    hello.groups.append("pumps")
    sequence += 1
    hello.uptime = .seconds(now - begun)
    (hello.sequence, hello.echo) = (sequence, rig.gateway.triggers.membership.sequence)
    rig.gateway.receive(hello: hello, at: at(now))
  }

  mutating func say(_ standing: Claim.Standing, rest: Double = 0, echo: UInt32 = 0, at now: Double) {
    var claim = Claim()
    sequence += 1
    (claim.gateway, claim.group, claim.boot, claim.sequence) = ("other", "pumps", boot, sequence)
    (claim.standing, claim.rest, claim.echo, claim.isListening) = (standing, .seconds(rest), echo, true)
    claim.identity = try! Identity(written: Array("address:c0:00:00:00:00:01".utf8).span.bytes)
    if hangs { late.append(claim) } else { rig.gateway.receive(claim: claim, at: at(now)) }
  }

  mutating func arrive() {
    hangs = false
    greet(at: Double(step) / 10)
    for claim in late { rig.gateway.receive(claim: claim, at: at(Double(step) / 10)) }
    late = []
  }

  mutating func leaves() {
    var status = Neighbour()
    (status.name, status.boot) = ("other", boot)
    rig.gateway.receive(status: status, at: at(Double(step) / 10))
  }

  var fires: [Double] { told.filter { $0.event == "fire" }.map(\.at) }
}

@Suite("What neighbours say late, or said and are gone") struct LateWordTests {
  @Test("their consent opens no pump for a device that is not heard any more, or by a radio that is deaf", arguments: [false, true])
  func late(isDeaf: Bool) {
    var pair = Pair()
    pair.pass(until: 6)
    pair.hangs = true
    pair.pass(until: 8, level: -60)
    if isDeaf { pair.rig.gateway.radio(0, isDeaf: true, at: at(8)) } else { pair.pass(until: 10.5) }
    pair.arrive()
    pair.pass(until: 10.9)
    #expect(pair.told.map(\.event) == ["arm"], "\(pair.told)")
    pair.rig.gateway.radio(0, isDeaf: false, at: at(10.9))
    if !isDeaf {
      pair.pass(until: 13, level: -60)
      #expect(pair.fires.count == 1, "who is there is served: \(pair.told)")
    }
  }

  @Test("the rest that one told holds after its goodbye, also for whoever was served here before and went") func rest() {
    var pair = Pair()
    pair.pass(until: 6)
    pair.pass(until: 12, level: -60)
    pair.pass(until: 18, level: -95)
    pair.say(.fired, rest: 60, at: 18)
    pair.pass(until: 22, level: -95)
    pair.leaves()
    pair.hangs = true
    pair.pass(until: 30, level: -95)
    pair.pass(until: 77, level: -60)
    #expect(pair.fires.count == 1, "\(pair.told)")
    pair.pass(until: 108, level: -95)
    pair.pass(until: 113, level: -60)
    #expect(pair.fires.count == 2, "\(pair.told)")
  }

  @Test("nor is it told again as ours, for then it would never end") func theirRest() {
    var pair = Pair()
    pair.pass(until: 6)
    pair.say(.fired, rest: 60, at: 6)
    pair.pass(until: 64, level: -60)
    #expect(pair.rests == [] && pair.fires == [], "\(pair.told)")
    pair.pass(until: 76, level: -60)
    #expect(pair.fires.count == 1, "\(pair.told)")
  }

  @Test("what its run before had served is its affair no longer once the new one has run for half a minute") func restarted() {
    var pair = Pair()
    pair.pass(until: 6, level: -75)
    pair.standing = .fired
    pair.pass(until: 10, level: -75)
    (pair.boot, pair.begun, pair.standing) = ("run 2", 10, .withdrawn)
    pair.pass(until: 39, level: -60)
    #expect(pair.fires == [], "\(pair.told)")
    pair.pass(until: 45, level: -60)
    #expect(pair.fires.count == 1, "\(pair.told)")
  }
}

@Suite("Who was here at the start, and is recognised later") struct LateRecognitionTests {
  private func rig(for selector: StaticString, epoch: Int64? = 0) -> Rig {
    Rig(epoch: epoch) {
      $0.calibrateEverybody()
      $0.peer.identify = true
      $0.addTrigger("pump")
      $0.selectors[Int($0.triggers[0].match.start)] = try! Selector(written: Text<16>(selector).bytes)
      var key = KeySettings()
      (key.alias, key.kind) = ("van", .eid(exponent: 4, clock: 0))
      _ = $0.keys.append(key)
    }
  }

  /// With a key of zeros `nameless` makes only zeros of any time.
  private static let frame = [0x0D, 0x16, 0xAA, 0xFE, 0x30, 0xEE] + [UInt8](repeating: 0, count: 8)

  private func fires(_ rig: inout Rig, from start: Double, to end: Double, level: Int8 = -60, data: [UInt8] = []) -> Int {
    for step in 0..<Int((end - start) * 10) { rig.hear(1, at: start + Double(step) / 10, level: level, data: data) }
    return rig.told().count { $0.event == "fire" }
  }

  @Test("a phone whose id is read late is served once it has been away; one that comes is served", arguments: [0.0, 20]) func phone(
    since: Double
  ) {
    var rig = rig(for: "peer:*")
    var told = [fires(&rig, from: since, to: 30)]
    rig.gateway.receive(peer: KnownPeer(address: Address(0xC000_0000_0001, type: 1), id: 5), at: at(30))
    told.append(fires(&rig, from: 30, to: 50))
    #expect(told == [0, since == 0 ? 0 : 1])
    rig.wait(until: 150)
    #expect(fires(&rig, from: 150, to: 160) == 1)
  }

  @Test("so is a beacon whose key needs the time, when the clock is set, or turns out wrong", arguments: [nil, -1_000_000_000]) func beacon(
    epoch: Int64?
  ) {
    var rig = rig(for: "eid:*", epoch: epoch)
    #expect(rig.gateway.lacksTime == (epoch == nil))
    var told: [Int] = []
    if epoch == nil { told.append(fires(&rig, from: 0, to: 30, data: Self.frame)) }
    rig.gateway.setClock(0, at: at(30))
    told.append(fires(&rig, from: 30, to: 50, data: Self.frame))
    rig.gateway.setClock(999_999, at: at(50))
    rig.wait(until: 150)
    told.append(fires(&rig, from: 150, to: 160, data: Self.frame))
    #expect(told == (epoch == nil ? [0, 0, 1] : [0, 1]) && !rig.gateway.lacksTime)
  }

  @Test("or when it sends its key again only seconds after the clock was set", arguments: [31, 33.5, 45]) func beaconLater(again: Double) {
    var rig = rig(for: "eid:*", epoch: nil)
    var told = [fires(&rig, from: 0, to: 30, data: Self.frame)]
    rig.gateway.setClock(0, at: at(30))
    told.append(fires(&rig, from: 30, to: again, data: [2, 1, 6]))
    told.append(fires(&rig, from: again, to: 60, data: Self.frame))
    #expect(told == [0, 0, 0])
  }
}
