import Testing

@testable import Host

@Suite("triggers that would say everything twice")
struct ConfigurationOverlaps {
  /// Name, who, and what else.
  private typealias Row = (name: String, match: String, more: String)

  private func warnings(_ rows: [Row], _ before: String = "") throws -> [String] {
    let tables = rows.map { "[[trigger]]\nname = \"\($0.name)\"\nmatch = [\($0.match)]\n\($0.more)\n" }
    let configuration = try Configuration(reading: source(shortest + before + tables.joined()))
    return configuration.warnings.map { $0.line(in: "c") }.filter { $0.contains("compete") }
  }

  private static let uuid = "2f234454-cf6d-4a0f-adf2-f4911ba9ffa6"

  @Test(
    "of two triggers for the same devices and distance without a common group the later is warned about",
    arguments: [
      ("\"*\"", "\"irk:anna\""), ("\"ibeacon:*\"", "\"ibeacon:\(uuid):7:1\""), ("\"ibeacon:\(uuid):*\"", "\"ibeacon:\(uuid):7:*\""),
      ("\"irk:*\", \"peer:0000BEEF\"", "\"peer:0000BEEF\""), ("\"name:Bus*@*\"", "\"name:Bus 1@*\""),
      ("\"service:feaa@*\"", "\"service:feaa@aa:bb:cc:dd:ee:ff\""), ("\"address:aa:bb:*\"", "\"address:aa:bb:cc:dd:ee:ff\""),
    ]) func same(_ first: String, _ second: String) throws
  {
    let keys = "[[key.irk]]\nalias = \"anna\"\nkey = \"ec0234a357c8ad05341010a60a397d9b\"\n"
    for (one, other) in [(first, second), (second, first), (first, first)] {
      let told = try warnings([("a", one, ""), ("b", other, "fire_m = 1.6\nleave_m = 4")], keys)
      #expect(told.count == 1 && told[0].contains("trigger \"b\": match matches the same devices as trigger \"a\", as near"), "\(told)")
      #expect(try warnings([("a", one, "group = \"g\""), ("b", other, "group = \"g\"")], keys) == [])
      // A typo is not the end of it.
      #expect(try warnings([("a", one, "group = \"north\""), ("b", other, "group = \"south\"")], keys).count == 1)
    }
  }

  @Test("a greeting from afar and a door at hand are both wanted; so are two kinds of people") func wanted() throws {
    #expect(try warnings([("greeting", "\"*\"", "arm_m = 12\nfire_m = 8\nleave_m = 12"), ("door", "\"*\"", "fire_m = 1")]) == [])
    #expect(try warnings([("a", "\"ibeacon:\(Self.uuid):7:*\"", ""), ("b", "\"ibeacon:\(Self.uuid):8:*\"", "")]) == [])
    #expect(try warnings([("a", "\"name:Bus@*\"", ""), ("b", "\"name:Bus 1@*\"", "")]) == [])
    #expect(try warnings([("a", "\"irk:*\"", ""), ("b", "\"ibeacon:*\"", "")]) == [])
  }

  @Test("two radios may stand side by side: the same circle at each is told, too") func radios() throws {
    let two = "[[radio]]\nname = \"left\"\n[[radio]]\nname = \"right\"\nadapter = \"hci1\"\n"
    #expect(try warnings([("a", "\"*\"", "radio = \"left\""), ("b", "\"*\"", "radio = \"right\"")], two).count == 1)
  }

  @Test("two of one group at one radio receive alike, and nobody leads: not so at two radios, at two places, for others, without a margin")
  func stalemates() throws {
    let two = "[[radio]]\nname = \"left\"\nat_m = [0, 0]\n[[radio]]\nname = \"right\"\nadapter = \"hci1\"\nat_m = [9, 0]\n"
    func told(_ one: String, _ other: String, _ before: String = "", matches: (String, String) = ("*", "irk:*")) throws -> [String] {
      let tables =
        "[[trigger]]\nname = \"a\"\nmatch = \"\(matches.0)\"\n\(one)\n[[trigger]]\nname = \"b\"\nmatch = \"\(matches.1)\"\n\(other)\n"
      return try Configuration(reading: source(shortest + before + tables)).futile.map { $0.line(in: "c") }
        .filter { $0.contains("nobody is served") }
    }
    let grouped = "group = \"g\""
    let words =
      "group (\"g\") has trigger \"a\" at the same radio: both receive a device alike, neither leads by margin_db, and nobody is served"
    let found = try told(grouped, grouped)
    #expect(found.count == 1 && found[0].hasPrefix("c:9:1: warning: trigger \"b\": \(words)"), "\(found)")
    let left = grouped + "\nradio = \"left\""
    #expect(try told(left, left, two).count == 1)
    #expect(try told(grouped, grouped + "\nfire_m = 1", matches: ("irk:*", "irk:*")).count == 1)
    #expect(try told(left, grouped + "\nradio = \"right\"", two) == [])
    #expect(try told(left, left + "\nat_m = [3, 0]", two) == [], "all radios may tell two places")
    let unnamed = try told(left, grouped, two)
    #expect(unnamed.count == 1 && unnamed[0].contains("at what may be the same radio: both"), "\(unnamed)")
    #expect(try told(grouped, grouped, two).count == 1 && told(grouped + "\nradio = \"right\"", grouped, two) == [], "the first's place")
    let unplaced = "[[radio]]\nname = \"left\"\n[[radio]]\nname = \"right\"\nadapter = \"hci1\"\n"
    #expect(try told(grouped + "\nradio = \"right\"", grouped, unplaced).count == 1)
    #expect(try told(grouped, "group = \"h\"") == [] && told("", "") == [])
    #expect(try told(grouped + "\nmargin_db = 0", grouped) == [] && told(grouped, grouped + "\nmargin_db = 0") == [])
    #expect(try told(grouped, grouped, matches: ("ibeacon:*", "irk:*")) == [])
  }

  @Test("one line for each, however many there are") func many() throws {
    let told = try warnings((0..<6).map { ("t\($0)", "\"*\"", "") })
    #expect(told.count == 5 && told[4].contains("\"t0\", \"t1\", \"t2\" and 2 more"), "\(told)")
  }

  @Test("a group of one beside a similar name: did you mean") func typos() throws {
    func groups(_ names: String...) throws -> [String] {
      try warnings(names.enumerated().map { ("t\($0)", "\"ibeacon:\(Self.uuid):\($0):*\"", "group = \"\($1)\"") })
    }
    let told = try groups("island", "island", "iland")
    #expect(
      told.count == 1 && told[0].contains("trigger \"t2\": group (\"iland\")") && told[0].contains("did you mean \"island\"?"), "\(told)")
    #expect(try groups("iland", "island", "island").count == 1)
    #expect(try groups("iland", "island").count == 1, "of two, the later")
    #expect(try groups("Island", "island").count == 1)
    #expect(try groups("island-1", "island-2", "island-2", "island-13") == [], "numbers differ on purpose")
    #expect(try groups("row-a", "row-b", "row-b", "pumpA", "pumpC") == [], "and so do letters that count")
    #expect(try groups("north", "south", "a", "b", "pumps", "washing") == [])
    for (one, other) in [("pumps", "pump"), ("pump", "pumps")] {
      #expect(try groups(one, one, other).count == 1, "a letter that is missing or too many is a typo")
    }
    // The typo is reported once, not again as two triggers without a common group.
    let both = try warnings([("a", "\"*\"", "group = \"island\""), ("b", "\"*\"", "group = \"iland\"")])
    #expect(both.count == 1 && both[0].contains("did you mean"), "\(both)")
  }
}
