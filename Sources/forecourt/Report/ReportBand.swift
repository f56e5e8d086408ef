import Core
import Host

/// Draws how likely each place was over time, as one trigger's plan had it: from below here, another radio's place, elsewhere.
struct ReportBand {
  private let shares: ReportShares
  private let steps: [Step]
  private let time: ReportTime
  private let trigger: String

  static let height = 84
  private static let top = 20.0
  private static let bottom = 80.0

  /// One judgement, until the next.
  private struct Step {
    let judgement: ReportShares.Judgement
    let end: Double
    /// Nothing was known just before.
    let isFirst: Bool
  }

  private enum Place: Equatable {
    case here, elsewhere
    /// Its place in `rivals`.
    case rival(Int)
  }

  init(_ shares: ReportShares, _ trigger: String, _ time: ReportTime, finer: Double) {
    (self.shares, self.trigger, self.time) = (shares, trigger, time)
    var steps: [Step] = []
    var end = -1.0
    for index in shares.judgements.indices {
      let judgement = shares.judgements[index]
      let next = index + 1 < shares.judgements.count ? shares.judgements[index + 1].at : .infinity
      // Of many in one column the last one counts.
      if time.column(next, finer: finer) == time.column(judgement.at, finer: finer) { continue }
      let isFirst = judgement.at > end
      end = min(next, judgement.at + LikelihoodRecord.memory, time.seconds)
      steps.append(Step(judgement: judgement, end: end, isFirst: isFirst))
      end += time.seconds / 960
    }
    self.steps = steps
  }

  private func y(_ share: Float) -> String { fixed(Self.bottom - Double(share) * (Self.bottom - Self.top), 1) }

  /// What lies on the time axis.
  func write(_ events: [ReportRun.Event], to page: inout ReportPage) {
    page.write("<svg class=\"shares\" role=\"img\" aria-label=\"How likely each place was, as ", html(trigger), " had it\">\n")
    page.write("<svg viewBox=\"0 0 960 84\" preserveAspectRatio=\"none\" aria-hidden=\"true\">\n")
    write("rest", to: &page) { _ in 1 }
    for name in shares.rivals.indices where !shares.rivals[name].isEmpty {
      write("rival v" + digits(name % 3), to: &page) { $0.name == name ? $0.here + $0.rival : nil }
    }
    write("here", to: &page) { $0.here }
    for event in events where same(event.trigger, trigger) {
      page.write("<path class=\"event ", event.kind, "\" d=\"M", time.x(event.at), " 16V80\"/>\n")
    }
    page.write("</svg>\n")
    writeLabels(to: &page)
    page.write("</svg>\n")
  }

  /// What stays where it is when the time is stretched.
  func writeTitle(below top: Int, to page: inout ReportPage) {
    page.write("<text class=\"label\" x=\"40\" y=\"", digits(top + 14), "\">", html(trigger), ": how likely each place is</text>\n")
    page.write("<text class=\"end\" x=\"34\" y=\"", digits(top + 30), "\">100%</text>\n")
    page.write("<text class=\"end\" x=\"34\" y=\"", digits(top + 80), "\">0</text>\n")
  }

  /// An area from the bottom up, in steps; nothing where there is no height.
  private func write(_ kind: String, to page: inout ReportPage, _ height: (ReportShares.Judgement) -> Float?) {
    var path = ""
    var isOpen = false
    for (index, step) in steps.enumerated() {
      guard let share = height(step.judgement) else { continue }
      path += joined(isOpen ? "V" : joined("M", time.x(step.judgement.at), " 80V"), y(share), "H", time.x(step.end))
      let next = index + 1 < steps.count ? steps[index + 1] : nil
      isOpen = next.map { !$0.isFirst && height($0.judgement) != nil } ?? false
      if !isOpen { path += "V80Z" }
    }
    if !path.utf8.isEmpty { page.write("<path class=\"", kind, "\" d=\"", path, "\"/>\n") }
  }

  // MARK: Labels

  /// A time in which one place is the likeliest.
  private struct Stretch {
    let place: Place
    let start: Double
    var end: Double
    /// The middle of its area, weighed by time.
    var middle: Double
  }

  private var stretches: [Stretch] {
    var all: [Stretch] = []
    for step in steps {
      let (here, rival) = (step.judgement.here, step.judgement.rival)
      let rest = 1 - here - rival
      let place: Place = here >= max(rival, rest) ? .here : rival > rest ? .rival(step.judgement.name) : .elsewhere
      let middle = place == .here ? here / 2 : place == .elsewhere ? 1 - rest / 2 : here + rival / 2
      let weight = step.end - step.judgement.at
      // A short gap interrupts nothing.
      if all.last?.place != place || step.judgement.at > all[all.count - 1].end + time.seconds / 50 {
        all.append(Stretch(place: place, start: step.judgement.at, end: step.end, middle: Double(middle) * weight))
      } else {
        all[all.count - 1].end = step.end
        all[all.count - 1].middle += Double(middle) * weight
      }
    }
    return all
  }

  private func writeLabels(to page: inout ReportPage) {
    for stretch in stretches {
      let words =
        switch stretch.place {
        case .here: "here"
        case .elsewhere: "elsewhere"
        case .rival(let name): html(String(shares.rivals[name]))
        }
      // Where there is room for it: on a phone, on a wide screen, or only under zoom.
      let room = (stretch.end - stretch.start) / time.seconds / (Double(words.utf8.count) * 0.023)
      guard room > 0.02 else { continue }
      let detail = room > 1 ? 0 : room > 0.5 ? 1 : room > 0.13 ? 2 : 3
      let y = Self.bottom - stretch.middle / (stretch.end - stretch.start) * (Self.bottom - Self.top) + 4
      page.write("<text class=\"label middle d", digits(detail), "\" x=\"", time.percent((stretch.start + stretch.end) / 2), "\" y=\"")
      page.write(fixed(y, 0), "\">", words, "</text>\n")
    }
  }
}
