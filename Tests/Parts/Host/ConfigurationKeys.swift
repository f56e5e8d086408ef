import Core
import Testing

@testable import Host

/// One key with a value that is not its default, and what that must set.
struct Setting {
  let keys: [String]
  let toml: String
  let isSet: @Sendable (borrowing Configuration) -> Bool

  /// `keys` in a table, which comes behind whatever else it needs.
  init(_ table: String, _ keys: [String], beside: String = "", isSet: @escaping @Sendable (borrowing Configuration) -> Bool) {
    let name = table.replacing("[", with: "").replacing("]", with: "").split(separator: "\n").last ?? ""
    self.keys = keys.map { "\(name)." + ($0.split(separator: " ").first ?? "") }
    toml = "\(table)\n\(beside)\n\(keys.joined(separator: "\n"))\n"
    self.isSet = isSet
  }
}

@Suite("every key reaches its place")
struct ConfigurationKeys {
  static let all = gateway + site + radio + air + trigger + peer + transmit + broker

  @Test("each key alone", arguments: all.indices) func alone(_ index: Int) throws {
    let setting = Self.all[index]
    let text = setting.toml.contains("purpose") ? setting.toml : shortest + setting.toml
    #expect(findings(text) == [], "\(setting.toml)")
    #expect(setting.isSet(try Configuration(reading: source(text))), "\(setting.toml)")
    #expect(!setting.isSet(try Configuration(reading: source(shortest))), "the default is no proof: \(setting.toml)")
  }

  @Test("no key is left out") func complete() throws {
    let tried = Set(Self.all.flatMap { $0.keys })
    // ConfigurationSecretFiles has these.
    let files = [
      "mqtt.tls_insecure", "mqtt.password_file", "mqtt.tls_cert", "mqtt.tls_key", "key.irk.key_file", "key.eid.key_file",
      "security.signing_key_file", "security.site_key_file",
    ]
    let tables = ["calibration.device", "key.irk", "key.eid"]
    let known = keysOfTheCode(in: Set(try Manual().tables).union(["key"]))
    #expect(known.subtracting(tried).subtracting(files).subtracting(tables) == [])
  }

  static let uuid = "2f234454-cf6d-4a0f-adf2-f4911ba9ffa6"

  static let gateway = [
    Setting("[gateway]", ["purpose = \"told\""]) { $0.core.gateway.purpose == Sentence("told") },
    Setting("[gateway]", ["name = \"island ü\""], beside: "purpose = \"x\"") { $0.core.gateway.name == Name("island ü" as StaticString) },
    Setting("[gateway]", ["site = \"s\""], beside: "purpose = \"x\"") { $0.core.gateway.site == Name("s" as StaticString) },
    Setting("[gateway]", ["authorization = \"denied\""], beside: "purpose = \"x\"") { $0.core.gateway.authorization == .denied },
    Setting("[gateway]", ["authorization = \"when-in-use\""], beside: "purpose = \"x\"") { $0.core.gateway.authorization == .whenInUse },
    Setting("[gateway]", ["devices = 65536"], beside: "purpose = \"x\"") { $0.core.gateway.devices == 65_536 },
  ]

  static let site = [
    Setting("[site]", ["gateways = [\"gateway\", \"island-2/pumps/doors\"]"]) {
      let roster = $0.core.site.roster
      guard roster.count == 2, roster[0].groups.isEverything, !roster[1].groups.isEverything else { return false }
      return roster[1].name == Name("island-2" as StaticString) && roster[1].groups.text == Text("pumps/doors" as StaticString)
    },
    Setting("[site]", ["forget_after_s = 3600"]) { $0.core.site.forgetAfter == .seconds(3_600) },
  ]

  static let radio = [
    Setting("[[radio]]", ["name = \"left\""]) { $0.core.radios[0].name == Name("left" as StaticString) && $0.core.radios.count == 1 },
    adapter("hci3") { if case .hci(.number(3), .user) = $0 { true } else { false } },
    adapter("aA:BB:cc:00:EE:0f") {
      if case .hci(.address(let address), .user) = $0 { address == Address(0xAABB_CC00_EE0F, type: 0) } else { false }
    },
    adapter("h4:/dev/ttyACM0") { if case .h4("/dev/ttyACM0", 1_000_000) = $0 { true } else { false } },
    adapter("h4:dev@me@115200") { if case .h4("dev@me", 115_200) = $0 { true } else { false } },
    adapter("tcp:controller:9000") { if case .tcp("controller", 9_000) = $0 { true } else { false } },
    adapter("tcp:[::1]:9000") { if case .tcp("::1", 9_000) = $0 { true } else { false } },
    adapter("unix:/run/air") { if case .unix("/run/air") = $0 { true } else { false } },
    adapter("capture:walk.btsnoop") { if case .capture("walk.btsnoop") = $0 { true } else { false } },
    adapter("simulate:site.txt") { if case .simulate("site.txt") = $0 { true } else { false } },
    adapter("capture:walk.btsnoop") { $0.isRehearsal },
    Setting("[[radio]]", ["adapter = \"simulate:x\""], beside: "name = \"r\"") { $0.core.gateway.simulated },
    Setting("[[radio]]", ["mode = \"raw\""], beside: "name = \"r\"") {
      if case .hci(.number(0), .raw) = $0.host.adapters[0] { true } else { false }
    },
    Setting("[[radio]]", ["scan = \"passive\""], beside: "name = \"r\"") { !$0.core.radios[0].activeScan },
    Setting("[[radio]]", ["interval_ms = 100", "window_ms = 12.5"], beside: "name = \"r\"") {
      $0.core.radios[0].interval == .milliseconds(100) && $0.core.radios[0].window == Interval(microseconds: 12_500)
    },
    Setting("[[radio]]", ["interval_ms = 40"], beside: "name = \"r\"") { $0.core.radios[0].window == .milliseconds(40) },
    Setting("[[radio]]", ["phys = [\"coded\"]"], beside: "name = \"r\"") { $0.core.radios[0].codedPhy && !$0.core.radios[0].oneMegabitPhy },
    Setting("[[radio]]", ["at_m = [8, 0.5]"], beside: "name = \"r\"") { $0.core.radios[0].point == PlanPoint(x: 8, y: 0.5) },
    Setting("[[radio]]", ["receive_offset_db = -2.5"], beside: "name = \"r\"") { $0.core.radios[0].receiveOffset == Decibels(-2.5) },
  ]

  private static func adapter(_ text: String, _ isRight: @escaping @Sendable (Adapter) -> Bool) -> Setting {
    Setting("[[radio]]", ["adapter = \"\(text)\""], beside: "name = \"r\"") { isRight($0.host.adapters[0]) && $0.host.adapters.count == 1 }
  }

  static let air = [
    Setting("[calibration]", ["path_loss_exponent = 3"]) { $0.core.calibration.pathLossExponent == 3 },
    Setting("[calibration]", ["measured_power_dbm = -60"]) { $0.core.calibration.measuredPower == Decibels(-60) },
    Setting("[calibration]", ["doubt_db = 4"]) { $0.core.calibration.doubt == Decibels(4) },
    Setting("[calibration]", ["learn = false"]) { !$0.core.calibration.learns },
    Setting("[[calibration.device]]", ["match = \"irk:*\"", "measured_power_dbm = -61"], beside: "") {
      $0.core.calibration.devices.count == 1 && $0.core.calibration.devices[0].measuredPower == Decibels(-61)
        && $0.core.selectors[Int($0.core.calibration.devices[0].match.start)].kind == .irk
    },
    Setting("[average]", ["time_constant_s = 0.5"]) { $0.core.average.timeConstant == .milliseconds(500) },
    Setting("[average]", ["window_samples = 8"]) { $0.core.average.windowSamples == 8 },
    Setting("[average]", ["outlier_db = 9"]) { $0.core.average.outlier == Decibels(9) },
    Setting("[average]", ["stale_s = 20"]) { $0.core.average.stale == .milliseconds(20_000) },
    Setting("[zones]", ["immediate_dbm = -50", "near_dbm = -66"]) {
      if case .levels(Decibels(-50), Decibels(-66)) = $0.core.zones.edges { true } else { false }
    },
    Setting("[zones]", ["immediate_m = 1", "near_m = 5"]) {
      if case .distances(Meters(1), Meters(5)) = $0.core.zones.edges { true } else { false }
    },
    Setting("[zones]", ["near_m = 5"]) { if case .distances(Meters(0.5), Meters(5)) = $0.core.zones.edges { true } else { false } },
    Setting("[zones]", ["hysteresis_db = 2"]) { $0.core.zones.hysteresis == Decibels(2) },
    Setting("[ranging]", ["interval_s = 2"]) { $0.core.ranging.interval == .milliseconds(2_000) },
    Setting("[ranging]", ["extend_s = 180"]) { $0.core.ranging.extend == .milliseconds(180_000) },
  ]
}
