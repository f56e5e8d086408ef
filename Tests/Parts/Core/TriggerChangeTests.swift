import Testing

@testable import Core

@Suite("Triggers through changes") struct TriggerChangeTests {
  private func settings(_ change: (inout Settings) -> Void = { _ in }) -> Settings {
    var settings = Settings()
    settings.gateway.purpose = Sentence("tests")
    settings.gateway.devices = 64
    settings.calibrateEverybody()
    settings.addTrigger("pump")
    change(&settings)
    return settings
  }

  private func fired() -> Rig {
    var rig = Rig {
      $0.calibrateEverybody()
      $0.addTrigger("pump")
    }
    rig.hear(from: 10, to: 15, level: -84, becoming: -60)
    rig.hear(from: 15, to: 20, level: -60)
    #expect(rig.told().map(\.event) == ["arm", "fire"])
    return rig
  }

  @Test("a group that a new config brings in mid-visit rests for whoever was served", arguments: [true, false])
  func grouped(isGrouped: Bool) {
    func two(_ group: Name) -> Settings {
      settings {
        for name in ["pump", "next"] as [Name] {
          if name == "pump" { $0.triggers.removeAll() }
          $0.addTrigger(name, group: group, radio: name == "pump" ? 0 : 1) { $0.groupRefractory = .seconds(60) }
        }
      }
    }
    var rig = Rig {
      $0 = two("")
      $0.addRadios(2)
    }
    rig.hear(from: 10, to: 15, level: -84, becoming: -60)
    rig.hear(from: 15, to: 20, level: -60)
    #expect(rig.told().filter { $0.event == "fire" }.map(\.trigger) == ["pump"])
    var next = two(isGrouped ? "pumps" : "")
    next.addRadios(2)
    rig.gateway.reload(next, at: Instant(microseconds: 20_000_000))
    rig.hear(from: 20, to: 25, level: -84, becoming: -60, radio: 1)
    rig.hear(from: 25, to: 70, level: -60, radio: 1)
    #expect(rig.told().filter { $0.event == "fire" }.map(\.trigger) == (isGrouped ? [] : ["next"]))
    rig.hear(from: 70, to: 100, level: -60, radio: 1)
    #expect(rig.told().filter { $0.event == "fire" }.map(\.trigger) == (isGrouped ? ["next"] : []))
  }

  @Test("a visit survives a new config that does not concern its trigger")
  func surviving() {
    var rig = fired()
    let next = settings {
      $0.triggers.removeAll()
      $0.addTrigger("new")
      $0.addTrigger("pump") { $0.fire = Meters(1.2) }
    }
    rig.gateway.reload(next, at: Instant(microseconds: 20_000_000))
    rig.hear(from: 20, to: 22, level: -60)
    #expect(rig.told().allSatisfy { $0.trigger == "new" })
    rig.hear(from: 22, to: 30, level: -98)
    #expect(rig.told().filter { $0.trigger == "pump" } == [Told("leave", reason: "away")])
  }

  @Test(
    "whoever is served when a new config changes the trigger is not served again before it has been away",
    arguments: ["match", "group", "radio", "number"])
  func changed(what: String) {
    var rig = fired()
    let next = settings {
      $0.triggers.removeAll()
      if what == "number" { $0.addTrigger("first") { $0.fire = Meters(0.1) } }
      $0.addTrigger("pump", group: what == "group" ? "pumps" : Name(), radio: what == "radio" ? 0 : nil)
      if what == "match" { $0.triggers[0].match = Slice(start: $0.triggers[0].match.start - 1, count: 2) }
    }
    rig.gateway.reload(next, at: Instant(microseconds: 20_000_000))
    rig.hear(from: 20, to: 60, level: -60)
    let told = rig.told().filter { $0.trigger == "pump" }
    #expect(!told.contains { $0.event == "fire" }, "\(told)")
    // The new `match` still admits it: the visit goes on.
    #expect(told.contains(Told("leave", reason: "reload")) == ["group", "radio"].contains(what))
    rig.hear(from: 60, to: 92, level: -98)
    rig.hear(from: 92, to: 97, level: -98, becoming: -60)
    rig.hear(from: 97, to: 107, level: -60)
    #expect(rig.told().contains { $0.trigger == "pump" && $0.event == "fire" }, "it has been away")
  }

  @Test("nor when the permission is withdrawn and given again, also by a config that moves the trigger") func permitted() {
    for isReload in [false, true] {
      var rig = fired()
      if isReload {
        let next = settings {
          $0.triggers.removeAll()
          $0.addTrigger("new")
          $0.addTrigger("pump")
          $0.gateway.authorization = .denied
        }
        rig.gateway.reload(next, at: Instant(microseconds: 20_000_000))
      } else {
        rig.gateway.authorize(.denied, at: Instant(microseconds: 20_000_000))
      }
      #expect(rig.told() == [Told("leave", reason: "authorization")])
      rig.gateway.authorize(.always, at: Instant(microseconds: 25_000_000))
      rig.hear(from: 25, to: 60, level: -60)
      #expect(!rig.told().contains { $0.trigger == "pump" && $0.event == "fire" })
    }
  }

  @Test("a permission that was withdrawn for long serves nobody who may have stood here all the time") func permittedLate() {
    var rig = fired()
    rig.gateway.authorize(.denied, at: Instant(microseconds: 20_000_000))
    rig.wait(until: 120)
    rig.gateway.authorize(.always, at: Instant(microseconds: 120_000_000))
    rig.hear(from: 120, to: 160, level: -60)
    #expect(!rig.told().contains { $0.event == "fire" })
    rig.hear(from: 160, to: 175, level: -98)
    rig.hear(from: 175, to: 180, level: -98, becoming: -60)
    rig.hear(from: 180, to: 190, level: -60)
    #expect(rig.told().contains { $0.event == "fire" }, "it has been away")
  }

  @Test("a new config that ends one trigger of a group and moves another finds each encounter where it was", arguments: [false, true])
  func moved(isServed: Bool) {
    func names(_ names: [Name], _ groups: [Name]) -> Settings {
      settings {
        $0.triggers.removeAll()
        for (name, group) in zip(names, groups) { $0.addTrigger(name, group: group) { if name == "two" { $0.fire = Meters(3) } } }
      }
    }
    var rig = Rig { $0 = names(["one", "two"], ["pumps", "pumps"]) }
    rig.gateway.caughtUp(at: .zero)
    rig.hear(from: 10, to: 15, level: -84, becoming: -60)
    rig.hear(from: 15, to: 20, level: -60)
    if isServed {
      let identity = Identity(.address, Address(word: 1 << 48 | 0xC000_0000_0001))
      #expect(rig.gateway.fireManually(1, for: identity, at: Instant(microseconds: 20_000_000)) == nil)
    }
    _ = rig.said()
    // The first ends, for its group is another; the second is the third from now on, or is owed one.
    rig.gateway.reload(
      names(["one", "new", "two"], ["doors", "pumps", isServed ? "doors" : "pumps"]), at: Instant(microseconds: 21_000_000))
    let states = rig.said().filter { $0.topic == "trigger/two/state" }.map(\.payload)
    #expect(states.last?.contains(isServed ? #""near_count":0"# : #""near_count":1"#) == true, "\(states)")
    #expect(rig.gateway.tableFaults == [])
    rig.hear(from: 21, to: 60, level: -60)
    #expect(!rig.told().contains { $0.trigger == "two" && $0.event == "fire" } || !isServed)
  }

  @Test("a visit ends with the trigger that a new config no longer has")
  func ending() {
    var rig = fired()
    rig.gateway.reload(settings { $0.triggers.removeAll() }, at: Instant(microseconds: 20_000_000))
    #expect(rig.told() == [Told("leave", reason: "reload")])
  }

  @Test("without authorization to monitor, visits end and nothing more is published")
  func authorization() {
    var rig = fired()
    rig.gateway.authorize(.denied, at: Instant(microseconds: 20_000_000))
    #expect(rig.told() == [Told("leave", reason: "authorization")])
    rig.hear(from: 20, to: 40, level: -60)
    #expect(rig.told().isEmpty)
  }

  @Test("a flood of strangers ends no visit: the longest unheard device is evicted first")
  func flood() {
    var rig = Rig(devices: 4) {
      $0.calibrateEverybody()
      $0.addTrigger("pump")
    }
    for device in 1...40 as ClosedRange<UInt8> {
      rig.hear(device, from: 10 + Double(device), to: 10.9 + Double(device), level: -60)
      rig.hear(99, at: 10.95 + Double(device), level: -60)
    }
    let told = rig.told()
    #expect(told.filter { $0.event == "fire" }.count == 41)
    #expect(told.filter { $0.reason == "evicted" }.count >= 32)
    #expect(!told.contains { $0.id.hasSuffix("63") && $0.event == "leave" })
  }

  @Test("full of encounters, a newcomer evicts the longest absent device, never a present one, and is counted if refused")
  func capacity() {
    func passers(_ level: Int8) -> Rig {
      var rig = Rig(devices: 64) {
        $0.calibrateEverybody()
        $0.addTrigger("pump")
        $0.addTrigger("door")
      }
      for tick in 0..<50 {
        for device in 1...32 as ClosedRange<UInt8> { rig.hear(device, at: 10 + Double(tick) * 0.1, level: level) }
      }
      rig.hear(99, from: 15, to: 18, level: -84, becoming: -60)
      rig.hear(99, from: 18, to: 22, level: -60)
      return rig
    }
    // Beyond arm_m, though near enough to be watched.
    var rig = passers(-79)
    #expect(rig.told().count { $0.event == "fire" } == 2)
    #expect(rig.gateway.encountersRefused == 0)
    rig = passers(-60)
    #expect(rig.told().count { $0.event == "fire" } == 64)
    #expect(rig.gateway.encountersRefused > 0)
  }

  private static let beacon: [UInt8] = [0x1A, 0xFF, 0x4C, 0x00, 0x02, 0x15] + Array(1...20) + [0xC5]

  /// The events of a beacon's visit, with their times: it changes its address, or its identity comes, during the dwell.
  private func told(addressAfter change: Double = .infinity, namelessUntil named: Double = 0) -> [String] {
    var rig = Rig {
      $0.calibrateEverybody()
      $0.addTrigger("pump") { $0.dwell = .seconds(2) }
    }
    rig.hear(1, at: 5, level: -90, data: named > 5 ? [] : Self.beacon)
    for tick in 0..<60 {
      let time = 10 + Double(tick) * 0.1
      rig.hear(
        time < change ? 1 : 2, at: time, level: Int8(max(-80, -80 + tick * 2 > -60 ? -60 : -80 + tick * 2)),
        data: time < named ? [] : Self.beacon)
    }
    return rig.said().compactMap { topic, payload in
      guard let told = Told(topic: topic, payload: payload) else { return nil }
      return told.event + " " + payload.split(separator: #""uptime_s":"#)[1].prefix { $0 != "," }
    }
  }

  @Test("an address that changes during the dwell changes nothing: one arm, one fire, at the same moment")
  func rotation() {
    let plain = told()
    #expect(plain.map { $0.prefix { $0 != " " } } == ["arm", "fire"])
    #expect(told(addressAfter: 12) == plain)
    #expect(told(namelessUntil: 12) == plain)
  }

  @Test("a fire begins a visit, a leave ends it, and nothing else does") func edges() {
    var rig = Rig {
      $0.calibrateEverybody()
      $0.addTrigger("pump")
    }
    var edges: [String: Message.VisitEdge] = [:]
    for step in 0..<600 {
      let time = 10 + Double(step) / 10
      if step < 150 { rig.hear(1, at: time, level: Int8((-80 + min(Double(step) / 4, 20)).rounded())) } else { rig.wait(until: time) }
      while let message = rig.messages.pop() {
        let payload = String(message.payload)
        for event in ["arm", "fire", "leave"] where payload.contains("\"event\":\"\(event)\"") { edges[event] = message.visit }
      }
    }
    #expect(edges == ["arm": .none, "fire": .begins, "leave": .ends])
  }

  @Test("the end of a visit says how long it lasted") func dwell() throws {
    var rig = Rig {
      $0.calibrateEverybody()
      $0.addTrigger("pump")
    }
    rig.hear(from: 10, to: 15, level: -84, becoming: -60)
    rig.hear(from: 15, to: 40, level: -60)
    rig.hear(from: 40, to: 60, level: -98)
    let told = rig.said().filter { $0.topic == "trigger/pump" }.map(\.payload)
    let leave = try #require(told.first { $0.contains(#""event":"leave""#) })
    let seconds = try #require(leave.firstMatch(of: /"dwell_s":([\d.]+)/).flatMap { Double($0.1) })
    #expect((25.0...35).contains(seconds), "\(leave)")
  }
}
