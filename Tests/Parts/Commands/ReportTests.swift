import Foundation
import Testing

@Suite("replay --report writes a page") final class ReportTests {
  let program: Program
  init() throws {
    program = try Program()
    try program.write("config.toml", TuningTests.configuration)
    try program.write("site.toml", TuningTests.site)
    #expect(try program("simulate", "site.toml", "--out", "visit.btsnoop").exit == 0)
  }
  deinit { program.remove() }

  private func page(_ name: String = "out.html") throws -> String {
    try String(contentsOf: program.folder.appending(path: name), encoding: .utf8)
  }

  /// Well-formed enough for a strict parser of tags: every `<` begins one of ours, and no tag or attribute fetches or runs anything.
  private func expectHarmless(_ page: String) {
    for forbidden in [
      "<script", "<img", "<link", "<iframe", "<object", "src=", "url(", "@import", "http://", "https://", "onload", "javascript:",
    ] {
      #expect(!page.contains(forbidden), "\(forbidden)")
    }
    #expect(page.matches(of: #/href=/#).count == page.matches(of: #/href="#[de][0-9-]+"/#).count, "links stay in the page")
    #expect(page.contains(/<style>[^<]*body[^<]*<\/style>/))
    #expect(page.contains(#"http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'""#))
    #expect(!page.unicodeScalars.contains { $0.value < 0x20 && $0 != "\n" && $0 != "\t" || $0.value == 0x7F })
  }

  @Test("the page has samples, averages, thresholds, events, visits and the configuration; the messages stay the same")
  func single() throws {
    let told = try program("replay", "visit.btsnoop", "--report", "out.html")
    #expect(told.exit == 0 && told.error.isEmpty)
    #expect(told.out == (try program("replay", "visit.btsnoop").out))
    let page = try page()
    expectHarmless(page)
    let samples = try program("replay", "visit.btsnoop", "--decoded").out.split(separator: "\n").count
    let dots = try #require(page.firstMatch(of: #/<path class="r0" d="([^"]*)"/#)).1
    #expect(dots.matches(of: #/M[\d.]+ [\d.]+h0/#).count == samples, "a dot for each sample")
    #expect(page.contains("\(samples) samples; its power is what its advert says"))
    let parts = ["average a0\"", "class=\"band\"", "fire 1.5 m: pump-1", "leave 4.0 m: pump-1", "pump-1: fire, ", "<h2>Visits</h2>"]
    for part in parts { #expect(page.contains(part), "\(part)") }
    let fire = try #require(told.out.split(separator: "\n").first { $0.contains(#""event":"fire""#) })
    let microseconds = try #require(fire.firstMatch(of: #/"t_us":(\d+)/#)).1
    #expect(page.contains(String(format: ">%.1f s</a>", Double(microseconds)! / 1e6)))
  }

  @Test("two configurations side by side: the fires that differ are shown") func compared() throws {
    try program.write(
      "slow.toml", TuningTests.configuration.replacing("match = \"ibeacon:*\"", with: "match = \"ibeacon:*\"\ndwell_s = 60"))
    #expect(try program("replay", "visit.btsnoop", "--report", "out.html", "--config", "config.toml", "--config", "slow.toml").exit == 0)
    let differing = try page()
    #expect(differing.contains("1 of 1 fire with only one configuration.") && differing.contains("<tr class=\"differs\">"))
    #expect(differing.components(separatedBy: "class=\"chart\"").count - 1 == 2 && differing.contains(">only with the first</tr>"))
    try program.write(
      "later.toml", TuningTests.configuration.replacing("match = \"ibeacon:*\"", with: "match = \"ibeacon:*\"\ndwell_s = 6"))
    #expect(
      try program("replay", "visit.btsnoop", "--report", "out.html", "--force", "--config", "config.toml", "--config", "later.toml").exit
        == 0)
    let later = try page()
    #expect(later.contains("<p>1 of 1 fire at another time.</p>") && later.contains(#/>[\d.]+ s later<\/tr>/#))
    #expect(
      try program("replay", "visit.btsnoop", "--report", "out.html", "--force", "--config", "config.toml", "--config", "config.toml").exit
        == 0)
    #expect(try page().contains("Both configurations fire alike."))
    #expect(try program("replay", "visit.btsnoop", "--config", "config.toml", "--config", "slow.toml").exit == 64)
  }

  @Test("a pipe can be read once: for two configurations it is refused before anything is written") func pipe() throws {
    #expect(mkfifo(program.folder.appending(path: "pipe").path, 0o600) == 0)
    var limited = program
    limited.starter = ["/usr/bin/timeout", "-s", "KILL", "20"]
    let told = try limited(
      "replay", "visit.btsnoop", "pipe", "--report", "out.html", "--config", "config.toml", "--config", "config.toml")
    #expect(told.exit == 65 && told.out.isEmpty && told.error == "forecourt: pipe is a pipe or a device, not a file\n", "\(told)")
    #expect((try? page()) == nil)
  }

  @Test("a page of a recording that could not be read to its end says so") func truncated() throws {
    let whole = try Data(contentsOf: program.folder.appending(path: "visit.btsnoop"))
    try whole.dropLast(7).write(to: program.folder.appending(path: "a<b.btsnoop"))
    let told = try program("replay", "a<b.btsnoop", "none", "--report", "out.html")
    #expect(told.exit == 65 && told.errorLines.count == 2, "\(told.error)")
    let page = try page()
    expectHarmless(page)
    #expect(page.contains(#/ a&lt;b\.btsnoop is truncated at byte \d+\./#) && page.contains(" none does not exist."))
  }

  @Test("who came near and was not served has a reason, and stands below those who were") func unfired() throws {
    try program.write(
      "slow.toml", TuningTests.configuration.replacing("match = \"ibeacon:*\"", with: "match = \"ibeacon:*\"\ndwell_s = 60"))
    #expect(try program("replay", "visit.btsnoop", "--report", "out.html", "--config", "slow.toml").exit == 0)
    let never = try page()
    #expect(never.contains("<p>Nothing fired.</p>") && never.contains("<details open><summary>1 approach without a fire</summary>"))
    #expect(never.contains(#/<td data-h="Nearest">[\d.]+ m<td data-h="Reason">evidence of [\d.]+ s, dwell_s is 60.00<\/tr>/#))
    // Before the fire of the other trigger.
    try program.write(
      "both.toml",
      TuningTests.configuration + "[[trigger]]\nname = \"slow\"\nmatch = \"ibeacon:*\"\ndwell_s = 60\n")
    #expect(try program("replay", "visit.btsnoop", "--report", "out.html", "--force", "--config", "both.toml").exit == 0)
    let both = try page()
    let (fired, slow) = (both.firstRange(of: ">pump-1<td"), both.firstRange(of: ">slow<td"))
    #expect(try #require(fired).lowerBound < #require(slow).lowerBound)
    #expect(both.contains(">pump-1: fire<title>") && both.contains(">slow: arm<title>"), "a mark says which trigger")
    #expect(both.contains("fire 1.5 m: pump-1 and 1 more"))
  }

  @Test("two radios have a sign and a name each; a dated capture has clock times, which zoom makes finer") func axes() throws {
    let file = try Data(contentsOf: program.folder.appending(path: "visit.btsnoop"))
    for name in ["left", "right"] {
      try Self.dated(file, microseconds: 1_795_361_625_454_000).write(to: program.folder.appending(path: name + ".btsnoop"))
    }
    let radios = "[[radio]]\nname = \"left\"\n[[radio]]\nname = \"right\"\nadapter = \"hci1\"\n"
    try program.write("two.toml", TuningTests.configuration + radios)
    #expect(try program("replay", "left.btsnoop", "right.btsnoop", "--report", "out.html", "--config", "two.toml").exit == 0)
    let page = try page()
    for (radio, name) in ["left", "right"].enumerated() {
      #expect(page.contains("<span class=\"dot k\(radio)\"></span> <span class=\"stroke s\(radio)\"></span> \(name) "))
    }
    #expect(page.contains("<path class=\"r0\" d=") && page.contains("<path class=\"r1\" d="))
    #expect(page.contains("from 2026-11-22T15:33:45.454Z; times are UTC"))
    #expect(page.contains(#/<text class="d0[ a-z]*" x="[\d.]+%" y="290">15:34<\/text>/#))
    #expect(page.contains(#/<text class="d1[ a-z]*" x="[\d.]+%" y="290">15:33:50<\/text>/#))
    #expect(page.contains(#/<text class="d2[ a-z]*" x="[\d.]+%" y="290">15:33:51<\/text>/#))
    #expect(page.contains(#/<a href="#e0-1">15:34:0\d\.\d<\/a>/#) && page.contains("<text id=\"e0-1\""), "a visit leads to its mark")
  }

  /// The same capture as if its first packet had come then: in microseconds since 1970.
  private static func dated(_ file: Data, microseconds: Int64) -> Data {
    var bytes = [UInt8](file)
    func big(_ at: Int, _ count: Int) -> Int64 { bytes[at..<(at + count)].reduce(0) { $0 << 8 | Int64($1) } }
    let shift = 0x00DC_DDB3_0F2F_8000 + microseconds - big(32, 8)
    var at = 16
    while at + 24 <= bytes.count {
      let time = big(at + 16, 8) + shift
      for place in 0..<8 { bytes[at + 16 + place] = UInt8(truncatingIfNeeded: time >> (56 - 8 * place)) }
      at += 24 + Int(big(at + 4, 4))
    }
    return Data(bytes)
  }

  @Test("nothing from the air or from a file becomes markup, and no key leaves the machine") func hostile() throws {
    let key = "EC0234a357c8ad05341010a60a397d9b"
    let spaced = stride(from: 0, to: 32, by: 2).map { String(key.dropFirst($0).prefix(2)) }.joined(separator: ":")
    try program.write(
      "keys.toml",
      "gateway.purpose = \"</pre><script>alert(1)</script>\"\n[[key.irk]]\nalias = \"anna\"\nkey = \"\(key)\"\n# once 0x\(key), or \(spaced)\n[[trigger]]\nname = \"<b>&\"\nmatch = \"name:*\"\n"
    )
    chmod(program.folder.appending(path: "keys.toml").path, 0o600)
    let name = #"<img src=x>\u001b\"'&\u202e"#
    try program.write("evil.toml", TuningTests.site.replacing("identity = \"\(TuningTests.anna)\"", with: "identity = \"name:\(name)\""))
    #expect(try program("simulate", "evil.toml", "--out", "<svg onload=x>.btsnoop").exit == 0)
    let told = try program("replay", "<svg onload=x>.btsnoop", "--report", "out.html", "--config", "keys.toml")
    #expect(told.exit == 0, "\(told.error)")
    let page = try page()
    #expect(page.contains("&lt;img src=x&gt;") && page.contains("&lt;svg onload=x&gt;.btsnoop") && page.contains("&lt;b&gt;&amp;"))
    #expect(!page.contains("<script") && !page.contains("<img") && !page.contains("<svg onload") && !page.contains("\u{202E}"))
    #expect(!page.contains(key) && !page.contains(spaced) && page.contains("# once 0x(a key), or (a key)\n"))
    let tags = Set(page.matches(of: #/<([a-zA-Z0-9]+)/#).map { String($0.1) })
    #expect(tags.isSubset(of: Self.ours), "\(tags.subtracting(Self.ours))")
  }

  private static let ours: Set<String> = [
    "html", "head", "meta", "title", "style", "body", "header", "h1", "h2", "p", "section", "table", "thead", "tbody", "tr", "th", "td",
    "code", "span", "div", "details", "summary", "fieldset", "legend", "label", "input", "a",
    "figure", "figcaption", "small", "svg", "path", "text", "circle", "polygon", "polyline", "pre", "footer",
  ]

  @Test("a truncated capture gives a page of its readable part, and 65; a page that cannot be written gives 1") func wrong() throws {
    let file = program.folder.appending(path: "visit.btsnoop")
    try Data(contentsOf: file).dropLast(7).write(to: program.folder.appending(path: "cut.btsnoop"))
    #expect(try program("replay", "cut.btsnoop", "--report", "out.html").exit == 65)
    #expect(try page().contains("pump-1: fire, "))
    try program.write("empty", "")
    let before = try page()
    let nothing = try program("replay", "empty", "--report", "out.html", "--force")
    #expect(
      try nothing.exit == 65 && nothing.errorLines.count == 1 && page() == before, "of nothing there is no page, and the old one stays")
    let nowhere = try program("replay", "visit.btsnoop", "--report", "none/out.html")
    #expect(nowhere.exit == 1 && nowhere.errorLines.count == 1)
    #expect(try program("replay", "visit.btsnoop", "--report", "out.html", "--decoded").exit == 64)
  }
}
