import Testing

@testable import Core

@Suite("Regions")
struct RegionTests {
  @Test("who has heard nothing has counted nothing") func start() {
    let rig = Rig { $0.addRegion("door") }
    #expect(rig.gateway.regions.refused == 0 && rig.gateway.encountersRefused == 0 && rig.gateway.devices.count == 0)
    let counters = Mirror(reflecting: rig.gateway.counters).children.compactMap { $0.value as? UInt64 }
    #expect(counters.count > 9 && counters.allSatisfy { $0 == 0 } && rig.gateway.counters[.truncated] == 0)
  }

  @Test("one advert enters, silence exits at the moment it has lasted long enough, and the count is published")
  func enterAndExit() {
    var rig = Rig { $0.addRegion("door", exit: .after(.seconds(7))) }
    #expect(rig.said().map(\.topic) == ["region/door"])
    rig.hear(1, at: 10)
    rig.wait(until: 100)
    let said = rig.said().filter { $0.topic.hasPrefix("region") }
    #expect(said.map(\.topic) == ["region/door/event", "region/door", "region/door/event", "region/door"])
    #expect(said[0].payload.contains(#""event":"enter""#) && said[0].payload.contains(#""uptime_s":10}"#))
    #expect(said[1].payload.contains(#""state":"inside","count":1"#))
    #expect(said[2].payload.contains(#""event":"exit","reason":"silence""#) && said[2].payload.contains(#""uptime_s":17}"#))
    #expect(said[3].payload.contains(#""state":"outside","count":0"#))
  }

  @Test("when a tick comes does not matter: ten ticks or one give the same messages")
  func ticks() {
    func run(ticks: Int) -> [String] {
      var rig = Rig { $0.addRegion("door") }
      for beat in 0..<50 { rig.hear(UInt8(beat % 3), at: Double(beat) * 0.3) }
      for tick in 1...ticks { rig.wait(until: 15 + Double(tick) * 600 / Double(ticks)) }
      return rig.said().map { $0.topic + $0.payload }
    }
    #expect(run(ticks: 1) == run(ticks: 997))
  }

  @Test("40 % loss at 1 Hz does not flap: at most one false exit in 24 hours", arguments: 0..<2)
  func flapping(seed: UInt64) {
    var random = Seeded(seed)
    var rig = Rig { settings in
      settings.addRegion("door")
      settings.ranging.interval = .hours(100)
    }
    var exits = 0
    for second in 0..<86_400 {
      if Double.random(in: 0..<1, using: &random) >= 0.4 { rig.hear(1, at: Double(second), level: -70) }
      if second % 1_000 == 0 { exits += rig.said().count { $0.payload.contains(#""event":"exit""#) } }
    }
    #expect(exits <= 1)
  }

  @Test("an evicted device exits first, and unwanted devices are evicted before wanted ones")
  func eviction() {
    let wanted = Identity(.address, Address(word: 0xC000_0000_0001))
    var rig = Rig(devices: 16) { $0.addRegion("door", matching: Selector(kind: .address, isWhole: true, prefix: wanted)) }
    rig.hear(1, at: 0)
    for device in 2..<200 { rig.hear(UInt8(device), at: 1) }
    rig.hear(1, at: 2)
    #expect(rig.gateway.devices.count == 16 && rig.gateway.devices.evictions == 183)
    #expect(rig.said().count { $0.payload.contains(#""event":"enter""#) } == 1)
  }

  @Test("a device that changes its address with every advert counts as recently heard and is not evicted next")
  func rotation() {
    let beacon: [UInt8] = [2, 1, 6, 26, 0xFF, 0x4C, 0, 2, 21] + (0..<16).map { UInt8($0) } + [0, 1, 0, 2, 0xC5]
    var rig = Rig(devices: 16)
    for second in 0..<100 {
      rig.hear(UInt8(second), at: Double(second), data: beacon)
      for stranger in 0..<5 { rig.hear(UInt8(100 + (second * 5 + stranger) % 150), at: Double(second) + 0.5) }
    }
    let slots = (0..<16).filter { rig.gateway.devices.isUsed($0) && rig.gateway.devices[$0].identity.kind == .iBeacon }
    #expect(slots.map { rig.gateway.devices[$0, 0].samples } == [100])
  }

  @Test("ranging lists the nearest first and the unknown last, once every interval")
  func ranging() {
    var rig = Rig { $0.addRegion("hall", exit: .after(.seconds(100))) }
    rig.hear(3, at: 0.1, level: -50)
    for beat in 0..<100 {
      rig.hear(1, at: 13 + Double(beat) * 0.1, level: -80)
      rig.hear(2, at: 13 + Double(beat) * 0.1, level: -60)
    }
    rig.wait(until: 23)
    let rounds = rig.said().filter { $0.topic == "ranging/hall" }
    #expect(rounds.count == 24)
    let order = rounds.last!.payload.split(separator: #""id":"#).dropFirst().map { $0.dropFirst(24).prefix(2) }
    #expect(order == ["02", "01", "03"])
  }
}

@Suite("Permission and ranging windows")
struct PermissionTests {
  @Test("with when-in-use nothing is monitored, and ranging runs only while requested")
  func whenInUse() {
    var rig = Rig { settings in
      settings.addRegion("hall")
      settings.gateway.authorization = .whenInUse
    }
    for beat in 0..<100 { rig.hear(1, at: Double(beat) * 0.1) }
    #expect(rig.said().map(\.topic) == ["region/hall"] && rig.gateway.devices.count == 0)
    rig.gateway.startRanging(nil, for: .seconds(3), at: Instant(microseconds: 10_000_000))
    for beat in 100..<200 { rig.hear(1, at: Double(beat) * 0.1) }
    let said = rig.said()
    #expect(said.count { $0.topic == "ranging/hall" } == 3)
    #expect(!said.contains { $0.topic.hasPrefix("region") })
    #expect(said.contains { $0.topic == "ranging/hall" && $0.payload.contains(#""id":"address:c0:00:00:00:00:01""#) })
  }

  @Test("revoked authorization ends every visit with its reason; denied hears nothing")
  func denied() {
    var rig = Rig { $0.addRegion("hall") }
    rig.hear(1, at: 1)
    rig.gateway.authorize(.denied, at: Instant(microseconds: 2_000_000))
    rig.hear(2, at: 3)
    let exits = rig.said().filter { $0.payload.contains(#""event":"exit""#) }
    #expect(exits.count == 1 && exits[0].payload.contains(#""reason":"authorization""#))
    #expect(!rig.gateway.isListening && rig.gateway.devices.count == 1)
  }

  @Test("ranging ends three minutes after the last enter or exit, and each starts the time anew")
  func window() {
    var rig = Rig { settings in
      settings.addRegion("hall", exit: .after(.seconds(60)))
      settings.ranging.extend = .seconds(180)
    }
    func rounds() -> [String] { rig.said().filter { $0.topic == "ranging/hall" }.map(\.payload) }
    rig.wait(until: 100)
    #expect(rounds().isEmpty)
    rig.hear(1, at: 100)
    rig.wait(until: 1_000)
    // Enter at 100, exit at 160: from 100 until before 340.
    #expect(rounds().count == 240)
    rig.hear(1, at: 2_000)
    rig.wait(until: 2_000.5)
    #expect(rounds().count == 1)
  }
}

@Suite("A new config")
struct ReloadTests {
  @Test("a visit survives a reload that keeps its region, in any order; the others end with reason reload")
  func reload() {
    var rig = Rig { settings in
      settings.addRegion("gone")
      settings.addRegion("kept")
    }
    rig.hear(1, at: 1)
    _ = rig.said()
    var next = Settings()
    next.gateway.devices = 64
    next.addRegion("kept")
    next.addRegion("new", matching: Selector(kind: .peer, isWhole: false, prefix: Identity(.peer)))
    rig.gateway.reload(next, at: Instant(microseconds: 2_000_000))
    let said = rig.said().filter { $0.topic.hasPrefix("region") }
    #expect(said.map(\.topic) == ["region/gone/event", "region/gone", "region/gone", "region/kept", "region/new"])
    #expect(said[0].payload.contains(#""reason":"reload""#) && said[2].payload.isEmpty)
    #expect(said[3].payload.contains(#""state":"inside","count":1"#))
    rig.wait(until: 1_000)
    #expect(rig.said().filter { $0.topic.hasPrefix("region") }.map(\.topic) == ["region/kept/event", "region/kept"])
  }

  /// Selectors for the devices 1 and 2.
  private static let pair = (1...2).map { number in
    Selector(kind: .address, isWhole: true, prefix: Identity(.address, Address(word: 0xC000_0000_0000 + UInt64(number))))
  }

  private func watching(_ selectors: [Selector]) -> Settings {
    var settings = Settings()
    settings.gateway.devices = 64
    settings.addRegion("door", matching: selectors[0])
    for selector in selectors.dropFirst() { _ = settings.selectors.append(selector) }
    settings.regions[0].match.count = UInt16(selectors.count)
    return settings
  }

  private func events(_ rig: borrowing Rig) -> [String] {
    rig.said().filter { $0.topic == "region/door/event" }.map { _, payload in
      "\(payload.contains("enter") ? "enter" : "exit") \(payload.contains(":00:01\"") ? "01" : payload.contains(":00:02\"") ? "02" : "other")"
    }
  }

  @Test("a region whose match grows keeps its visits; where it shrinks, those end that it does not cover any more")
  func widened() {
    var rig = Rig { $0.addRegion("door", matching: Self.pair[0]) }
    for device in 1...2 as ClosedRange<UInt8> { rig.hear(device, at: 1) }
    #expect(events(rig) == ["enter 01"])
    rig.gateway.reload(watching(Self.pair), at: Instant(microseconds: 2_000_000))
    for device in 1...2 as ClosedRange<UInt8> { rig.hear(device, at: 3) }
    #expect(events(rig) == ["enter 02"])
    rig.gateway.reload(watching([Self.pair[0]]), at: Instant(microseconds: 4_000_000))
    for device in 1...2 as ClosedRange<UInt8> { rig.hear(device, at: 5) }
    #expect(events(rig).sorted() == ["exit 02"])
    #expect(rig.gateway.tableFaults == [])
  }

  @Test("what matched a region of the old settings matches none of the new, whatever its number")
  func renumbered() {
    func beacon(_ minor: UInt8) -> [UInt8] { [0x1A, 0xFF, 0x4C, 0x00, 0x02, 0x15] + Array(1...19) + [minor, 0xC5] }
    var rig = Rig { $0.addRegion("door", matching: Selector(kind: .iBeacon, isWhole: false, prefix: Identity(.iBeacon))) }
    rig.hear(1, at: 1, data: beacon(1))
    rig.gateway.reload(watching([Self.pair[1]]), at: Instant(microseconds: 2_000_000))
    _ = rig.said()
    rig.hear(1, at: 3, data: beacon(2))
    rig.hear(1, at: 4, data: beacon(1))
    #expect(events(rig) == [])
  }

  @Test("a service that new settings no longer name is nobody's identity any more")
  func dropped() {
    func settings(_ services: [UInt32]) -> Settings {
      var settings = Settings()
      settings.gateway.devices = 64
      settings.publish.unknown = .publish
      for service in services { _ = settings.services.append(ServiceUUID(short: service)) }
      return settings
    }
    var rig = Rig { $0 = settings([0xFFA1, 0xFFA2]) }
    var kinds: [[Substring]] = []
    for (round, services) in [[0xFFA1, 0xFFA2], [0xFFA1], [], [0xFFA2]].enumerated() as EnumeratedSequence<[[UInt32]]> {
      if round > 0 { rig.gateway.reload(settings(services), at: Instant(microseconds: Int64(round) * 60_000_000)) }
      for second in 1...2 { rig.hear(1, at: Double(round * 60 + second), data: [3, 3, 0xA2, 0xFF]) }
      // The one before is unknown by now.
      let topics = rig.said().filter { $0.topic.hasPrefix("proximity/") && !$0.payload.contains("unknown") }.map(\.topic)
      kinds.append(Set(topics.map { $0.split(separator: "/")[1].prefix { $0 != ":" } }).sorted())
    }
    #expect(kinds == [["service"], ["address"], ["address"], ["service"]])
  }
}

@Suite("Privacy")
struct PrivacyTests {
  private func ids(_ unknown: PublishSettings.Unknown, at times: [Double]) -> [String] {
    var rig = Rig { $0.publish.unknown = unknown }
    for time in times { rig.hear(1, at: time) }
    return rig.said().filter { $0.topic.hasPrefix("proximity") && !$0.payload.contains("unknown") }.map(\.topic)
  }

  @Test("unknown devices are ignored, published, or published under a pseudonym that changes daily")
  func unknown() {
    #expect(ids(.ignore, at: [1, 2]) == [])
    #expect(Set(ids(.publish, at: [1, 90_000])) == ["proximity/address:c0:00:00:00:00:01"])
    let hashed = ids(.hash, at: [1, 2_000, 90_000])
    #expect(hashed.count == 3 && hashed[0] == hashed[1] && hashed[1] != hashed[2])
    #expect(hashed.allSatisfy { $0.hasPrefix("proximity/hash:") && $0.count == 31 })
  }

  @Test("without a set clock there are no daily pseudonyms")
  func clockless() {
    var rig = Rig(epoch: nil) { $0.publish.unknown = .hash }
    rig.hear(1, at: 1)
    #expect(!rig.said().contains { $0.topic.hasPrefix("proximity") })
    rig.gateway.setClock(1_760_000_000_000_000, at: .zero)
    for second in 2...20 { rig.hear(1, at: Double(second)) }
    #expect(rig.said().contains { $0.topic.hasPrefix("proximity/hash:") })
  }

  @Test(
    "a neighbour's question gets a device's level if we hear it, also if no trigger of ours looks for it: silence would say that it is not here",
    arguments: [true, false])
  func asked(isLookedFor: Bool) throws {
    var rig = Rig {
      $0.addTrigger("pump", group: "pumps")
      if !isLookedFor { $0.selectors[0] = Selector(kind: .iBeacon, isWhole: false, prefix: Identity(.iBeacon)) }
    }
    var neighbour = Neighbour()
    (neighbour.name, neighbour.boot, neighbour.isOnline) = ("other", "b", true)
    neighbour.groups.append("pumps")
    rig.gateway.receive(status: neighbour, at: .zero)
    // Too far off for an encounter.
    for step in 0..<20 { rig.hear(1, at: Double(step) * 0.1, level: -100) }
    _ = rig.said()
    var claim = Claim()
    (claim.gateway, claim.group, claim.boot, claim.sequence, claim.level) = ("other", "pumps", "b", 1, Decibels(-60))
    claim.identity = Identity(.address, Address(word: 1 << 48 | 0xC000_0000_0001))
    rig.gateway.receive(claim: claim, at: Instant(microseconds: 3_000_000))
    let answer = try #require(rig.said().first { $0.payload.contains("withdrawn") })
    #expect(answer.payload.contains("level_db") && !answer.payload.contains(#""age_ms":0"#), "\(answer.payload)")
  }

  @Test("a reload decides again about devices already present")
  func reload() {
    var rig = Rig()
    func proximities() -> Int { rig.said().count { $0.topic.hasPrefix("proximity") } }
    for (second, unknown) in [(1, nil), (10, .publish), (20, .ignore)] as [(Int, PublishSettings.Unknown?)] {
      if let unknown {
        var next = Settings()
        next.gateway.devices = 64
        next.publish.unknown = unknown
        rig.gateway.reload(next, at: Instant(microseconds: Int64(second) * 1_000_000))
      }
      rig.hear(1, at: Double(second) + 1, level: -60)
      rig.hear(1, at: Double(second) + 2, level: -60)
      #expect((proximities() > 0) == (unknown == .publish))
    }
  }
}
