import Core
import Host

/// Draws one device's levels over time, as inline SVG.
struct ReportChart {
  private let device: ReportRun.DeviceCurve
  private let events: [ReportRun.Event]
  private let seconds: Double
  private let low: Float
  private let high: Float

  private static let width = 960.0
  private static let height = 300.0
  private static let left = 44.0
  private static let right = 12.0
  private static let top = 22.0
  private static let bottom = 26.0
  /// More dots than this would run together: then each pixel column shows its range.
  private static let mostDots = 3_000

  init(_ device: ReportRun.DeviceCurve, _ events: [ReportRun.Event], seconds: Double) {
    (self.device, self.events, self.seconds) = (device, events, max(seconds, 1))
    var low: Float = -90
    var high: Float = -50
    for point in device.points { (low, high) = (min(low, point.level), max(high, point.level)) }
    (self.low, self.high) = (low - 3, high + 3)
  }

  private func x(_ seconds: Double) -> String {
    fixed(Self.left + seconds / self.seconds * (Self.width - Self.left - Self.right), 1)
  }

  private func y(_ level: Float) -> String {
    let part = Double((high - min(max(level, low), high)) / (high - low))
    return fixed(Self.top + part * (Self.height - Self.top - Self.bottom), 1)
  }

  func write(to page: inout ReportPage) {
    let name = html(device.identity.text)
    page.write("<svg viewBox=\"0 0 960 300\" role=\"img\" aria-label=\"Levels of \(name)\">\n")
    writeGrid(to: &page)
    let columns = columns
    writeBand(columns, to: &page)
    writeSamples(to: &page)
    writeAverage(columns, to: &page)
    writeLines(to: &page)
    // Labels of two close events stand one below the other.
    var last = (x: -Double.infinity, y: 0)
    for event in events {
      let x = Self.left + event.at / seconds * (Self.width - Self.left - Self.right)
      last = (x, x - last.x < 40 && last.y == 12 ? 23 : 12)
      write(event, y: last.y, to: &page)
    }
    page.write("</svg>\n")
  }

  /// For the average and its band: one point for each pixel column, the last one.
  private var columns: [[ReportRun.LevelPoint]] {
    var runs: [[ReportRun.LevelPoint]] = []
    var pixel = -1
    var last = -Double.infinity
    for point in device.points {
      let here = Int(point.at / seconds * Self.width)
      // A silence of 15 s interrupts the line.
      if point.at - last > 15 { runs.append([]) }
      if here == pixel, runs[runs.count - 1].count > 0 { runs[runs.count - 1].removeLast() }
      runs[runs.count - 1].append(point)
      (pixel, last) = (here, point.at)
    }
    return runs
  }

  private func writeBand(_ runs: [[ReportRun.LevelPoint]], to page: inout ReportPage) {
    for run in runs {
      var path = ""
      for point in run { path += "\(x(point.at)),\(y(point.high)) " }
      for point in run.reversed() { path += "\(x(point.at)),\(y(point.low)) " }
      page.write("<polygon class=\"band\" points=\"\(path)\"/>\n")
    }
  }

  private func writeAverage(_ runs: [[ReportRun.LevelPoint]], to page: inout ReportPage) {
    for run in runs {
      var path = ""
      for point in run { path += "\(x(point.at)),\(y(point.average)) " }
      page.write("<polyline class=\"average\" points=\"\(path)\"/>\n")
    }
  }

  private func writeSamples(to page: inout ReportPage) {
    guard device.points.count > Self.mostDots else {
      for point in device.points {
        page.write("<circle class=\"r\(point.radio & 3)\" cx=\"\(x(point.at))\" cy=\"\(y(point.level))\" r=\"1.6\"/>")
      }
      return page.write("\n")
    }
    var index = 0
    while index < device.points.count {
      let pixel = Int(device.points[index].at / seconds * Self.width)
      var (least, most) = (device.points[index].level, device.points[index].level)
      let at = device.points[index].at
      while index < device.points.count, Int(device.points[index].at / seconds * Self.width) == pixel {
        (least, most) = (min(least, device.points[index].level), max(most, device.points[index].level))
        index += 1
      }
      page.write("<path class=\"range\" d=\"M\(x(at)) \(y(most + 0.4))V\(y(least - 0.4))\"/>")
    }
    page.write("\n")
  }

  private func writeGrid(to page: inout ReportPage) {
    page.write("<text class=\"axis end\" x=\"40\" y=\"14\">dBm</text>\n")
    var level = (Int(low) / 10) * 10
    while Float(level) < high {
      if Float(level) > low {
        let y = y(Float(level))
        page.write("<path class=\"grid\" d=\"M44 \(y)H948\"/><text class=\"axis end\" x=\"40\" y=\"\(y)\" dy=\"4\">\(level)</text>\n")
      }
      level += 10
    }
    let step = Self.steps.first { seconds / $0 <= 12 } ?? 86_400
    var time = 0.0
    while time <= seconds {
      page.write(
        "<path class=\"grid\" d=\"M\(x(time)) 22V274\"/><text class=\"axis middle\" x=\"\(x(time))\" y=\"290\">\(clock(time))</text>\n")
      time += step
    }
  }

  private static let steps = [0.1, 0.5, 1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1_800, 3_600, 7_200, 14_400, 28_800]

  private func clock(_ seconds: Double) -> String {
    if self.seconds < 120 { return String(number: seconds) + " s" }
    let whole = Int(seconds)
    let minutes = "\(whole / 60 % 60)", rest = "\(whole % 60)"
    let short = (minutes.utf8.count < 2 && whole >= 3_600 ? "0" : "") + minutes + ":" + (rest.utf8.count < 2 ? "0" : "") + rest
    return whole >= 3_600 ? "\(whole / 3_600):" + short : short
  }

  private func writeLines(to page: inout ReportPage) {
    for line in device.lines where line.level > low && line.level < high {
      let y = y(line.level)
      page.write(
        "<path class=\"threshold\" d=\"M44 \(y)H948\"/><text class=\"label end\" x=\"946\" y=\"\(y)\" dy=\"-3\">\(html(line.title))</text>\n"
      )
    }
  }

  private func write(_ event: ReportRun.Event, y: Int, to page: inout ReportPage) {
    let kind = same(event.name, "fire") || same(event.name, "manual") ? "fire" : same(event.name, "leave") ? "leave" : "other"
    let words = html(event.trigger + ": " + event.name + (event.reason.utf8.isEmpty ? "" : " (" + event.reason + ")"))
    page.write("<path class=\"event \(kind)\" d=\"M\(x(event.at)) \(y + 4)V274\"/>")
    page.write(
      "<text class=\"label middle\" x=\"\(x(event.at))\" y=\"\(y)\">\(html(event.name))<title>\(words), \(fixed(event.at, 2)) s</title></text>\n"
    )
  }
}
