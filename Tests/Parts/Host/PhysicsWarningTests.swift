import Testing

@testable import Host

/// What the grammar allows and physics does not: each limit from both sides, where 20 dB are a factor of ten.
@Suite("Warnings that physics gives") struct PhysicsWarningTests {
  private func warned(_ trigger: String, _ more: String = "") throws -> [String] {
    let air = "[calibration]\nmeasured_power_dbm = -59\npath_loss_exponent = 2\n"
    let text = shortest + air + "[[trigger]]\nname = \"t\"\nmatch = \"*\"\n" + trigger + more
    return try Configuration(reading: source(text)).warnings.map { $0.line(in: "c") }
  }

  @Test(
    "each limit warns beyond it, not at it",
    arguments: [
      ("fire_m = 0.45\n", "fire_m (0.4"), ("fire_m = 0.5\n", nil),
      ("fire_m = 1\nleave_m = 1.39\n", "leave_m (1.4) is only 2.9 dB beyond"), ("fire_m = 1\nleave_m = 1.43\n", nil),
      ("fire_m = 35\narm_m = 45\nleave_m = 70\n", nil),
      ("fire_m = 36\narm_m = 45\nleave_m = 70\n", "fire_m (36) is heard at -90 dBm"),
      ("min_rate_hz = 0.05\n", "min_rate_hz (0.05) allows 20 s between two adverts, but after stale_s (15)"),
      ("min_rate_hz = 0.07\n", nil), ("min_rate_hz = 0\n", nil),
      ("fire_m = 3\nleave_m = 4.17\n", "leave_m (4.2) is only 2.9 dB beyond"), ("fire_m = 3\nleave_m = 4.29\n", nil),
      ("dwell_s = 0.29\n", "dwell_s (0.3) is shorter than three adverts"), ("dwell_s = 0.3\n", nil),
      ("arm_m = 85\n", "arm_m (85) is heard at -98 dBm"), ("arm_m = 77\n", nil),
      ("group_refractory_s = 9\n", "group_refractory_s does nothing without a group"), ("group_refractory_s = 9\ngroup = \"g\"\n", nil),
      ("margin_db = 6\n", "margin_db does nothing without a group"), ("settle_s = 1\n", "settle_s does nothing without a group"),
      ("at_m = [0, 0]\n", "at_m does nothing without a group"),
      ("at_m = [0, 0]\ngroup = \"g\"\n", "at_m needs at_m of a [[radio]], too"),
      ("at_m = [0, 0]\ngroup = \"g\"\n[[radio]]\nname = \"r\"\nat_m = [0, 0]\n", nil),
      ("[[radio]]\nname = \"r\"\nadapter = \"unix:hci\"\nmode = \"raw\"\n", "mode does nothing here"),
      ("[[radio]]\nname = \"r\"\nadapter = \"hci0\"\nmode = \"raw\"\n", nil),
      ("[peer]\nhold = true\n", "hold does nothing without identify"), ("[peer]\nhold = true\nidentify = true\n", nil),
      ("[site]\nforget_after_s = 90\n", nil),
      ("[site]\nforget_after_s = 90\ngateways = [\"gateway\"]\n", "forget_after_s does nothing beside gateways"),
    ] as [(String, String?)])
  func limits(trigger: String, words: String?) throws {
    let found = try warned(trigger)
    #expect(found.count == (words == nil ? 0 : 1) && found.allSatisfy { $0.contains(words ?? "") }, "\(trigger): \(found)")
  }

  @Test("pumps of one group nearer than five metres are warned of, each once; at one place, in two groups or without a place they are not")
  func nearPumps() throws {
    func warned(_ second: String, group: String = "pumps", third: String = "") throws -> [String] {
      func pump(_ name: String, _ place: String, _ group: String) -> String {
        "[[trigger]]\nname = \"\(name)\"\nmatch = \"*\"\ngroup = \"\(group)\"\n\(place)\n"
      }
      let text = shortest + pump("one", "at_m = [0, 0]", "pumps") + pump("two", second, group) + third
      return try Configuration(reading: source(text)).warnings.map { $0.line(in: "c") }.filter { $0.contains("m from here") }
    }
    let near = try warned("at_m = [3, 3.9]")
    #expect(near.count == 1 && near[0].contains("group has trigger \"one\" 4.9 m from here"), "\(near)")
    for (second, group) in [("at_m = [3, 4]", "pumps"), ("at_m = [0, 0]", "pumps"), ("at_m = [1, 0]", "others"), ("", "pumps")] {
      let found = try warned(second, group: group)
      #expect(found == [], "\(second) \(group)")
    }
  }

  /// Two radios with these places, and a trigger of one group at each.
  private func placed(_ left: String, _ right: String, one: String = "*", two: String = "*", more: String = "") throws -> [String] {
    var text = shortest
    for (index, (name, place)) in [("left", left), ("right", right)].enumerated() {
      text += "[[radio]]\nname = \"\(name)\"\nadapter = \"hci\(index)\"\n\(place)\n"
    }
    for (name, radio, match, more) in [("one", "left", one, ""), ("two", "right", two, more)] {
      text += "[[trigger]]\nname = \"\(name)\"\nmatch = \"\(match)\"\nradio = \"\(radio)\"\ngroup = \"g\"\n\(more)\n"
    }
    return try Configuration(reading: source(text)).warnings.map { $0.line(in: "c") }
  }

  @Test("two radios of a group at one place, where nobody can be told apart, wherever their triggers are; not a metre apart")
  func onePlace() throws {
    let words =
      "group has trigger \"one\" at a radio that stands within a metre of this one's (at_m): nothing tells the two places apart, and nobody is "
      + "served whose power was not measured"
    for right in ["at_m = [0, 0]", "at_m = [0.9, 0]"] {
      #expect(try placed("at_m = [0, 0]", right) == ["c:20:1: warning: trigger \"two\": " + words], "\(right)")
      #expect(try placed("at_m = [0, 0]", right, more: "at_m = [8, 0]").count == 1, "\(right)")
    }
    #expect(try placed("at_m = [0, 0]", "at_m = [1, 0]").filter { $0.contains("within a metre") } == [])
    #expect(try placed("at_m = [0, 0]", "at_m = [0, 0]", one: "ibeacon:*", two: "irk:*") == [], "they serve different devices")
    #expect(try placed("at_m = [0, 0]", "at_m = [8, 0]") == [] && placed("", "") == [])
  }

  @Test("a place at one radio of a group and none at the other") func halfPlaced() throws {
    let words = "at a radio with at_m, and this one's has none: give at_m to all radios of a group, or to none"
    #expect(try placed("at_m = [0, 0]", "") == ["c:20:1: warning: trigger \"two\": group has trigger \"one\" " + words])
    #expect(try placed("", "at_m = [0, 0]") == ["c:14:1: warning: trigger \"one\": group has trigger \"two\" " + words])
  }

  @Test(
    "a level that nothing has at 1 m may be the power with which it sends",
    arguments: [
      "[calibration]\n", "[[calibration.device]]\nmatch = \"*\"\n",
      "[[transmit]]\nkind = \"ibeacon\"\nuuid = \"2f234454-cf6d-4a0f-adf2-f4911ba9ffa6\"\n",
    ])
  func powers(table: String) throws {
    let words = "is no level at 1 m: transmitters have -90 to -20; is this the power with which it sends?"
    for (power, isTold) in [("4", true), ("-19.9", true), ("-20", false), ("-59", false)] {
      let found = try Configuration(reading: source(shortest + table + "measured_power_dbm = \(power)\n")).warnings.map { $0.words }
      #expect(found == (isTold ? ["measured_power_dbm (\(power)) \(words)"] : []), "\(table) \(power)")
    }
  }

  @Test("no time to stand is the shortest there is: with none a trigger would ask for nothing") func noTime() throws {
    let text = shortest + "[[trigger]]\nname = \"t\"\nmatch = \"*\"\ndwell_s = 0\n"
    #expect(try Configuration(reading: source(text)).core.triggers[0].dwell == .milliseconds(1))
  }

  @Test("a level is reached by a phone that touches the antenna, and no louder one") func levels() throws {
    let region = "[[region]]\nname = \"r\"\nmatch = \"*\"\nminimum_dbm = "
    #expect(try warned("", region + "-47\n") == [])
    let found = try warned("", region + "-46\n")
    #expect(found.count == 1 && found[0].contains("minimum_dbm (-46) is never reached: -59 dBm at 1 m are at most -47 dBm"), "\(found)")
  }
}
