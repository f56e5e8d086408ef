import Foundation
import Testing

@testable import Core

/// One gateway with four radios, eight metres apart, and a trigger at each.
@Suite("What all radios of a site hear together") struct SitePlanTests {
  private func site(isPlaced: Bool = true, but one: Int = -1, _ change: (inout Settings) -> Void = { _ in }) -> Rig {
    Rig {
      FourPumps.configure(&$0, isPlaced: isPlaced, but: one)
      change(&$0)
    }
  }

  @Test("a phone that is weak, ordinary or loud is served where it stands", arguments: [-82, -76, -68, -59, -50] as [Float])
  func served(loudness: Float) {
    for (index, name) in FourPumps.names.enumerated() {
      var rig = site()
      rig.hear(at: FourPumps.beside(index), loudness: loudness)
      let fires = rig.fires()
      #expect(fires == [String(name)])
    }
  }

  @Test("a weak phone that is alone in the air is not served: its radio may be the only one that works")
  func alone() {
    var rig = site()
    rig.hear(at: FourPumps.beside(0), loudness: -82, isAlone: true)
    let fires = rig.fires()
    #expect(fires == [])
  }

  @Test("where the other radios are deaf, a phone that claims its power is not served: it may lie", arguments: [true, false])
  func deaf(isPlaced: Bool) {
    var rig = site(isPlaced: isPlaced)
    for step in 0..<300 { rig.hear(1, at: 10 + Double(step) * 0.1, level: -50, radio: 0) }
    let told = rig.told()
    #expect(told.filter { $0.event == "fire" }.map(\.trigger) == (isPlaced ? [] : ["one"]))
    #expect(told.contains { $0.event == "undecided" && $0.reason == "unclear place" } == isPlaced, "\(told)")
  }

  @Test("a radio that is not on the plan takes nothing from the others")
  func oneUnplaced() {
    var rig = site(but: 2)
    rig.hear(at: FourPumps.beside(0), loudness: -68)
    let fires = rig.fires()
    #expect(fires == ["one"])
  }

  @Test("without the plan nobody can tell a weak phone from a distant one")
  func unplaced() {
    var rig = site(isPlaced: false)
    rig.hear(at: FourPumps.beside(0), loudness: -82)
    let fires = rig.fires()
    #expect(fires == [])
  }

  @Test("a radio that has heard nobody for two seconds says nothing of a device that it does not hear")
  func deaf() throws {
    func likelihood(othersHeard: Bool) throws -> Int {
      var rig = site()
      for step in 0..<100 {
        let at = 10 + Double(step) * 0.1
        for radio in 0..<2 { rig.hear(1, at: at + Double(radio) * 0.01, level: radio == 0 ? -60 : -75, radio: radio) }
        if othersHeard { for radio in 2..<4 { rig.hear(2, at: at + Double(radio) * 0.01, level: -90, radio: radio) } }
      }
      let fire = try #require(rig.said().last { $0.topic == "trigger/one" && $0.payload.contains(#""receivers":"#) })
      let json = try #require(JSONSerialization.jsonObject(with: Data(fire.payload.utf8)) as? [String: Any])
      return try #require((json["evidence"] as? [String: Any])?["receivers"] as? Int)
    }
    #expect(try likelihood(othersHeard: true) == 4)
    #expect(try likelihood(othersHeard: false) == 2)
  }

  @Test("nobody in the street is served, however loud, whatever the antennas are", arguments: 0..<40 as Range<UInt64>)
  func street(seed: UInt64) {
    var rig = site()
    let (place, loudness, errors) = FourPumps.passer(seed)
    rig.hear(at: place, loudness: loudness, errors: errors)
    let fires = rig.fires()
    #expect(fires == [], "seed \(seed)")
  }

  @Test("too far from every pump nobody is served, and the reason is said")
  func between() {
    var rig = site()
    rig.hear(at: PlanPoint(x: 2.6, y: 0), loudness: -50)
    let told = rig.told()
    #expect(!told.contains { $0.event == "fire" })
    #expect(told.contains { $0.event == "undecided" && $0.reason == "unclear place" }, "\(told)")
  }

  @Test("a fire says how likely each place was")
  func evidence() throws {
    var rig = site()
    rig.hear(at: FourPumps.beside(0), loudness: -70)
    let fire = try #require(rig.said().last { $0.topic == "trigger/one" && $0.payload.contains(#""event":"fire""#) })
    let json = try #require(JSONSerialization.jsonObject(with: Data(fire.payload.utf8)) as? [String: Any])
    let evidence = try #require(json["evidence"] as? [String: Any])
    let shares = try #require(evidence["likelihood"] as? [String: Double])
    #expect(evidence["receivers"] as? Int == 4)
    #expect(try #require(shares["here"]) > 0.9 && abs(shares.values.reduce(0, +) - 1) < 0.03, "\(shares)")
    #expect(shares.count == 3 && shares["elsewhere"] != nil, "\(shares)")
  }

  @Test("whatever a neighbour is called, no key stands twice: it is elsewhere")
  func names() throws {
    var rig = site { for radio in 1..<4 { $0.radios[radio].name = radio == 2 ? "elsewhere" : "here" } }
    rig.hear(at: FourPumps.beside(0), loudness: -70)
    let fire = try #require(rig.said().last { $0.topic == "trigger/one" && $0.payload.contains(#""event":"fire""#) })
    let named = #/"likelihood":\{"here":[\d.]+,"elsewhere":[\d.]+\}/#
    #expect(fire.payload.contains(named), "\(fire.payload)")
  }

  @Test("a radio that new settings took from the plan is no longer named")
  func taken() throws {
    var rig = site()
    rig.hear(at: FourPumps.places[3], loudness: -50)
    let slot = try #require((0..<64).first { rig.gateway.devices.isUsed($0) })
    let place = rig.gateway.triggers.encounters.find(trigger: 0, from: rig.gateway.devices[slot].encounters)
    let found = rig.gateway.triggers.likelihood(of: place, rig.gateway.settings)
    let before = try #require(found)
    #expect(before.rivalName == "d" && before.likeliest == "d", "\(before)")
    var settings = Settings()
    settings.gateway.devices = 64
    FourPumps.configure(&settings, isPlaced: true)
    for radio in 2..<4 { settings.radios[radio].point = nil }
    let edition = rig.gateway.triggers.plan.edition
    rig.gateway.reload(settings, at: Instant(microseconds: 40_000_000))
    let left = rig.gateway.triggers.likelihood(of: place, rig.gateway.settings)
    let after = try #require(left)
    #expect(rig.gateway.triggers.plan.edition != edition, "claims from before name other places")
    #expect(after.rivalName.isEmpty && after.likeliest == "elsewhere" && abs(after.here + after.rival + after.elsewhere - 1) < 0.001)
  }

  @Test("a phone that was served is not said to have left because its level is weak")
  func stays() {
    var rig = site()
    rig.hear(at: FourPumps.beside(0), loudness: -82)
    rig.hear(at: FourPumps.beside(0), loudness: -80, from: 40)
    #expect(rig.told().filter { $0.event == "fire" || $0.event == "leave" }.map(\.event) == ["fire"])
  }

  @Test("whoever stands at a pump too near for the pattern to compare it is not served at this one", arguments: [2, 2.5, 3] as [Float])
  func near(metres: Float) {
    var rig = Rig {
      $0.addRadios(2)
      for (radio, name) in FourPumps.names.prefix(2).enumerated() {
        $0.radios[radio].point = PlanPoint(x: Float(radio) * metres, y: 0)
        $0.addTrigger(name, group: "pumps", radio: Int8(radio))
      }
    }
    for step in 0..<600 {
      for radio in 0..<2 { rig.hear(1, at: 10 + Double(step) * 0.1 + Double(radio) * 0.01, level: radio == 0 ? -60 : -57, radio: radio) }
    }
    let told = rig.told()
    #expect(!told.contains { $0.event == "fire" && $0.trigger == "one" })
    #expect(told.contains { $0.event == "undecided" && $0.trigger == "one" && $0.reason == "rival" }, "\(told)")
  }

  /// One radio with its pump in the corner of a plan; what a metre costs is known.
  private func onePump() -> Rig {
    Rig {
      $0.calibration.pathLossExponent = 2
      $0.addRadios(1)
      $0.radios[0].point = PlanPoint(x: 0, y: 0)
      $0.addTrigger("one", group: "pumps", radio: 0)
    }
  }

  /// What a phone at a place loses to each receiver, by the plan's own law, as the receivers would hear it.
  private func pattern(at place: PlanPoint, _ receivers: [PlanPoint]) -> LevelPattern {
    var pattern = LevelPattern()
    for (index, receiver) in receivers.enumerated() {
      let flat = place.distance(to: receiver)
      pattern.hear(index, -Float(10 * Core.log10(Double(max(flat * flat + 0.6, 0.25)))))
    }
    pattern.close(.known, floor: -60)
    return pattern
  }

  @Test("whoever joins the plan or takes another's place on it, a phone is likeliest where it stands")
  func neighbours() {
    var rig = onePump()
    var receivers = [PlanPoint(x: 0, y: 0)]
    func check(_ words: Comment) {
      for (index, place) in receivers.enumerated() {
        let found = rig.gateway.triggers.plan.compare(pattern(at: place, receivers), at: 0)
        if index == 0 {
          #expect(found.lead > 1 && found.overRival < .infinity && found.overRest < .infinity, "\(words): \(found)")
        } else {
          #expect(Int(found.rival) == index && found.overRival < 0, "\(words), at \(index): \(found)")
        }
      }
    }
    for other in 1..<8 {
      let point = PlanPoint(x: Float(other % 3) * 9, y: Float(other / 3) * 9)
      #expect(rig.gateway.triggers.plan.receiver(of: other, "n", at: point, now: .zero + .seconds(Double(other))) == other)
      receivers.append(point)
      check("with \(other) neighbours")
    }
    let before = rig.gateway.triggers.plan.edition
    let late = PlanPoint(x: -9, y: 18)
    #expect(rig.gateway.triggers.plan.receiver(of: 8, "n", at: late, now: .zero + .seconds(61)) == -1, "all were heard within a minute")
    #expect(rig.gateway.triggers.plan.receiver(of: 2, "n", at: receivers[2], now: .zero + .seconds(61)) == 2, "it is known")
    #expect(rig.gateway.triggers.plan.edition == before)
    #expect(rig.gateway.triggers.plan.receiver(of: 8, "n", at: late, now: .zero + .seconds(62)) == 1, "the one unheard for longest")
    #expect(rig.gateway.triggers.plan.edition == before + 1)
    receivers[1] = late
    check("after one took another's place")
  }

  @Test("to begin with who hears it best finds nobody nearer than to ask for all places: it only ends sooner where it stands elsewhere")
  func guess() {
    var rig = onePump()
    var receivers = [PlanPoint(x: 0, y: 0)]
    for other in 1..<6 {
      receivers.append(PlanPoint(x: Float(other % 3) * 9, y: Float(other / 3) * 9))
      _ = rig.gateway.triggers.plan.receiver(of: other, "n", at: receivers[other], now: .zero)
    }
    var guessed = 0
    for step in 0..<600 {
      let pattern = pattern(at: PlanPoint(x: Float(step % 30) - 6, y: Float(step / 30) - 5), receivers)
      let whole = rig.gateway.triggers.plan.compare(pattern, at: 0)
      let found = rig.gateway.triggers.plan.compare(pattern, at: 0, after: .unasked)
      if found.isWhole {
        #expect(found.lead == whole.lead && found.rival == whole.rival)
      } else {
        guessed += 1
        #expect(found.lead < 0 && found.lead >= whole.lead && found.rival == pattern.loudest && found.lead == found.overRival)
        #expect(found.likeliest < .max && found.overRest == .infinity)
      }
    }
    #expect(guessed > 100 && guessed < 600)
  }

  @Test("of more than eight receivers those count that stand nearest to our triggers, whoever speaks first")
  func nearest() {
    var rig = Rig {
      $0.addRadios(1)
      $0.radios[0].point = PlanPoint(x: 0, y: 0)
      $0.addTrigger("one", group: "pumps", radio: 0)
    }
    var places: [Int] = []
    for other in [8, 7, 6, 5, 4, 3, 2, 9, 1, 8, 1] {
      places.append(
        rig.gateway.triggers.plan.receiver(of: other, "n", at: PlanPoint(x: Float(other) * 9, y: 0), now: .zero + .seconds(1)))
    }
    #expect(places == [1, 2, 3, 4, 5, 6, 7, -1, 1, -1, 1], "9 stands farther than all; 1 takes the place of 8")
  }
}
