import Core
import Host

/// Draws how likely each place was over time, as one trigger's plan had it: from below here, another radio's place, elsewhere.
struct ReportBand {
  private let shares: ReportShares
  private let time: ReportTime
  private let trigger: String

  static let height = 84
  private static let top = 20.0
  private static let bottom = 80.0
  /// Beside the places of rivals in their list.
  private static let here = -1
  private static let elsewhere = -2

  init(_ shares: ReportShares, _ trigger: String, _ time: ReportTime) {
    (self.shares, self.trigger, self.time) = (shares, trigger, time)
  }

  /// The last one of its column.
  private func isDrawn(_ judgement: ReportShares.Judgement) -> Bool {
    time.column(judgement.at, finer: 8) != time.column(judgement.end, finer: 8)
  }

  /// What lies on the time axis.
  func write(_ events: [(number: String, event: ReportRun.Event)], to page: inout ReportPage) {
    page.write("<svg class=\"shares\" role=\"img\" aria-label=\"How likely each place was, as ", html(trigger), " had it\">\n")
    page.write("<svg viewBox=\"0 0 960 84\" preserveAspectRatio=\"none\" aria-hidden=\"true\">\n")
    for place in Self.elsewhere..<shares.rivals.count where place != Self.here { writeArea(of: place, to: &page) }
    writeArea(of: Self.here, to: &page)
    for (_, event) in events where same(event.trigger, trigger) {
      page.write("<path class=\"event ", event.kind, "\" d=\"M", time.x(event.at), " 16V80\"/>\n")
    }
    page.write("</svg>\n")
    writeLabels(to: &page)
    page.write("</svg>\n")
  }

  /// What stays where it is when the time is stretched.
  static func writeTitle(_ trigger: String, below top: Int, to page: inout ReportPage) {
    page.write("<text class=\"label\" x=\"40\" y=\"", digits(top + 14), "\">", html(trigger), ": how likely each place is</text>\n")
    page.write("<text class=\"end\" x=\"34\" y=\"", digits(top + 30), "\">100%</text>\n")
    page.write("<text class=\"end\" x=\"34\" y=\"", digits(top + 80), "\">0</text>\n")
  }

  /// From the bottom up: those that are written later cover the lower part. nil where this place is none of those judged.
  private func height(of place: Int, _ judgement: ReportShares.Judgement) -> Float? {
    if place == Self.elsewhere { return 1 }
    if place == Self.here { return judgement.here }
    return place == judgement.name && !shares.rivals[place].utf8.isEmpty ? judgement.here + judgement.rival : nil
  }

  @inline(never)
  private func writeArea(of place: Int, to page: inout ReportPage) {
    var path = ""
    var end = -1.0
    for judgement in shares.judgements where isDrawn(judgement) {
      let share = height(of: place, judgement)
      let isJoined = end >= 0 && share != nil && judgement.at <= end + time.seconds / 960
      if end >= 0, !isJoined { path += "V80Z" }
      end = -1
      guard let share else { continue }
      if !isJoined { path += joined("M", time.x(judgement.at), " 80") }
      path += joined("V", fixed(Self.bottom - Double(share) * (Self.bottom - Self.top), 1), "H", time.x(judgement.end))
      end = judgement.end
    }
    let kind = place == Self.here ? "here" : place == Self.elsewhere ? "rest" : "rival v" + digits(place % 3)
    if !path.utf8.isEmpty { page.write("<path class=\"", kind, "\" d=\"", path, end >= 0 ? "V80Z" : "", "\"/>\n") }
  }

  // MARK: Labels

  /// The name of the likeliest place, in its area; a short gap interrupts nothing.
  @inline(never)
  private func writeLabels(to page: inout ReportPage) {
    var stretch: (place: Int, start: Double, end: Double, middle: Double) = (Self.elsewhere - 1, 0, 0, 0)
    for judgement in shares.judgements where isDrawn(judgement) {
      let (here, rival) = (judgement.here, judgement.rival)
      let rest = 1 - here - rival
      let place = here >= max(rival, rest) ? Self.here : rival > rest ? judgement.name : Self.elsewhere
      let middle = place == Self.here ? here / 2 : place == Self.elsewhere ? 1 - rest / 2 : here + rival / 2
      if place != stretch.place || judgement.at > stretch.end + time.seconds / 50 {
        writeLabel(of: stretch, to: &page)
        stretch = (place, judgement.at, judgement.at, 0)
      }
      stretch.end = min(judgement.end, time.seconds)
      stretch.middle += Double(middle) * (stretch.end - judgement.at)
    }
    writeLabel(of: stretch, to: &page)
  }

  /// Where there is room for it: on a phone, on a wide screen, or only under zoom. `middle` is weighed by time.
  @inline(never)
  private func writeLabel(of stretch: (place: Int, start: Double, end: Double, middle: Double), to page: inout ReportPage) {
    let seconds = stretch.end - stretch.start
    guard seconds > 0 else { return }
    let words = stretch.place == Self.here ? "here" : stretch.place == Self.elsewhere ? "elsewhere" : shares.rivals[stretch.place]
    let room = seconds / time.seconds / (Double(words.utf8.count) * 0.023)
    guard room > 0.02 else { return }
    let detail = room > 1 ? 0 : room > 0.5 ? 1 : room > 0.13 ? 2 : 3
    let y = Self.bottom - stretch.middle / seconds * (Self.bottom - Self.top) + 4
    page.write("<text class=\"label middle d", digits(detail), "\" x=\"", time.percent(stretch.start + seconds / 2), "\" y=\"")
    page.write(fixed(y, 0), "\">", html(words), "</text>\n")
  }
}
