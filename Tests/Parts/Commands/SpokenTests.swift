import Foundation
import Testing

@testable import Core
@testable import Host
@testable import forecourt

/// What commands print, whole.
@Suite("what commands print") final class SpokenTests {
  let program: Program
  private static let anna = TuningTests.anna
  private static let crowd = "[bystanders]\ncount = 12\ncorner_m = [-5, -5]\nopposite_m = [9, 5]\nstanding = 0.5\n"

  init() throws {
    program = try Program()
    try program.write("config.toml", TuningTests.configuration)
    let site = TuningTests.site.replacing("identity", with: "interval_ms = 400\nidentity")
    try program.write("site.toml", site + "\n[[gateway]]\nname = \"east\"\nat_m = [8, 0]\n" + Self.crowd)
    try program.write("one.toml", site)
    try program.write("short.toml", "duration_s = 1\n" + site.replacing("400", with: "20").replacing("duration_s = 45", with: ""))
    let radios = "[[radio]]\nname = \"left\"\n[[radio]]\nname = \"right\"\nadapter = \"hci1\"\nreceive_offset_db = 2\n"
    let near = "[[trigger]]\nname = \"near\"\nmatch = \"ibeacon:*\"\nradio = \"left\"\nfire_m = 1\nleave_m = 2\narm_m = 3\n"
    try program.write("two.toml", radios + TuningTests.configuration.replacing("gateway.purpose", with: "[gateway]\npurpose") + near)
    for scenario in ["site", "one", "short"] {
      let made = try program("simulate", scenario + ".toml", "--seed", "3", "--out", scenario + ".btsnoop")
      #expect(made.exit == 0, "\(made.error)")
    }
  }
  deinit { program.remove() }

  private func text(_ name: String) throws -> String { try String(contentsOf: program.folder.appending(path: name), encoding: .utf8) }

  private func sum(_ text: String) -> String {
    String(text.utf8.reduce(0xCBF2_9CE4_8422_2325 as UInt64) { ($0 ^ UInt64($1)) &* 0x0000_0100_0000_01B3 }, radix: 16)
  }

  private func objects(_ text: String) throws -> [[String: Any]] {
    try text.split(separator: "\n").map { try #require(try JSONSerialization.jsonObject(with: Data($0.utf8)) as? [String: Any]) }
  }

  /// A page without its style and its version. A change on purpose puts new sums here.
  private func page(_ words: [String]) throws -> (sum: String, page: String) {
    let told = try program.run(["replay"] + words + ["--report", "out.html", "--force"])
    #expect(told.exit == 0 && told.error.isEmpty, "\(told.error)")
    let page = try text("out.html").replacing(#/(?s)<style>.*<\/style>/#, with: "").replacing(#/<footer>.*<\/footer>/#, with: "")
    return (sum(page), page)
  }

  @Test("a report is as ever, byte for byte: two radios and a crowd, one device alone, two runs side by side") func reports() throws {
    let captures = ["site.pump-1.btsnoop", "site.east.btsnoop"]
    let runs = [captures + ["--config", "two.toml"], ["one.btsnoop"], captures + ["--config", "two.toml", "--config", "two.toml"]]
    var sums: [String] = []
    for words in runs { sums.append(try page(words).sum) }
    #expect(sums == ["b30c65143fdac8d0", "e6f9f825aa92b2be", "19dacfc49582fbc1"])
    // Nobody is looked for: all have charts, six of them open, and the rest below.
    try program.write("none.toml", "gateway.purpose = \"told\"\n")
    let (sum, page) = try page(["site.pump-1.btsnoop", "--config", "none.toml"])
    #expect(sum == "d266b1a45ca098f1")
    #expect(page.contains("<p>No device came near a trigger.</p>") && page.contains("<details><summary>"))
  }

  @Test("of more than forty devices the most often heard have charts, and the others are counted") func many() throws {
    try program.write(
      "many.toml", try text("site.toml").replacing("count = 12", with: "count = 60").replacing("duration_s = 45", with: "duration_s = 6"))
    #expect(try program("simulate", "many.toml", "--out", "many.btsnoop").exit == 0)
    try program.write("none.toml", "gateway.purpose = \"told\"\n")
    let page = try page(["many.pump-1.btsnoop", "--config", "none.toml"]).page
    #expect(page.matches(of: #/<figure>/#).count == 40 && page.contains("<details><summary>34 more devices, none of which fired</summary>"))
    #expect(page.contains("<p>18 more devices not shown: "), "\(page.matches(of: #/<p>\d+ more[^<]*/#).map { $0.output })")
  }

  @Test("calibrate says what was heard where, the figures with their doubts, and what each trigger would make of them") func calibrated()
    throws
  {
    let told = try program(
      "calibrate", "walk", "--id", Self.anna, "--capture", "one.btsnoop", "--place", "12@0-9", "--place", "1@19-30", "--place", "5@12-12.5")
    #expect(told.exit == 0)
    #expect(
      told.error
        == """
        12 m: 21 samples, -80.0 dBm, deviation 4.9 dB, 2.3 a second
        1 m: 26 samples, -66.9 dBm, deviation 6.7 dB, 2.4 a second
        5 m: 1 sample, nothing to average
          left out: at least 10 are needed

        At 1 m: -63.7 ± 3.2 dBm.
        These places do not show the exponent: 1.80 is assumed. Measure at places further apart, or at more of them.
        That is rough: a walk, with a minute of moving about at each place, would be better.

        Trigger "pump-1", once the device's power is known:
          as it is, fire_m = 1.5: misses 1.3 % of those who stand at 1 m, fires for 26 % of those at 5 m and fires for 1.4 % of those at 12 m
          suggested, fire_m = 0.9: misses 9.4 % of those who stand at 1 m, fires for 6.1 % of those at 5 m and fires for 0.10 % of those at 12 m
          No fire_m does both, this is the best compromise; a radio at each place, with their triggers in one group, would.

        """)
    #expect(
      told.out
        == """
        # forecourt calibrate, from a recording without a date: 47 samples at 12 and 1 m.
        # Power at 1 m -63.7 ± 3.2 dBm, exponent 1.80, assumed.
        [[calibration.device]]
        match = "ibeacon:2f234454-cf6d-4a0f-adf2-f4911ba9ffa6:7:1"
        measured_power_dbm = -63.7

        # In the [[trigger]] "pump-1":
        # fire_m = 0.9
        # leave_m = 3.7
        # dwell_s = 1.3

        """)
    let two = try program(
      "calibrate", "walk", "--id", Self.anna, "--config", "two.toml", "--capture", "site.pump-1.btsnoop", "--capture", "site.east.btsnoop",
      "--place", "left=12,right=4@0-9", "--place", "left=1,right=7@19-30")
    #expect(two.exit == 0, "\(two.error)")
    #expect(
      two.error
        == """
        left=12,right=4 m, by left: 20 samples, -80.4 dBm, deviation 4.8 dB, 2.2 a second
        left=12,right=4 m, by right: 20 samples, -68.0 dBm, deviation 5.6 dB, 2.2 a second
        left=1,right=7 m, by left: 25 samples, -60.8 dBm, deviation 4.2 dB, 2.3 a second
        left=1,right=7 m, by right: 25 samples, -73.6 dBm, deviation 5.2 dB, 2.3 a second

        At 1 m: -60.7 ± 3.1 dBm.
        Path-loss exponent: 1.83 ± 0.40.
        Receive offset of right: 2.9 ± 3.2 dB, where left's is 0.0.
        That is rough: a walk, with a minute of moving about at each place, would be better.

        Trigger "pump-1", once the device's power is known:
          as it is, fire_m = 1.5: misses 1.1 % of those who stand at 1 m and fires for 1.1 % of those at 12 m
          suggested, fire_m = 1.3: misses 2.1 % of those who stand at 1 m and fires for 0.54 % of those at 12 m
          No fire_m does both, this is the best compromise; a radio at each place, with their triggers in one group, would.

        Trigger "near", once the device's power is known:
          as it is, fire_m = 1: misses 6.1 % of those who stand at 1 m and fires for 0.12 % of those at 12 m
          suggested, fire_m = 1.3: misses 2.1 % of those who stand at 1 m and fires for 0.54 % of those at 12 m
          No fire_m does both, this is the best compromise; a radio at each place, with their triggers in one group, would.

        """)
    #expect(
      two.out
        == """
        # forecourt calibrate, from a recording without a date: 90 samples at left=12,right=4 and left=1,right=7 m.
        # Power at 1 m -60.7 ± 3.1 dBm, exponent 1.83 ± 0.40.
        [calibration]
        path_loss_exponent = 1.83

        [[calibration.device]]
        match = "ibeacon:2f234454-cf6d-4a0f-adf2-f4911ba9ffa6:7:1"
        measured_power_dbm = -60.7

        # In the [[radio]] "right":
        # receive_offset_db = 2.9  (± 3.2)

        # In the [[trigger]] "pump-1":
        # fire_m = 1.3
        # leave_m = 3.5
        # dwell_s = 1.3

        # In the [[trigger]] "near":
        # fire_m = 1.3
        # leave_m = 3.5
        # dwell_s = 1.3

        """)
  }

  @Test("calibrate refuses captures that fit no places, and asks for each place in its words") func asked() throws {
    func refused(_ words: String...) throws -> String {
      let told = try program.run(["calibrate", words[0], "--id", Self.anna] + words.dropFirst())
      #expect(told.exit == 64 && told.out.isEmpty)
      return told.errorLines.first ?? ""
    }
    let capture = ["--capture", "one.btsnoop"]
    let head = "forecourt calibrate: "
    #expect(
      try refused("walk", "--place", "1", "--place", "2", "--capture", "a", "--capture", "b", "--capture", "c")
        == head + "each --place needs its span, METRES@FROM-TO, or, with one radio, a --capture of its own")
    #expect(
      try refused("walk", "--place", "1@0-5", "--place", "2", capture[0], capture[1]) == head
        + "either every --place has a span, or none has")
    #expect(
      try refused("fixed", "--config", "two.toml", "--place", "left=1", "--capture", "a", "--capture", "b", "--capture", "c")
        == head + "there are 3 captures for 2 radios")
    #expect(try refused("walk", "--place", "1") == head + "a walk needs at least two places: --place 1 --place 15")
    #expect(try refused("fixed", "--place", "1@0-9", "--radio", "simulate:one.toml") == head + "--place 1@…: a span is for --capture")
    #expect(try program("calibrate", "fixed").errorLines.first == head + "--id is missing: it names the device to measure")
    for (words, prompt) in [
      (["fixed"], "1 m from the radio; stand there for 10 s and hold the device in front of you. Press Enter to start."),
      (
        ["walk", "--place", "1", "--place", "2"],
        "Place 1 of 2: 1 m from the radio; move about slowly there for 30 s, the device in front of you. Press Enter to start."
      ),
      (["walk", "--place", "1..15", "--seconds", "7"], "walk steadily along 1..15 m, for 7 s. Press Enter to start."),
    ] {
      let told = try program.run(["calibrate"] + words + ["--id", Self.anna, "--radio", "simulate:one.toml"])
      #expect(told.exit == 1 && told.error.replacing("\n", with: " ").contains(prompt), "\(told.error)")
    }
  }

  @Test("scan --json has each device's figures, and where it stands at each trigger") func scanned() throws {
    // Four packets, within a tenth of a second.
    let whole = try Data(contentsOf: program.folder.appending(path: "short.btsnoop"))
    var end = 16
    for _ in 0..<5 { end += 24 + whole[(end + 4)..<(end + 8)].reduce(0) { $0 << 8 | Int($1) } }
    try whole.prefix(end).write(to: program.folder.appending(path: "few.btsnoop"))
    let far = "[[trigger]]\nname = \"far\"\nmatch = \"ibeacon:*\"\narm_m = 100\nmin_samples = 2\n"
    try program.write("scan.toml", TuningTests.configuration + far + "[[radio]]\nname = \"yard\"\nadapter = \"capture:few.btsnoop\"\n")
    let told = try program("scan", "--json", "--config", "scan.toml")
    let lines = try objects(told.out)
    let line = try #require(lines.last)
    #expect(told.exit == 0 && lines.count == 1)
    #expect(
      Set(line.keys) == [
        "v", "simulated", "at_us", "id", "matched", "zone", "rssi", "radio", "average", "distance_m", "low_m", "high_m", "samples",
        "rate_hz",
        "triggers",
      ])
    #expect(
      line["v"] as? Int == 1 && line["id"] as? String == Self.anna && line["matched"] as? Bool == true && line["radio"] as? String == "yard"
    )
    let decoded = try objects(program("replay", "few.btsnoop", "--decoded").out)
    #expect(line["rssi"] as? Int == decoded.last?["rssi"] as? Int && line["samples"] as? Int == decoded.count)
    let (low, distance, high) = (line["low_m"] as? Double ?? 0, line["distance_m"] as? Double ?? 0, line["high_m"] as? Double ?? 0)
    #expect(0 < low && low < distance && distance < high && line["rate_hz"] as? Double ?? 0 > 1)
    let levels = decoded.compactMap { $0["rssi"] as? Double }
    #expect(levels.min()! - 1...levels.max()! + 1 ~= line["average"] as? Double ?? 0)
    let triggers = (line["triggers"] as? [[String: String]] ?? []).map { "\($0["name"] ?? "") \($0["stage"] ?? "")" }
    #expect(triggers == ["far armed"], "\(line)")
  }

  @Test("the truth says where each named phone is, twice a second, and then every stay") func truth() throws {
    #expect(try program("simulate", "site.toml", "--truth", "truth.jsonl").exit == 0)
    let lines = try objects(text("truth.jsonl"))
    let places = lines.filter { $0["phone"] != nil }
    #expect(places.count == 91 && places.allSatisfy { $0["phone"] as? String == "anna" })
    #expect(places.map { $0["t_s"] as? Double ?? -1 } == (0...90).map { Double($0) / 2 })
    #expect(lines.count == 92 && lines.last?["visit"] as? String == "pump-1" && lines.last?["who"] as? String == "anna")
    // Another seed is another run; the same gives the same.
    let runs = try ["1", "1", "2"].map { try program("simulate", "one.toml", "--seed", $0).out }
    let standard = try program("simulate", "one.toml").out
    #expect(runs[0] == runs[1] && runs[0] != runs[2] && runs[0] == standard)
  }

  @Test("with several radios explain says who heard how much, and replay --decoded which capture a line is of") func several() throws {
    let captures = ["site.pump-1.btsnoop", "site.east.btsnoop"]
    let told = try program("explain", Self.anna, "--capture", captures[0], "--capture", captures[1], "--config", "two.toml")
    let lines = told.out.split(separator: "\n").map(String.init)
    let (left, right) = (lines.count { $0.contains(" left  ") }, lines.count { $0.contains(" right  ") })
    #expect(told.exit == 0 && lines.contains("Heard by: left \(left) and right \(right)."), "\(left), \(right), \(lines.suffix(12))")
    let decoded = try objects(program.run(["replay", "--decoded"] + captures).out)
    #expect(Set(decoded.compactMap { $0["capture"] as? Int }) == [0, 1])
    #expect(
      try program("explain", Self.anna, "--capture", captures[0], "--capture", captures[1]).out.contains("Heard by") == false,
      "parts of one")
    let nobody = try program("explain", "irk:nobody", "--capture", captures[0])
    #expect(
      nobody.errorLines.count == 12 && nobody.errorLines.last == "  and 4 more: forecourt replay --decoded shows all", "\(nobody.error)")
  }

  @Test("a secret that cannot be kept ends the start, with its key and without its value") func secrets() throws {
    try program.write("salt.toml", TuningTests.configuration + "[privacy]\nunknown = \"hash\"\nsalt_file = \"none/salt\"\n")
    let salt = try program("run", "--print", "--config", "salt.toml", "--radio", "simulate:one.toml")
    #expect(
      salt.exit == 78 && salt.error.contains("the file that privacy.salt_file names ") && !salt.error.contains("none/salt"), "\(salt.error)"
    )
    try program.write("id.toml", TuningTests.configuration + "[peer]\nserve = true\nid_file = \"none/id\"\n")
    let id = try program("run", "--print", "--config", "id.toml", "--radio", "simulate:one.toml")
    #expect(id.exit == 78 && id.error.contains("id_file none/id "), "\(id.error)")
  }
}
