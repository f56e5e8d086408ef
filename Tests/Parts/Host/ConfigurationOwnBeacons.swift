import Testing

@testable import Host

@Suite("a beacon of one's own that somebody looks for") struct ConfigurationOwnBeacons {
  private static let uuid = "2f234454-cf6d-4a0f-adf2-f4911ba9ffa6"
  private static let beacon = "[[transmit]]\nuuid = \"\(uuid)\"\nmajor = 7\nminor = 9\n"

  private func warnings(_ text: String) throws -> [String] {
    try Configuration(reading: source(shortest + text)).warnings.map { $0.line(in: "c") }.filter { $0.contains("own beacon") }
  }

  private func table(_ kind: String, _ name: String, _ match: String) -> String {
    "[[\(kind)]]\nname = \"\(name)\"\nmatch = \"\(match)\"\n"
  }

  private static let end =
    ". This gateway's triggers ignore its own beacon; its regions, and all other gateways that match it, take it for a customer's. "
    + "Send another id, or match fewer"

  @Test("is warned of where a trigger or a region matches it, wherever it stands in the file") func matched() throws {
    let place = "c:2:1: warning: transmit 1: is matched by "
    for match in ["ibeacon:\(Self.uuid):*", "ibeacon:\(Self.uuid):7:9", "ibeacon:*", "*"] {
      let told = try warnings(Self.beacon + table("trigger", "pump", match))
      #expect(told == [place + "trigger \"pump\"" + Self.end])
      #expect(try warnings(Self.beacon + table("region", "yard", match)) == [place + "region \"yard\"" + Self.end])
      #expect(try warnings(table("trigger", "pump", match) + Self.beacon).count == 1)
    }
    let both = try warnings(Self.beacon + table("region", "yard", "*") + table("trigger", "pump", "*"))
    #expect(both == [place + "trigger \"pump\" and region \"yard\"" + Self.end])
  }

  @Test("is not where nothing does, nor is a URL, nor what is refused for another reason") func unmatched() throws {
    for match in ["ibeacon:\(Self.uuid):8:*", "ibeacon:\(Self.uuid):7:8", "altbeacon:*", "peer:*"] {
      #expect(try warnings(Self.beacon + table("trigger", "pump", match)) == [], "\(match)")
    }
    let page = "[[transmit]]\nkind = \"eddystone-url\"\nurl = \"https://a.io\"\n"
    #expect(try warnings(page + table("trigger", "pump", "eddystone:*")) == [])
    let refused = findings(shortest + Self.beacon + "interval_ms = 1\n" + table("trigger", "pump", "*"))
    #expect(refused.count == 1 && refused[0].contains("interval_ms"), "\(refused)")
  }

  @Test("each kind is compared as what others hear; of many names three are told") func kinds() throws {
    let id = "2f234454cf6d4a0fadf2f4911ba9ffa600070001"
    let alt = "[[transmit]]\nkind = \"altbeacon\"\nid = \"\(id)\"\n"
    let uid = "[[transmit]]\nkind = \"eddystone-uid\"\nnamespace = \"edd1ebeac04e5defa017\"\ninstance = \"0123456789ab\"\n"
    #expect(try warnings(alt + table("trigger", "a", "altbeacon:\(id)")).count == 1)
    #expect(try warnings(uid + table("trigger", "a", "eddystone:edd1ebeac04e5defa017:*")).count == 1)
    #expect(try warnings(alt + uid + table("trigger", "a", "ibeacon:*")) == [])
    let many = try warnings(alt + (0..<5).map { table("region", "r\($0)", "*") }.joined())
    #expect(many.count == 1 && many[0].contains("region \"r0\", region \"r1\", region \"r2\" and 2 more. "), "\(many)")
  }
}
