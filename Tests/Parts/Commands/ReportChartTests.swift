import Foundation
import Testing

@testable import Core
@testable import Host
@testable import forecourt

@Suite("the report's chart, as a whole") struct ReportChartTests {
  /// What is drawn of a device on an axis of so many seconds.
  private func drawn(
    _ device: ReportRun.DeviceCurve, seconds: Double, epoch: Int64? = nil, events: [ReportRun.Event] = [],
    triggers: [String] = ["pump-1", "<till>"]
  ) throws -> String {
    let program = try Program()
    defer { program.remove() }
    let place = program.folder.appending(path: "chart.html").path
    var page = try ReportPage(creating: place, force: false)
    let numbered = events.enumerated().map { (number: "e0-\($0.offset)", event: $0.element) }
    ReportChart(device, ReportTime(seconds: seconds, epoch: epoch), triggers).write(numbered, to: &page)
    #expect(page.close() == 0)
    let lines = try String(contentsOfFile: place, encoding: .utf8).replacing("/><", with: "/>\n<").split(separator: "\n")
    // The finer ticks have tests of their own.
    return lines.filter { line in !["=\"d2", "=\"d3", "grid d2", "grid d3"].contains { line.contains($0) } }.joined(separator: "\n")
  }

  private func curve() throws -> ReportRun.DeviceCurve {
    ReportRun.DeviceCurve(identity: try Machine.identity("name:a&b@c0:00:00:00:00:01"), name: "Anna", isMatched: true)
  }

  private func point(
    _ at: Double, _ level: Float, radio: UInt8 = 0, average: Float? = nil, reach: Float = 4, decides deciding: Float = .nan,
    isFollowed: Bool = false
  ) -> ReportRun.LevelPoint {
    let middle = average ?? level
    return ReportRun.LevelPoint(
      at: at, level: level, radio: radio, average: middle, low: middle - reach, high: middle + reach,
      deciding: DecidingAverage(level: deciding, isFollowed: isFollowed || !deciding.isNaN))
  }

  private func event(_ at: Double, _ name: String, _ trigger: String = "pump-1", reason: String = "") -> ReportRun.Event {
    ReportRun.Event(at: at, trigger: trigger, name: name, reason: reason, identity: "a")
  }

  @Test("samples of five radios, averages that silences interrupt, the band, thresholds and events stand where they belong")
  func levels() throws {
    var device = try curve()
    // Far from all; then a silence of 15 s, which interrupts nothing, and one that is longer.
    device.points = [point(0, -93), point(0.01, -80, average: -90), point(1, -75), point(16, -72, reach: 9), point(31.1, -70)]
    // A trigger follows it: by two radios in turn; 4 s are no gap for it, more are.
    device.points += [
      point(32, -60, decides: -61), point(33, -58, radio: 1, decides: -59), point(36, -55, decides: -57), point(40.1, -52, decides: -55),
      point(40.2, -44, radio: 2, decides: -50), point(40.3, -47, radio: 3, decides: -49), point(41, -48, radio: 4, decides: -51),
      point(42, -48, isFollowed: true), point(50, -66),
    ]
    device.lines = [
      .init(level: -55, title: "fire 1.5 m: pump-1", triggers: 1), .init(level: -70, title: "leave 4.0 m: <till>", triggers: 3),
      .init(level: -96, title: "at the lower edge"), .init(level: -41, title: "at the upper edge"), .init(level: -95.5, title: "low"),
      .init(level: -30, title: "above"), .init(level: -65, title: "two", triggers: 2),
    ]
    let events = [
      event(32.5, "arm"), event(33, "arm", "<till>"), event(34, "fire"), event(35, "undecided", "<till>", reason: "rival<"),
      event(36, "manual", "<till>"), event(36.5, "leave", reason: "away"), event(48, "leave"), event(49, "arm"),
    ]
    try Said("chart-levels").expect(try drawn(device, seconds: 60, events: events))
    device.lines = []
    device.points = [point(0, -47), point(1.5, -49), point(2.97, -93, radio: 1)]
    try Said("chart-small").expect(
      try drawn(device, seconds: 3, epoch: 1_795_361_625_454_000, events: [event(2, "fire")], triggers: ["pump-1"]))
  }

  @Test("of more samples than dots have room, each column shows its range; without an event columns are wider")
  func ranges() throws {
    var device = try curve()
    for step in 0..<8_000 { device.points.append(point(100 + Double(step) / 2_000, Float(-60 - step % 7), radio: UInt8(step % 2))) }
    let dots = try drawn(device, seconds: 1_000)
    #expect(dots.contains("h0\"") && !dots.contains(" range\""), "8000 are dots")
    device.points.append(point(105, -40))
    try Said("chart-ranges").expect(try drawn(device, seconds: 1_000))
    try Said("chart-ranges-finer").expect(try drawn(device, seconds: 1_000, events: [event(104, "arm")]))
  }

  private func shares(_ judged: [(at: Double, here: Float, rival: Float, name: String)]) -> ReportShares {
    var shares = ReportShares(1)
    for one in judged {
      let likelihood = Likelihood(
        here: one.here, rival: one.rival, elsewhere: 1 - one.here - one.rival, rivalName: Name(one.name), receivers: 3,
        at: .zero + .seconds(one.at))
      shares.observe(likelihood)
    }
    return shares
  }

  @Test("below the levels stands how likely each place was: areas from the bottom up, each named where there is room") func bands() throws {
    var device = try curve()
    device.points = [point(0, -60), point(60, -60)]
    device.shares = [
      shares([
        (1, 0.1, 0.2, "pump-2"), (4, 0.2, 0.3, "pump-2"), (7, 0.2, 0.7, "pump-2"), (9, 0.3, 0.5, "pump-3"), (9, 0.9, 0, "pump-3"),
        (12, 0.6, 0.3, "pump-2"), (16, 0.8, 0.1, ""), (19, 0.45, 0.45, "pump-2"), (30, 0.9, 0.05, "pump-3"), (30.001, 0.1, 0.05, "pump-3"),
        (45, 0.05, 0.9, "a place with a very long name"), (45.5, 0.9, 0.05, "pump-2"), (58, 0.9, 0.05, "pump-2"),
      ])
    ]
    try Said("chart-shares").expect(
      try drawn(device, seconds: 60, events: [event(20, "fire"), event(21, "fire", "<till>"), event(31, "leave", "<till>")]))
    device.shares.append(shares([(10, 0.4, 0.2, "pump-2")]))
    let both = try drawn(device, seconds: 60)
    #expect(both.contains("style=\"height:468px\"") && both.contains("y=\"314\"") && both.contains("y=\"398\""))
  }

  @Test("of several triggers the one that is furthest decides; above all, one that fires now") func ranks() {
    let now = Instant.zero + .seconds(9)
    let stages: [Encounter.Stage] = [
      .absent, .armed, .dwelling(since: .zero), .claiming(since: .zero, dwelling: .zero), .fired(at: .zero), .fired(at: now),
    ]
    let ranks = stages.map { $0.rank(at: now) }
    #expect(zip(ranks, ranks.dropFirst()).allSatisfy { $0 < $1 } && ranks[0] >= 0, "\(ranks)")
    #expect(Encounter.Stage.leaving(since: .zero, fired: now).rank(at: now) == ranks[4], "who leaves has fired")
  }
}
