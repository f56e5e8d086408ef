import Testing

@testable import Core

@Suite("Triggers through changes") struct TriggerChangeTests {
  private func settings(_ change: (inout Settings) -> Void = { _ in }) -> Settings {
    var settings = Settings()
    settings.gateway.purpose = Sentence("tests")
    settings.gateway.devices = 64
    settings.calibrateEverybody()
    settings.addTrigger("pump")
    change(&settings)
    return settings
  }

  private func fired() -> Rig {
    var rig = Rig {
      $0.calibrateEverybody()
      $0.addTrigger("pump")
    }
    rig.hear(from: 10, to: 15, level: -84, becoming: -60)
    rig.hear(from: 15, to: 20, level: -60)
    #expect(rig.told().map(\.event) == ["arm", "fire"])
    return rig
  }

  @Test("a visit survives a new config that does not concern its trigger")
  func surviving() {
    var rig = fired()
    let next = settings {
      $0.triggers.removeAll()
      $0.addTrigger("new")
      $0.addTrigger("pump") { $0.fire = Meters(1.2) }
    }
    rig.gateway.adopt(next, at: Instant(microseconds: 20_000_000))
    rig.hear(from: 20, to: 22, level: -60)
    #expect(rig.told().allSatisfy { $0.trigger == "new" })
    rig.hear(from: 22, to: 30, level: -98)
    #expect(rig.told().filter { $0.trigger == "pump" } == [Told("leave", reason: "away")])
  }

  @Test("a visit ends with the trigger that a new config no longer has")
  func ending() {
    var rig = fired()
    rig.gateway.adopt(settings { $0.triggers.removeAll() }, at: Instant(microseconds: 20_000_000))
    #expect(rig.told() == [Told("leave", reason: "reload")])
  }

  @Test("without leave to monitor, visits end and nothing more is told")
  func authorization() {
    var rig = fired()
    rig.gateway.authorize(.denied, at: Instant(microseconds: 20_000_000))
    #expect(rig.told() == [Told("leave", reason: "authorization")])
    rig.hear(from: 20, to: 40, level: -60)
    #expect(rig.told().isEmpty)
  }

  @Test("a flood of strangers takes no visit away: the longest unheard goes first")
  func flood() {
    var rig = Rig(devices: 4) {
      $0.calibrateEverybody()
      $0.addTrigger("pump")
    }
    for device in 1...40 as ClosedRange<UInt8> {
      rig.hear(device, from: 10 + Double(device), to: 10.9 + Double(device), level: -60)
      rig.hear(99, at: 10.95 + Double(device), level: -60)
    }
    let told = rig.told()
    #expect(told.filter { $0.event == "fire" }.count == 41)
    #expect(told.filter { $0.reason == "evicted" }.count >= 32)
    #expect(!told.contains { $0.id.hasSuffix("63") && $0.event == "leave" })
  }
}
