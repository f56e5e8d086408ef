import Core
import Host

/// One visit of one device to one trigger, as its events show it: a row of the page's table.
struct ReportVisit {
  let trigger: String
  let identity: String
  /// The number of the event that tells most: the fire, or the first.
  var event: Int
  var armed: Double?
  var fired: Double?
  var left: Double?
  var remark = ""

  /// From the events in their order.
  static func all(_ events: [ReportRun.Event]) -> [ReportVisit] {
    var visits: [ReportVisit] = []
    for (number, event) in events.enumerated() {
      let last = visits.lastIndex { same($0.trigger, event.trigger) && same($0.identity, event.identity) && $0.left == nil }
      switch true {
      case same(event.name, "arm"):
        if let last, visits[last].fired == nil { visits[last].left = visits[last].left ?? event.at }
        visits.append(ReportVisit(trigger: event.trigger, identity: event.identity, event: number, armed: event.at))
      case same(event.name, "fire"), same(event.name, "manual"):
        let index = last ?? visits.count
        if last == nil { visits.append(ReportVisit(trigger: event.trigger, identity: event.identity, event: number)) }
        (visits[index].fired, visits[index].event) = (event.at, number)
        if same(event.name, "manual") { visits[index].remark = "manual" }
      case same(event.name, "leave"):
        if let last {
          visits[last].left = event.at
          visits[last].remark += (visits[last].remark.utf8.isEmpty ? "" : ", ") + event.reason
        }
      default:
        if let last { visits[last].remark = event.name + " (" + event.reason + ")" }
      }
    }
    return visits
  }
}

/// A fire that both runs have, or only one: a row of the comparison.
struct FireDifference {
  let trigger: String
  let identity: String
  let first: Double?
  let second: Double?

  var isLonely: Bool { first == nil || second == nil }
  /// How much later the second run fires, in seconds; less than a tenth is nothing.
  var shift: Double {
    guard let first, let second, abs(second - first) >= 0.1 else { return 0 }
    return second - first
  }

  /// Fires of one device at one trigger belong together when they lie this close.
  private static let together = 15.0

  private var at: Double { first ?? second ?? 0 }

  static func all(_ a: [ReportRun.Event], _ b: [ReportRun.Event]) -> [FireDifference] {
    var rest = b.filter { same($0.name, "fire") }
    var all: [FireDifference] = []
    for fire in a where same(fire.name, "fire") {
      let twin = rest.firstIndex {
        same($0.trigger, fire.trigger) && same($0.identity, fire.identity) && abs($0.at - fire.at) <= together
      }
      all.append(FireDifference(trigger: fire.trigger, identity: fire.identity, first: fire.at, second: twin.map { rest[$0].at }))
      if let twin { rest.remove(at: twin) }
    }
    for fire in rest { all.append(FireDifference(trigger: fire.trigger, identity: fire.identity, first: nil, second: fire.at)) }
    return order(of: all.count) { all[$0].at < all[$1].at }.map { all[$0] }
  }
}

extension ReportPage {
  /// Those who were served stand first; a hundred who only came near do not hide them.
  mutating func writeVisits(_ run: ReportRun, _ number: Int, isNamed: Bool) {
    let visits = ReportVisit.all(run.events)
    writeHead("Visits" + (isNamed ? ": " + html(run.name) : ""))
    let fired = visits.filter { $0.fired != nil }
    let others = visits.filter { $0.fired == nil }
    if fired.isEmpty { write(others.isEmpty ? "<p>No device came near a trigger.</p>\n" : "<p>Nothing fired.</p>\n") }
    if !fired.isEmpty {
      let heads = ["Device", "Trigger", "Approached", "Fired", "Left", "Remark"]
      writeTable(heads, fired.map { served($0, number) })
    }
    if !others.isEmpty {
      write(
        "<details", others.count <= 8 ? " open" : "", "><summary>", counted(others.count, "approach", "es"), " without a fire</summary>\n")
      writeTable(["Device", "Trigger", "Approached", "Until", "Nearest", "Reason"], others.map { unfired($0, run, number) })
      write("</details>\n")
    }
    write("</section>\n")
  }

  private func served(_ visit: ReportVisit, _ number: Int) -> [String] {
    [
      device(visit.identity), html(visit.trigger), time(visit.armed, or: ""), time(visit.fired, or: "", at: (number, visit.event)),
      time(visit.left, or: ""), html(visit.remark),
    ]
  }

  private func unfired(_ visit: ReportVisit, _ run: ReportRun, _ number: Int) -> [String] {
    var attempt: ReportAttempt?
    if let device = run.devices.first(where: { same(json($0.identity.text), visit.identity) }), let armed = visit.armed,
      let trigger = run.triggers.firstIndex(where: { same($0, visit.trigger) })
    {
      attempt = device.attempts.attempt(at: trigger, armed)
    }
    let words = [visit.remark, attempt?.words ?? ""].filter { !$0.utf8.isEmpty }
    return [
      device(visit.identity), html(visit.trigger), time(visit.armed, or: "", at: (number, visit.event)), time(attempt?.ended, or: ""),
      attempt.map { metres($0.nearest) + " m" } ?? "", html(listed(words, with: "and")),
    ]
  }
}
