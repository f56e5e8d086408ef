import Testing

@testable import Core

/// Where a pattern may judge, and by which receivers.
@Suite("The limits of a pattern") struct PatternLimitTests {
  private static let receivers = [PlanPoint(x: 0, y: 0), PlanPoint(x: 9, y: 0)]

  private func site(fire: Double = 3) -> Rig {
    Rig {
      $0.calibration.pathLossExponent = 2
      $0.addRadios(2)
      for radio in 0..<2 {
        $0.radios[radio].point = Self.receivers[radio]
        $0.addTrigger(radio == 0 ? "one" : "two", group: "pumps", radio: Int8(radio)) { $0.fire = Meters(Float(fire)) }
      }
    }
  }

  /// What a phone at a place loses to the two receivers, by the plan's own law.
  private func pattern(at place: PlanPoint) -> LevelPattern {
    var pattern = LevelPattern()
    for (index, receiver) in Self.receivers.enumerated() {
      let flat = place.distance(to: receiver)
      pattern.hear(index, -Float(10 * Core.log10(Double(max(flat * flat + 0.6, 0.25)))))
    }
    pattern.close(.known, floor: -60)
    return pattern
  }

  @Test("however large fire_m is, there is an elsewhere, and somebody there is elsewhere", arguments: [1.5, 3, 6, 12, 30])
  func large(fire: Double) {
    let rig = site(fire: fire)
    let outside = Float(fire * 3.6 + 3)
    let here = rig.gateway.triggers.plan.compare(pattern(at: PlanPoint(x: -0.5, y: 0.5)), at: 0)
    let away = rig.gateway.triggers.plan.compare(pattern(at: PlanPoint(x: -outside, y: 0)), at: 0)
    #expect(here.overRest < .infinity && here.lead > 0, "\(here)")
    #expect(away.overRest < 0, "\(away)")
  }

  @Test("a receiver in the next town changes nothing for a phone here, beside us or in our street")
  func farReceiver() {
    var rig = site()
    let places = [PlanPoint(x: -0.5, y: 0.5), PlanPoint(x: 0, y: -14), PlanPoint(x: -14, y: 0), PlanPoint(x: 4.5, y: 12)]
    let before = places.map { rig.gateway.triggers.plan.compare(pattern(at: $0), at: 0).overRest }
    let place = rig.gateway.triggers.plan.receiver(of: 0, "n", at: PlanPoint(x: 9_000, y: 4_000), now: .zero)
    #expect(place == 2)
    let after = places.map { rig.gateway.triggers.plan.compare(pattern(at: $0), at: 0).overRest }
    for (index, (old, new)) in zip(before, after).enumerated() {
      #expect((old - new).magnitude < 0.5, "at \(places[index]): \(old), \(new)")
    }
  }

  @Test("a radio that has gone deaf counts neither with what it heard last nor with its silence")
  func deaf() throws {
    func receivers(isDeaf: Bool) throws -> Int {
      var rig = Rig { FourPumps.configure(&$0, isPlaced: true) }
      for step in 0..<140 {
        for radio in 0..<4 where radio != 3 || !isDeaf || step < 60 {
          rig.hear(1, at: 10 + Double(step) / 10 + Double(radio) / 100, level: radio == 0 ? -60 : -76, radio: radio)
        }
      }
      let place = try #require((0..<64).first { rig.gateway.devices.isUsed($0) }.map { rig.gateway.devices[$0].encounters })
      let encounter = rig.gateway.triggers.encounters.find(trigger: 0, from: place)
      let verdict = rig.gateway.triggers.encounters[judgementOf: encounter].verdict
      return Int(try #require(verdict).receivers)
    }
    #expect(try receivers(isDeaf: false) == 4)
    #expect(try receivers(isDeaf: true) == 3)
  }

  @Test("nothing is judged before min_samples have been heard", arguments: [3, 4, 7]) func tooFew(least: Int) throws {
    var rig = Rig {
      FourPumps.configure(&$0, isPlaced: true)
      $0.triggers[0].minimumSamples = least
    }
    var judged: [Bool] = []
    for step in 0..<8 {
      for radio in [1, 2, 3, 0] {
        rig.hear(1, at: 10 + Double(step) / 10 + Double(radio) / 100, level: radio == 0 ? -60 : -76, radio: radio)
      }
      let place = try #require((0..<64).first { rig.gateway.devices.isUsed($0) }.map { rig.gateway.devices[$0].encounters })
      let encounter = rig.gateway.triggers.encounters.find(trigger: 0, from: place)
      judged.append(rig.gateway.triggers.encounters[judgementOf: encounter].verdict != nil)
    }
    #expect(judged.firstIndex(of: true) == least - 1, "\(judged)")
  }

  @Test("two antennas at one spot say nothing about who stands at a deaf neighbour's", arguments: [0, 0.5, 1.5] as [Float])
  func twins(apart: Float) throws {
    var rig = Rig {
      $0.addRadios(3)
      for (radio, x) in [(0, 0), (1, apart), (2, 8)] as [(Int, Float)] { $0.radios[radio].point = PlanPoint(x: x, y: 0) }
      $0.addTrigger("one", group: "pumps", radio: 0)
      $0.addTrigger("two", group: "pumps", radio: 2)
    }
    for step in 0..<300 {
      for radio in 0..<2 { rig.hear(1, at: 10 + Double(step) / 10 + Double(radio) / 100, level: -70, radio: radio) }
    }
    let place = try #require((0..<64).first { rig.gateway.devices.isUsed($0) }.map { rig.gateway.devices[$0].encounters })
    let encounter = rig.gateway.triggers.encounters.find(trigger: 0, from: place)
    let verdict = rig.gateway.triggers.encounters[judgementOf: encounter].verdict
    #expect((verdict == nil) == (apart < 1))
    if apart < 1 { #expect(rig.fires() == []) }
  }

  @Test("when new settings take a receiver's place, what was judged by it counts no more") func placesGone() throws {
    var rig = Rig { FourPumps.configure(&$0, isPlaced: true) }
    rig.hear(at: FourPumps.beside(0), loudness: -70)
    let place = try #require((0..<64).first { rig.gateway.devices.isUsed($0) }.map { rig.gateway.devices[$0].encounters })
    let encounter = rig.gateway.triggers.encounters.find(trigger: 0, from: place)
    var verdict = rig.gateway.triggers.encounters[judgementOf: encounter].verdict
    #expect(verdict != nil)
    var settings = Settings()
    settings.gateway.devices = 64
    FourPumps.configure(&settings, isPlaced: true, but: 0)
    rig.gateway.reload(settings, at: Instant(microseconds: 40_000_000))
    rig.hear(from: 40, to: 41, level: -60)
    verdict = rig.gateway.triggers.encounters[judgementOf: encounter].verdict
    #expect(verdict == nil)
  }

  @Test("who was served while the broker was there stays served without it, and fires no second time after it")
  func outage() {
    let island = Island(3, seed: 2, loss: 0.1, delay: 0.05, isPlaced: true)
    func stand(_ start: Double) {
      for tick in 0..<150 {
        let time = start + Double(tick) * 0.1
        island.hear(0, at: time, level: -76)
        for other in 1...2 where tick % 3 == 0 { island.hear(other, at: time + 0.02 * Double(other), level: -92) }
      }
    }
    func visits() -> [String] {
      island.told.filter { $0.event == "fire" || $0.event == "leave" }.map { "\($0.gateway) \($0.event)" }
    }
    stand(5)
    #expect(visits() == ["0 fire"])
    island.fail(0, at: 20)
    for start in stride(from: 20.0, to: 110, by: 15) { stand(start) }
    island.restore(0, at: 110)
    stand(110)
    stand(125)
    #expect(visits() == ["0 fire"])
  }
}
