import Testing

@testable import Core

/// Under its new name a trigger knows nobody; whom it served before stands there all the same.
@Suite("A trigger that a new config renames") struct RenamedTriggerTests {
  private func settings(_ name: Name, group: Name = Name(), others: [Name] = [], refractory: Double = 30) -> Settings {
    var settings = Settings()
    settings.gateway.purpose = Sentence("tests")
    settings.gateway.devices = 64
    settings.calibrateEverybody()
    for name in others + [name] {
      settings.addTrigger(name, group: group) {
        ($0.refractory, $0.groupRefractory) = (.seconds(refractory), .seconds(group.isEmpty ? 0 : 100))
      }
    }
    return settings
  }

  private func at(_ seconds: Double) -> Instant { .zero + .seconds(seconds) }

  private func fires(_ told: [Told]) -> [String] { told.filter { $0.event == "fire" }.map { "\($0.id.suffix(1)) \($0.trigger)" } }

  /// Served at "pump" from second 15 on.
  private func served(group: Name = Name(), refractory: Double = 30) -> Rig {
    var rig = Rig { $0 = settings("pump", group: group, refractory: refractory) }
    rig.gateway.caughtUp(at: .zero)
    rig.hear(from: 10, to: 15, level: -84, becoming: -60)
    rig.hear(from: 15, to: 20, level: -60)
    #expect(fires(rig.told()) == ["1 pump"])
    return rig
  }

  @Test("does not serve again who stands there, until it has left; others at once", arguments: [1, 3])
  func standing(reloads: Int) {
    var rig = served()
    for _ in 0..<reloads { rig.gateway.reload(settings("new"), at: at(20)) }
    rig.hear(from: 20, to: 40, level: -60)
    let told = rig.told()
    #expect(fires(told) == [] && told.contains(Told("leave", reason: "reload")), "\(told)")
    #expect(told.contains(Told("undecided", "new", reason: "present at start")), "\(told)")
    rig.hear(2, from: 40, to: 45, level: -84, becoming: -60)
    rig.hear(2, from: 45, to: 50, level: -60)
    #expect(fires(rig.told()) == ["2 new"])
    rig.hear(from: 50, to: 65, level: -98)
    rig.hear(from: 65, to: 70, level: -98, becoming: -60)
    rig.hear(from: 70, to: 80, level: -60)
    #expect(fires(rig.told()) == ["1 new"], "it has been away")
  }

  @Test(
    "nor does a trigger serve whom its new match admits, until it has left; one whose match stayed knows who came",
    arguments: [true, false])
  func admitted(isNew: Bool) {
    func settings(admitting number: Int) -> Settings {
      var settings = Settings()
      settings.gateway.purpose = Sentence("tests")
      settings.gateway.devices = 64
      settings.calibrateEverybody()
      settings.addTrigger("pump")
      let identity = Identity(.address, Address(word: 1 << 48 | 0xC000_0000_0000 | UInt64(number)))
      settings.selectors[Int(settings.triggers[0].match.start)] = Selector(kind: .address, isWhole: true, prefix: identity)
      return settings
    }
    var rig = Rig { $0 = settings(admitting: isNew ? 2 : 1) }
    rig.gateway.caughtUp(at: .zero)
    rig.hear(from: 10, to: 15, level: -84, becoming: -60)
    rig.gateway.reload(settings(admitting: 1), at: at(15))
    rig.hear(from: 15, to: 40, level: -60)
    let told = rig.told()
    #expect(fires(told) == (isNew ? [] : ["1 pump"]) && told.contains(Told("undecided", reason: "present at start")) == isNew, "\(told)")
  }

  @Test("and another reload keeps what the first one knew of it, wherever it stands in the file") func twice() {
    var rig = served()
    rig.gateway.reload(settings("new"), at: at(20))
    rig.gateway.reload(settings("new", others: ["far"]), at: at(20.05))
    rig.hear(from: 20.1, to: 40, level: -60)
    #expect(fires(rig.told()) == [])
  }

  @Test("keeps the rest of its group, which another trigger of it began", arguments: [["new"], ["new", "else"], ["far", "new"]])
  func group(names: [String]) {
    let others = names.dropLast().map { Name(Array($0.utf8).span.bytes) }
    let last = Name(Array(names.last!.utf8).span.bytes)
    var rig = served(group: "pumps")
    rig.hear(from: 20, to: 40, level: -98)
    rig.gateway.reload(settings(last, group: "pumps", others: others), at: at(41))
    rig.gateway.reload(settings(last, group: "pumps", others: others), at: at(42))
    rig.hear(from: 60, to: 65, level: -98, becoming: -60)
    rig.hear(from: 65, to: 100, level: -60)
    #expect(fires(rig.told()) == [])
    if names.count == 1 {
      rig.hear(2, from: 100, to: 105, level: -84, becoming: -60)
      rig.hear(2, from: 105, to: 110, level: -60)
      #expect(fires(rig.told()) == ["2 new"], "it has rested for the others")
      rig.hear(from: 110, to: 125, level: -60)
      #expect(fires(rig.told()) == ["1 new"], "now for this one, too")
    }
  }

  @Test("keeps it for whoever the run before served, and not in another group", arguments: ["pumps", "doors"] as [Name])
  func recent(group: Name) {
    var rig = Rig { $0 = settings("pump", group: "pumps") }
    let topic = Topic(Array("forecourt/site/gateway/trigger/pump".utf8).span.bytes)
    let id = Text<128>("address:c0:00:00:00:00:01")
    rig.gateway.recall(Unfinished(topic: topic, id: id, since: at(-10)), at: .zero)
    rig.gateway.caughtUp(at: .zero)
    rig.gateway.reload(settings("new", group: group), at: at(1))
    rig.hear(from: 10, to: 15, level: -84, becoming: -60)
    rig.hear(from: 15, to: 40, level: -60)
    #expect(fires(rig.told()) == (group == "pumps" ? [] : ["1 new"]))
  }

  @Test("another trigger of the group that hears the driver, too, does not serve it for the one that is gone") func neighbour() {
    var rig = served(group: "pumps")
    rig.gateway.reload(settings("pump", group: "pumps", others: ["side"]), at: at(20))
    rig.hear(from: 20, to: 40, level: -98)
    rig.hear(from: 40, to: 41, level: -75)
    _ = rig.told()
    rig.gateway.reload(settings("side", group: "pumps"), at: at(41))
    rig.hear(from: 41, to: 46, level: -75, becoming: -60)
    rig.hear(from: 46, to: 100, level: -60)
    #expect(fires(rig.told()) == [])
    rig.hear(from: 100, to: 140, level: -60)
    #expect(fires(rig.told()) == ["1 side"], "a hundred seconds after it left")
  }

  @Test(
    "what it owed a device that the table had no room for, another trigger of the group does not owe longer than the group",
    arguments: [30.0, 600])
  func evicted(refractory: Double) {
    var rig = served(group: "pumps", refractory: refractory)
    rig.hear(from: 20, to: 40, level: -98)
    for device in 2...80 as ClosedRange<UInt8> { rig.hear(device, at: 70, level: -98) }
    #expect(rig.gateway.devices.find(Identity(.address, Address(word: 0xC000_0000_0001))) == nil)
    rig.gateway.reload(settings("side", group: "pumps"), at: at(71))
    rig.hear(from: 90, to: 95, level: -84, becoming: -60)
    rig.hear(from: 95, to: 110, level: -60)
    #expect(fires(rig.told()) == [], "a hundred seconds after it left")
    rig.hear(from: 110, to: 125, level: -98)
    rig.hear(from: 160, to: 165, level: -84, becoming: -60)
    rig.hear(from: 165, to: 170, level: -60)
    #expect(fires(rig.told()) == ["1 side"])
  }

  @Test("whom it served under its old name it does not serve again, however late the outbox says so", arguments: [1.0, 17])
  func late(told: Double) {
    var rig = Rig {
      $0.calibrateEverybody()
      $0.addTrigger("new") { $0.refractory = .seconds(600) }
    }
    if told > 15 { rig.gateway.caughtUp(isKnown: false, at: at(15)) }
    let topic = Topic(Array("forecourt/site/gateway/trigger/old".utf8).span.bytes)
    rig.gateway.recall(Unfinished(topic: topic, id: Text("address:c0:00:00:00:00:01"), since: at(-10)), at: at(told))
    rig.gateway.caughtUp(at: at(told))
    rig.hear(from: 90, to: 95, level: -84, becoming: -60)
    rig.hear(from: 95, to: 110, level: -60)
    #expect(fires(rig.told()) == [])
  }
}
