import Core
import Testing

@testable import Host

extension ConfigurationKeys {
  private static let named = "name = \"r\"\nmatch = \"*\""

  static let trigger = [
    Setting("[[device]]", ["name = \"anna\"", "match = [\"irk:*\", \"eid:*\"]"]) {
      $0.core.deviceNames.count == 1 && $0.core.deviceNames[0].name == Name("anna" as StaticString)
        && $0.core.deviceNames[0].match.range == 0..<2
    },
    Setting("[[region]]", ["name = \"n\"", "match = [\"irk:*\", \"eid:*\"]"]) {
      $0.core.regions.count == 1 && $0.core.regions[0].name == Name("n" as StaticString) && $0.core.regions[0].match.range == 0..<2
        && $0.core.selectors[1].kind == .eid
    },
    Setting("[[region]]", ["exit_s = 12"], beside: named) {
      if $0.core.regions.count == 1, case .after(.seconds(12)) = $0.core.regions[0].exit { true } else { false }
    },
    Setting("[[region]]", ["exit_s = \"auto\""], beside: named) {
      if $0.core.regions.count == 1, case .auto = $0.core.regions[0].exit { true } else { false }
    },
    Setting("[[region]]", ["minimum_dbm = -80"], beside: named) {
      $0.core.regions.count == 1 && $0.core.regions[0].minimum == Decibels(-80)
    },
    Setting("[[trigger]]", ["name = \"n\"", "match = \"*\""]) {
      $0.core.triggers.count == 1 && $0.core.triggers[0].name == Name("n" as StaticString)
    },
    Setting("[[radio]]\nname = \"a\"\n[[radio]]\nname = \"b\"\nadapter = \"hci1\"\n[[trigger]]", ["radio = \"b\""], beside: named) {
      $0.core.triggers.count == 1 && $0.core.triggers[0].radio == 1
    },
    of("arm_m = 9") { $0.arm == Meters(9) },
    of("fire_m = 2") { $0.fire == Meters(2) },
    of("leave_m = 5") { $0.leave == Meters(5) },
    of("dwell_s = 1.5") { $0.dwell == .milliseconds(1_500) },
    of("min_samples = 7") { $0.minimumSamples == 7 },
    of("min_rate_hz = 0.25") { $0.minimumRate == 0.25 },
    of("refractory_s = 5") { $0.refractory == .milliseconds(5_000) },
    Setting("[[trigger]]", ["refractory_s = 45"], beside: named + "\ngroup = \"g\"") {
      $0.core.triggers.count == 1 && $0.core.triggers[0].groupRefractory == .seconds(45)
    },
    Setting("[[trigger]]", ["group_refractory_s = 90"], beside: named + "\ngroup = \"g\"") {
      $0.core.triggers.count == 1 && $0.core.triggers[0].groupRefractory == .seconds(90)
    },
    of("expires_s = 5") { $0.expires == .milliseconds(5_000) },
    of("group = \"pumps\"") { $0.group == Name("pumps" as StaticString) },
    Setting("[[trigger]]", ["margin_db = 4", "settle_s = 0"], beside: named + "\ngroup = \"g\"") {
      $0.core.triggers.count == 1 && $0.core.triggers[0].margin == Decibels(4) && $0.core.triggers[0].settle == .zero
    },
    Setting(
      "[[radio]]\nname = \"a\"\nat_m = [0, 0]\n[[trigger]]", ["at_m = [3, -4.5]"], beside: named + "\ngroup = \"g\""
    ) { $0.core.triggers.count == 1 && $0.core.triggers[0].point == PlanPoint(x: 3, y: -4.5) },
  ]

  private static func of(_ line: String, _ isRight: @escaping @Sendable (TriggerSettings) -> Bool) -> Setting {
    Setting("[[trigger]]", [line], beside: named) { $0.core.triggers.count == 1 && isRight($0.core.triggers[0]) }
  }

  private static let hexadecimal = "ec0234a357c8ad05341010a60a397d9b"

  static let peer = [
    Setting("[[key.irk]]", ["alias = \"a\"", "key = \"\(hexadecimal)\""]) {
      $0.core.keys.count == 1 && $0.core.keys[0].alias == Name("a" as StaticString) && $0.core.keys[0].key[0] == 0xEC
        && $0.core.keys[0].key[15] == 0x9B
    },
    Setting("[[key.eid]]", ["alias = \"a\"", "key = \"\(hexadecimal)\"", "exponent = 10", "clock = 4294967295"]) {
      if $0.core.keys.count == 1, case .eid(10, 4_294_967_295) = $0.core.keys[0].kind { true } else { false }
    },
    Setting("[peer]", ["service = \"180f\""]) { $0.core.peer.service == ServiceUUID(short: 0x180F) },
    Setting("[peer]", ["id_prefix = \"01234567-89ab-cdef-0123-4567\""]) {
      $0.core.peer.idPrefix == ServiceUUID(0x0123_4567_89AB_CDEF, 0x0123_4567_0000_0000)
    },
    Setting("[peer]", ["identify = true"]) { $0.core.peer.identify && $0.core.services.count == 1 },
    Setting("[peer]", ["serve = true"]) { $0.core.peer.serve },
    Setting("[peer]", ["hold = true"], beside: "identify = true") { $0.core.peer.hold },
    Setting("[peer]", ["id_file = \"id\""]) { same($0.host.idFile, "id") },
  ]

  static let transmit = [
    Setting("[[transmit]]", ["uuid = \"\(uuid)\"", "major = 258", "minor = 772"]) {
      content($0) == [0x2F, 0x23, 0x44, 0x54, 0xCF, 0x6D, 0x4A, 0x0F, 0xAD, 0xF2, 0xF4, 0x91, 0x1B, 0xA9, 0xFF, 0xA6, 1, 2, 3, 4]
    },
    Setting("[[transmit]]", ["kind = \"altbeacon\"", "id = \"000102030405060708090a0b0c0d0e0f10111213\"", "company = 0x4C"]) {
      content($0) == Array(0...19) && $0.core.transmissions[0].company == 0x4C
    },
    Setting("[[transmit]]", ["kind = \"eddystone-uid\"", "namespace = \"00010203040506070809\"", "instance = \"0a0b0c0d0e0f\""]) {
      content($0) == Array(0...15)
    },
    Setting("[[transmit]]", ["kind = \"eddystone-url\"", "url = \"https://www.a.org/b.info\""]) {
      content($0) == [1] + Array("a".utf8) + [1] + Array("b".utf8) + [11]
    },
    sent("tx_power_dbm = -4") { $0.txPower == -4 },
    sent("measured_power_dbm = -65") { $0.measuredPower == Decibels(-65) },
    sent("interval_ms = 250") { $0.interval == .milliseconds(250) },
  ]

  private static func sent(_ line: String, _ isRight: @escaping @Sendable (TransmitSettings) -> Bool) -> Setting {
    Setting("[[transmit]]", [line], beside: "uuid = \"\(uuid)\"") { $0.core.transmissions.count == 1 && isRight($0.core.transmissions[0]) }
  }

  private static func content(_ configuration: borrowing Configuration) -> [UInt8] {
    guard configuration.core.transmissions.count == 1 else { return [] }
    let content = configuration.core.transmissions[0].content
    return (0..<content.count).map { content[$0] }
  }

  static let broker = [
    Setting("[mqtt]", ["host = \"broker.example\""]) { same(String($0.host.broker.host), "broker.example") },
    Setting("[mqtt]", ["port = 65535"]) { $0.host.broker.port == 65_535 },
    Setting("[mqtt]", ["version = 4"]) { $0.host.broker.version == .v311 },
    Setting("[mqtt]", ["prefix = \"p\""]) { $0.core.publish.prefix == Name("p" as StaticString) },
    Setting("[mqtt]", ["username = \"u\""]) { same(String($0.host.broker.username), "u") },
    Setting("[mqtt]", ["keepalive_s = 5"]) { $0.host.broker.keepalive == .seconds(5) },
    Setting("[mqtt]", ["tls_ca = \"/\""]) { same(String($0.host.broker.authorities), "/") && $0.host.broker.port == 8_883 },
    Setting("[publish]", ["interval_s = 5"]) { $0.core.publish.interval == .milliseconds(5_000) },
    Setting("[publish]", ["skip_m = 0.25"]) { $0.core.publish.skip == Meters(0.25) },
    Setting("[publish]", ["telemetry_s = 15"]) { $0.core.publish.telemetry == .milliseconds(15_000) },
    Setting("[publish]", ["metrics_file = \"/run/m.prom\""]) { $0.host.metricsFile == "/run/m.prom" },
    Setting("[outbox]", ["path = \"box.db\""]) { same(String($0.host.outbox.path), "box.db") },
    Setting("[outbox]", ["max_events = 500"]) { $0.host.outbox.maxEvents == 500 },
    Setting("[outbox]", ["max_age_s = 3600"]) { $0.host.outbox.maxAge == .seconds(3_600) },
    Setting("[command]", ["enabled = true"]) { $0.core.publish.commands },
    Setting("[home_assistant]", ["discovery = true"]) { $0.core.publish.homeAssistant },
    Setting("[privacy]", ["unknown = \"hash\""]) { $0.core.publish.unknown == .hash },
    Setting("[privacy]", ["unknown = \"publish\""]) { $0.core.publish.unknown == .publish },
    Setting("[privacy]", ["salt_file = \"salt\""]) { same($0.host.saltFile, "salt") },
    Setting("[log]", ["level = \"debug\""]) { $0.host.log.level == .debug },
    Setting("[log]", ["format = \"json\""]) { $0.host.log.format == .json },
  ]
}
