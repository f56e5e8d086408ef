import Testing

@testable import Core

@Suite("An installation id that a gateway serves is no customer's") struct ServedIDTests {
  private static let id: UInt32 = 0xBC00_BD17

  private let loan = Loan()

  private func at(_ seconds: Double) -> Instant { .zero + .seconds(seconds) }

  /// A trigger and a region for whoever has the app; another trigger, of a group, for nobody.
  private func settings(_ change: (inout Settings) -> Void = { _ in }) -> Settings {
    var settings = Settings()
    settings.gateway.purpose = Sentence("tests")
    settings.gateway.devices = 64
    settings.peer.identify = true
    _ = settings.services.append(PeerSettings().service)
    settings.calibrateEverybody()
    settings.addTrigger("pump")
    settings.addTrigger("door", group: "doors")
    settings.selectors[Int(settings.triggers[0].match.start)] = Selector(kind: .peer, isWhole: false, prefix: Identity(.peer))
    settings.selectors[Int(settings.triggers[1].match.start)] = Selector(kind: .irk, isWhole: false, prefix: Identity(.irk))
    settings.addRegion("yard", matching: Selector(kind: .peer, isWhole: false, prefix: Identity(.peer)))
    change(&settings)
    return settings
  }

  private func hello(_ number: UInt32, _ id: UInt32?) -> Neighbour {
    var hello = Neighbour()
    (hello.name, hello.boot, hello.isOnline, hello.sequence, hello.servedID) = ("other", "b", true, number, id)
    hello.groups.append("pumps")
    return hello
  }

  /// It comes from 10 s on, and stands here from 18 s on.
  private func hear(_ rig: inout Rig, from start: Double, to end: Double) {
    var time = start
    while time < end {
      rig.hear(1, at: time, level: Int8(min(-84 + 3 * (time - 10), -60).rounded()), data: ModelPhone(address: 1).advert)
      time += 0.1
    }
  }

  private func read(_ rig: inout Rig, at seconds: Double) {
    let news = PeerNews.identified(KnownPeer(address: Address(0xC000_0000_0001, type: 1), id: Self.id))
    rig.gateway.receive(news.packet.bytes, radio: 0, at: at(seconds))
  }

  /// Which events of the trigger and the region came, and whether neighbours were told the id.
  private func outcome(_ rig: inout Rig) -> (fires: Int, enters: Int, isShared: Bool) {
    let said = rig.said()
    let fires = said.count { $0.topic == "trigger/pump" && $0.payload.contains(#""event":"fire""#) }
    let enters = said.count { $0.topic == "region/yard/event" && $0.payload.contains(#""event":"enter""#) }
    return (fires, enters, said.contains { $0.topic.contains("/peer/") })
  }

  @Test(
    "a neighbour's hello ends it as a customer, whether it comes before the id is read or between that and the fire; without it, it fires",
    arguments: [nil, 5, 14, 16] as [Double?])
  func neighbour(moment: Double?) {
    var rig = Rig { $0 = settings() }
    let pause = max(moment ?? 12, 12)
    if pause == 12, let moment { rig.gateway.receive(hello: hello(1, Self.id), at: at(moment)) }
    hear(&rig, from: 10, to: 12)
    read(&rig, at: 12)
    hear(&rig, from: 12, to: pause)
    if pause > 12 { rig.gateway.receive(hello: hello(1, Self.id), at: at(pause)) }
    hear(&rig, from: pause, to: 30)
    let isDevice = rig.gateway.devices.find(Identity(installation: Self.id)) != nil
    let found = outcome(&rig)
    #expect(isDevice == (moment == nil) && found.fires == (moment == nil ? 1 : 0), "\(found)")
    #expect(found.enters == (moment == 5 ? 0 : 1) && found.isShared == (moment != 5), "\(found)")
    #expect(rig.gateway.tableFaults == [])
    // Read again, by us or by another gateway, it stays nobody's, and our radios need not ask it.
    read(&rig, at: 31)
    let known = KnownPeer(address: Address(0xC000_0000_0001, type: 1), id: Self.id)
    let isBelieved = rig.gateway.receive(peer: known, at: at(32))
    let isAgain = rig.gateway.devices.find(Identity(installation: Self.id)) != nil
    #expect(isBelieved && isAgain == (moment == nil))
  }

  @Test("served before the hello came, it leaves, and does not come again") func served() {
    var rig = Rig { $0 = settings() }
    hear(&rig, from: 10, to: 12)
    read(&rig, at: 12)
    hear(&rig, from: 12, to: 30)
    let before = outcome(&rig)
    #expect(before.fires == 1, "\(before)")
    rig.gateway.receive(hello: hello(1, Self.id), at: at(30))
    hear(&rig, from: 30, to: 60)
    rig.wait(until: 900)
    let told = rig.told().filter { !$0.event.isEmpty }
    #expect(told.map(\.event) == ["leave"] && told[0].reason == "evicted", "\(told)")
    #expect(rig.gateway.rowsInUse == 0)
  }

  @Test("nor is our own, which our second radio reads; a reload, whose file does not have it, changes nothing", arguments: [false, true])
  func own(isReloaded: Bool) {
    var rig = Rig { $0 = settings { ($0.peer.serve, $0.peer.ownID) = (true, Self.id) } }
    if isReloaded { rig.gateway.reload(settings { $0.peer.serve = true }, at: at(5)) }
    hear(&rig, from: 10, to: 12)
    read(&rig, at: 12)
    hear(&rig, from: 12, to: 30)
    let found = outcome(&rig)
    #expect(found.fires == 0 && found.enters == 0 && !found.isShared, "\(found)")
  }

  @Test("a gateway says in its hello what it serves, and nothing if it serves nothing", arguments: [false, true]) func said(serves: Bool) {
    var rig = Rig { $0 = settings { ($0.peer.serve, $0.peer.ownID) = (serves, Self.id) } }
    rig.gateway.connected(true, at: .zero)
    rig.wait(until: 3)
    let hellos = rig.said().filter { $0.topic.contains("/hello/") }
    #expect(!hellos.isEmpty && hellos.allSatisfy { $0.payload.contains(#""peer":"BC00BD17""#) == serves }, "\(hellos)")
    #expect(hellos.allSatisfy { $0.payload.contains(#""peer""#) == serves })
  }

  @Test("it is the neighbour's until that says otherwise, or is forgotten; a recorded hello changes nothing") func changes() {
    var membership = Membership(on: loan)
    membership.reload(Settings.grouped())
    var told: [Bool] = []
    for (number, id) in [(1, Self.id), (1, nil), (2, nil), (3, Self.id), (4, Self.id + 1), (5, Self.id)] as [(UInt32, UInt32?)] {
      membership.receive(hello: hello(number, id), at: at(Double(told.count)))
      told.append(membership.serves(Self.id))
    }
    #expect(told == [true, true, false, true, false, true])
    let isForgotten = membership.forget("other")
    let isServed = membership.serves(Self.id)
    #expect(isForgotten && !isServed)
  }
}
