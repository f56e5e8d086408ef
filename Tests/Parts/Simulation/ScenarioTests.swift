import Core
import Foundation
import Host
import Testing

@testable import Simulation

@Suite("Scenario files") struct ScenarioTests {
  static let folder = URL(filePath: #filePath).appending(path: "../../../Firing/Scenarios").standardizedFileURL
  static let names = try! FileManager.default.contentsOfDirectory(atPath: folder.path).filter { $0.hasSuffix(".toml") }.sorted()

  private func lines(_ text: String) -> [String] {
    ScenarioFile(ConfigurationText(name: "s.toml", text: Array(text.utf8))).findings.map { $0.line(in: "s.toml") }
  }

  @Test("every scenario reads without a fault, and every phone in it is heard", arguments: names)
  func whole(name: String) throws {
    let file = ScenarioFile(try ConfigurationText(reading: Self.folder.appending(path: name).path))
    #expect(file.findings.map { $0.line(in: name) } == [])
    var world = World(file.scenario, seed: 1) { key, plain in key ^ plain }
    var packet = Packet()
    var speakers: Set<Int> = []
    let all = Set(file.scenario.phones.indices)
    while !speakers.isSuperset(of: all), world.next(into: &packet) != nil { speakers.insert(world.speaker) }
    #expect(speakers.isSuperset(of: all))
  }

  @Test("the folder's README names every scenario")
  func readme() throws {
    let text = try String(contentsOf: Self.folder.appending(path: "README.md"), encoding: .utf8)
    for name in Self.names { #expect(text.contains("`\(name.dropLast(5))`"), "\(name)") }
  }

  @Test("every fault is reported with its line and column")
  func faults() {
    let text = """
      duration_s = 0
      [[gateway]]
      name = "west"
      at_m = [0]
      windw_ms = 30
      [[traveller]]
      name = "anna"
      steps = [ { walk_m = [0, 1], stand_s = 3 }, { stand_s = 3, facing = "east" } ]
      [[phone]]
      name = "tag"
      on = "bert"
      identity = "ibeacon:12"
      irk = "00"
      """
    #expect(
      lines(text) == [
        "s.toml:1:1: duration_s (0) must lie between 1 and 86400",
        "s.toml:4:1: gateway \"west\": at_m must be two numbers between -10000 and 10000",
        "s.toml:5:1: gateway \"west\": unknown key \"windw_ms\"; did you mean \"window_ms\"?",
        "s.toml:8:11: traveller \"anna\".steps 1: must have one of walk_m, drive_m, ride_m, stand_s, sit_s and wait_s",
        "s.toml:8:60: traveller \"anna\".steps 2: facing is no gateway and no pump of this scenario",
        "s.toml:11:1: phone \"tag\": on is no traveller of this scenario",
        "s.toml:12:1: phone \"tag\": identity must be ibeacon:UUID:MAJOR:MINOR, altbeacon:HEX40, eddystone:HEX20:HEX12, service:UUID, background:UUID, name:NAME or phone",
        "s.toml:13:1: phone \"tag\": irk must be 32 hexadecimal digits",
      ])
  }

  @Test("a place is x along the street and y away from it, for everything that stands or goes")
  func places() throws {
    let text = """
      gateway = [ { name = "west", at_m = [1, 2], silent_s = [20, 40] } ]
      pump = [ { name = "pump", at_m = [3, 4] } ]
      traveller = [ { name = "anna", from_m = [5, 6], steps = [ { walk_m = [7, 8] }, { stand_s = 9, facing = "pump" } ] } ]
      bystanders = { corner_m = [-10, -11], opposite_m = [12, 13] }
      """
    let file = ScenarioFile(ConfigurationText(name: "s.toml", text: Array(text.utf8)))
    #expect(file.findings.map { $0.line(in: "s.toml") } == [])
    let scenario = file.scenario
    #expect(scenario.gateways.map(\.place) == [Point(1, 2)] && scenario.pumps.map(\.place) == [Point(3, 4)])
    #expect(scenario.gateways[0].silentFrom == 20 && scenario.gateways[0].silentTo == 40)
    #expect(scenario.bystanders.corner == Point(-10, -11) && scenario.bystanders.opposite == Point(12, 13))
    let anna = try #require(scenario.travellers.first)
    #expect(anna.start == Point(5, 6))
    guard case .move(let target, _, .foot) = anna.steps[0], case .stay(9, let facing, .foot) = anna.steps[1] else {
      Issue.record("\(anna.steps)")
      return
    }
    #expect(target == Point(7, 8) && facing == Point(3, 4))
    #expect(lines("gateway = [ { name = \"a\", at_m = [0, 10001] } ]") == lines("gateway = [ { name = \"a\", at_m = [10001, 0] } ]"))
    #expect(lines("gateway = [ { name = \"a\", at_m = [0, 10001] } ]").count == 1)
  }

  @Test("a scenario without a gateway, or that is not TOML, is refused")
  func empty() {
    #expect(lines("") == ["s.toml:1:1: gateway is missing: a scenario needs at least one"])
    #expect(lines("gateway = []") == ["s.toml:1:1: gateway is missing: a scenario needs at least one"])
    #expect(lines("[gateway]\npurpose = \"x\"") == ["s.toml:1:2: gateway is a list of tables: write [[gateway]] above each"])
    let steps = "[[gateway]]\nname = \"west\"\n[[traveller]]\nname = \"driver\"\nsteps = 3"
    #expect(lines(steps).first?.hasSuffix(": steps is a list of tables: write [[traveller.steps]] above each") == true, "\(lines(steps))")
    #expect(lines("gateway = [1]").count == 1)
    #expect(lines("duration_s = ").count == 1)
  }

  @Test("a phone without a traveller is a fault, not a crash")
  func homeless() {
    #expect(lines("[[gateway]]\nname = \"a\"\n[[phone]]\nname = \"b\"").count == 1)
  }
}
