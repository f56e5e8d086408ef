import Testing

/// Whole outputs of `calibrate site`, with each figure at its bound and one beyond.
@Suite("what visits taught of a site is shown, word for word") final class SiteShownTests {
  let program: Program
  private static let gateway = "[gateway]\nname = \"pump-1\"\npurpose = \"told\"\n[outbox]\npath = \"outbox.db\"\n"
  private static let radios =
    "[[radio]]\nname = \"left\"\nat_m = [0, 0]\nreceive_offset_db = 1\n[[radio]]\nname = \"right\"\nadapter = \"hci1\"\nat_m = [4, 0]\n"

  init() throws {
    program = try Program()
    try program.write("plan.toml", Self.gateway + Self.radios)
    try program.write("bare.toml", Self.gateway + Self.radios.replacing(#/at_m = [^\n]*\n/#, with: ""))
    try program.write("off.toml", Self.gateway + "[calibration]\nlearn = false\n")
  }
  deinit { program.remove() }

  private func expect(_ name: String, _ configuration: String, sourceLocation: SourceLocation = #_sourceLocation) throws {
    let told = try program("calibrate", "site", "--config", configuration)
    try Said(name).expect(told.out + "\n# on standard error\n" + told.error + "# exit \(told.exit)", sourceLocation: sourceLocation)
  }

  @Test("with a plan: who is known, who looks wrong, and what to write where") func plan() throws {
    func receiver(_ gateway: String, _ x: Int, _ offset: Double, _ doubt: Double, _ visits: Int) -> String {
      "{\"gateway\":\"\(gateway)\",\"x_m\":\(x).00,\"y_m\":0.00,\"offset_db\":\(offset),\"doubt_db\":\(doubt),\"visits\":\(visits)}\n"
    }
    let lines = [
      receiver("pump-1", 0, -8.1, 1.2, 31), receiver("pump-1", 4, 6.5, 1.9, 6), receiver("pump-2", 8, 5.5, 2, 6),
      receiver("pump-2", 12, 9, 1.9, 5), receiver("pump-3", 0, -5.4, 1.9, 6), receiver("pump-3", 4, -5.3, 1.9, 1),
      receiver("pump-3", 8, 5.3, 1.9, 9), receiver("pump-4", 16, 0, 1, 6),
    ]
    try program.write("learnt-powers.jsonl", lines.joined())
    try expect("site-plan", "plan.toml")
  }

  @Test("without a plan: how much less each hears of another's visitors, and who hears too little or too much") func bare() throws {
    // By place and receiver; a radio's name, where there are several.
    func place(_ place: String, _ receiver: String, _ loss: Double, _ visits: Int, radios: String = "") -> String {
      "{\"place\":\"\(place)\",\"heard_by\":\"\(receiver)\",\"loss_db\":\(loss),\"doubt_db\":2.5,\"visits\":\(visits)\(radios)}\n"
    }
    // Of pump-3 one hears 9 dB less than it is heard, of pump-4 one hears 9 dB more; a fifth has too few visits.
    let all = ["pump-1", "pump-2", "pump-3", "pump-4"]
    var lines: [String] = []
    for one in all {
      for other in all where other != one {
        let error = (other == "pump-3" ? 9.0 : 0) - (other == "pump-4" ? 9.0 : 0)
        lines.append(place(one, other, 20 + error, 6))
      }
    }
    lines += [place("pump-1", "pump-5", 38, 5), place("pump-5", "pump-1", 12, 6), place("pump-5", "pump-2", 12, 1)]
    for (one, other, loss) in [("left", "right", 15.0), ("right", "left", 3.5)] {
      lines.append(place("pump-1", "pump-1", loss, 7, radios: ",\"place_radio\":\"\(one)\",\"heard_by_radio\":\"\(other)\""))
    }
    try program.write("learnt-powers.jsonl", lines.joined())
    try expect("site-bare", "bare.toml")
  }

  @Test("why nothing is known, and what cannot be read") func nothing() throws {
    try expect("site-off", "off.toml")
    try program.write("learnt-powers.jsonl", "{\"id\":\"irk:anna\",\"power_dbm\":-50.0,\"visits\":3}\n")
    try expect("site-nobody", "plan.toml")
  }

  @Test("lines that are not readable are counted, and are no sign that nothing was taught") func unreadable() throws {
    try program.write("groups.toml", Self.gateway + Self.radios + "[[trigger]]\nname = \"till\"\nmatch = \"irk:*\"\ngroup = \"pumps\"\n")
    try program.write("learnt-powers.jsonl", "")
    let reason = "forecourt: nothing is known of the receivers: no visit has taught it yet; "
    #expect(try program("calibrate", "site", "--config", "groups.toml").error.hasPrefix(reason))
    try program.write("learnt-powers.jsonl", "garbage\n{}\n")
    let told = try program("calibrate", "site", "--config", "groups.toml")
    #expect(
      told.exit == 1
        && told.errorLines == [
          "forecourt: learnt-powers.jsonl: 2 lines skipped: not readable", "forecourt: nothing that can be read is known of the receivers",
        ], "\(told.error)")
    let record = "{\"gateway\":\"pump-2\",\"x_m\":8.00,\"y_m\":0.00,\"offset_db\":5.5,\"doubt_db\":2,\"visits\":6}\n"
    try program.write("learnt-powers.jsonl", "garbage\n" + record)
    let known = try program("calibrate", "site", "--config", "groups.toml")
    #expect(known.exit == 0 && known.errorLines.first == "forecourt: learnt-powers.jsonl: 1 line skipped: not readable", "\(known.error)")
    #expect(known.errorLines.count == 2)
  }
}
