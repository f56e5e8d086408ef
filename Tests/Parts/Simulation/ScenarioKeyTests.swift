import Core
import Host
import Testing

@testable import Simulation

/// A number of a scenario: its key, where it stands in the text, its range, and what it sets.
struct ScenarioKey: CustomTestStringConvertible {
  let key: String
  let before: String
  let after: String
  let range: ClosedRange<Double>
  let isWhole: Bool
  let value: @Sendable (Scenario) -> Double?

  init(_ text: String, _ range: ClosedRange<Double>, isWhole: Bool = false, _ value: @escaping @Sendable (Scenario) -> Double?) {
    let parts = text.split(separator: "|", omittingEmptySubsequences: false)
    (before, after) = (String(parts[0]), String(parts.count > 2 ? parts[2] : ""))
    (key, self.range, self.isWhole, self.value) = (String(parts[1]), range, isWhole, value)
  }

  var testDescription: String { key }

  func read(_ number: String) -> (scenario: Scenario, findings: [String]) {
    let gateway = before.hasPrefix("[[gateway") ? "" : "gateway = [ { name = \"west\" } ]\n"
    let root = before.isEmpty ? "\(key) = \(number)\n" : ""
    let text = root + gateway + (before.isEmpty ? "" : "\(before)\(key) = \(number)\(after)\n")
    let file = ScenarioFile(ConfigurationText(name: "s.toml", text: Array(text.utf8)))
    return (file.scenario, file.findings.map { $0.line(in: "s.toml") })
  }
}

@Suite("Every number of a scenario") struct ScenarioKeyTests {
  @Test("reaches its place at both ends of its range, and is refused beyond them", arguments: air + gateway + people + bystanders)
  func ends(key: ScenarioKey) {
    func text(_ number: Double) -> String { key.isWhole ? "\(Int(number))" : "\(number)" }
    for end in [key.range.lowerBound, key.range.upperBound] {
      let (scenario, findings) = key.read(text(end))
      #expect(findings == [] && key.value(scenario).map { abs($0 - end) < 1e-9 } == true, "\(key.key) = \(end)")
    }
    let beyond = key.isWhole ? 1 : 0.0001
    for end in [key.range.lowerBound - beyond, key.range.upperBound + beyond] {
      let (_, findings) = key.read(text(end))
      let words = "\(key.key) (\(text(end))) must lie between"
      #expect(findings.count == 1 && findings[0].contains(words), "\(key.key) = \(end): \(findings)")
    }
  }

  @Test(
    "every list takes as many as it may, and not one more",
    arguments: [
      ("gateway", 32, "name = \"g#\""), ("pump", 64, "name = \"p#\"\nat_m = [1, 2]"),
      ("traveller", 256, "name = \"t#\"\nfrom_m = [1, 2]\nsteps = [ { walk_m = [3, 4] } ]"),
      ("phone", 256, "name = \"f#\"\nidentity = \"phone\"\non = \"anna\""),
    ])
  func lists(name: String, most: Int, table: String) {
    func findings(_ count: Int) -> [String] {
      let tables = (0..<count).map { "[[\(name)]]\n\(table.replacing("#", with: "\($0)"))\n" }.joined()
      let gateway = name == "gateway" ? "" : "[[gateway]]\nname = \"west\"\n"
      let text = gateway + (name == "phone" ? "[[traveller]]\nname = \"anna\"\nfrom_m = [1, 2]\n" : "") + tables
      return ScenarioFile(ConfigurationText(name: "s.toml", text: Array(text.utf8))).findings.map { $0.line(in: "s.toml") }
    }
    #expect(findings(most) == [])
    let words = "\(name): there are \(most + 1) of them; at most \(most) are possible"
    #expect(findings(most + 1).count == 1 && findings(most + 1)[0].hasSuffix(words), "\(findings(most + 1))")
  }

  static let air = [
    ScenarioKey("|duration_s|", 1...86_400) { $0.seconds },
    ScenarioKey("[air]\n|path_loss_exponent|", 1...6) { $0.air.pathLossExponent },
    ScenarioKey("[air]\n|shadowing_db|", 0...20) { $0.air.shadowing },
    ScenarioKey("[air]\n|shadowing_reach_m|", 0.1...100) { $0.air.shadowReach },
    ScenarioKey("[air]\n|channel_db|", 0...20) { $0.air.channelSpread },
    ScenarioKey("[air]\n|channel_reach_m|", 0.01...10) { $0.air.channelReach },
    ScenarioKey("[air]\n|rician_factor|", 0.01...1_000) { $0.air.ricianFactor },
    ScenarioKey("[air]\n|fade_reach_m|", 0.001...10) { $0.air.fadeReach },
    ScenarioKey("[air]\n|stir_mps|", 0...10) { $0.air.stir },
    ScenarioKey("[air]\n|interference|", 0...1) { $0.air.interference },
    ScenarioKey("[air]\n|report_error_db|", 0...10) { $0.air.reportError },
    ScenarioKey("[air]\n|person_in_line_db|", 0...40) { $0.air.personInLine },
    ScenarioKey("[air]\n|car_in_line_db|", 0...40) { $0.air.carInLine },
    ScenarioKey("[air]\n|car_shell_db|", 0...40) { $0.air.carShell },
  ]

  static let gateway = [
    ScenarioKey("[[gateway]]\nname = \"a\"\n|height_m|", 0...20) { $0.gateways[0].height },
    ScenarioKey("[[gateway]]\nname = \"a\"\n|gain_db|", -40...40) { $0.gateways[0].gain },
    ScenarioKey("[[gateway]]\nname = \"a\"\n|sensitivity_dbm|", -120...0) { $0.gateways[0].sensitivity },
    ScenarioKey("[[gateway]]\nname = \"a\"\n|interval_ms|\nwindow_ms = 2.5", 2.5...10_240) { $0.gateways[0].interval * 1_000 },
    ScenarioKey("[[gateway]]\nname = \"a\"\n|interval_ms|", 2.5...10_240) { $0.gateways[0].window * 1_000 },
    ScenarioKey("[[gateway]]\nname = \"a\"\ninterval_ms = 10240\n|window_ms|", 2.5...10_240) { $0.gateways[0].window * 1_000 },
    ScenarioKey("[[gateway]]\nname = \"a\"\n|clock_s|", 0...1e9) { $0.gateways[0].clock },
    ScenarioKey("[[pump]]\nname = \"a\"\n|radius_m|", 0.1...20) { $0.pumps[0].radius },
  ]

  private static let walker = "[[traveller]]\nname = \"anna\"\n"
  private static let phone = walker + "[[phone]]\nname = \"tag\"\non = \"anna\"\n"

  static let people = [
    ScenarioKey(walker + "|start_s|", 0...86_400) { $0.travellers[0].delay },
    ScenarioKey(walker + "|start_spread_s|", 0...600) { $0.travellers[0].delaySpread },
    ScenarioKey(walker + "|stray_m|", 0...10) { $0.travellers[0].stray },
    ScenarioKey(walker + "|haste|", 0...0.9) { $0.travellers[0].haste },
    ScenarioKey(walker + "steps = [ { stand_s = 1 }, { |stand_s| } ]", 0...86_400) { stay($0, in: .foot) },
    ScenarioKey(walker + "steps = [ { stand_s = 1 }, { |sit_s| } ]", 0...86_400) { stay($0, in: .car) },
    ScenarioKey(walker + "steps = [ { stand_s = 1 }, { |wait_s| } ]", 0...86_400) { stay($0, in: .open) },
    ScenarioKey(walker + "steps = [ { stand_s = 1 }, { walk_m = [0, 0], |speed_mps| } ]", 0.05...70) { speed($0) },
    ScenarioKey(walker + "steps = [ { stand_s = 1 }, { ride_m = [0, 0], |takes_s| } ]", 0.1...86_400) {
      if case .move(_, .within(let seconds), .open) = $0.travellers[0].steps[1] { seconds } else { nil }
    },
    ScenarioKey(phone + "|power_dbm|", -120...20) { $0.phones[0].power },
    ScenarioKey(phone + "|power_spread_db|", 0...20) { $0.phones[0].powerSpread },
    ScenarioKey(phone + "|claimed_dbm|", -128...20, isWhole: true) { Double($0.phones[0].claimedPower) },
    ScenarioKey(phone + "|interval_ms|", 20...60_000) { $0.phones[0].interval * 1_000 },
    ScenarioKey(phone + "|height_m|", 0...20) { $0.phones[0].height },
    ScenarioKey(phone + "|rotate_s|", 1...86_400) { if case .rotating(let seconds) = $0.phones[0].address { seconds } else { nil } },
    ScenarioKey(phone + "irk = \"\(String(repeating: "ab", count: 16))\"\n|rotate_s|", 1...86_400) {
      if case .resolvable(_, let seconds) = $0.phones[0].address { seconds } else { nil }
    },
  ]

  private static func stay(_ scenario: Scenario, in conveyance: Conveyance) -> Double? {
    if case .stay(let seconds, nil, conveyance) = scenario.travellers[0].steps[1] { seconds } else { nil }
  }

  private static func speed(_ scenario: Scenario) -> Double? {
    if case .move(_, .speed(let speed), .foot) = scenario.travellers[0].steps[1] { speed } else { nil }
  }

  static let bystanders = [
    ScenarioKey("[bystanders]\n|count|", 0...2_000, isWhole: true) { Double($0.bystanders.count) },
    ScenarioKey("[bystanders]\n|fastest_mps|", 0.1...70) { $0.bystanders.fastest },
    ScenarioKey("[bystanders]\n|standing|", 0...1) { $0.bystanders.standing },
    ScenarioKey("[bystanders]\n|shortest_interval_ms|", 20...60_000) { $0.bystanders.shortestInterval * 1_000 },
    ScenarioKey("[bystanders]\n|longest_interval_ms|", 20...60_000) { $0.bystanders.longestInterval * 1_000 },
    ScenarioKey("[bystanders]\n|power_dbm|", -120...20) { $0.bystanders.power },
    ScenarioKey("[bystanders]\n|power_spread_db|", 0...20) { $0.bystanders.powerSpread },
  ]
}
