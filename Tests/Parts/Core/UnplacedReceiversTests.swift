import Testing

@testable import Core

@Suite("The receivers of a site without a plan") struct UnplacedReceiversTests {
  private func settings(_ radios: Int = 1, named: [Int] = [], _ change: (inout Settings) -> Void = { _ in }) -> Settings {
    var settings = Settings()
    settings.gateway.name = "us"
    settings.addRadios(radios)
    for radio in named { settings.addTrigger("pump", group: "pumps", radio: Int8(radio)) }
    change(&settings)
    return settings
  }

  private func moment(_ seconds: Double) -> Instant { .zero + .seconds(seconds) }

  private func words(_ site: borrowing UnplacedSite) -> [String] {
    site.receivers.indices.map { "\(String(site.receivers[$0].gateway)) \(site.receivers[$0].radio)" }
  }

  private func records(_ site: borrowing UnplacedSite) -> [String] {
    var all: [String] = []
    site.forEachRecord {
      all.append(
        "\(String($0.place)) \($0.placeRadio) \(String($0.receiver)) \($0.receiverRadio) \($0.loss.value) \($0.doubt.value) \($0.visits)")
    }
    return all
  }

  private func record(_ place: Name, _ placeRadio: Int8, _ receiver: Name, _ radio: Int8, _ loss: Float = 30) -> PlaceRecord {
    var record = PlaceRecord()
    (record.place, record.placeRadio, record.receiver, record.receiverRadio) = (place, placeRadio, receiver, radio)
    (record.loss, record.doubt, record.visits) = (Decibels(loss), Decibels(3), 7)
    return record
  }

  @Test("one radio is a place; of several those that a trigger of a group names; none where somebody has a place on a plan") func own() {
    var site = UnplacedSite()
    func receivers(_ radios: Int = 1, named: [Int] = [], _ change: (inout Settings) -> Void = { _ in }) -> [String] {
      site.reload(settings(radios, named: named, change))
      return words(site)
    }
    #expect(receivers() == ["us 0"] && receivers(3, named: [2, 0]) == ["us 0", "us 2"])
    #expect(receivers(0) == ["us 0"], "whatever radio there is")
    #expect(receivers(3) == [] && receivers(2) { $0.addTrigger("door", radio: 1) } == [], "no group")
    #expect(receivers(3, named: [1]) { $0.addTrigger("any", group: "pumps") } == ["us 1"])
    let point = PlanPoint(x: 0, y: 0)
    for change in [{ $0.radios[0].point = point }, { $0.addTrigger("pump") { $0.point = point } }] as [(inout Settings) -> Void] {
      #expect(receivers(1, change) == [])
      let (isMeant, hears) = (site.isMeant, site.hearsPatterns)
      #expect(!isMeant && !hears)
    }
  }

  @Test("what receive_offset_db takes out of a radio's levels shifts what was learnt with it, at its place and at the others'")
  func setting() {
    func offset(_ first: Float, _ second: Float = 0) -> (inout Settings) -> Void {
      { ($0.radios[0].receiveOffset, $0.radios[1].receiveOffset) = (Decibels(first), Decibels(second)) }
    }
    var site = UnplacedSite()
    site.reload(settings(2, named: [0, 1], offset(0)))
    for (place, radio, receiver, other) in [("us", 0, "us", 1), ("us", 1, "us", 0), ("n", -1, "us", 0)] as [(Name, Int8, Name, Int8)] {
      site.restore(record(place, radio, receiver, other), at: .zero)
    }
    func losses() -> [Float] {
      var losses: [Float] = []
      site.forEachRecord { losses.append($0.loss.value) }
      return losses
    }
    #expect(losses() == [30, 30, 30])
    // The first hears 6 dB less from now on: of the others' visitors, and of its own less more than they do.
    site.reload(settings(2, named: [0, 1], offset(6)))
    #expect(losses() == [24, 36, 36])
    site.reload(settings(2, named: [0, 1], offset(6)))
    #expect(losses() == [24, 36, 36])
    site.reload(settings(2, named: [0, 1], offset(6, 2)))
    #expect(losses() == [26, 34, 36])
    site.reload(settings(2, named: [0, 1], offset(0)))
    #expect(losses() == [30, 30, 30])
    // Between two runs.
    var kept: [PlaceRecord] = []
    site.forEachRecord { kept.append($0) }
    var next = UnplacedSite()
    next.reload(settings(2, named: [0, 1], offset(-4)))
    for record in kept { next.restore(record, at: .zero) }
    var shifted: [Float] = []
    next.forEachRecord { shifted.append($0.loss.value) }
    #expect(shifted == [34, 26, 26])
  }

  @Test("what is only supposed of a receiver stays supposed, whatever its setting") func supposed() {
    var patterns = PlacePatterns()
    patterns.restore(1, at: 0, loss: Decibels(20), doubt: Decibels(3), visits: 2)
    let before = patterns.known(of: 2, at: 0).loss
    patterns.shift(1, by: 7)
    patterns.shift(2, by: 7)
    #expect(patterns.known(of: 1, at: 0).loss == Decibels(27) && patterns.known(of: 2, at: 0).loss == before)
    patterns.shift(1, by: 40)
    #expect(patterns.known(of: 1, at: 0).loss == Decibels(45), "within its bounds")
  }

  @Test("what is known outlasts new settings that change no receiver of ours, and no others") func kept() {
    for (radios, named, change, isKept) in [
      (2, [1, 0], { _ in }, true), (3, [0, 1], { _ in }, true), (2, [0], { _ in }, false), (3, [0, 2], { _ in }, false),
      (2, [0, 1], { $0.gateway.name = "them" }, false), (3, [0, 1, 2], { _ in }, false),
      (2, [0, 1], { $0.radios[1].point = PlanPoint(x: 1, y: 1) }, false),
    ] as [(Int, [Int], (inout Settings) -> Void, Bool)] {
      var site = UnplacedSite()
      site.reload(settings(2, named: [0, 1]))
      _ = site.receiver(of: "n", now: .zero)
      site.restore(record("us", 0, "us", 1), at: .zero)
      site.restore(record("n", -1, "us", 0, 28), at: .zero)
      let (edition, known) = (site.edition, records(site))
      #expect(known == ["us 0 us 1 30.0 3.0 7", "n -1 us 0 28.0 3.0 7"])
      site.reload(settings(radios, named: named, change))
      let (kept, after) = (records(site), site.edition)
      #expect(kept == (isKept ? known : []) && after == (isKept ? edition : edition &+ 1), "\(radios) \(named)")
    }
  }

  @Test("a neighbour has its place from its first word, and keeps it while it speaks once a minute") func neighbours() {
    var site = UnplacedSite()
    site.reload(settings())
    let alone = site.hearsPatterns
    let names: [Name] = ["n1", "n2", "n3", "n4", "n5", "n6", "n7"]
    let places = names.map { site.receiver(of: $0, now: moment(1)) }
    let isHeard = site.hearsPatterns
    #expect(!alone && isHeard && places == Array(1...7))
    for (index, name) in names.enumerated() where index != 4 { _ = site.receiver(of: name, now: moment(50)) }
    let late = site.receiver(of: "late", now: moment(61))
    let first = site.edition
    let again = site.receiver(of: "late", now: moment(61.1))
    #expect(late == -1 && again == 5 && site.edition == first &+ 1)
    let (gone, own, radio) = (site.receiver(of: "n5", now: moment(61.2)), site.receiver(ofRadio: 0), site.receiver(ofRadio: 1))
    #expect(gone == -1 && own == 0 && radio == -1, "nobody else is silent")
    let us = site.receiver(of: "us", now: moment(200))
    #expect(us == 1, "a neighbour of our name is another one")
  }

  @Test("only what concerns two receivers that are there is restored, and only where it counts") func restored() {
    var site = UnplacedSite()
    site.reload(settings(2, named: [0, 1]))
    for wrong in [
      record("us", 0, "us", 0), record("us", 2, "us", 0), record("them", 0, "us", 1), record("us", 0, "them", 1), record("n", -1, "n", -1),
    ] { site.restore(wrong, at: .zero) }
    #expect(records(site) == [])
    site.restore(record("us", 1, "n", -1), at: .zero)
    site.restore(record("n", -1, "us", 1), at: .zero)
    #expect(records(site) == ["us 1 n -1 30.0 3.0 7", "n -1 us 1 30.0 3.0 7"] && site.changes == 0)
    for change in [{ $0.calibration.learns = false }, { $0.radios[0].point = PlanPoint(x: 0, y: 0) }] as [(inout Settings) -> Void] {
      var deaf = UnplacedSite()
      deaf.reload(settings(2, named: [0, 1], change))
      deaf.restore(record("us", 0, "us", 1), at: .zero)
      #expect(records(deaf) == [] && words(deaf).count <= 2)
    }
  }

  @Test("a visit teaches where two hear it and learning is on; who is moved is said once and forgotten") func learning() {
    for learns in [true, false] {
      var site = UnplacedSite()
      site.reload(settings(4, named: [0, 1, 2, 3]) { $0.calibration.learns = learns })
      func visit(_ levels: [Float]) {
        var pattern = LevelPattern()
        for (receiver, level) in levels.enumerated() { pattern.hear(receiver, level) }
        site.learn(pattern, at: 0)
      }
      visit([-3])
      #expect(site.changes == 0)
      for _ in 0..<15 { visit([-3, -25, -25, -25]) }
      var moved = site.takeMoved()
      let count = UInt64(learns ? 15 : 0)
      #expect(site.changes == count && moved == nil)
      for _ in 0..<12 where moved == nil {
        visit([-3, -25, -60, -25])
        moved = site.takeMoved()
      }
      #expect((moved != nil) == learns)
      guard learns else { continue }
      let again = site.takeMoved() == nil
      #expect(again && moved?.gateway == "us" && moved?.point == nil && moved?.visits ?? 0 > 15)
      #expect(records(site).count == 2, "what the third hears is supposed anew")
    }
  }
}
