import Foundation
import Testing

@Suite("what commands say as a whole") final class SaidTests {
  let program: Program
  private static let anna = TuningTests.anna

  init() throws {
    program = try Program()
    try program.write("config.toml", TuningTests.configuration)
    try program.write("site.toml", Self.site)
    try program.write("slow.toml", Self.slow)
    try program.write("wrong.toml", Self.slow.replacing("0.5", with: "0.4") + "dwell = 1\nmin_samples = 0\n")
    #expect(try program("simulate", "site.toml", "--out", "visit.btsnoop").exit == 0)
  }
  deinit { program.remove() }

  /// An answer of the controller; and twelve devices, the last of which is heard most often.
  private func writeCaptures() throws {
    var (silence, crowd) = (PacketFile(), PacketFile())
    silence.add([4, 0x0E, 4, 1, 3, 0x0C, 0], at: 0)
    for device in 1...12 as ClosedRange<UInt8> {
      for _ in 0..<device { crowd.add([4, 0x3E, 12, 2, 1, 3, 1, device, 0, 0, 0, 0, 0xC0, 0, 0xC4], at: 0) }
    }
    let radios = "[[radio]]\nname = \"left\"\n[[radio]]\nname = \"right\"\nadapter = \"hci1\"\n"
    try program.write("two.toml", TuningTests.configuration + radios)
    try silence.file.write(to: program.folder.appending(path: "silence.btsnoop"))
    try crowd.file.write(to: program.folder.appending(path: "crowd.btsnoop"))
  }

  /// The visit of the other tests, as short as it can be, with somebody who passes.
  private static let site =
    TuningTests.site.replacing("duration_s = 45", with: "duration_s = 24").replacing("stand_s = 10", with: "stand_s = 2")
    .replacing("stand_s = 12", with: "stand_s = 6") + "\n" + """
      [[traveller]]
      name = "bert"
      from_m = [0, 9]
      begins = "foot"
      start_spread_s = 0
      stray_m = 0
      haste = 0
      steps = [{ walk_m = [1.5, 2], takes_s = 7 }, { stand_s = 3, facing = "pump-1" }, { walk_m = [9, 9], takes_s = 7 }]
      [[phone]]
      name = "bert"
      on = "bert"
      identity = "ibeacon:2f234454-cf6d-4a0f-adf2-f4911ba9ffa6:7:2"
      carried = "hand"
      """
  private static let slow =
    TuningTests.configuration.replacing("match = \"ibeacon:*\"", with: "match = \"ibeacon:*\"\ndwell_s = 4")
    + "[[device]]\nname = \"Bert & co\"\nmatch = \"ibeacon:2f234454-cf6d-4a0f-adf2-f4911ba9ffa6:7:2\"\n"
    + "[[trigger]]\nname = \"<till>\"\nmatch = \"ibeacon:*\"\nfire_m = 0.5\n"

  @Test(
    "on standard output, on standard error, and with its exit code",
    arguments: [
      ("explain-slow", ["explain", anna, "--capture", "visit.btsnoop", "--config", "slow.toml", "--brief"]),
      ("calibrate-walk", ["calibrate", "walk", "--id", anna, "--capture", "visit.btsnoop", "--place", "12@0-3", "--place", "0.9@11-19"]),
      ("calibrate-fixed", ["calibrate", "fixed", "--id", anna, "--capture", "visit.btsnoop", "--place", "1@11-19"]),
      ("explain-silence", ["explain", anna, "--capture", "silence.btsnoop"]),
      ("explain-nobody", ["explain", anna, "--capture", "crowd.btsnoop"]), ("manual", ["--help"]),
      (
        "explain-many",
        ["explain", anna, "--config", "two.toml"] + Array(repeating: ["--capture", "visit.btsnoop"], count: 3).flatMap { $0 }
      ),
      ("replay-twice", ["replay", "visit.btsnoop", "./visit.btsnoop", "--config", "two.toml", "--report", "twice.html"]),
      (
        "calibrate-twice",
        ["calibrate", "walk", "--id", anna, "--place", "12", "--place", "1"] + ["--capture", "visit.btsnoop", "--capture", "visit.btsnoop"]
      ),
      ("replay-twice", ["replay", "visit.btsnoop", "./visit.btsnoop", "--config", "two.toml"]),
      ("calibrate-listening", ["calibrate", "fixed", "--id", anna, "--capture", "visit.btsnoop", "--seconds", "5"]),
      ("replay-many", ["replay", "visit.btsnoop", "visit.btsnoop", "visit.btsnoop", "--config", "two.toml"]),
      ("lint", ["check", "--lint", "--config", "wrong.toml"]),
    ]) func whole(name: String, words: [String]) throws
  {
    try writeCaptures()
    let told = try program.run(words)
    let text = told.out + "\n# on standard error\n" + told.error + "# exit \(told.exit)"
    try Said(name).expect(text.replacing(program.folder.path, with: "FOLDER").replacing(#/forecourt unreleased[^\n]*/#, with: "VERSION"))
  }

  /// Without the style and without the version; of a long path its beginning and its end.
  @Test("the report's page of one configuration, and of two beside each other") func page() throws {
    for (name, configurations) in [("page", ["slow.toml"]), ("page-of-two", ["config.toml", "slow.toml"])] {
      let command = ["replay", "visit.btsnoop", "--report", name + ".html"] + configurations.flatMap { ["--config", $0] }
      let told = try program.run(command)
      #expect(told.exit == 0 && told.error.isEmpty, "\(told.error)")
      let page = try String(contentsOf: program.folder.appending(path: name + ".html"), encoding: .utf8)
      let text = page.replacing(#/<style>[^<]*</#, with: "<style><").replacing(#/<footer>[^<]*</#, with: "<footer><")
      let short = text.replacing(#/ d="([^"]{60})[^"]{20,}([^"]{20})"/#) { " d=\"\($0.1)…\($0.2)\"" }
      // Each part of a chart has tests of its own; one page as a whole is enough.
      let lines = short.split(separator: "\n").filter { configurations.count == 1 || !$0.hasPrefix("<path") && !$0.hasPrefix("<text") }
      try Said(name).expect(lines.joined(separator: "\n"))
    }
  }
}
