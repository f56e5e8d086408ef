import Testing

@testable import Core

@Suite("New settings apply to whom they find here") struct NewSettingsTests {
  private func settings(_ change: (inout Settings) -> Void) -> Settings {
    var settings = Settings()
    settings.gateway.devices = 64
    settings.calibrateEverybody()
    change(&settings)
    return settings
  }

  private func at(_ seconds: Double) -> Instant { .zero + .seconds(seconds) }

  @Test("a longer rest holds for a visit that goes on, from its fire; a shorter one takes nothing back", arguments: [0.0, 60, 400])
  func rests(seconds: Double) {
    func triggers(_ settings: inout Settings, _ seconds: Double) {
      for name in ["one", "two"] as [Name] {
        settings.addTrigger(name, group: "pumps", radio: nil) {
          ($0.refractory, $0.groupRefractory) = (.seconds(seconds), .seconds(seconds))
        }
      }
    }
    var rig = Rig {
      $0.calibrateEverybody()
      triggers(&$0, 60)
    }
    for step in 0..<100 { rig.hear(1, at: 5 + Double(step) / 10) }
    let identity = rig.gateway.devices[0].identity
    let refusal = rig.gateway.fireManually(0, for: identity, at: at(15))
    #expect(refusal == nil)
    for step in 0..<50 { rig.hear(1, at: 15 + Double(step) / 10) }
    rig.gateway.reload(settings { triggers(&$0, seconds) }, at: at(20))
    let encounter = rig.gateway.triggers.encounters[0]
    let until = at(15 + max(seconds, 60))
    #expect(encounter.trigger == 0 && encounter.rests == until && encounter.groupRests == until, "\(encounter.rests) \(encounter.stage)")
  }

  @Test("who is silent already is gone by the new exit_s, and not by the old one") func exits() {
    func region(_ settings: inout Settings, _ seconds: Double) { settings.addRegion("door", exit: .after(.seconds(seconds))) }
    var rig = Rig { region(&$0, 3_600) }
    for device in 1...2 as ClosedRange<UInt8> { rig.hear(device, at: Double(device) * 20) }
    rig.wait(until: 50)
    _ = rig.said()
    rig.gateway.reload(settings { region(&$0, 15) }, at: at(50))
    let told = { (rig: borrowing Rig) in rig.said().filter { $0.topic == "region/door/event" }.map(\.payload) }
    let gone = told(rig)
    #expect(gone.count == 1 && gone[0].contains(#""event":"exit","reason":"silence""#) && gone[0].contains("00:01"), "\(gone)")
    rig.wait(until: 54.9)
    #expect(told(rig) == [])
    rig.wait(until: 55)
    #expect(told(rig).count == 1)
  }

  @Test(
    "a match that gains a selector, or is written in another order, ends no visit of whoever it matches by another than its best name",
    arguments: [
      (["name:Bus@*", "eddystone:*"], true), (["eddystone:*", "name:Bus@*"], true), (["eddystone:*"], false), (["name:Van@*"], false),
    ] as [([String], Bool)])
  func gains(selectors: [String], goesOn: Bool) {
    func write(_ selectors: [String], _ settings: inout Settings) {
      settings.addTrigger("pump")
      settings.addRegion("door")
      settings.triggers[0].match = Slice(start: UInt16(settings.selectors.count), count: UInt16(selectors.count))
      settings.regions[0].match = settings.triggers[0].match
      for selector in selectors { _ = settings.selectors.append(try! Selector(written: Array(selector.utf8).span.bytes)) }
    }
    var rig = Rig {
      $0.calibrateEverybody()
      write(["name:Bus@*"], &$0)
    }
    let names = [bytes("020106 0409427573"), bytes("020106 1AFF4C000215 2F234454CF6D4A0FADF2F4911BA9FFA6 0007 0102 C5")]
    for step in 0..<200 { rig.hear(1, at: 5 + Double(step) / 10, level: Int8(min(-90 + step, -60)), data: names[step % 2]) }
    func told(_ events: String...) -> [String] {
      let said = rig.said().map(\.payload)
      return events.filter { event in said.contains { $0.contains("\"event\":\"\(event)\"") } }
    }
    #expect(told("enter", "fire") == ["enter", "fire"])
    rig.gateway.reload(settings { write(selectors, &$0) }, at: at(25))
    for step in 0..<50 { rig.hear(1, at: 25 + Double(step) / 10, data: names[1]) }
    #expect(told("exit", "leave") == (goesOn ? [] : ["exit", "leave"]))
    #expect(rig.gateway.tableFaults == [])
  }
}
