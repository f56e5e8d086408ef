import Testing

@testable import Core

/// Whom the run before served is not served again as long as its trigger, or the group, rests.
@Suite("Fires of the run before") struct RecentFireTests {
  private func rig(_ change: (inout Settings) -> Void) -> Rig {
    Rig {
      $0.calibrateEverybody()
      change(&$0)
    }
  }

  private func fire(_ trigger: String, device: Int = 1, at seconds: Double) -> Unfinished {
    Unfinished(
      topic: Topic(Array("forecourt/site/gateway/trigger/\(trigger)".utf8).span.bytes),
      id: Text(Array("address:c0:00:00:00:00:0\(device)".utf8).span.bytes), since: .zero + .seconds(seconds))
  }

  private func at(_ seconds: Double) -> Instant { .zero + .seconds(seconds) }

  /// A device drives up from afar and stays until then: when it is served.
  private func served(_ rig: inout Rig, _ device: UInt8 = 1, from start: Double = 5, to end: Double = 120) -> [String: Double] {
    var fires: [String: Double] = [:]
    for step in 0..<Int((end - start) * 10) {
      let time = start + Double(step) / 10
      rig.hear(device, at: time, level: Int8(min(-90 + Double(step), -60)))
      for word in rig.said() where word.topic.hasPrefix("trigger/") && word.payload.contains(#""event":"fire""#) {
        fires[String(word.topic.suffix(3))] = time
      }
    }
    return fires
  }

  @Test("it is served if it comes when refractory_s is over, others at once", arguments: [-10.0, -59, -61], [20.0, 52])
  func refractory(fired: Double, start: Double) throws {
    var rig = rig { $0.addTrigger("one") { $0.refractory = .seconds(60) } }
    rig.gateway.recall(fire("one", at: fired), at: .zero)
    rig.gateway.recall(fire("two", at: fired), at: .zero)
    rig.gateway.caughtUp(at: .zero)
    let other = try #require(served(&rig, 2, to: 20)["one"])
    #expect(other < 15)
    let time = served(&rig, from: start)["one"]
    #expect(fired + 60 > start ? time == nil : try #require(time) < start + 10, "\(String(describing: time))")
  }

  @Test(
    "until the outbox has said whom the run before has served, whoever comes within refractory_s of the start may have been",
    arguments: [(20, false), (61, true)] as [(Double, Bool)])
  func forgetful(start: Double, isServed: Bool) {
    var rig = rig { $0.addTrigger("one") { $0.refractory = .seconds(60) } }
    rig.gateway.caughtUp(isKnown: false, at: .zero)
    #expect((served(&rig, from: start)["one"] != nil) == isServed)
    rig.gateway.caughtUp(at: at(120))
    #expect(served(&rig, 2, from: 121, to: 180)["one"] != nil)
    var late = self.rig { $0.addTrigger("one") { $0.refractory = .seconds(60) } }
    late.gateway.caughtUp(isKnown: false, at: .zero)
    late.gateway.caughtUp(at: at(15))
    #expect(served(&late, from: 20)["one"] != nil, "it has said so by then")
  }

  @Test("a fire of another start of the machine counts, though nobody knows when it was", arguments: [false, true])
  func otherStart(isOfOtherStart: Bool) {
    var rig = rig { $0.addTrigger("one") { $0.refractory = .seconds(300) } }
    var last = fire("one", at: 1)
    last.isOfOtherStart = isOfOtherStart
    rig.gateway.recall(last, at: at(1))
    rig.gateway.caughtUp(at: at(1))
    #expect((served(&rig, from: 100, to: 200)["one"] == nil) == isOfOtherStart)
  }

  @Test(
    "it counts under a new name of the gateway, the site or the trigger, if that looks for the device",
    arguments: [
      ("other/place/board", "one", "one", "address:*", true), ("forecourt/site/gateway", "one", "new", "address:*", true),
      ("forecourt/site/gateway", "one", "new", "ibeacon:*", false),
    ])
  func renamed(base: String, before: String, after: String, match: String, rests: Bool) {
    var rig = Rig {
      $0.addTrigger(Name(Array(after.utf8).span.bytes)) { $0.refractory = .seconds(300) }
      $0.calibrateEverybody()
      if match == "ibeacon:*" { $0.selectors[0] = Selector(kind: .iBeacon, isWhole: false, prefix: Identity(.iBeacon)) }
    }
    var last = fire(before, at: -10)
    last.topic = Topic(Array("\(base)/trigger/\(before)".utf8).span.bytes)
    rig.gateway.recall(last, at: .zero)
    rig.gateway.caughtUp(at: .zero)
    #expect((rig.gateway.triggers.recent.count > 0) == rests)
    if rests { #expect(served(&rig, from: 100, to: 200).isEmpty) }
    rig.gateway.recall(fire("third", at: -10), at: at(210))
    #expect((rig.gateway.triggers.recent.count > 0) == rests, "a reload asks again")
  }

  @Test("at the other triggers of its group it is served when group_refractory_s is over", arguments: [0.0, 60])
  func group(seconds: Double) throws {
    var rig = rig {
      for name in ["one", "two"] as [Name] { $0.addTrigger(name, group: "pumps") { $0.groupRefractory = .seconds(seconds) } }
      $0.addTrigger("far")
    }
    rig.gateway.recall(fire("one", at: -10), at: .zero)
    rig.gateway.caughtUp(at: .zero)
    let fires = served(&rig, to: 80)
    #expect(try #require(fires["far"]) < 15)
    let inGroup = fires.filter { $0.key != "far" }
    // Both hear it alike, and one serves.
    #expect(inGroup.count <= 1 && inGroup.allSatisfy { $0.value >= (seconds > 0 ? 50 : 0) }, "\(fires)")
    for place in 0..<2 { #expect(rig.gateway.triggers.encounters[Int32(place)].groupRests <= at(80)) }
  }

  @Test("nor does it rest less because it seems to continue another phone, or because that one comes back", arguments: [false, true])
  func successor(isServed: Bool) throws {
    var rig = rig { $0.addTrigger("one") { $0.refractory = .seconds(600) } }
    func hear(_ number: UInt8, from start: Double, to end: Double) {
      for step in 0..<Int((end - start) * 10) {
        let packet = advert([number, 0, 0, 0, 0, 0x40], level: Int8(min(-88 + step, -60)), data: [2, 1, 6, 3, 3, 0x0F, 0x18])
        rig.gateway.receive(packet.span.bytes, radio: 0, at: at(start + Double(step) / 10))
      }
    }
    let id = Text<128>(Array("address:40:00:00:00:00:01".utf8).span.bytes)
    rig.gateway.recall(
      Unfinished(topic: Topic(Array("forecourt/site/gateway/trigger/one".utf8).span.bytes), id: id, since: at(-30)), at: .zero)
    rig.gateway.caughtUp(at: .zero)
    hear(2, from: 10, to: isServed ? 18 : 12.8)
    let before = rig.told().filter { $0.event == "fire" }.map(\.id.last)
    hear(1, from: isServed ? 18.5 : 13.3, to: 40)
    if isServed { hear(2, from: 40, to: 45) }
    hear(1, from: 45, to: 60)
    let after = rig.told().filter { $0.event == "fire" }.map(\.id.last)
    #expect(before == (isServed ? ["2"] : []) && !after.contains("1"), "\(after)")
  }

  @Test("a trigger that a reload took out rests when another brings it back; one that stayed is not told again", arguments: [false, true])
  func broughtBack(isBrought: Bool) throws {
    func settings(_ names: [Name]) -> Settings {
      var settings = Settings()
      settings.gateway.devices = 64
      settings.calibrateEverybody()
      for name in names { settings.addTrigger(name) { $0.refractory = .seconds(60) } }
      return settings
    }
    var rig = rig { $0.addTrigger("one") { $0.refractory = .seconds(60) } }
    rig.gateway.caughtUp(at: .zero)
    if isBrought {
      rig.gateway.reload(settings([]), at: at(1))
      rig.gateway.reload(settings(["one"]), at: at(2))
    }
    rig.gateway.recall(fire("one", at: 0), at: at(2))
    #expect((served(&rig, from: 20)["one"] == nil) == isBrought)
    #expect(served(&rig, from: 200, to: 220)["one"] != nil, "it has gone and come again")
  }

  @Test("what is known only after it was heard counts, too") func late() throws {
    var rig = rig { $0.addTrigger("one") { $0.refractory = .seconds(60) } }
    rig.gateway.caughtUp(at: .zero)
    for step in 0..<20 { rig.hear(1, at: 4 + Double(step) / 10, level: -80) }
    rig.gateway.recall(fire("one", at: -10), at: at(6))
    #expect(served(&rig, from: 20)["one"] == nil && served(&rig, from: 200, to: 220)["one"] != nil)
  }

  @Test("who was served before the restart must have been away since: 12 s far off, or 60 s in silence") func away() {
    /// Levels from so many seconds on, an advert in 0.1 s; nothing is silence. The device that fires, and the one that nobody knows.
    func fires(_ levels: [(Double, Int8?)], device: UInt8 = 1) -> Int {
      var rig = rig { $0.addTrigger("one") }
      rig.gateway.recall(fire("one", at: -300), at: at(1))
      rig.gateway.caughtUp(at: at(1))
      for (index, (start, level)) in levels.enumerated() where level != nil {
        let end = index + 1 < levels.count ? levels[index + 1].0 : start + 20
        for step in 0..<Int((end - start) * 10) { rig.hear(device, at: start + Double(step) / 10, level: level!) }
      }
      return rig.told().filter { $0.event == "fire" }.count
    }
    #expect(fires([(2, -80), (9, -60)]) == 0 && fires([(2, -80), (9, -60)], device: 2) == 1, "it waited behind the shop")
    #expect(fires([(2, nil), (38, -80), (41, -60)]) == 0 && fires([(2, nil), (38, -80), (41, -60)], device: 2) == 1, "it was only silent")
    #expect(fires([(2, nil), (62, -80), (65, -60)]) == 1 && fires([(2, -95), (15, -80), (18, -60)]) == 1, "it was away")
    #expect(fires([(2, -80), (9, -60), (40, -95), (53, -60)]) == 1, "it goes, and comes back")
  }

  @Test("a fire recalled again, by a reload, changes nothing, unless the reload brought the trigger", arguments: [false, true])
  func again(isBrought: Bool) {
    var rig = rig { $0.addTrigger("one") }
    rig.gateway.recall(fire("one", at: -300), at: at(1))
    rig.gateway.caughtUp(at: at(1))
    for step in 0..<10 { rig.hear(1, at: 2 + Double(step) / 10, level: -95) }
    if isBrought { rig.gateway.triggers.brought[0] = at(5) }
    rig.gateway.recall(fire("one", at: -300), at: at(5))
    for step in 0..<200 { rig.hear(1, at: 20 + Double(step) / 10, level: step < 30 ? -80 : -60) }
    #expect(rig.told().count { $0.event == "fire" } == (isBrought ? 0 : 1))
  }

  /// What a neighbour that asks about a device at this moment is told.
  private func answer(_ rig: inout Rig, about device: UInt64, at seconds: Double) throws -> Substring {
    _ = rig.said()
    var claim = Claim()
    (claim.gateway, claim.group, claim.boot, claim.sequence) = ("other", "pumps", "b", UInt32(seconds * 10))
    (claim.level, claim.identity) = (Decibels(-60), Identity(.address, Address(word: 1 << 48 | 0xC000_0000_0000 | device)))
    rig.gateway.receive(claim: claim, at: at(seconds))
    let answer = try #require(rig.said().first { $0.topic.contains("claim") && $0.payload.contains("state") })
    return try #require(answer.payload.firstMatch(of: /"state":"(\w+)"/)?.1)
  }

  private func beside(_ trigger: (inout TriggerSettings) -> Void) -> Rig {
    var rig = rig { $0.addTrigger("one", group: "pumps", trigger) }
    var neighbour = Neighbour()
    (neighbour.name, neighbour.boot, neighbour.isOnline) = ("other", "b", true)
    neighbour.groups.append("pumps")
    rig.gateway.receive(status: neighbour, at: .zero)
    return rig
  }

  @Test("a neighbour that asks about a device that is not heard here is told that the group rests") func answer() throws {
    var rig = beside { $0.groupRefractory = .seconds(60) }
    rig.gateway.recall(fire("one", at: -10), at: .zero)
    let told = [(1, 3, "fired"), (2, 4, "withdrawn"), (1, 49, "fired"), (1, 51, "withdrawn")] as [(UInt64, Double, Substring)]
    for (device, seconds, state) in told {
      #expect(try answer(&rig, about: device, at: seconds) == state, "\(device) \(seconds)")
    }
  }

  @Test("a rest that ended while nobody ran is told once more, for the neighbours believe in it until then", arguments: [100.0, 600])
  func ended(ago: Double) throws {
    var rig = beside { $0.groupRefractory = .seconds(30) }
    rig.gateway.recall(fire("one", at: -30 - ago), at: .zero)
    #expect(try answer(&rig, about: 1, at: 5) == (ago < 600 ? "fired" : "withdrawn"))
    #expect(try answer(&rig, about: 1, at: 16) == "withdrawn")
  }

  @Test("a full table gives up what neighbours said, and then what ends first") func full() throws {
    var rig = beside { ($0.refractory, $0.groupRefractory) = (.seconds(3_000), .seconds(3_000)) }
    for device in 1...9 { rig.gateway.recall(fire("one", device: device, at: Double(device) - 20), at: .zero) }
    for device in 0..<600 as Range<UInt64> {
      var claim = Claim()
      (claim.gateway, claim.group, claim.boot, claim.sequence) = ("other", "pumps", "b", UInt32(device + 1))
      (claim.standing, claim.rest) = (.fired, .seconds(4_000 + Double(device)))
      claim.identity = Identity(.address, Address(word: 1 << 48 | 0xC000_0001_0000 | device))
      rig.gateway.receive(claim: claim, at: at(1 + Double(device) / 40))
    }
    for device in 1...9 as ClosedRange<UInt64> {
      #expect(try answer(&rig, about: device, at: 100 + Double(device)) == "fired", "\(device)")
    }
    // Of the neighbours' the last to end are left.
    let recent = { (rig: borrowing Rig) in (0..<rig.gateway.triggers.recent.count).map { rig.gateway.triggers.recent[$0] } }(rig)
    let least = recent.filter(\.isTheirs).map(\.told).min()
    #expect(recent.count == 512 && recent.count { $0.isTheirs } == 503)
    #expect(least == at(1 + 4_000 + Double(600 - 503) * (1 + 1.0 / 40)), "\(String(describing: least))")
  }

  @Test("nothing of the kind is told of a trigger whose group does not rest") func noRest() throws {
    var rig = beside { $0.refractory = .seconds(600) }
    rig.gateway.recall(fire("one", at: -10), at: .zero)
    #expect(try answer(&rig, about: 1, at: 5) == "withdrawn")
  }

  @Test("of a visit that the run before left open a neighbour is told until it has ended") func open() throws {
    var rig = beside { _ in }
    rig.gateway.restore(fire("one", at: -10), at: .zero)
    rig.gateway.caughtUp(at: .zero)
    #expect(try answer(&rig, about: 1, at: 5) == "fired")
    #expect(try answer(&rig, about: 2, at: 6) == "withdrawn")
    rig.gateway.expireLeftovers(at: at(20))
    #expect(try answer(&rig, about: 1, at: 21) == "withdrawn")
  }

  @Test("a reload keeps it at the new place of its trigger, and forgets it with the trigger", arguments: [false, true])
  func reload(isGone: Bool) throws {
    var rig = rig { $0.addTrigger("one") { $0.refractory = .seconds(60) } }
    rig.gateway.recall(fire("one", at: -10), at: .zero)
    rig.gateway.caughtUp(at: .zero)
    func settings(_ name: Name) -> Settings {
      var next = Settings()
      next.gateway.devices = 64
      next.calibrateEverybody()
      next.addTrigger("new") { $0.fire = Meters(0.1) }
      next.addTrigger(name) { $0.refractory = .seconds(60) }
      return next
    }
    if isGone { rig.gateway.reload(settings("else"), at: at(1)) }
    rig.gateway.reload(settings("one"), at: at(2))
    #expect((served(&rig, from: 20)["one"] != nil) == isGone)
    #expect(served(&rig, from: 200, to: 220)["one"] != nil, "it has gone and come again")
  }

  @Test("more than there is room for do no harm, and what is over makes room") func many() throws {
    var rig = rig { $0.addTrigger("one") { $0.refractory = .seconds(60) } }
    for device in 0..<700 {
      var fire = fire("one", at: -10)
      fire.id = Text(Array("irk:phone\(device)".utf8).span.bytes)
      rig.gateway.recall(fire, at: .zero)
    }
    #expect(rig.gateway.triggers.recent.count == RecentFires.most)
    rig.gateway.caughtUp(at: .zero)
    #expect(try #require(served(&rig, to: 20)["one"]) < 15)
    _ = served(&rig, 2, from: 60, to: 70)
    #expect(rig.gateway.triggers.recent.count == 0)
  }
}
