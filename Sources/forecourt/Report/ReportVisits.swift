import Core
import Host

/// One visit of one device to one trigger, as its events show it: a row of the page's table.
struct ReportVisit {
  let trigger: String
  let identity: String
  var armed: Double?
  var fired: Double?
  var left: Double?
  var remark = ""

  /// From the events in their order.
  static func all(_ events: [ReportRun.Event]) -> [ReportVisit] {
    var visits: [ReportVisit] = []
    for event in events {
      let last = visits.lastIndex { same($0.trigger, event.trigger) && same($0.identity, event.identity) && $0.left == nil }
      switch true {
      case same(event.name, "arm"):
        if let last, visits[last].fired == nil { visits[last].left = visits[last].left ?? event.at }
        visits.append(ReportVisit(trigger: event.trigger, identity: event.identity, armed: event.at))
      case same(event.name, "fire"), same(event.name, "manual"):
        let index = last ?? visits.count
        if last == nil { visits.append(ReportVisit(trigger: event.trigger, identity: event.identity)) }
        visits[index].fired = event.at
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
    return all.sorted { ($0.first ?? $0.second ?? 0) < ($1.first ?? $1.second ?? 0) }
  }
}

extension ReportPage {
  mutating func writeVisits(_ run: ReportRun, isNamed: Bool) {
    let visits = ReportVisit.all(run.events)
    write("<section><h2>Visits\(isNamed ? ": " + html(run.name) : "")</h2>\n")
    guard !visits.isEmpty else { return write("<p>No device came near a trigger.</p></section>\n") }
    write("<table><thead><tr><th>Device<th>Trigger<th>Approached<th>Fired<th>Left<th>Remark</tr></thead><tbody>\n")
    for visit in visits {
      write("<tr><td>\(device(visit.identity, run))<td>\(html(visit.trigger))")
      write("<td>\(time(visit.armed, or: ""))<td>\(time(visit.fired, or: "–"))")
      write("<td>\(time(visit.fired == nil ? nil : visit.left, or: ""))<td>\(html(visit.remark))</tr>\n")
    }
    write("</tbody></table></section>\n")
  }
}
