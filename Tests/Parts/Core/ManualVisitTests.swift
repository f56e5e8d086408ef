import Testing

@testable import Core

@Suite("A visit that a command began") struct ManualVisitTests {
  private func rig(_ change: (inout Settings) -> Void = { _ in }) -> Rig {
    Rig {
      $0.calibrateEverybody()
      $0.addTrigger("pump")
      change(&$0)
    }
  }

  private func fire(_ rig: inout Rig, at seconds: Double) -> FireRefusal? {
    rig.gateway.fireManually(
      0, for: Identity(.address, Address(word: 1 << 48 | 0xC000_0000_0001)), at: Instant(microseconds: Int64(seconds * 1e6)))
  }

  @Test("whose visit the run before left open is served already, however far off it is heard") func unfinished() {
    let before = Unfinished(
      topic: "forecourt/site/gateway/trigger/pump", id: Text("address:c0:00:00:00:00:01"), since: Instant(microseconds: -30_000_000))
    var rig = rig()
    rig.gateway.restore(before, at: .zero)
    rig.gateway.caughtUp(at: .zero)
    rig.hear(from: 1, to: 10, level: -96)
    #expect(fire(&rig, at: 10) == .fired)
    rig.hear(from: 10, to: 12, level: -96)
    rig.gateway.expireLeftovers(at: Instant(microseconds: 16_000_000))
    rig.wait(until: 60)
    #expect(rig.told().map(\.event).filter { !$0.isEmpty } == ["leave"])
  }

  @Test("known here, but beyond the trigger's reach, when the run before turns out to have served it, it leaves once") func unfinishedLate()
  {
    let before = Unfinished(
      topic: "forecourt/site/gateway/trigger/pump", id: Text("address:c0:00:00:00:00:01"), since: Instant(microseconds: -30_000_000))
    var rig = rig()
    // Beyond `arm_m`, but not by 8 dB: an encounter that is not present.
    rig.hear(from: 1, to: 10, level: -82)
    rig.gateway.restore(before, at: Instant(microseconds: 10_000_000))
    rig.gateway.caughtUp(at: Instant(microseconds: 10_000_000))
    rig.hear(from: 10, to: 14, level: -82, becoming: -60)
    rig.hear(from: 14, to: 30, level: -60)
    rig.gateway.expireLeftovers(at: Instant(microseconds: 30_000_000))
    rig.wait(until: 90)
    #expect(rig.told().map(\.event).filter { ["fire", "leave"].contains($0) } == ["leave"])
  }

  @Test("a restart changes nothing of that: it goes on down to 8 dB below the level at the command", arguments: [false, true])
  func restarted(isHeardFirst: Bool) {
    for (word, level, events) in [(-96, -102, []), (-96, -111, ["leave"]), (nil, -102, ["leave"])] as [(Float?, Double, [String])] {
      let before = Unfinished(
        topic: "forecourt/site/gateway/trigger/pump", id: Text("address:c0:00:00:00:00:01"), since: Instant(microseconds: -30_000_000),
        vouchedLevel: word.map { Decibels($0) })
      var rig = rig()
      let start = isHeardFirst ? 10.0 : 0
      // Near enough for an encounter, and not for a fire.
      if isHeardFirst { rig.hear(from: 1, to: 10, level: -82) }
      rig.gateway.restore(before, at: Instant(microseconds: Int64(start * 1e6)))
      rig.gateway.caughtUp(at: Instant(microseconds: Int64(start * 1e6)))
      rig.hear(from: start + 1, to: start + 4, level: -82)
      rig.hear(from: start + 4, to: start + 34, level: level)
      #expect(rig.told().map(\.event).filter { ["fire", "manual", "leave"].contains($0) } == events, "\(word ?? 0), \(level) dBm")
      rig.wait(until: 90)
      #expect(rig.told().map(\.event).filter { !$0.isEmpty } == (events.isEmpty ? ["leave"] : []))
    }
  }

  @Test("it goes on at the level that the phone had at the command, however weak, and ends 8 dB below")
  func weak() {
    for (level, events) in [(-102.0, []), (-111, ["leave"])] as [(Double, [String])] {
      var rig = rig()
      rig.hear(from: 10, to: 20, level: -96)
      let refusal = fire(&rig, at: 20)
      #expect(refusal == nil && rig.told().map(\.event) == ["manual"])
      rig.hear(from: 20, to: 40, level: -96)
      rig.hear(from: 40, to: 60, level: level)
      #expect(rig.told().map(\.event) == events, "\(level) dBm")
    }
  }

  @Test("a phone that advertises every four seconds is not lost when one of its adverts is")
  func slow() {
    var rig = rig()
    rig.hear(from: 10, to: 70, level: -106, hertz: 0.25)
    let refusal = fire(&rig, at: 69)
    #expect(refusal == nil)
    for start in [74.0, 86, 98] {
      rig.wait(until: start - 0.1)
      rig.hear(from: start, to: start + 7, level: -106, hertz: 0.25)
    }
    #expect(rig.told().map(\.event) == ["manual"])
    rig.wait(until: 400)
    #expect(rig.told().map(\.event) == ["leave"])
  }

  @Test("without permission to monitor its end is told as its beginning was, and nothing fires meanwhile")
  func whenInUse() {
    var rig = rig { $0.gateway.authorization = .whenInUse }
    rig.gateway.startRanging(nil, for: .seconds(60), at: Instant(microseconds: 9_000_000))
    rig.hear(from: 10, to: 20, level: -60)
    let refusal = fire(&rig, at: 20)
    rig.hear(2, from: 20, to: 30, level: -60)
    rig.wait(until: 60)
    #expect(refusal == nil && rig.told().map(\.event) == ["manual", "leave"])
  }

  @Test("a visit of the run before has its end told, though monitoring is not permitted any more", arguments: [-60.0, -93])
  func forbidden(level: Double) {
    var rig = rig { $0.gateway.authorization = .whenInUse }
    rig.gateway.startRanging(nil, for: .seconds(600), at: .zero)
    rig.gateway.restore(
      Unfinished(
        topic: "forecourt/site/gateway/trigger/pump", id: Text("address:c0:00:00:00:00:01"), since: Instant(microseconds: -30_000_000)),
      at: .zero)
    rig.gateway.caughtUp(at: .zero)
    rig.hear(from: 1, to: 20, level: -60, becoming: level)
    rig.gateway.expireLeftovers(at: Instant(microseconds: 40_000_000))
    rig.wait(until: 90)
    #expect(rig.told().map(\.event).filter { !$0.isEmpty } == ["leave"])
  }

  @Test("who stood here while monitoring was not permitted is served once it is, and leaves once")
  func permitted() {
    var rig = rig { $0.gateway.authorization = .whenInUse }
    rig.gateway.startRanging(nil, for: .seconds(600), at: Instant(microseconds: 9_000_000))
    rig.hear(from: 10, to: 18, level: -84, becoming: -60)
    rig.hear(from: 18, to: 40, level: -60)
    #expect(rig.told() == [])
    rig.gateway.authorize(.always, at: Instant(microseconds: 40_000_000))
    rig.hear(from: 40, to: 60, level: -60)
    rig.wait(until: 120)
    #expect(rig.told().map(\.event).filter { ["fire", "leave"].contains($0) } == ["fire", "leave"])
  }
}

@Suite("A radio that was deaf") struct DeafRadioTests {
  /// `hears`: since when, if it does at all.
  private func rig(hears: Double? = 0) -> Rig {
    var rig = Rig {
      $0.calibrateEverybody()
      $0.addTrigger("pump") { $0.refractory = .seconds(80) }
    }
    if let hears { deaf(&rig, false, at: hears) }
    return rig
  }

  private func deaf(_ rig: inout Rig, _ isDeaf: Bool, at seconds: Double) {
    rig.gateway.radio(0, isDeaf: isDeaf, at: Instant(microseconds: Int64(seconds * 1e6)))
  }

  @Test("whoever it served and whoever stands there when it hears again may have been there all along", arguments: [4.0, 30, 60])
  func pulled(out: Double) {
    var rig = rig()
    rig.hear(1, from: 10, to: 18, level: -84, becoming: -60)
    rig.hear(1, from: 18, to: 30, level: -60)
    #expect(rig.told().map(\.event) == ["arm", "fire"])
    deaf(&rig, true, at: 30)
    // Trouble is reported again and again.
    rig.wait(until: 29 + out)
    deaf(&rig, true, at: 29 + out)
    rig.wait(until: 30 + out)
    deaf(&rig, false, at: 30 + out)
    for step in 0..<400 {
      for device in 1...2 as ClosedRange<UInt8> { rig.hear(device, at: 30 + out + Double(step) / 10 + Double(device) / 100, level: -60) }
    }
    let told = rig.told().filter { $0.event != "arm" }
    if out < 5 {
      #expect(told == [Told("fire", device: 2)])
    } else {
      #expect(!told.contains { $0.event == "fire" } && told.first == Told("leave", reason: "lost"), "\(told)")
      #expect(Set(told.dropFirst().map { $0.id + " " + ($0.reason ?? "") }).count == 2, "each is told why: \(told)")
    }
  }

  @Test(
    "whoever was served before the radio was pulled out, or switched off, and is heard again late, may have been there all along",
    arguments: [false, true], [0.1, 3.4, 8])
  func heardLate(isSwitchedOff: Bool, after: Double) {
    var rig = rig()
    rig.hear(1, from: 10, to: 18, level: -84, becoming: -60)
    rig.hear(1, from: 18, to: 30, level: -60)
    let moments = [30, 120, 124.2].map { Instant(microseconds: Int64($0 * 1e6)) }
    if isSwitchedOff { rig.gateway.authorize(.denied, at: moments[0]) }
    deaf(&rig, true, at: 30)
    rig.wait(until: 120)
    if isSwitchedOff { rig.gateway.authorize(.always, at: moments[1]) }
    deaf(&rig, false, at: 124.2)
    for step in 0..<400 { rig.hear(1, at: 124.2 + after + Double(step) / 10, level: -60) }
    let told = rig.told().filter { $0.event != "arm" }
    #expect(told.map(\.event) == ["fire", "leave", "undecided"], "\(told)")
    rig.wait(until: 600)
    #expect(rig.gateway.rowsInUse == 0)
  }

  @Test("a permission that is withdrawn and given again before the radio was off keeps nobody from being served later") func offAndOn() {
    var rig = rig()
    rig.hear(1, from: 10, to: 18, level: -84, becoming: -60)
    rig.hear(1, from: 18, to: 30, level: -60)
    rig.gateway.authorize(.denied, at: Instant(microseconds: 30_000_000))
    rig.gateway.authorize(.always, at: Instant(microseconds: 30_000_000))
    rig.hear(1, from: 30, to: 31, level: -60)
    rig.wait(until: 140)
    rig.hear(1, from: 140, to: 148, level: -84, becoming: -60)
    rig.hear(1, from: 148, to: 160, level: -60)
    #expect(rig.told().map(\.event).filter { ["fire", "leave"].contains($0) } == ["fire", "leave", "fire"])
  }

  @Test("another radio that listens and heard it knows whether it is away", arguments: [false, true]) func other(heard: Bool) {
    var rig = Rig {
      $0.calibrateEverybody()
      $0.addRadios(2)
      $0.addTrigger("pump") { $0.refractory = .seconds(30) }
    }
    for radio in 0..<2 { rig.gateway.radio(radio, isDeaf: false, at: .zero) }
    for step in 0..<200 {
      rig.hear(1, at: 10 + Double(step) / 10, level: Int8(-84 + min(step, 80) * 3 / 10))
      if heard { rig.hear(1, at: 10.05 + Double(step) / 10, level: -80, radio: 1) }
    }
    #expect(rig.told().map(\.event) == ["arm", "fire"])
    deaf(&rig, true, at: 30)
    rig.wait(until: 130)
    rig.hear(1, from: 130, to: 138, level: -84, becoming: -60, radio: 1)
    rig.hear(1, from: 138, to: 150, level: -60, radio: 1)
    #expect(rig.told().contains { $0.event == "fire" } == heard)
  }

  @Test("from five seconds of deafness on it may have been there", arguments: [4.99, 5]) func edge(seconds: Double) {
    var rig = rig()
    deaf(&rig, true, at: 30)
    deaf(&rig, false, at: 30 + seconds)
    rig.hear(from: 30.1 + seconds, to: 40 + seconds, level: -60)
    #expect(rig.told().contains { $0.event == "fire" } == (seconds < 5))
  }

  @Test("a minute later a newcomer is served as ever") func later() {
    var rig = rig()
    deaf(&rig, true, at: 10)
    deaf(&rig, false, at: 30)
    rig.hear(from: 90, to: 98, level: -84, becoming: -60)
    rig.hear(from: 98, to: 100, level: -60)
    #expect(rig.told().map(\.event) == ["arm", "fire"])
  }

  @Test("whoever stands there when it hears for the first time may have been there all along", arguments: [0, 4, 20.0])
  func slow(seconds: Double) {
    var rig = rig(hears: nil)
    rig.gateway.caughtUp(at: .zero)
    // Its first advert may overtake its word.
    rig.hear(1, at: 0.5 + seconds, level: -60)
    deaf(&rig, false, at: 0.6 + seconds)
    for step in 1..<400 {
      let now = 0.6 + seconds + Double(step) / 10
      for device in 1...2 as ClosedRange<UInt8> { rig.hear(device, at: now + Double(device) / 100, level: -60) }
    }
    #expect(rig.told().filter { $0.event == "fire" } == [])
    // Its word comes again and again.
    deaf(&rig, false, at: 60)
    rig.hear(3, from: 60, to: 68, level: -84, becoming: -60)
    rig.hear(3, from: 68, to: 70, level: -60)
    #expect(rig.told().filter { $0.event == "fire" } == [Told("fire", device: 3)])
  }
}
