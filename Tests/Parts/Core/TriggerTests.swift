import Foundation
import Testing

@testable import Core

/// Levels of a device of -59 dBm at 1 m: far off, at the pump, gone.
private let far = -84.0
private let at = -60.0

@Suite("Triggers") struct TriggerTests {
  private func rig(_ change: (inout Settings) -> Void = { _ in }) -> Rig {
    Rig {
      $0.calibrateEverybody()
      $0.addTrigger("pump")
      change(&$0)
    }
  }

  @Test("coming, standing and leaving give arm, fire and leave, each once")
  func visit() {
    var rig = rig()
    rig.hear(from: 10, to: 18, level: far, becoming: at)
    rig.hear(from: 18, to: 40, level: at)
    rig.hear(from: 40, to: 48, level: at, becoming: -95)
    rig.wait(until: 200)
    #expect(rig.told() == [Told("arm"), Told("fire"), Told("leave", reason: "away")])
  }

  @Test("a fire carries its evidence, its id and its end of life")
  func evidence() throws {
    var rig = rig()
    rig.hear(from: 10, to: 18, level: far, becoming: at)
    rig.hear(from: 18, to: 25, level: at)
    let fire = try #require(rig.said().first { $0.payload.contains(#""event":"fire""#) })
    #expect(fire.topic == "trigger/pump")
    let json = try #require(try JSONSerialization.jsonObject(with: Data(fire.payload.utf8)) as? [String: Any])
    #expect(json["v"] as? Int == 1 && json["event_id"] as? String == "test-2")
    #expect(Set(json.keys) == ["v", "event", "trigger", "id", "event_id", "at", "uptime_s", "expires", "evidence"])
    let evidence = try #require(json["evidence"] as? [String: Any])
    #expect(
      Set(evidence.keys) == ["average", "distance_m", "low_m", "high_m", "samples", "window_s", "rate_hz", "dwell_s"])
    let low = try #require(evidence["low_m"] as? Double)
    let high = try #require(evidence["high_m"] as? Double)
    let distance = try #require(evidence["distance_m"] as? Double)
    #expect(low < distance && distance < high && low <= 1.5)
  }

  @Test("a device that stays at a distance arms and never fires")
  func distance() {
    var rig = rig()
    rig.hear(from: 10, to: 100, level: -73)
    #expect(rig.told() == [Told("arm")])
  }

  @Test("a device present at the gateway's start must leave before it can fire, and the reason is published")
  func presentAtStart() {
    var rig = rig()
    rig.hear(from: 0, to: 60, level: at)
    rig.hear(from: 60, to: 66, level: at, becoming: -98)
    rig.hear(from: 66, to: 80, level: -98)
    rig.hear(from: 80, to: 86, level: -98, becoming: at)
    rig.hear(from: 86, to: 95, level: at)
    #expect(rig.told() == [Told("arm"), Told("undecided", reason: "present at start"), Told("arm"), Told("fire")])
  }

  @Test("nor does it help that it is not heard for some seconds, before anybody knows how near it is", arguments: [1, 3, 5])
  func silentAtStart(packets: Int) {
    var rig = rig()
    for packet in 0..<packets + 1 { rig.hear(1, at: 0.1 + Double(packet) / 4, level: Int8(at)) }
    rig.hear(from: 11.5, to: 60, level: at)
    #expect(!rig.told().contains { $0.event == "fire" })
  }

  @Test(
    "a slow tag that is first heard some seconds after the start may have been there, too; who is first heard far off comes",
    arguments: [1.2, 3.2, 9.2])
  func slowAtStart(first: Double) {
    var rig = rig { $0.triggers[0].minimumRate = 0.4 }
    for step in 0..<60 { rig.hear(1, at: first + Double(step) * 2, level: Int8(at)) }
    #expect(rig.told() == [Told("arm"), Told("undecided", reason: "present at start")])
    var other = self.rig()
    other.hear(from: first, to: first + 6, level: far, becoming: at)
    other.hear(from: first + 6, to: 30, level: at)
    #expect(other.told() == [Told("arm"), Told("fire")])
  }

  @Test("no second fire comes before it has been away for refractory_s") func refractory() {
    var rig = rig { $0.triggers[0].refractory = .seconds(60) }
    rig.hear(from: 10, to: 15, level: far, becoming: at)
    rig.hear(from: 15, to: 20, level: at)
    rig.hear(from: 20, to: 35, level: -98)
    rig.hear(from: 35, to: 60, level: at)
    #expect(rig.told().map(\.event) == ["arm", "fire", "leave", "arm", "undecided"])
    rig.hear(from: 60, to: 90, level: at)
    #expect(rig.told() == [], "it came before its rest was over: nobody has come since")
    rig.hear(from: 90, to: 105, level: -98)
    rig.hear(from: 105, to: 115, level: at)
    #expect(rig.told().map { $0.reason ?? $0.event } == ["arm", "not been away"], "and again: its rest began anew")
    rig.hear(from: 115, to: 178, level: -98)
    rig.hear(from: 178, to: 185, level: at)
    #expect(rig.told().map(\.event) == ["arm", "fire"])
  }

  @Test("too few packets a second are no evidence")
  func rateFloor() {
    var rig = rig { $0.triggers[0].minimumRate = 0.5 }
    rig.hear(from: 10, to: 60, level: at, hertz: 0.25)
    #expect(rig.told() == [Told("undecided", reason: "few adverts")])
  }

  @Test("a tag that speaks once a second fires within a few seconds")
  func slowTag() {
    var rig = rig()
    rig.hear(from: 10, to: 20, level: far, becoming: at, hertz: 1)
    rig.hear(from: 20, to: 24, level: at, hertz: 1)
    #expect(rig.told() == [Told("arm"), Told("fire")])
  }

  @Test("silence ends a visit after a dozen of the device's own intervals")
  func silence() {
    var rig = rig()
    rig.hear(from: 10, to: 15, level: far, becoming: at, hertz: 2)
    rig.hear(from: 15, to: 25, level: at, hertz: 2)
    rig.wait(until: 29.9)
    #expect(rig.told().map(\.event) == ["arm", "fire"])
    rig.wait(until: 31)
    #expect(rig.told() == [Told("leave", reason: "lost")])
  }

  @Test("a silence interrupts the dwell")
  func silenceInDwell() {
    var rig = rig { $0.triggers[0].dwell = .seconds(5) }
    rig.hear(from: 10, to: 12, level: at)
    rig.hear(from: 16, to: 17, level: at)
    #expect(rig.told() == [Told("arm")])
  }

  @Test("one trigger serves many devices at once, and one device fires at two triggers that do not compete")
  func many() {
    var rig = rig { $0.addTrigger("door") }
    for device in 1...8 as ClosedRange<UInt8> { rig.hear(device, at: 9, level: Int8(far)) }
    for tick in 0..<80 {
      for device in 1...8 as ClosedRange<UInt8> { rig.hear(device, at: 10 + Double(tick) * 0.1 + Double(device) * 0.01, level: Int8(at)) }
    }
    let fires = rig.told().filter { $0.event == "fire" }
    #expect(fires.count == 16)
    #expect(Set(fires.map { $0.trigger + $0.id }).count == 16)
  }

  @Test("triggers of one group compete: the radio that hears better by the margin gets the device, and none does when it is close")
  func groups() {
    func fires(_ left: Double, _ right: Double) -> [Told] {
      var rig = rig {
        $0.triggers.removeAll()
        $0.addRadios(2)
        $0.addTrigger("left", group: "pumps", radio: 0)
        $0.addTrigger("right", group: "pumps", radio: 1)
      }
      for tick in 0..<200 {
        rig.hear(1, at: 10 + Double(tick) * 0.1, level: Int8(left), radio: 0)
        rig.hear(1, at: 10.05 + Double(tick) * 0.1, level: Int8(right), radio: 1)
      }
      return rig.told().filter { $0.event != "arm" }
    }
    #expect(fires(-60, -70) == [Told("fire", "left")])
    #expect(fires(-70, -60) == [Told("fire", "right")])
    #expect(fires(-61, -60).map(\.event) == ["undecided", "undecided"])
    #expect(fires(-61, -60).allSatisfy { $0.reason == "rival" })
  }

  @Test("a manual trigger fires at once, and nothing fires after it")
  func manual() throws {
    var rig = rig()
    rig.hear(from: 10, to: 20, level: -75)
    let identity = try #require(try? Identity(written: Text<40>("address:c0:00:00:00:00:01").bytes))
    let first = rig.gateway.fireManually(0, for: identity, at: Instant(microseconds: 20_000_000))
    let second = rig.gateway.fireManually(0, for: identity, at: Instant(microseconds: 20_000_000))
    #expect(first == nil && second == .fired)
    rig.hear(from: 20, to: 40, level: at)
    #expect(rig.told().map(\.event) == ["arm", "manual"])
  }
}
