import Foundation
import Testing

@Suite("The name of a device stands beside its id") final class NamingTests {
  let program: Program
  static let anna = TuningTests.anna
  static let device = "[[device]]\nname = \"Anna <1>\"\nmatch = \"\(anna)\"\n"

  init() throws {
    program = try Program()
    try program.write("config.toml", TuningTests.configuration + Self.device)
    try program.write("site.toml", TuningTests.site)
    #expect(try program("simulate", "site.toml", "--out", "visit.btsnoop").exit == 0)
  }
  deinit { program.remove() }

  @Test("in replay, explain and the report") func recorded() throws {
    let pair = "\"id\":\"\(Self.anna)\",\"name\":\"Anna <1>\""
    let replayed = try program("replay", "visit.btsnoop", "--report", "out.html").out.split(separator: "\n")
    #expect(replayed.count { $0.contains(#""event":"fire""#) && $0.contains(pair) } == 1)
    let page = try String(contentsOf: program.folder.appending(path: "out.html"), encoding: .utf8)
    #expect(page.contains("<b>Anna &lt;1&gt;</b> <a href") && page.contains("<figcaption><b>Anna &lt;1&gt;</b> <code>"))
    #expect(try program("explain", Self.anna, "--capture", "visit.btsnoop", "--brief").out.contains("Anna <1> (\(Self.anna)): "))
    let lines = try program("explain", Self.anna, "--capture", "visit.btsnoop", "--json").out.split(separator: "\n")
    #expect(lines.last?.contains(pair) == true)
  }

  @Test("explain, calibrate and events take it for the id; not where it may be several devices") func given() throws {
    let byName = try program("explain", "Anna <1>", "--capture", "visit.btsnoop")
    #expect(try byName.exit == 0 && byName.out == program("explain", Self.anna, "--capture", "visit.btsnoop").out)
    let measured = try ["Anna <1>", Self.anna].map { try program("calibrate", "fixed", "--id", $0, "--capture", "visit.btsnoop").error }
    #expect(measured[0] == measured[1] && measured[0].contains(" samples, "), "\(measured)")
    let many = "[[device]]\nname = \"staff\"\nmatch = "
    for match in ["\"ibeacon:\(Machine.uuid):7:*\"", "[\"\(Self.anna)\", \"address:c0:00:00:00:00:0a\"]"] {
      try program.write("many.toml", TuningTests.configuration + many + match)
      let refused = try program("explain", "staff", "--capture", "visit.btsnoop", "--config", "many.toml")
      #expect(refused.exit == 64 && refused.error.contains("\"staff\" may be several devices: give the id of one"), "\(refused)")
    }
    let unknown = try program("explain", "Bert", "--capture", "visit.btsnoop")
    #expect(
      unknown.exit == 64 && unknown.error.contains("\"Bert\" is no identity: ") && unknown.error.contains("nor the name of a [[device]]"))
  }

  @Test("in scan") func scanned() throws {
    let told = try program("scan", "--json", "--seconds", "4", "--radio", "simulate:site.toml")
    #expect(told.out.contains("\"id\":\"\(Self.anna)\",\"name\":\"Anna <1>\",\"matched\""), "\(told)")
  }
}
