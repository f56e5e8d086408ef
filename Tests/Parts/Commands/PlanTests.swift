import Foundation
import Testing

/// A driver stands at the left of two pumps; one gateway has a radio at each.
@Suite("What a plan decides is explained and drawn") final class PlanTests {
  let program: Program
  static let anna = TuningTests.anna

  private static func configuration(isPlaced: Bool = true) -> String {
    var text = "gateway.purpose = \"told\"\n"
    for (index, radio) in ["left", "right"].enumerated() {
      text += "[[radio]]\nname = \"\(radio)\"\nadapter = \"hci\(index)\"\n" + (isPlaced ? "at_m = [\(index * 8), 0]\n" : "")
    }
    for (pump, radio) in [("pump-1", "left"), ("pump-2", "right")] {
      text += "[[trigger]]\nname = \"\(pump)\"\nmatch = \"ibeacon:*\"\nradio = \"\(radio)\"\ngroup = \"pumps\"\n"
    }
    return text
  }

  init() throws {
    program = try Program()
    try program.write("config.toml", Self.configuration())
    try program.write("site.toml", TuningTests.site + "\n[[gateway]]\nname = \"pump-2\"\nat_m = [8, 0]\n")
    #expect(try program("simulate", "site.toml", "--out", "visit.btsnoop").exit == 0)
  }
  deinit { program.remove() }

  private static let captures = ["--capture", "visit.pump-1.btsnoop", "--capture", "visit.pump-2.btsnoop"]

  private func explain(_ words: String...) throws -> Program.Result { try program.run(["explain", Self.anna] + Self.captures + words) }

  private func objects(_ text: String) throws -> [[String: Any]] {
    try text.split(separator: "\n").map { try #require(try JSONSerialization.jsonObject(with: Data($0.utf8)) as? [String: Any]) }
  }

  /// The evidence of the fire at pump 1, and when.
  private func fire() throws -> (seconds: Double, evidence: [String: Any]) {
    let told = try objects(program("replay", "visit.pump-1.btsnoop", "visit.pump-2.btsnoop").out)
    let line = try #require(told.first { ($0["payload"] as? [String: Any])?["event"] as? String == "fire" })
    let payload = try #require(line["payload"] as? [String: Any])
    #expect(payload["trigger"] as? String == "pump-1")
    return (Double(try #require(line["t_us"] as? Int)) / 1e6, try #require(payload["evidence"] as? [String: Any]))
  }

  @Test("explain counts what the other pump's radio heard, and takes none of it for a copy's") func otherRadio() throws {
    let told = try explain().out
    let counts = told.matches(of: /(\d+) samples: heard by a radio that does not listen for it/).map { Int($0.1) ?? 0 }
    let lines = told.split(separator: "\n").count { $0.contains("another radio listens for this trigger") }
    #expect(lines > 100 && counts.count == 2 && counts.reduce(0, +) == lines && !told.contains("further off"), "\(lines) \(counts)")
  }

  @Test("explain says how likely each place is where that changes, and at the end for how long each was the likeliest")
  func words() throws {
    let told = try explain()
    let lines = told.out.split(separator: "\n").map(String.init)
    let fire = try fire()
    let shares = try #require(fire.evidence["likelihood"] as? [String: Double])
    #expect(shares["here"]! > 0.5 && shares["right"] != nil)
    let mark = try #require(lines.firstIndex { $0.contains(">>> pump-1: fire") })
    let before = try #require(lines[..<mark].last { $0.contains("~~~ pump-1: ") })
    #expect(before.contains(#/~~~ pump-1: here \d+ %, (right|elsewhere) \d+ %, (right|elsewhere) \d+ %$/#), "\(before)")
    #expect(lines.contains { $0.contains(#/~~~ pump-2: left \d+ %, /#) }, "the other pump has it at the first one's radio")
    let average = try #require(fire.evidence["average"] as? Double)
    #expect(lines[mark + 1].contains("pump-1: fired at \(average)"), "\(lines[mark + 1]) has not the event's average, \(average)")
    #expect(lines.contains { $0.contains(#/^  Likeliest, by 2 radios: here [\d.]+ s, (elsewhere|right) /#) }, "\(lines.suffix(16))")
    let brief = try explain("--brief").out.split(separator: "\n")
    #expect((1...8).contains(brief.count { $0.contains("~~~ pump-1: ") }), "only where another place becomes the likeliest")
  }

  @Test("explain --json has at the fire the event's likelihood and average, and at the end how long each place was the likeliest")
  func json() throws {
    let lines = try objects(explain("--json").out)
    let fire = try fire()
    let sample = try #require(lines.first { $0["kind"] as? String == "sample" && Double($0["t_us"] as! Int) / 1e6 == fire.seconds })
    let trigger = try #require((sample["triggers"] as? [[String: Any]])?.first)
    #expect(trigger["likelihood"] as? [String: Double] == fire.evidence["likelihood"] as? [String: Double])
    #expect(trigger["average"] as? Double == fire.evidence["average"] as? Double)
    let verdict = try #require((lines.last?["triggers"] as? [[String: Any]])?.first)
    let times = try #require(verdict["likeliest_s"] as? [String: Double])
    #expect(times["here"]! > 10 && times.values.reduce(0, +) < 45, "\(times)")
  }

  @Test("a device that is in doubt arms when it comes, not whenever its level flickers")
  func arms() throws {
    let scenario = GoldenCase.repository.appending(path: "Tests/Firing/Scenarios/queue.toml").path
    #expect(try program("simulate", scenario, "--out", "queue.btsnoop").exit == 0)
    try program.write("config.toml", String(contentsOf: GoldenCase.repository.appending(path: "deploy/two-pumps.toml"), encoding: .utf8))
    let told = try objects(program("replay", "queue.pump-1.btsnoop", "queue.pump-2.btsnoop").out)
    let events = told.compactMap { ($0["payload"] as? [String: Any])?["event"] as? String }
    // Three cars. While every flicker of a weak level armed there were 28.
    #expect(events.count { $0 == "fire" } == 3 && events.count { $0 == "arm" } <= 6, "\(events)")
  }

  @Test("where a capture cannot show what a plan decides, explain says so") func alone() throws {
    let one = TuningTests.configuration.replacing("match = \"ibeacon:*\"", with: "match = \"ibeacon:*\"\ngroup = \"pumps\"")
    try program.write("one.toml", one + "[[radio]]\nname = \"left\"\nat_m = [0, 0]\n")
    let told = try program("explain", Self.anna, "--capture", "visit.pump-1.btsnoop", "--config", "one.toml", "--brief").out
    let words = "Its place (at_m) decided nothing: no second radio here has one, and neighbours' claims are not in a capture."
    #expect(told.contains(words), "\(told)")
    let half = try program("explain", Self.anna, "--capture", "visit.pump-1.btsnoop", "--brief")
    #expect(half.out.contains("Its place (at_m) decided nothing: there is no capture of radio right.\n"), "\(half.out)")
    #expect(half.error == "forecourt: there is no capture of radio right\n", "\(half.error)")
    try program.write("none.toml", Self.configuration(isPlaced: false))
    let unplaced = try explain("--config", "none.toml")
    #expect(!unplaced.out.contains("at_m") && !unplaced.out.contains("~~~") && !unplaced.out.contains("Likeliest"))
    #expect(try objects(explain("--config", "none.toml", "--json").out).last?["triggers"].map { "\($0)" }?.contains("likeliest_s") ?? false)
  }

  @Test("the report draws the average that decided, as the fire's evidence has it, and how likely each place was") func drawn() throws {
    let told = try program("replay", "visit.pump-1.btsnoop", "visit.pump-2.btsnoop", "--report", "out.html")
    #expect(told.exit == 0 && told.error.isEmpty)
    let page = try String(contentsOf: program.folder.appending(path: "out.html"), encoding: .utf8)
    let levels = page.matches(of: #/x="34" y="([\d.]+)" dy="4">(-\d+)</#).map { (y: Double($0.1)!, level: Double($0.2)!) }
    let (one, other) = (levels[0], levels[1])
    let marks = page.matches(of: #/<path class="event \w+" d="M([\d.]+) 58V274"/#).map { String($0.1) }
    let payloads = try objects(told.out).compactMap { $0["payload"] as? [String: Any] }
      .filter { $0["trigger"] != nil && $0["event"] != nil }
    #expect(marks.count == payloads.count)
    var compared = 0
    for (mark, payload) in zip(marks, payloads) {
      let radio = payload["trigger"] as? String == "pump-1" ? 0 : 1
      let line = try #require(page.firstMatch(of: try Regex("<path class=\"average a\(radio)\" d=\"M([^\"]*)\"")))
      let points = try #require(line.output[1].substring).split(separator: " ")
      // A leave for silence lies at no sample.
      guard let place = stride(from: 0, to: points.count, by: 2).first(where: { points[$0] == mark }) else { continue }
      let drawn = one.level + (Double(points[place + 1])! - one.y) * (other.level - one.level) / (other.y - one.y)
      let average = try #require((payload["evidence"] as? [String: Any])?["average"] as? Double)
      #expect(abs(drawn - average) < 0.09, "\(drawn) is drawn, \(average) decided \(payload["event"]!)")
      compared += 1
    }
    #expect(compared >= 3)

    let fire = try fire()
    let mark = try #require(page.firstMatch(of: #/<path class="event fire" d="M([\d.]+) 58V274"/#)).1
    #expect(page.contains("aria-label=\"How likely each place was, as pump-1 had it\""))
    #expect(page.contains(">pump-1: how likely each place is<"))
    let legend = [("here", "here, at the trigger, "), ("rival", "at another radio, by its name, "), ("rest", "elsewhere</p>\n")]
    let areas = legend.map { "<span class=\"area \($0.0)\"></span> \($0.1)" }.joined()
    #expect(page.contains("<p class=\"legend\">Below, how likely the device is \(areas)"))
    let here = try #require(page.firstMatch(of: #/<path class="here" d="([^"]*)"/#)).1
    let heights = steps(here)
    let share = try #require((fire.evidence["likelihood"] as? [String: Double])?["here"])
    let at = try #require(heights.last { $0.x <= Double(mark)! + 0.01 }, "the fire lies in the band")
    #expect(abs((80 - at.y) / 60 - share) < 0.01, "\((80 - at.y) / 60) is drawn, \(share) decided")
    #expect(page.contains(#/<text class="label middle d\d" [^>]*>here<\/text>/#) && page.contains(#/<path class="rival v\d" d=/#))
    try program.write("none.toml", Self.configuration(isPlaced: false))
    _ = try program("replay", "visit.pump-1.btsnoop", "visit.pump-2.btsnoop", "--report", "none.html", "--config", "none.toml")
    let bare = try String(contentsOf: program.folder.appending(path: "none.html"), encoding: .utf8)
    #expect(!bare.contains("how likely") && bare.contains("class=\"average a0\""), "without a plan there is no band")
  }

  /// Where each step of an area begins, and its height.
  private func steps(_ path: Substring) -> [(x: Double, y: Double)] {
    var (x, all) = (0.0, [(x: Double, y: Double)]())
    for part in path.matches(of: #/([MVH])([\d.]+)/#) {
      if part.1 == "V" { all.append((x, Double(part.2)!)) } else { x = Double(part.2)! }
    }
    return all
  }
}
