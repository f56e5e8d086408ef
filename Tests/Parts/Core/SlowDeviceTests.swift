import Testing

@testable import Core

@Suite("Devices that advertise seldom") struct SlowDeviceTests {
  private func rig() -> Rig {
    Rig {
      $0.calibrateEverybody()
      $0.addTrigger("pump")
    }
  }

  private func fires(_ rig: inout Rig) -> Int { rig.told().count { $0.event == "fire" } }

  @Test("of one advert a second a single one that is 12 dB too loud fires nothing; a second one does", arguments: [0, 1, 2])
  func loud(packets: Int) {
    var rig = rig()
    for second in 0..<40 { rig.hear(1, at: 10 + Double(second), level: (20..<20 + packets).contains(second) ? -57 : -69) }
    #expect(fires(&rig) == packets / 2)
  }

  @Test("an advert every two seconds, and the 5 ms that the standard adds, is enough; one every three is not")
  func rare() {
    var seen: [Int] = []
    for interval in [1.005, 2.005, 3.005] {
      var rig = rig()
      for number in 0..<30 { rig.hear(1, at: 10 + Double(number) * interval, level: number < 8 ? -84 : -60) }
      seen.append(fires(&rig))
    }
    #expect(seen == [1, 1, 0])
  }

  /// What is told of a device that comes near after ten adverts, and goes after so many more.
  private func told(every interval: Double, near packets: Int, minimumRate: Float = 0.4, minimumSamples: Int = 4) -> [Told] {
    var rig = Rig {
      $0.calibrateEverybody()
      $0.addTrigger("pump") { ($0.minimumRate, $0.minimumSamples) = (minimumRate, minimumSamples) }
    }
    for number in 0..<30 + packets {
      rig.hear(1, at: 10 + Double(number) * interval, level: (10..<10 + packets).contains(number) ? -60 : -79)
    }
    return rig.told()
  }

  @Test("a device that is near, but advertises too seldom to fire, is undecided once, and says why")
  func undecided() {
    let seldom = [Told("undecided", reason: "few adverts")]
    #expect(told(every: 3, near: 10) == seldom && told(every: 6, near: 10) == seldom)
    #expect(told(every: 1, near: 10, minimumRate: 2) == seldom)
    #expect(told(every: 3, near: 1) == [] && told(every: 3, near: 0) == [], "it only passes by, or is never near")
    #expect(told(every: 0.1, near: 10, minimumSamples: 40) == [], "samples are what it lacks")
    #expect(told(every: 2, near: 10).map(\.event) == ["arm", "fire", "leave"])
  }

  @Test("a device that is undecided for its few adverts fires once it sends more, and may be undecided for another reason before")
  func more() {
    var rig = Rig {
      $0.calibrateEverybody()
      $0.addRadios(2)
      $0.addTrigger("pump", group: "pumps", radio: 0)
      $0.addTrigger("other", group: "pumps", radio: 1)
    }
    func hear(from start: Double, to end: Double, every interval: Double, rival: Int8) {
      for time in stride(from: start, to: end, by: interval) {
        rig.hear(1, at: time, level: -60)
        rig.hear(1, at: time + 0.02, level: rival, radio: 1)
      }
    }
    for time in stride(from: 0.0, to: 30, by: 3) { rig.hear(1, at: time, level: -80) }
    hear(from: 30, to: 60, every: 3, rival: -70)
    #expect(rig.told() == [Told("undecided", reason: "few adverts")])
    hear(from: 60, to: 80, every: 0.1, rival: -60)
    #expect(rig.told().filter { $0.trigger == "pump" } == [Told("arm"), Told("undecided", reason: "rival")])
    hear(from: 80, to: 90, every: 0.1, rival: -75)
    #expect(rig.told().filter { $0.trigger == "pump" } == [Told("fire")])
  }

  /// Fires at a trigger whose rival hears 10 dB less; or alone.
  private func fires(_ hertz: Double, at last: Int8, besideRival: Bool) -> Int {
    var rig = Rig {
      $0.calibrateEverybody()
      $0.addRadios(2)
      $0.addTrigger("pump", group: "pumps", radio: 0)
      if besideRival { $0.addTrigger("other", group: "pumps", radio: 1) }
    }
    for number in 0..<Int(90 * hertz) {
      let time = Double(number) / hertz
      let level = time < 20 ? -80 : last
      rig.hear(1, at: 10 + time, level: level)
      rig.hear(1, at: 10.02 + time, level: level - 10, radio: 1)
    }
    return fires(&rig)
  }

  @Test("beside a rival, 5 dB below fire_m, ten adverts a second fire, and one does not: its level wavers")
  func wavering() {
    #expect([10, 4, 2, 1, 0.5].map { fires($0, at: -68, besideRival: true) } == [1, 1, 1, 0, 0])
    #expect([10, 1, 0.5].map { fires($0, at: -66, besideRival: true) } == [1, 1, 1])
    #expect([10, 1, 0.5].map { fires($0, at: -64, besideRival: false) } == [1, 1, 1], "alone, where less is allowed, nothing changes")
  }

  @Test("so must the pattern of all receivers") func waveringPattern() {
    var evidence = evidence(inside: -20)
    evidence.judge(by: PatternVerdict(quick: 3.5, settled: 3.5))
    #expect(evidence.weight > 0 && evidence.settledWeight > 0 && evidence.isAhead)
    evidence.judge(by: PatternVerdict(quick: 3.5, settled: 1.7))
    evidence.spacing = 1.25
    #expect(evidence.weight < 0 && evidence.settledWeight < 0)
  }

  private func evidence(inside level: Float) -> TriggerEvidence {
    var evidence = TriggerEvidence()
    (evidence.insideFire, evidence.isFirm) = (level, true)
    return evidence
  }

  @Test("a sample answers alone for 0.2 s, and for the time before that no more than the one before it")
  func alone() {
    let cases: [(Int64, Float, Float)] = [(100, -20, 0.1), (200, -20, 0.2), (900, -20, 0), (900, 20, 0.9), (300, -20, 0.1)]
    for (elapsed, before, gathered) in cases {
      var stay = StandingEvidence()
      stay.gather(evidence(inside: before), after: .zero, dwell: .seconds(2))
      stay.gather(evidence(inside: 20), after: .milliseconds(elapsed), dwell: .seconds(2))
      #expect((stay.seconds - gathered).magnitude < 0.001, "\(elapsed) ms after \(before): \(stay.seconds)")
      let kept = stay.seconds
      stay.gather(evidence(inside: -20), after: .milliseconds(100), dwell: .seconds(2))
      #expect((stay.seconds - max(kept - 0.1, 0)).magnitude < 0.001, "what speaks against it counts in full")
    }
    var stay = StandingEvidence()
    stay.gather(evidence(inside: 20), after: .zero, dwell: .seconds(2))
    stay.interrupt()
    stay.gather(evidence(inside: 20), after: .milliseconds(900), dwell: .seconds(2))
    #expect(stay.seconds == 0, "it was elsewhere in between")
  }
}
