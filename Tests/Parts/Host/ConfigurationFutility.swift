import Core
import Testing

@testable import Host

@Suite("what can never work")
struct ConfigurationFutility {
  private func futile(_ toml: String) throws -> [String] {
    try Configuration(reading: source(shortest + toml)).futile.map { $0.line(in: "c") }
  }

  private static let trigger = "[[trigger]]\nname = \"t\"\nmatch = \"*\"\n"

  @Test("an authorization that listens to nothing, beside what should happen") func authorization() throws {
    let denied = try futile("gateway.authorization = \"denied\"\n" + Self.trigger)
    #expect(denied.count == 1 && denied[0].hasPrefix("c:2:9: warning: gateway: authorization = \"denied\" keeps the radios off"))
    let inUse = try futile("gateway.authorization = \"when-in-use\"\n" + Self.trigger)
    #expect(inUse.count == 2 && inUse[0].contains("monitors no region and no trigger") && inUse[1].contains("[command] enabled = true"))
    #expect(try futile("gateway.authorization = \"when-in-use\"\ncommand.enabled = true\nprivacy.unknown = \"publish\"\n") == [])
    #expect(try futile(Self.trigger) == [])
  }

  @Test("nothing to look for") func nothing() throws {
    #expect(
      try futile("") == [
        "c:1:1: warning: gateway: there is no [[trigger]] and no [[region]]: no device is looked for, and nothing is published of any"
      ])
    #expect(try futile("privacy.unknown = \"publish\"\n") == [])
    #expect(try futile("[[region]]\nname = \"r\"\nmatch = \"*\"\n") == [])
  }

  @Test("more samples than the radio can receive") func samples() throws {
    let radios = "[[radio]]\nname = \"a\"\ninterval_ms = 100\nwindow_ms = 10\n[[radio]]\nname = \"b\"\nadapter = \"hci1\"\n"
    #expect(try futile(Self.trigger + "min_rate_hz = 10\n") == [])
    let rate = try futile(Self.trigger + "min_rate_hz = 11\n")
    #expect(rate.count == 1 && rate[0].hasPrefix("c:5:1: warning: trigger \"t\": min_rate_hz (11) is never reached: "), "\(rate)")
    #expect(try futile(radios + Self.trigger + "min_rate_hz = 2\n") == [], "the other radio is quick enough")
    #expect(try futile(radios + Self.trigger + "min_rate_hz = 2\nradio = \"a\"\n").count == 1)
    #expect(try futile(radios + Self.trigger + "min_samples = 70\nradio = \"a\"\n").count == 1)
  }

  @Test("selectors that need a key that is not there") func keys() throws {
    let trigger = "[[trigger]]\nname = \"t\"\nmatch = [\"irk:*\", \"eid:*\"]\n"
    #expect(
      try futile(trigger) == [
        "c:4:10: warning: trigger \"t\": match: \"irk:*\" matches no device: there is no [[key.irk]]",
        "c:4:19: warning: trigger \"t\": match: \"eid:*\" matches no device: there is no [[key.eid]]",
      ])
    #expect(try futile("[[key.irk]]\nalias = \"a\"\nkey = \"ec0234a357c8ad05341010a60a397d9b\"\n" + trigger).count == 1)
  }

  @Test("a service without its UUID, which nobody listens for") func services() throws {
    let trigger = "[[trigger]]\nname = \"t\"\nmatch = [\"service:180f@*\", \"service:*\"]\n"
    let found = try futile(trigger)
    #expect(
      found == [
        "c:4:28: warning: trigger \"t\": match: without its UUID a service is only heard where another selector, or [peer], names it"
      ])
  }

  @Test("what is named before the section that it needs is read all the same, and services keep the file's order") func order() throws {
    let tables = [
      "[[region]]\nname = \"r\"\nmatch = \"service:180f@*\"\n", "[peer]\nidentify = true\nservice = \"180a\"\n",
      "[[calibration.device]]\nmatch = [\"peer:BC00BD17\", \"service:1812@*\"]\n",
    ]
    let services = [0x180F, 0x180A, 0x1812] as [UInt32]
    for order in [[0, 1, 2], [2, 0, 1], [1, 2, 0], [2, 1, 0]] {
      let configuration = try Configuration(reading: source(shortest + order.map { tables[$0] }.joined()))
      #expect(configuration.warnings.isEmpty)
      let found = configuration.core.services.indices.map { configuration.core.services[$0] }
      #expect(found == order.map { ServiceUUID(short: services[$0]) }, "\(order)")
    }
  }

  @Test("an address that a phone keeps for a quarter of an hour") func rotation() throws {
    func notes(_ selector: String) throws -> Int { try futile("[[trigger]]\nname = \"t\"\nmatch = \"\(selector)\"\n").count }
    #expect(try futile("[[trigger]]\nname = \"t\"\nmatch = \"address:4a:00:c1:7e:55:02\"\n").first?.hasPrefix("c:4:9: warning: ") == true)
    for (selector, count) in [
      ("address:7f:00:c1:7e:55:02", 1), ("address:c0:00:c1:7e:55:02", 0), ("address:00:1a:c1:7e:55:02", 0), ("address:4a:00:*", 0),
      ("name:a@4a:00:c1:7e:55:02", 1), ("name:a@*", 0), ("ibeacon:2f234454-cf6d-4a0f-adf2-f4911ba9ffa6:7:1", 0),
    ] { #expect(try notes(selector) == count, "\(selector)") }
  }

  @Test("a star before a name's end, which stands for nothing but itself") func stars() throws {
    let words = "c:4:9: warning: trigger \"t\": match: a * before a name's end is a letter of it: if it is meant, write %2A"
    for (selector, isTold) in [
      ("name:*Tag@*", true), ("name:T*g@*", true), ("name:**@*", true), ("name:*Tag@c0:00:c1:7e:55:02", true), ("name:%2ATag@*", false),
      ("name:Tag*@*", false), ("name:*@*", false), ("name:*", false), ("address:c0:*", false),
    ] { #expect(try futile("[[trigger]]\nname = \"t\"\nmatch = \"\(selector)\"\n") == (isTold ? [words] : []), "\(selector)") }
  }

  @Test("a name where no radio asks for scan responses, in which it mostly stands") func passive() throws {
    func told(_ first: String, _ second: String, _ match: String) throws -> [String] {
      let radios = "[[radio]]\nname = \"a\"\nscan = \"\(first)\"\n[[radio]]\nname = \"b\"\nadapter = \"hci1\"\nscan = \"\(second)\"\n"
      return try futile(radios + "[[trigger]]\nname = \"t\"\nmatch = \"\(match)\"\n")
    }
    let words =
      "c:11:9: warning: trigger \"t\": match: many devices tell their name only in a scan response, and scan = \"passive\" asks none for it: "
      + "set \"active\", unless forecourt scan shows this name"
    #expect(try told("passive", "passive", "name:Tag@*") == [words])
    #expect(try told("passive", "active", "name:Tag@*") == [] && told("passive", "passive", "address:c0:*") == [])
  }

  @Test("a calibration of what an earlier one has already, as a whole") func calibrations() throws {
    func told(_ matches: String...) throws -> [String] {
      try futile(Self.trigger + matches.map { "[[calibration.device]]\nmatch = [\($0)]\n" }.joined())
    }
    let beacon = "\"ibeacon:2f234454-cf6d-4a0f-adf2-f4911ba9ffa6:7:"
    let words = "matches all these devices, and the first holds: this one never applies"
    #expect(
      try told(beacon + "*\"", beacon + "1\"") == [
        "c:8:1: warning: calibration.device 2: match: the [[calibration.device]] of line 6 \(words)"
      ])
    for (first, second) in [
      (beacon + "1\"", beacon + "1\""), ("\"*\"", "\"irk:*\", \"name:a@*\""), ("\"eid:*\", \"irk:*\"", "\"irk:*\""),
      ("\"name:Bus*@*\"", "\"name:Bus 1@*\""),
    ] { #expect(try told(first, second).filter { $0.contains(words) }.count == 1, "\(first) \(second)") }
    for (first, second) in [
      (beacon + "1\"", beacon + "*\""), (beacon + "1\"", beacon + "1\", \"address:*\""), ("\"address:*\"", "\"*\""),
      (beacon + "1\"", beacon + "12\""),
    ] { #expect(try told(first, second).filter { $0.contains(words) } == [], "\(first) \(second)") }
    #expect(try told("\"altbeacon:*\"", "\"*\"", "\"address:*\"").first?.contains("of line 8 ") == true, "the one that covers it")
  }

  @Test("a name of what an earlier one has already, or of what nothing looks for") func names() throws {
    func told(_ sought: String, _ matches: String..., more: String = "") throws -> [String] {
      let devices = matches.enumerated().map { "[[device]]\nname = \"n\($0.offset)\"\nmatch = [\($0.element)]\n" }
      return try futile(more + "[[trigger]]\nname = \"t\"\nmatch = [\(sought)]\n" + devices.joined()).filter { $0.contains("device \"") }
    }
    let beacon = "\"ibeacon:2f234454-cf6d-4a0f-adf2-f4911ba9ffa6:"
    let covered = "match: the [[device]] of line 7 matches all these devices, and the first holds: this name is never shown"
    #expect(try told("\"*\"", beacon + "7:*\"", beacon + "7:1\"") == ["c:10:1: warning: device \"n1\": " + covered])
    #expect(try told("\"*\"", beacon + "7:1\"", beacon + "7:*\"", beacon + "7:2\", \"address:*\"") == [])
    let unused =
      "c:7:1: warning: device \"n0\": match: no region, trigger or calibration matches these devices: nothing is published of them, and the "
      + "name stands only in scan and explain. Let one match them, or take this table out"
    #expect(try told(beacon + "7:*\"", beacon + "8:1\"") == [unused])
    #expect(try told("\"peer:*\"", beacon + "8:1\"", more: "peer.identify = true\n").count == 1, "its id would be peer:")
    for sought in ["\"*\"", "\"ibeacon:*\"", beacon + "8:1\"", "\"irk:*\", \"ibeacon:*\"", "\"address:c0:00:*\"", "\"name:Tag@*\""] {
      #expect(try told(sought, beacon + "8:1\"") == [], "\(sought)")
    }
    #expect(try told(beacon + "7:*\"", beacon + "8:1\", " + beacon + "7:1\"") == [], "one of them is")
    let others = ["[[region]]\nname = \"r\"\n", "[[calibration.device]]\n"].map { $0 + "match = \(beacon)8:*\"\n" }
    for more in others + ["privacy.unknown = \"publish\"\n"] {
      #expect(try told(beacon + "7:*\"", beacon + "8:1\"", more: more) == [], "\(more)")
    }
    #expect(try futile("[[device]]\nname = \"n\"\nmatch = \"*\"\n").count == 1, "nothing is looked for at all")
  }

  @Test("a phone held where another radio or gateway should hear it, and only there") func hold() throws {
    func told(_ more: String, _ peer: String = "identify = true\nhold = true\n") throws -> [String] {
      try futile("[peer]\n" + peer + Self.trigger + more).filter { $0.contains("hold keeps a phone at the radio that connects first") }
    }
    let radios = ["a", "b"].map { "[[radio]]\nname = \"\($0)\"\nadapter = \"unix:\($0)\"\n" }
    for more in ["group = \"g\"\n", radios.joined()] {
      let found = try told(more)
      #expect(found.count == 1 && found[0].hasPrefix("c:4:1: warning: peer: hold keeps"), "\(found)")
      for peer in ["identify = true\n", "hold = true\n", "identify = true\nhold = false\n"] { #expect(try told(more, peer) == []) }
    }
    for more in ["", radios[0]] { #expect(try told(more) == []) }
  }

  @Test("a user without a password") func password() throws {
    let found = try futile("mqtt.username = \"u\"\n" + Self.trigger)
    #expect(found.count == 1 && found[0].contains("username has no password_file beside it"))
  }
}
