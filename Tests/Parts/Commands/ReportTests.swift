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
      "<script", "<img", "<link", "<iframe", "<object", "src=", "href=", "url(", "@import", "http://", "https://", "onload", "javascript:",
    ] {
      #expect(!page.contains(forbidden), "\(forbidden)")
    }
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
    #expect(page.components(separatedBy: "<circle").count - 1 == samples, "a dot for each sample")
    #expect(page.contains("\(samples) samples; its power is what its advert says"))
    for part in ["class=\"average\"", "class=\"band\"", "fire 1.5 m: pump-1", "leave 4.0 m: pump-1", "pump-1: fire, ", "<h2>Visits</h2>"] {
      #expect(page.contains(part), "\(part)")
    }
    let fire = try #require(told.out.split(separator: "\n").first { $0.contains(#""event":"fire""#) })
    let microseconds = try #require(fire.firstMatch(of: #/"t_us":(\d+)/#)).1
    #expect(page.contains(String(format: "<td>%.1f s", Double(microseconds)! / 1e6)))
  }

  @Test("two configurations side by side: the fires that differ are shown") func compared() throws {
    try program.write(
      "slow.toml", TuningTests.configuration.replacing("match = \"ibeacon:*\"", with: "match = \"ibeacon:*\"\ndwell_s = 60"))
    #expect(try program("replay", "visit.btsnoop", "--report", "out.html", "--config", "config.toml", "--config", "slow.toml").exit == 0)
    let differing = try page()
    #expect(differing.contains("1 of 1 fire with only one configuration.") && differing.contains("<tr class=\"differs\">"))
    #expect(differing.components(separatedBy: "<svg").count - 1 == 2 && differing.contains("<td>only with the first</tr>"))
    try program.write(
      "later.toml", TuningTests.configuration.replacing("match = \"ibeacon:*\"", with: "match = \"ibeacon:*\"\ndwell_s = 6"))
    #expect(
      try program("replay", "visit.btsnoop", "--report", "out.html", "--force", "--config", "config.toml", "--config", "later.toml").exit
        == 0)
    let later = try page()
    #expect(later.contains("<p>1 of 1 fire at another time.</p>") && later.contains(#/<td>[\d.]+ s later<\/tr>/#))
    #expect(
      try program("replay", "visit.btsnoop", "--report", "out.html", "--force", "--config", "config.toml", "--config", "config.toml").exit
        == 0)
    #expect(try page().contains("Both configurations fire alike."))
    #expect(try program("replay", "visit.btsnoop", "--config", "config.toml", "--config", "slow.toml").exit == 64)
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
    "code", "span",
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
