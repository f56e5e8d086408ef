import Core
import Host

/// Escapes a text for HTML, also between quotation marks: names from the air and from files stay text.
func html(_ text: String) -> String {
  var bytes: [UInt8] = []
  for scalar in text.unicodeScalars {
    switch scalar {
    case "&": bytes += Array("&amp;".utf8)
    case "<": bytes += Array("&lt;".utf8)
    case ">": bytes += Array("&gt;".utf8)
    case "\"": bytes += Array("&quot;".utf8)
    case "'": bytes += Array("&#39;".utf8)
    case "\n", "\t": bytes.append(UInt8(truncatingIfNeeded: scalar.value))
    // Controls, and marks that change the direction of text.
    case "\u{0}"..."\u{1F}", "\u{7F}"..."\u{9F}", "\u{202A}"..."\u{202E}", "\u{2066}"..."\u{2069}": bytes += Array("\u{FFFD}".utf8)
    default: bytes += Array(UTF8.encode(scalar) ?? UTF8.encodedReplacementCharacter)
    }
  }
  return String(decoding: bytes, as: UTF8.self)
}

/// One text of several, and a number as text: small where interpolation is large.
@inline(never)
func joined(_ parts: String...) -> String { parts.reduce("", +) }

@inline(never)
func digits(_ number: Int) -> String { "\(number)" }

/// Writes the page of one or two runs. The page fetches nothing and runs nothing: its own policy forbids both.
struct ReportPage: ~Copyable {
  private let file: NewFile
  private var axis = ReportTime(seconds: 0, epoch: nil)
  /// Identities of the devices with a chart, as JSON writes them.
  private var charted: [String] = []
  /// What the configuration calls devices, by identity likewise.
  private var names: [(identity: String, name: String)] = []

  private static let mostDevices = 40
  /// Charts that are open from the start, and all of devices that fired.
  private static let open = 6

  init(creating path: String, force: Bool) throws(FileRefusal) { file = try NewFile(creating: path, .asked(force: force)) }

  /// Each part as it is. One call for a line keeps the program small: every interpolation would compile to hundreds of bytes.
  @inline(never)
  mutating func write(_ parts: String...) { for part in parts { file.write(part) } }

  /// 0 when the file is complete, else the error code.
  mutating func close() -> Int32 { file.keep() }

  mutating func write(_ runs: [ReportRun], captures: [String], epoch: Int64?, faults: [Captures.Fault] = []) {
    axis = ReportTime(seconds: runs[0].seconds, epoch: epoch)
    let shown = runs[0].shown(atMost: Self.mostDevices)
    charted = shown.map { json($0.identity.text) }
    for device in runs[0].devices where !device.name.utf8.isEmpty { names.append((json(device.identity.text), device.name)) }
    let title = html(listed(captures, with: "and"))
    write("<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><title>forecourt: ", title, "</title>\n")
    write("<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'\">\n")
    write("<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n<style>")
    write(ReportStyle.sheet)
    write("</style></head>")
    write("<body", runs.count > 1 ? " class=\"two\"" : "", ">\n<header><h1>", title, "</h1><p>", fixed(runs[0].seconds, 1), " s")
    if let epoch { write(", from ", String(Text<32>(moment: epoch)), "; times are UTC") }
    write("; ", counted(runs[0].devices.count, "device"), " heard. This is a rehearsal, not a live gateway.")
    for fault in faults { write(" ", html("\(fault.name) \(fault.reason.sentence)"), ".") }
    write("</p></header>\n")
    if runs.count == 2 { compare(runs[0], runs[1]) }
    write("<div class=\"beside\">\n")
    for (number, run) in runs.enumerated() { writeVisits(run, number, isNamed: runs.count > 1) }
    write("</div>\n")
    writeDevices(shown, runs)
    write("<div class=\"beside\">\n")
    for run in runs {
      writeHead("Configuration: " + html(run.name))
      write("<pre>", html(run.text), "</pre></section>\n")
    }
    write("</div><footer>forecourt ", html(release), "</footer></body></html>\n")
  }

  // MARK: Tables

  /// A section's heading; the section stays open.
  mutating func writeHead(_ title: String) { write("<section aria-label=\"", title, "\"><h2>", title, "</h2>\n") }

  /// Cells are markup. On a phone each has its heading beside it.
  mutating func writeTable(_ heads: [String], _ rows: [[String]], differs: (Int) -> Bool = { _ in false }) {
    write("<table><thead><tr>")
    for head in heads { write("<th>", head) }
    write("</tr></thead><tbody>\n")
    for (number, row) in rows.enumerated() {
      write(differs(number) ? "<tr class=\"differs\">" : "<tr>")
      for (head, cell) in zip(heads, row) { write("<td data-h=\"", head, "\">", cell) }
      write("</tr>\n")
    }
    write("</tbody></table>\n")
  }

  private mutating func compare(_ a: ReportRun, _ b: ReportRun) {
    let fires = FireDifference.all(a.events, b.events)
    let lonely = fires.count { $0.isLonely }
    let shifted = fires.count { $0.shift != 0 }
    var words: [String] = []
    if lonely > 0 { words.append(joined(digits(lonely), " of ", counted(fires.count, "fire"), " with only one configuration")) }
    if shifted > 0 { words.append(joined(digits(shifted), " of ", counted(fires.count, "fire"), " at another time")) }
    writeHead("What differs")
    write("<p>", words.isEmpty ? "Both configurations fire alike" : listed(words, with: "and"), ".</p>")
    let rows = fires.map {
      [device($0.identity), html($0.trigger), time($0.first, or: "no fire"), time($0.second, or: "no fire"), difference($0)]
    }
    writeTable(["Device", "Trigger", html(a.name), html(b.name), "Difference"], rows) { fires[$0].isLonely || fires[$0].shift != 0 }
    write("</section>\n")
  }

  private func difference(_ fire: FireDifference) -> String {
    if fire.isLonely { return fire.first == nil ? "only with the second" : "only with the first" }
    return fire.shift == 0 ? "none" : joined(fixed(fire.shift.magnitude, 1), " s ", fire.shift > 0 ? "later" : "earlier")
  }

  /// Short, and leads to its chart. The argument is the identity as JSON writes it.
  func device(_ identity: String) -> String {
    let text = String(decoding: identity.bytes.dropFirst().dropLast(), as: UTF8.self)
    let code = joined("<code title=\"", html(text), "\">", html(text.shortened(to: 26)), "</code>")
    let title = title(names.first { same($0.identity, identity) }?.name ?? "")
    guard let place = charted.firstIndex(where: { same($0, identity) }) else { return title + code }
    return joined(title, "<a href=\"#d", digits(place), "\">", code, "</a>")
  }

  private func title(_ name: String) -> String { name.utf8.isEmpty ? "" : joined("<b>", html(name), "</b> ") }

  /// Leads to the mark of an event, if one is given by its run and number.
  func time(_ seconds: Double?, or otherwise: String, at event: (run: Int, number: Int)? = nil) -> String {
    guard let seconds else { return otherwise }
    let words = axis.words(seconds)
    return event.map { joined("<a href=\"#", Self.anchor($0.run, $0.number), "\">", words, "</a>") } ?? words
  }

  private static func anchor(_ run: Int, _ event: Int) -> String { joined("e", digits(run), "-", digits(event)) }

  // MARK: Devices

  private mutating func writeDevices(_ shown: [ReportRun.DeviceCurve], _ runs: [ReportRun]) {
    writeHead("Devices")
    write("<fieldset><legend>Zoom</legend>")
    for (place, times) in [1, 4, 16, 64].enumerated() {
      write(
        "<label><input type=\"radio\" name=\"zoom\" id=\"z", digits(place), "\"", place == 0 ? " checked" : "", ">", digits(times),
        "×</label>")
    }
    write("</fieldset>\n<p class=\"legend\">")
    writeLegend(runs[0])
    let open = max(Self.open, shown.count { $0.rank == 2 })
    for (place, device) in shown.enumerated() {
      if place == open { write("<details><summary>", counted(shown.count - open, "more device"), ", none of which fired</summary>\n") }
      write("<div class=\"beside\" id=\"d", digits(place), "\">\n")
      for (number, run) in runs.enumerated() { writeChart(of: device.identity, run, number, isNamed: runs.count > 1) }
      write("</div>\n")
    }
    if shown.count > open { write("</details>\n") }
    let left = runs[0].devices.count - shown.count
    if left > 0 {
      write(
        "<p>", counted(left, "more device"), " not shown: the configuration does not look for them, or they were heard less often.</p>\n")
    }
    write("</section>\n")
  }

  private mutating func writeLegend(_ run: ReportRun) {
    let isAlone = run.radios.count == 1
    if !isAlone { write("Samples, and the averages by which triggers decide: ") }
    for (radio, name) in run.radios.enumerated() {
      let stroke = joined("<span class=\"stroke s", digits(radio & 3), "\"></span> ")
      write("<span class=\"dot k", digits(radio & 3), "\"></span> ", isAlone ? "samples " : "", stroke, isAlone ? "" : html(name), " ")
    }
    write(isAlone ? "average by which triggers decide " : "", "<span class=\"stroke far\"></span> the published average, far from all ")
    write("<span class=\"area\"></span> where nine in ten samples lie ")
    write("<span class=\"dashed\"></span> the triggers' thresholds</p>\n")
    guard run.devices.contains(where: { !$0.shares.isEmpty }) else { return }
    write("<p class=\"legend\">Below, how likely the device is <span class=\"area here\"></span> here, at the trigger, ")
    write("<span class=\"area rival\"></span> at another radio, by its name, <span class=\"area rest\"></span> elsewhere</p>\n")
  }

  private mutating func writeChart(of identity: Identity, _ run: ReportRun, _ number: Int, isNamed: Bool) {
    guard let mine = run.devices.first(where: { $0.identity == identity }) else { return }
    write("<figure><figcaption>", title(mine.name), "<code>", html(identity.text), "</code>", isNamed ? " with " + html(run.name) : "")
    write("<small>", counted(mine.samples, "sample"), "; its power is ", html(mine.power), "</small></figcaption>\n")
    let written = json(identity.text)
    var events: [(number: String, event: ReportRun.Event)] = []
    for (place, event) in run.events.enumerated() where same(event.identity, written) { events.append((Self.anchor(number, place), event)) }
    ReportChart(mine, axis, run.triggers).write(events, to: &self)
    write("</figure>\n")
  }
}
