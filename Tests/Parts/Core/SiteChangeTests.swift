import Testing

@testable import Core

/// What was learnt of a receiver stays with that receiver.
@Suite("What was learnt, when the site changes") struct SiteChangeTests {
  private static let places = [PlanPoint(x: 0, y: 0), PlanPoint(x: 8, y: 0)]

  private func configure(_ settings: inout Settings, isPlaced: Bool, learns: Bool = true) {
    settings.gateway.name = "us"
    settings.gateway.devices = 64
    settings.calibration.learns = learns
    settings.addRadios(2)
    for index in 0..<2 {
      if isPlaced { settings.radios[index].point = Self.places[index] }
      settings.addTrigger(index == 0 ? "one" : "two", group: "pumps", radio: Int8(index))
    }
  }

  private func settings(isPlaced: Bool, learns: Bool = true) -> Settings {
    var settings = Settings()
    configure(&settings, isPlaced: isPlaced, learns: learns)
    return settings
  }

  private func receiver(_ gateway: Name, _ place: PlanPoint, visits: UInt16 = 40) -> ReceiverRecord {
    var record = ReceiverRecord()
    (record.gateway, record.point, record.visits) = (gateway, place, visits)
    (record.offset, record.doubt) = (Decibels(-9), Decibels(0.5))
    return record
  }

  private func loss(at place: Name, _ placeRadio: Int8, heardBy receiver: Name, _ receiverRadio: Int8) -> PlaceRecord {
    var record = PlaceRecord()
    (record.place, record.placeRadio, record.receiver, record.receiverRadio) = (place, placeRadio, receiver, receiverRadio)
    (record.loss, record.doubt, record.visits) = (Decibels(30), Decibels(2), 7)
    return record
  }

  private func count(_ site: borrowing UnplacedSite) -> Int {
    var known = 0
    site.forEachRecord { _ in known += 1 }
    return known
  }

  @Test("an offset that a plan taught is taken out of nobody's levels once the plan is gone") func planGone() {
    var rig = Rig { configure(&$0, isPlaced: true) }
    rig.gateway.restore(receiver("us", Self.places[0]))
    #expect(rig.gateway.triggers.plan.offset(of: 0) < -2)
    rig.gateway.reload(settings(isPlaced: false), at: .zero)
    #expect(rig.gateway.triggers.plan.offset(of: 0) == 0)
    rig.gateway.reload(settings(isPlaced: true), at: .zero)
    #expect(rig.gateway.triggers.plan.offset(of: 0) < -2, "it is remembered")
  }

  @Test("what was learnt last is remembered, in place of what was known before, and what was forgotten is not") func latest() {
    var rig = Rig { configure(&$0, isPlaced: true) }
    rig.gateway.restore(receiver("us", Self.places[0]))
    rig.gateway.triggers.plan.learnt.restore(0, offset: Decibels(8), doubt: Decibels(0.5), visits: 41)
    rig.gateway.triggers.plan.learnt.restore(1, offset: Decibels(-8), doubt: Decibels(0.5), visits: 12)
    for isPlaced in [false, true] { rig.gateway.reload(settings(isPlaced: isPlaced), at: .zero) }
    let known = rig.gateway.triggers.plan.records
    #expect(known.indices.map { known[$0].visits } == [41, 12])
    #expect(known.indices.map { known[$0].offset.value } == [8, -8])
    rig.gateway.triggers.plan.forget(0)
    for isPlaced in [false, true] { rig.gateway.reload(settings(isPlaced: isPlaced), at: .zero) }
    #expect(rig.gateway.triggers.plan.offset(of: 0) == 0 && rig.gateway.triggers.plan.offset(of: 1) < -2)
  }

  @Test("another gateway at the place of one that was forgotten starts anew") func replaced() {
    var rig = Rig { configure(&$0, isPlaced: true) }
    let far = PlanPoint(x: 16, y: 0)
    rig.gateway.restore(receiver("old", far))
    #expect(rig.gateway.triggers.plan.receiver(of: 0, "old", at: far, now: .zero) == 2)
    #expect(rig.gateway.triggers.plan.offset(of: 2) < -2)
    #expect(rig.gateway.triggers.plan.receiver(of: 0, "new", at: far, now: .zero) == 3)
    #expect(rig.gateway.triggers.plan.offset(of: 3) == 0)
  }

  @Test("receivers in use outlast those that are only remembered, run after run") func mostUseful() {
    var records: [ReceiverRecord] = (0..<16).map { receiver("gone", PlanPoint(x: 100 + Float($0), y: 0)) }
    for _ in 0..<3 {
      var rig = Rig { configure(&$0, isPlaced: true) }
      for record in records { rig.gateway.restore(record) }
      if records.count == 16 { for place in Self.places { rig.gateway.restore(receiver("us", place)) } }
      let all = rig.gateway.triggers.plan.records
      records = all.indices.map { all[$0] }
      #expect(records.count { $0.gateway == "us" && $0.visits == 40 } == 2)
    }
  }

  @Test("without learn nothing is compared by what visits taught, not even until a restart") func unlearnt() {
    var site = UnplacedSite()
    site.reload(settings(isPlaced: false))
    site.restore(loss(at: "us", 0, heardBy: "us", 1), at: .zero)
    #expect(count(site) == 1)
    site.reload(settings(isPlaced: false, learns: false))
    #expect(count(site) == 0)
  }

  @Test("a neighbour that is only remembered gives its place to the first other one that is heard") func remembered() {
    var site = UnplacedSite()
    site.reload(settings(isPlaced: false))
    let names: [Name] = ["r1", "r2", "r3", "r4", "r5", "r6"]
    for name in names { site.restore(loss(at: "us", 0, heardBy: name, -1), at: .zero) }
    #expect(count(site) == 6)
    let (back, newcomer) = (site.receiver(of: "r1", now: .zero), site.receiver(of: "live", now: .zero))
    #expect(back == 2 && newcomer == 3 && count(site) == 5)
  }

  @Test("a file of another board, in which we are the neighbour, adds nobody") func copied() {
    var site = UnplacedSite()
    site.reload(settings(isPlaced: false))
    for record in [
      loss(at: "us", 0, heardBy: "us", -1), loss(at: "us", -1, heardBy: "us", 0), loss(at: "us", 3, heardBy: "new", -1),
      loss(at: "them", 0, heardBy: "us", 1), loss(at: "us", 0, heardBy: "us", 0), loss(at: "us", 0, heardBy: "us", 5),
    ] {
      site.restore(record, at: .zero)
    }
    #expect(site.receivers.count == 2 && count(site) == 0)
  }

  @Test("places in a list with a plan are never taken for places in the list without one") func editions() {
    var rig = Rig { configure(&$0, isPlaced: false) }
    var seen: [Set<UInt8>] = [[], []]
    for step in 0..<300 {
      rig.gateway.reload(settings(isPlaced: step % 2 == 0), at: .zero)
      seen[step % 2].insert(rig.gateway.triggers.siteEdition)
    }
    #expect(seen[0].isDisjoint(with: seen[1]) && seen[0].count > 50)
  }

  @Test("where only one radio has a place, a loud phone of unknown power is not served") func halfPlan() {
    var rig = Rig {
      configure(&$0, isPlaced: false)
      $0.gateway.name = "gateway"
      $0.radios[0].point = Self.places[0]
    }
    for step in 0..<200 {
      let at = 10 + Double(step) * 0.1
      rig.hear(1, at: at, level: -45, radio: 0)
      rig.hear(1, at: at + 0.01, level: -75, radio: 1)
    }
    #expect(rig.told().map(\.event) == ["arm", "arm", "undecided"])
  }

  @Test("a record of more visits than count neither overflows nor weighs more") func manyVisits() {
    var rig = Rig { configure(&$0, isPlaced: false) }
    var identity = Identity(.peer)
    identity.append(7)
    rig.gateway.restore(LearntPowers.Record(identity, power: Decibels(-60), visits: 255))
    for _ in 0..<3 { rig.gateway.triggers.learnt.learn(Decibels(-61), of: identity, assumed: Decibels(-59), wasServed: true) }
    #expect(rig.gateway.triggers.learnt.record(of: identity)?.visits ?? 0 == 8)
  }
}
