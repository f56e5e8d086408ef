import Core
import Host

/// Draws one device's levels over time. What lies on the time axis stands in parts of the whole, so that the page's style alone zooms: paths in a
/// picture that stretches while their strokes do not, texts beside it at percentages. Levels are pixels.
struct ReportChart {
  private let device: ReportRun.DeviceCurve
  private let time: ReportTime
  private let triggers: [String]
  private let low: Float
  private let high: Float

  private static let top = 64.0
  private static let bottom = 274.0
  /// More samples than this would run together: then each column shows its range.
  private static let mostDots = 8_000
  /// A sign for each radio: a round dot, a square one (its caps), a short and a long stroke.
  private static let signs = ["h0", "h0", "v5", "v10"]

  init(_ device: ReportRun.DeviceCurve, _ time: ReportTime, _ triggers: [String]) {
    (self.device, self.time, self.triggers) = (device, time, triggers)
    var low: Float = -90
    var high: Float = -50
    for point in device.points { (low, high) = (min(low, point.level), max(high, point.level)) }
    (self.low, self.high) = (low - 3, high + 3)
  }

  private func y(_ level: Float) -> String {
    let part = Double((high - min(max(level, low), high)) / (high - low))
    return fixed(Self.top + part * (Self.bottom - Self.top), 1)
  }

  /// The events are numbered as all of the run are: visits lead to them.
  func write(_ events: [(number: String, event: ReportRun.Event)], to page: inout ReportPage) {
    let name = html(device.identity.text)
    page.write(events.isEmpty ? "<div class=\"chart bare\">" : "<div class=\"chart\">")
    page.write("<div class=\"time\" tabindex=\"0\"><svg role=\"img\" aria-label=\"Levels of ", name, "\">\n")
    page.write("<svg viewBox=\"0 0 960 300\" preserveAspectRatio=\"none\" aria-hidden=\"true\">\n")
    var across = ""
    for level in levels { across += joined("M0 ", y(Float(level)), "h960") }
    write(across, as: "grid", to: &page)
    let ticks = time.ticks
    for detail in 0...3 {
      var path = ""
      for tick in ticks where tick.detail == detail { path += joined("M", time.x(tick.at), " 64V274") }
      write(path, as: "grid d" + digits(detail), to: &page)
    }
    // An hour of a device that nobody waits for needs no more than the screen shows.
    let finer: Double = events.isEmpty ? 2 : 8
    writeBand(columns(of: Self.everything, finer: finer), to: &page)
    for radio in 0...3 { writeSamples(of: radio, finer: finer, to: &page) }
    for line in Self.far...3 { writeAverage(line, finer: finer, to: &page) }
    for (_, event) in events { write(joined("M", time.x(event.at), " 58V274"), as: "event " + event.kind, to: &page) }
    page.write("</svg>\n")
    for tick in ticks {
      page.write(
        "<text class=\"d", digits(tick.detail), side(tick.at), "\" x=\"", time.percent(tick.at), "\" y=\"290\">", tick.words, "</text>\n")
    }
    writeLabels(events, to: &page)
    page.write("</svg>\n")
    for shares in device.shares { ReportBand(shares, triggers[shares.trigger], time).write(events, to: &page) }
    let height = digits(300 + device.shares.count * ReportBand.height)
    page.write("</div>\n<svg class=\"levels\" aria-hidden=\"true\" style=\"height:", height, "px\">\n")
    writeLevels(to: &page)
    for (index, shares) in device.shares.enumerated() {
      ReportBand.writeTitle(triggers[shares.trigger], below: 300 + index * ReportBand.height, to: &page)
    }
    page.write("</svg></div>\n")
  }

  private func write(_ path: String, as kind: String, to page: inout ReportPage) {
    if !path.utf8.isEmpty { page.write("<path class=\"", kind, "\" d=\"", path, "\"/>\n") }
  }

  /// Where a text lies about its place: within the picture.
  private func side(_ at: Double) -> String {
    let part = at / time.seconds
    return part < 0.04 ? "" : part > 0.96 ? " end" : " middle"
  }

  // MARK: Curves

  /// Beside the radios' numbers, whose lines are the averages by which triggers decide: the published average far from all, and every point.
  private static let far = -1
  private static let everything = -2

  private func isOn(_ line: Int, _ point: ReportRun.LevelPoint) -> Bool {
    line == Self.everything || (line == Self.far ? !point.deciding.isFollowed : !point.deciding.level.isNaN && Int(point.radio & 3) == line)
  }

  /// For an average or its band: one point for each column, the last one.
  @inline(never)
  private func columns(of line: Int, finer: Double) -> [[ReportRun.LevelPoint]] {
    var runs: [[ReportRun.LevelPoint]] = []
    var column = -1
    var last = -Double.infinity
    for point in device.points where isOn(line, point) {
      let here = time.column(point.at, finer: finer)
      // A silence interrupts the line; and a trigger's, while it forgets the device.
      if point.at - last > (line < 0 ? 15 : 4) { runs.append([]) }
      if here == column, runs[runs.count - 1].count > 0 { runs[runs.count - 1].removeLast() }
      runs[runs.count - 1].append(point)
      (column, last) = (here, point.at)
    }
    return runs
  }

  private func writeBand(_ runs: [[ReportRun.LevelPoint]], to page: inout ReportPage) {
    for run in runs {
      var path = "M"
      for point in run { path += joined(time.x(point.at), " ", y(point.high), " ") }
      for point in run.reversed() { path += joined(time.x(point.at), " ", y(point.low), " ") }
      write(path + "Z", as: "band", to: &page)
    }
  }

  @inline(never)
  private func writeAverage(_ line: Int, finer: Double, to page: inout ReportPage) {
    for run in columns(of: line, finer: finer) {
      var path = "M"
      for point in run {
        path += joined(time.x(point.at), " ", y(line == Self.far ? point.average : point.deciding.level), " ")
      }
      write(path, as: line == Self.far ? "average far" : "average a" + digits(line), to: &page)
    }
  }

  private func writeSamples(of radio: Int, finer: Double, to page: inout ReportPage) {
    let few = device.points.count <= Self.mostDots
    var path = ""
    var column: (number: Int, at: Double, least: Float, most: Float) = (-1, 0, 0, 0)
    for point in device.points where Int(point.radio & 3) == radio {
      let here = time.column(point.at, finer: finer)
      if few {
        path += joined("M", time.x(point.at), " ", y(point.level), Self.signs[radio])
      } else if here == column.number {
        (column.least, column.most) = (min(column.least, point.level), max(column.most, point.level))
      } else {
        path += range(column)
        column = (here, point.at, point.level, point.level)
      }
    }
    write(path + range(column), as: joined("r", digits(radio), few ? "" : " range"), to: &page)
  }

  private func range(_ column: (number: Int, at: Double, least: Float, most: Float)) -> String {
    column.number < 0 ? "" : joined("M", time.x(column.at), " ", y(column.most + 0.4), "V", y(column.least - 0.4))
  }

  // MARK: Texts

  private func writeLabels(_ events: [(number: String, event: ReportRun.Event)], to page: inout ReportPage) {
    // Labels of close events stand one below the other, so that they have room on a phone.
    var ends = [-1.0, -1.0, -1.0, -1.0]
    for (number, event) in events {
      let part = event.at / time.seconds
      let words = triggers.count > 1 ? event.trigger + ": " + event.name : event.name
      let reason = event.reason.utf8.isEmpty ? "" : " (" + html(event.reason) + ")"
      let width = Double(words.utf8.count) * 0.023
      let endsHere = part + width > 1
      let side = endsHere ? " end" : ""
      let left = endsHere ? part - width : part
      var row = 0
      for other in ends.indices where ends[row] >= left && ends[other] < ends[row] { row = other }
      ends[row] = left + width
      let place = joined("x=\"", time.percent(event.at), "\" y=\"", digits(54 - 14 * row))
      page.write("<text id=\"", number, "\" class=\"label", side, "\" ", place, "\">", html(words))
      page.write("<title>", html(event.trigger), ": ", html(event.name), reason, ", ", time.words(event.at), "</title></text>\n")
    }
  }

  private var levels: [Int] {
    var levels: [Int] = []
    var level = (Int(low) / 10) * 10
    while Float(level) < high {
      if Float(level) > low { levels.append(level) }
      level += 10
    }
    return levels
  }

  private func writeLevels(to page: inout ReportPage) {
    page.write("<text class=\"end\" x=\"34\" y=\"56\">dBm</text>\n")
    for level in levels {
      page.write("<text class=\"end\" x=\"34\" y=\"", y(Float(level)), "\" dy=\"4\">", digits(level), "</text>\n")
    }
    for line in device.lines where line.level > low && line.level < high {
      let y = y(line.level)
      let title = html(line.title) + (line.triggers > 1 ? joined(" and ", digits(line.triggers - 1), " more") : "")
      page.write("<path class=\"threshold\" d=\"M40 ", y, "h3000\"/>")
      page.write("<text class=\"threshold end\" x=\"100%\" y=\"", y, "\" dy=\"-3\">", title, "</text>\n")
    }
  }
}
