import Testing

@testable import Host

/// A configuration that is refused, and every line that says why.
struct WrongConfiguration: CustomTestStringConvertible {
  let name: String
  let toml: String
  /// Without the file's name.
  let lines: [String]

  init(_ name: String, _ toml: String, _ lines: [String]) {
    self.name = name
    self.toml = toml
    self.lines = lines
  }

  var testDescription: String { name }
}

@Suite("every error is reported at its place")
struct ConfigurationErrors {
  @Test(
    "every wrong value has its sentence and place",
    arguments: WrongConfiguration.shape + WrongConfiguration.ranges + WrongConfiguration.radios + WrongConfiguration.secrets)
  func wrong(_ configuration: WrongConfiguration) {
    #expect(findings(configuration.toml + "\n") == configuration.lines.map { "config.toml:" + $0 })
  }

  @Test("a shared adapter makes no connections and sends nothing of ours") func shared() {
    let radio = "gateway.purpose = \"tests\"\n[[radio]]\nname = \"r\"\nadapter = \"hci1\"\nmode = \"raw\"\n"
    let words = "needs an adapter in mode \"user\"; radio 1 is shared (mode = \"raw\")"
    #expect(
      findings(radio + "[peer]\nidentify = true\nserve = true\n[[transmit]]\nkind = \"eddystone-url\"\nurl = \"https://a.io\"\n").filter {
        $0.contains("shared")
      } == [
        "config.toml:6:2: peer: identify \(words)", "config.toml:6:2: peer: serve \(words)", "config.toml:9:3: transmit \(words)",
      ])
  }

  @Test("a name has 1 to 32 bytes, however many letters that are", arguments: ["a", "ü", "€", "\u{1F600}"])
  func lengths(letter: String) {
    for count in 0...40 {
      let name = String(repeating: letter, count: count)
      let bytes = name.utf8.count
      let words = bytes == 0 ? "must not be empty" : bytes > 32 ? "is longer than 32 bytes" : nil
      let found = findings(shortest + "gateway.name = \"\(name)\"\n")
      #expect(found.count == (words == nil ? 0 : 1), "\(count): \(found)")
      if let words { #expect(found.first?.hasPrefix("config.toml:2:9: gateway: name (") == true && found.first?.hasSuffix(words) == true) }
    }
  }

  @Test("a selector that is too long is told why, however long it is", arguments: [39, 40, 100, 159, 160, 161, 200, 320, 321, 1_000])
  func longSelectors(length: Int) {
    let selector = "name:" + String(repeating: "a", count: length - 7) + "@*"
    let words = length > 160 ? "is longer than any selector can be" : "has a name longer than 33 bytes; write its beginning and *@*"
    let found = findings(shortest + "[[region]]\nname = \"r\"\nmatch = \"\(selector)\"\n")
    #expect(found.count == (length > 40 ? 1 : 0) && found.allSatisfy { $0.hasSuffix(words) }, "\(found)")
  }

  @Test("invalid UTF-8 is reported at its place, too") func bytes() {
    let lines = found(ConfigurationText(name: "config.toml", text: Array("a = \"".utf8) + [0xFF])).map { $0.line(in: "config.toml") }
    #expect(lines == ["config.toml:1:5: syntax error: Encountered invalid utf-8 sequence: save the file as UTF-8"])
  }

  @Test("doubtful settings are warnings, not errors") func warnings() throws {
    let toml = shortest + "[mqtt]\ntls_ca = \"/\"\ntls_insecure = true\n[[region]]\nname = \"r\"\nmatch = \"peer:*\"\n"
    let configuration = try Configuration(reading: source(toml))
    #expect(
      configuration.warnings.map { $0.line(in: "config.toml") } == [
        "config.toml:4:1: warning: mqtt: tls_insecure lets anybody with a certificate of the same authority pose as the broker",
        #"config.toml:7:9: warning: region "r": match: "peer:*" matches no device until a gateway asks phones: [peer] identify = true"#,
      ])
  }

  @Test("the port of TLS without TLS is warned of") func securePort() {
    let words = "config.toml:2:6: warning: mqtt: port (8883) is for TLS, which only tls_ca switches on"
    #expect(findings(shortest + "mqtt.port = 8883\n") == [words])
    #expect(findings(shortest + "mqtt.port = 8884\n") == [] && findings(shortest + "mqtt.port = 8883\nmqtt.tls_ca = \"/\"\n") == [])
  }

  @Test("a limit itself is allowed, one more is not") func limits() {
    func regions(_ count: Int) -> String { (0..<count).map { "[[region]]\nname = \"r\($0)\"\nmatch = \"*\"\n" }.joined() }
    #expect(findings(shortest + regions(64)) == [])
    #expect(findings(shortest + regions(65)) == ["config.toml:194:1: region: there are 65 of them; at most 64 are possible"])

    func selectors(_ count: Int) -> String {
      "[[region]]\nname = \"r\"\nmatch = [" + (0..<count).map { "\"irk:*\"\($0 == count ? "" : ",\n")" }.joined() + "]\n"
    }
    #expect(findings(shortest + selectors(512)) == [])
    #expect(findings(shortest + selectors(513)) == [#"config.toml:516:1: region "r": match: there are more than 512 selectors in all"#])
  }

  @Test(
    "so is it for every list",
    arguments: [
      ("radio", 4, "name = \"r#\"\nadapter = \"hci#\""), ("device", 128, "name = \"d#\"\nmatch = \"*\""),
      ("trigger", 64, "name = \"t#\"\nmatch = \"*\"\ngroup = \"g\""), ("transmit", 8, "uuid = \"2f234454-cf6d-4a0f-adf2-f4911ba9ffa6\""),
      ("calibration.device", 256, "match = \"*\""), ("key.irk", 256, "alias = \"k#\"\nkey = \"ec0234a357c8ad05341010a60a39%\""),
      ("key.eid", 256, "alias = \"k#\"\nkey = \"ec0234a357c8ad05341010a60a39%\"\nexponent = 9\nclock = 7"),
    ])
  func lists(name: String, most: Int, table: String) {
    func tables(_ count: Int) -> String {
      (0..<count).map { "[[\(name)]]\n\(table.replacing("#", with: "\($0)").replacing("%", with: "\($0 + 1_000)"))\n" }.joined()
    }
    #expect(findings(shortest + tables(most)) == [])
    let line = 2 + most * (1 + table.split(separator: "\n").count)
    let words = "there are \(most + 1) of them; at most \(most) are possible"
    #expect(findings(shortest + tables(most + 1)) == ["config.toml:\(line):1: \(name): \(words)"])
  }

  @Test("256 keys of both kinds together, and 64 gateways on the roster") func together() {
    func keys(_ kind: String, _ count: Int) -> String {
      let more = kind == "eid" ? "exponent = 9\nclock = 7\n" : ""
      let key = "ec0234a357c8ad05341010a60a39"
      return (0..<count).map { "[[key.\(kind)]]\nalias = \"\(kind)\($0)\"\nkey = \"\(key)\($0 + 1_000)\"\n\(more)" }.joined()
    }
    #expect(findings(shortest + keys("irk", 200) + keys("eid", 56)) == [])
    #expect(
      findings(shortest + keys("irk", 200) + keys("eid", 57)) == [
        "config.toml:882:1: key.eid \"eid56\": there are more than 256 keys in all"
      ])
    func roster(_ count: Int) -> String { "[site]\ngateways = [\"gateway\"" + (1..<count).map { ", \"g\($0)\"" }.joined() + "]\n" }
    #expect(findings(shortest + roster(64)) == [])
    let found = findings(shortest + roster(65))
    #expect(found.count == 1 && found[0].hasSuffix(": site: gateways: there are more than 64"), "\(found)")
  }

  @Test("sixteen services can be watched") func services() {
    func region(_ count: Int) -> String {
      "[[region]]\nname = \"r\"\nmatch = [" + (0..<count).map { "\"service:\(String(0x1800 + $0, radix: 16))@*\"" }.joined(separator: ",\n")
        + "]\n"
    }
    #expect(findings(shortest + region(16)) == [])
    #expect(findings(shortest + region(17)) == [#"config.toml:20:1: region "r": there are more than 16 different service UUIDs in all"#])
    #expect(findings(shortest + "[peer]\nidentify = true\n" + region(16)).count == 1)
  }
}
