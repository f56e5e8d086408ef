import Foundation
import Testing

@Suite("Explaining a visit whose phone renews its address") final class ExplainSuccessionTests {
  let program: Program

  /// A minute at the pump, under three addresses.
  private static let site = """
    duration_s = 120
    gateway = [{ name = "pump-1", at_m = [0, 0] }]
    traveller = [{ name = "anna", from_m = [0, 30], steps = [{ walk_m = [0, 1], speed_mps = 2 }, { stand_s = 60 }, { walk_m = [0, 60], speed_mps = 2 }] }]
    phone = [{ name = "anna", on = "anna", identity = "name:Annas phone", rotate_s = 30, interval_ms = 100, carried = "hand" }]
    """

  init() throws {
    program = try Program()
    try program.write("config.toml", "gateway.purpose = \"Tests.\"\n[[trigger]]\nname = \"pump-1\"\nmatch = \"name:*\"\n")
    try program.write("site.toml", Self.site)
    #expect(try program("simulate", "site.toml", "--seed", "3", "--out", "visit.btsnoop").exit == 0)
  }
  deinit { program.remove() }

  private func explain(_ id: String, _ words: String...) throws -> String {
    let told = try program.run(["explain", id, "--capture", "visit.btsnoop"] + words)
    #expect(told.exit == 0, "\(told)")
    return told.out
  }

  @Test("says at which moment it goes on as which other, and that the new address owes its visit to the old one") func renewed() throws {
    let replayed = try program("replay", "visit.btsnoop").out
    let fires = replayed.matches(of: /"event":"fire"[^}]*?"id":"(name:[^"]+)"/)
    #expect(fires.count == 1)
    let old = String(try #require(fires.first).1)
    let before = try explain(old)
    let change = try #require(before.firstMatch(of: /(?m)^ *([0-9.]+)  >>> pump-1: the visit goes on as (name:.*)\n/))
    #expect(before.contains("  At \(change.1) s the visit goes on as \(change.2).\n"))
    let after = try explain(String(change.2))
    #expect(after.contains("\(change.1)  >>> pump-1: it takes over the visit of \(old), which was served\n"), "\(after.suffix(2_000))")
    #expect(after.contains("pump-1: never fired. "))
    #expect(after.contains("  At \(change.1) s it takes over the visit of \(old), which was served.\n"))
    let object = try explain(String(change.2), "--json").split(separator: "\n").filter { $0.contains("\"renewed\"") }
    let moment = try #require(Double(change.1))
    #expect(object.first?.hasPrefix("{\"v\":1,\"kind\":\"event\",\"t_us\":\(Int((moment * 1_000).rounded()))") == true, "\(object)")
    #expect(object.first?.hasSuffix("\"trigger\":\"pump-1\",\"event\":\"renewed\",\"from\":\"\(old)\"}") == true, "\(object)")
  }
}
