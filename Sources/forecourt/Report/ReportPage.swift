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

/// Writes the page of one or two runs. The page fetches nothing and runs nothing: its own policy forbids both.
struct ReportPage: ~Copyable {
  private let file: NewFile

  private static let mostDevices = 40

  init(creating path: String, force: Bool) throws(FileRefusal) { file = try NewFile(creating: path, .asked(force: force)) }

  mutating func write(_ text: String) { file.write(text) }

  /// 0 when the file is complete, else the error code.
  mutating func close() -> Int32 { file.keep() }

  mutating func write(_ runs: [ReportRun], captures: [String], epoch: Int64?) {
    let began = epoch.map { String(Text<32>(moment: $0)) }
    write(
      "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><title>forecourt: \(html(listed(captures, with: "and")))</title>\n")
    write("<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'\">\n")
    write(
      "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n<style>\(ReportStyle.sheet)</style></head><body\(runs.count > 1 ? " class=\"two\"" : "")>\n"
    )
    write("<header><h1>\(html(listed(captures, with: "and")))</h1><p>\(fixed(runs[0].seconds, 1)) s")
    if let began { write(", from \(began)") }
    write("; \(counted(runs[0].devices.count, "device")) heard. This is a rehearsal, not a live gateway.</p></header>\n")
    if runs.count == 2 { compare(runs[0], runs[1]) }
    write("<section class=\"beside\">\n")
    for run in runs { writeVisits(run, isNamed: runs.count > 1) }
    write("</section>\n")
    writeDevices(runs)
    write("<section class=\"beside\">\n")
    for run in runs { write("<section class=\"config\"><h2>Configuration: \(html(run.name))</h2><pre>\(html(run.text))</pre></section>\n") }
    write("</section><footer>forecourt \(html(release))</footer></body></html>\n")
  }

  // MARK: Tables

  private mutating func compare(_ a: ReportRun, _ b: ReportRun) {
    let fires = FireDifference.all(a.events, b.events)
    let lonely = fires.count { $0.isLonely }
    let shifted = fires.count { $0.shift != 0 }
    var words: [String] = []
    if lonely > 0 { words.append("\(lonely) of \(counted(fires.count, "fire")) with only one configuration") }
    if shifted > 0 { words.append("\(shifted) of \(counted(fires.count, "fire")) at another time") }
    write("<section><h2>What differs</h2><p>\(words.isEmpty ? "Both configurations fire alike" : listed(words, with: "and")).</p>")
    write("<table><thead><tr><th>Device<th>Trigger<th>\(html(a.name))<th>\(html(b.name))<th>Difference</tr></thead><tbody>\n")
    for fire in fires {
      write("<tr\(fire.isLonely || fire.shift != 0 ? " class=\"differs\"" : "")><td>\(device(fire.identity, a))<td>\(html(fire.trigger))")
      write("<td>\(time(fire.first, or: "no fire"))<td>\(time(fire.second, or: "no fire"))<td>\(difference(fire))</tr>\n")
    }
    write("</tbody></table></section>\n")
  }

  private func difference(_ fire: FireDifference) -> String {
    if fire.isLonely { return fire.first == nil ? "only with the second" : "only with the first" }
    return fire.shift == 0 ? "none" : "\(fixed(fire.shift.magnitude, 1)) s \(fire.shift > 0 ? "later" : "earlier")"
  }

  /// The argument is the identity as JSON writes it.
  func device(_ identity: String, _ run: ReportRun) -> String {
    let name = run.devices.first { same(json($0.identity.text), identity) }?.name ?? ""
    return title(name) + "<code>" + html(String(decoding: identity.utf8.dropFirst().dropLast(), as: UTF8.self)) + "</code>"
  }

  private func title(_ name: String) -> String { name.utf8.isEmpty ? "" : "<b>" + html(name) + "</b> " }

  func time(_ seconds: Double?, or otherwise: String) -> String { seconds.map { fixed($0, 1) + " s" } ?? otherwise }

  // MARK: Devices

  private mutating func writeDevices(_ runs: [ReportRun]) {
    let shown = runs[0].shown(atMost: Self.mostDevices)
    write("<section><h2>Devices</h2>\n<p class=\"legend\"><span class=\"dot\"></span> samples <span class=\"stroke\"></span> average ")
    write("<span class=\"area\"></span> where nine in ten samples lie <span class=\"dashed\"></span> the triggers' thresholds</p>\n")
    for device in shown {
      write("<section class=\"beside\">\n")
      for run in runs {
        guard let mine = run.devices.first(where: { $0.identity == device.identity }) else { continue }
        let identity = json(device.identity.text)
        write("<figure><figcaption>\(title(mine.name))<code>\(html(device.identity.text))</code>")
        if runs.count > 1 { write(" with \(html(run.name))") }
        write("<small>\(counted(mine.samples, "sample")); its power is \(html(mine.power))</small></figcaption>\n")
        ReportChart(mine, run.events.filter { same($0.identity, identity) }, seconds: run.seconds).write(to: &self)
        write("</figure>\n")
      }
      write("</section>\n")
    }
    let left = runs[0].devices.count - shown.count
    if left > 0 {
      write("<p>\(counted(left, "more device")) not shown: the configuration does not look for them, or they were heard less often.</p>\n")
    }
    write("</section>\n")
  }
}
