import Testing

@testable import Core

@Suite("Neighbours of a group") struct NeighbourTests {
  private let loan = Loan()

  @Test(
    "no device gets two fires while gateways restart, connections fail and old messages are replayed",
    arguments: 0..<60 as Range<UInt64>)
  func attacked(seed: UInt64) {
    let gateways = 3 + Int(seed % 6)
    let island = Island(gateways, seed: seed, loss: Double(seed % 4) / 10, delay: [0.02, 0.5, 2][Int(seed % 3)])
    var chance = Seeded(seed ^ 0x9ABC)
    var down: [(gateway: Int, until: Double)] = []
    storm(island, gateways: gateways, seed: seed, spread: 18) { time in
      while let back = down.firstIndex(where: { $0.until <= time }) { island.restore(down.remove(at: back).gateway, at: time) }
      for _ in 0..<4 { island.replay(at: time) }
      let index = Int(chance.next() % UInt64(gateways))
      guard chance.next() % 30 == 0, !down.contains(where: { $0.gateway == index }) else { return }
      // A run that has fired and is gone has no end to tell: that is the outbox's to say.
      if chance.next() % 2 == 0, !island.holds(index) { return island.restart(index, at: time) }
      island.fail(index, at: time)
      down.append((index, time + 7 + Double(chance.next() % 10)))
    }
    #expect(island.doubles == 0, "seed \(seed): \(island.told)")
  }

  @Test("a driver is served again within five seconds after replayed messages stop", arguments: 0..<20 as Range<UInt64>)
  func recovers(seed: UInt64) {
    let island = Island(3, seed: seed, loss: 0, delay: 0.05)
    for tick in 0..<300 {
      let time = 5 + Double(tick) * 0.1
      if tick < 200 { for _ in 0..<20 { island.replay(at: time) } }
      island.hear(0, at: time, level: tick < 195 ? -80 : -58)
      for other in 1..<3 { island.hear(other, at: time + 0.03, level: -80) }
    }
    island.end(at: 400)
    let fire = island.told.first { $0.event == "fire" }
    #expect(fire?.gateway == 0 && (fire?.time ?? 99) < 30, "\(island.told)")
  }

  @Test("after a gateway that fired loses power, its neighbour does not fire while the driver stays")
  func servedByAnotherRun() {
    let island = Island(2, seed: 1, loss: 0, delay: 0.05)
    for tick in 0..<400 {
      let time = 5 + Double(tick) * 0.1
      if tick == 200 { island.restart(0, at: time) }
      island.hear(0, at: time, level: tick < 200 ? -60 - max(0, 20 - Double(tick)) : -75)
      island.hear(1, at: time + 0.03, level: tick < 200 ? -75 : -60)
    }
    #expect(island.told.filter { $0.event == "fire" }.map(\.gateway) == [0], "\(island.told)")
  }

  private func neighbour(_ name: Name = "other", boot: Text<16> = "run 1", isOnline: Bool = true) -> Neighbour {
    var word = Neighbour()
    (word.name, word.boot, word.isOnline) = (name, boot, isOnline)
    word.groups.append("pumps")
    return word
  }

  private func at(_ seconds: Double) -> Instant { Instant(microseconds: Int64(seconds * 1e6)) }

  @Test("a gateway that does not receive its own hellos knows no neighbours")
  func deaf() {
    var membership = Membership(on: loan)
    membership.reload(Settings.grouped())
    #expect(membership.isAcquainted(at: at(1)) == true, "without a broker there is nobody")
    membership.receive(hello: neighbour(), at: at(1))
    #expect(membership.due == .never, "nor anything to be said")
    membership.connected(true, at: at(1))
    let first = membership.nextHello(at: at(1))
    #expect(membership.isAcquainted(at: at(9)) == false)
    membership.receiveOwnHello(first + 1, at: at(9))
    #expect(membership.isAcquainted(at: at(20)) == false, "we have never said that number")
    let second = membership.nextHello(at: at(20))
    membership.receiveOwnHello(second, at: at(20.1))
    #expect(membership.isAcquainted(at: at(23)) == false)
    #expect(membership.isAcquainted(at: at(23.2)) == true)
    #expect(membership.isAcquainted(at: at(34)) == false, "it no longer hears itself")
    membership.connected(false, at: at(34))
    membership.connected(true, at: at(35))
    #expect(membership.isAcquainted(at: at(36)) == false)
  }

  @Test("a goodbye counts once its gateway is silent; an earlier run's will never counts")
  func goodbyes() {
    var membership = Membership(on: loan)
    membership.reload(Settings.grouped())
    membership.connected(true, at: at(0))
    let number = membership.nextHello(at: at(1))
    var hello = neighbour()
    (hello.sequence, hello.echo) = (1, number)
    membership.receive(hello: hello, at: at(1.1))
    membership.receive(status: neighbour(isOnline: false), at: at(2))
    #expect(membership.hasCompetitor(in: "pumps", at: at(2)) == true, "it spoke a second ago")
    #expect(membership.isAnybodyAway(from: "pumps", at: at(2)) == false)
    #expect(membership.hasCompetitor(in: "pumps", at: at(6)) == false)
    #expect(membership.isAnybodyAway(from: "pumps", at: at(6)) == false, "we were there")
    hello.sequence = 2
    membership.receive(hello: hello, at: at(7))
    membership.receive(status: neighbour(boot: "run 0"), at: at(12))
    membership.receive(status: neighbour(boot: "run 0", isOnline: false), at: at(12))
    #expect(membership.hasCompetitor(in: "pumps", at: at(20)) == true, "it is waited for: that was another run's goodbye")
    membership.connected(false, at: at(30))
    membership.connected(true, at: at(40))
    membership.receive(status: neighbour(isOnline: false), at: at(41))
    #expect(membership.isAnybodyAway(from: "pumps", at: at(42)) == true, "it went while our line was down")
  }

  @Test("a neighbour's new run is accepted only when it echoes one of our numbers")
  func runs() {
    var membership = Membership(on: loan)
    membership.reload(Settings.grouped())
    membership.connected(true, at: at(0))
    let number = membership.nextHello(at: at(1))
    var hello = neighbour()
    (hello.sequence, hello.echo) = (50, number)
    membership.receive(hello: hello, at: at(1))
    var claim = Claim()
    (claim.gateway, claim.group, claim.boot, claim.sequence) = ("other", "pumps", "run 1", 51)
    claim.identity.append(1)
    #expect(membership.admit(claim, from: "we", simulated: false, at: at(1)) != nil)
    var recorded = neighbour(boot: "run 0")
    recorded.sequence = 900
    membership.receive(hello: recorded, at: at(2))
    claim.boot = "run 0"
    #expect(membership.admit(claim, from: "we", simulated: false, at: at(2)) == nil)
    var restarted = neighbour(boot: "run 2")
    (restarted.sequence, restarted.echo) = (1, 0)
    membership.receive(hello: restarted, at: at(3))
    (restarted.sequence, restarted.echo) = (2, membership.nextHello(at: at(3)))
    membership.receive(hello: restarted, at: at(4))
    (claim.boot, claim.sequence) = ("run 2", 3)
    #expect(membership.admit(claim, from: "we", simulated: false, at: at(4)) != nil)
    #expect(membership.admit(claim, from: "we", simulated: false, at: at(4)) != nil, "QoS 0 may come twice; rivals tell by the number")
    let before = membership.refused.replayed
    membership.receive(hello: restarted, at: at(5))
    #expect(membership.refused.replayed == before + 1)
  }

  @Test("the roster names the gateways that must be heard, and no other is listened to")
  func rosters() {
    var membership = Membership(on: loan)
    membership.reload(Settings.grouped(["we", "other"]))
    membership.connected(true, at: at(0))
    membership.receive(status: neighbour(isOnline: false), at: at(1))
    #expect(membership.hasCompetitor(in: "pumps", at: at(60)) == true, "however it said goodbye")
    membership.receive(status: neighbour("stranger"), at: at(1))
    #expect(membership.find("stranger") == nil && membership.refused.strangers == 1)
    membership.reload(Settings.grouped(["we"]))
    #expect(!membership.hasCompetitor(in: "pumps", at: at(60)) && membership.isAcquainted(at: at(60)), "alone by the roster")
  }

  @Test("a neighbour keeps the groups that the roster gives it, and a gateway without a group still sends hellos to its roster")
  func enrolled() {
    var settings = Settings.grouped(["we"])
    var entry = SiteSettings.Entry()
    entry.name = "other"
    entry.groups.append("doors")
    _ = settings.site.roster.append(entry)
    var membership = Membership(on: loan)
    membership.reload(settings)
    membership.connected(true, at: at(0))
    #expect(membership.hasCompetitor(in: "doors", at: at(1)) == true)
    #expect(membership.hasCompetitor(in: "pumps", at: at(1)) == false)
    var hello = neighbour()
    hello.sequence = 1
    membership.receive(hello: hello, at: at(2))
    #expect(membership.hasCompetitor(in: "pumps", at: at(2)) == true)
    #expect(membership.hasCompetitor(in: "doors", at: at(90)) == true, "whatever it says of itself")
    var groupless = Settings.grouped(["we", "other"])
    groupless.triggers.removeAll()
    membership.reload(groupless)
    #expect(membership.due != .never)
  }

  @Test("a missing neighbour is named: it is silent, does not hear us, or we are not heard at all")
  func missing() {
    var list = GroupList()
    list.append("pumps")
    var membership = Membership(on: loan)
    membership.reload(Settings.grouped(["we", "one", "two"]))
    membership.connected(true, at: at(0))
    var told: [Unheard?] = []
    for second in 0..<40 {
      let now = at(Double(second))
      membership.updateHearing(for: list, at: now)
      told.append(membership.hearing.unheard)
      let number = membership.nextHello(at: now)
      if second >= 6 { membership.receiveOwnHello(number, at: now) }
      var hello = neighbour("one")
      (hello.sequence, hello.echo, hello.uptime) = (UInt32(second + 1), number, .seconds(Double(second)))
      if second >= 10 { membership.receive(hello: hello, at: now) }
      hello.name = "two"
      if !(15..<20 ~= second), second >= 10 {
        if second >= 30 { hello.echo = 0 }
        membership.receive(hello: hello, at: now)
      }
    }
    #expect(told[5] == .ourselves)
    #expect(told[9] == .neighbour("one") && told[12] == nil)
    #expect(told[19] == .neighbour("two") && told[21] == nil)
    #expect(told[29] == nil && told[34] == .oneWay("two"), "within five seconds")
    #expect(membership.hearing.missing == Text("two") && membership.hearing.heard == 1)
  }

  @Test("a neighbour of other groups is not missed")
  func others() {
    var list = GroupList()
    list.append("pumps")
    var membership = Membership(on: loan)
    membership.reload(Settings.grouped())
    membership.connected(true, at: at(0))
    func hello(_ name: Name, _ group: Name = "pumps") -> Neighbour {
      var hello = neighbour(name)
      hello.groups = GroupList()
      hello.groups.append(group)
      hello.sequence = 1
      return hello
    }
    for (name, group) in [("one", "pumps"), ("two", "doors")] as [(Name, Name)] { membership.receive(hello: hello(name, group), at: at(1)) }
    for second in 1..<10 { membership.receiveOwnHello(membership.nextHello(at: at(Double(second))), at: at(Double(second))) }
    membership.updateHearing(for: list, at: at(9))
    #expect(membership.hearing.missing == Text("one"))
    for number in 10..<20 {
      membership.receive(hello: hello(Name(Array("of-the-northern-forecourt-\(number)".utf8).span.bytes)), at: at(9))
    }
    membership.updateHearing(for: list, at: at(15))
    #expect(membership.hearing.missing == Text("one/of-the-northern-forecourt-10") && membership.hearing.missingLeftOut == 9)
  }

  @Test("sixty-four names fit, a gateway that speaks evicts a name known by hearsay, and a forgotten one leaves nothing")
  func room() {
    var membership = Membership(on: loan)
    membership.reload(Settings.grouped())
    membership.connected(true, at: at(0))
    func name(_ number: Int) -> Name {
      var name = Name("gate")
      name.append(decimal: UInt64(number))
      return name
    }
    for number in 0..<64 { membership.receive(status: neighbour(name(number)), at: at(1)) }
    for number in 0..<63 {
      var hello = neighbour(name(number))
      hello.sequence = 1
      membership.receive(hello: hello, at: at(1))
    }
    var hello = neighbour("late")
    hello.sequence = 1
    membership.receive(hello: hello, at: at(2))
    #expect(membership.find("late") != nil && membership.find(name(63)) == nil)
    membership.receive(status: neighbour("too late"), at: at(2))
    #expect(membership.find("too late") == nil && membership.refused.strangers == 1)
    let place = membership.find("late")!
    let run = membership.members[place].run
    let forgotten = [membership.forget("late"), membership.forget("late"), membership.forget(Name())]
    #expect(forgotten == [true, false, false])
    membership.receive(status: neighbour("another"), at: at(3))
    #expect(membership.find("another") == place && membership.members[place].run != run)
  }

  @Test("an echo of our number counts for the run that sent it")
  func echoes() {
    func echo(_ heard: Text<64>, _ runs: Text<64>, mustName: Bool) -> UInt32 {
      Claim.echo(to: "we", "0123456789abcdef", in: heard.bytes, runs: runs.bytes, mustName: mustName)
    }
    #expect(echo("7/other/57/we", "ffffffff/01234567", mustName: true) == 57)
    #expect(echo("7/other/57/we", "01234567/ffffffff", mustName: true) == 0)
    #expect(echo("7/other/57/we", "ffffffff", mustName: true) == 0)
    #expect(echo("7/other/57/we", "/01234567", mustName: true) == 57 && echo("57/we/7/other", "/01234567", mustName: true) == 0)
    #expect(echo("7/other/57/we", "", mustName: true) == 0 && echo("7/other/57/we", "", mustName: false) == 57)
    #expect(echo("7/other", "ffffffff", mustName: false) == 0 && echo("", "", mustName: false) == 0)
    #expect(echo("x/we", "01234567", mustName: true) == 0 && echo("99999999999/we", "01234567", mustName: true) == 0)
  }

  @Test("a hello with sixty-four long names carries as many as fit, and the others next time")
  func longLists() {
    var rig = Rig {
      $0.gateway.name = "we"
      $0.addTrigger("pump", group: "pumps")
    }
    rig.gateway.connected(true, at: .zero)
    var missing = Set(0..<64)
    for round in 0..<8 {
      for number in missing.union(0..<64) {
        var hello = neighbour(Name())
        hello.name = "a \"gateway\" of thirty-two byte"
        hello.name.append(decimal: UInt64(10 + number))
        hello.sequence = UInt32(round + 1)
        rig.gateway.receive(hello: hello, at: at(Double(round) + 0.5))
      }
      rig.wait(until: Double(round + 1))
      for (topic, payload) in rig.said() where topic.contains("/hello/") {
        for number in 0..<64 where payload.contains("byte\(10 + number)") { missing.remove(number) }
      }
    }
    #expect(missing.isEmpty, "\(missing.sorted())")
  }
}
