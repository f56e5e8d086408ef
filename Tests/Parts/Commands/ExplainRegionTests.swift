import Foundation
import Testing

@Suite("Explaining when a device was in a region, or what kept it out") final class ExplainRegionTests {
  let program: Program
  private static let tag = "ibeacon:2f234454-cf6d-4a0f-adf2-f4911ba9ffa6:7:1"

  /// Comes, stands at a metre for 20 seconds, and goes.
  private static let site = """
    duration_s = 90
    gateway = [{ name = "door", at_m = [0, 0] }]
    traveller = [{ name = "anna", from_m = [0, 30], steps = [{ walk_m = [0, 1], speed_mps = 2 }, { stand_s = 20 }, { walk_m = [0, 60], speed_mps = 2 }] }]
    phone = [{ name = "anna", on = "anna", identity = "\(tag)", interval_ms = 100, carried = "hand" }]
    """

  private static func region(_ name: String, _ more: String, match: String = "ibeacon:*") -> String {
    "[[region]]\nname = \"\(name)\"\nmatch = \"\(match)\"\n\(more)\n"
  }

  private static let config =
    "gateway.purpose = \"Tests.\"\n" + region("room", "minimum_dbm = -70\nexit_s = 5") + region("desk", "minimum_dbm = -50")
    + region("street", "") + region("staff", "", match: "irk:*")

  init() throws {
    program = try Program()
    try program.write("config.toml", Self.config)
    try program.write("pump.toml", Self.config + "[[trigger]]\nname = \"room\"\nmatch = \"irk:*\"\n")
    try program.write("site.toml", Self.site)
    #expect(try program("simulate", "site.toml", "--seed", "3", "--out", "visit.btsnoop").exit == 0)
  }
  deinit { program.remove() }

  private func explain(_ words: String...) throws -> [String] {
    let told = try program.run(["explain", Self.tag, "--capture", "visit.btsnoop"] + words)
    #expect(told.exit == 0, "\(told)")
    return told.out.split(separator: "\n").map(String.init)
  }

  @Test("lists enters and exits at their moments; of a region that it never entered, how near its average came") func listed() throws {
    let room = try program("replay", "visit.btsnoop").out.matches(of: /"t_us":(\d+),"topic":"[^"]*\/region\/room\/event"/)
    #expect(room.count == 2)
    let moments = try room.map { String(format: "%.3f", (try #require(Double($0.1)) / 1_000_000)) }
    let brief = try explain("--brief")
    #expect(brief.contains { $0.hasSuffix(" \(moments[0])  >>> room: enter") })
    #expect(brief.contains { $0.hasSuffix(" \(moments[1])  >>> room: exit (silence)") })
    #expect(brief.contains("Region room: entered at \(moments[0]) s and exited at \(moments[1]) s (silence)."))
    #expect(brief.contains("Region street: entered at 0.000 s; still inside at the end."))
    let desk = try #require(brief.first { $0.hasPrefix("Region desk: ") })
    #expect(desk.contains(/never entered. Its average got furthest at \d+\.\d{3} s: -5\d\.\d dBm, minimum_dbm is -50\.0\.$/), "\(desk)")
    #expect(!brief.contains { $0.contains("staff") || $0.contains("trigger") }, "not of what does not look for it")
    #expect(try explain().contains { $0.hasSuffix(">>> room: enter") })
  }

  @Test("a trigger of the same name that does not look for it is missed as before, and takes no enter for its own") func beside() throws {
    let told = try explain("--brief", "--config", "pump.toml")
    #expect(told.contains("No trigger's match covers it: add it to one."))
    #expect(told.count { $0.hasSuffix(">>> room: enter") } == 1)
  }

  @Test("--json has the enters and exits as events, and each region in the verdict") func machine() throws {
    let lines = try explain("--json", "--brief")
    #expect(lines.contains { $0.hasSuffix(#""region":"room","event":"enter","reason":null}"#) }, "\(lines)")
    #expect(lines.contains { $0.hasSuffix(#""region":"room","event":"exit","reason":"silence"}"#) }, "\(lines)")
    let verdict = try #require(lines.last)
    #expect(verdict.contains(/"regions":\[\{"region":"room","entered":1,"best_dbm":-5\d\.\d\},/), "\(verdict)")
    #expect(verdict.contains(#"{"region":"desk","entered":0,"#) && !verdict.contains("staff"), "\(verdict)")
  }
}
