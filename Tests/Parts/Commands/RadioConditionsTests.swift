import Testing

@testable import Core
@testable import Host
@testable import forecourt

@Suite("the radios of a command") struct RadioConditionsTests {
  @Test("a radio's trouble is said when it is news; waiting is useless when no radio ever listened, or all recordings are over")
  func conditions() {
    func report(_ condition: Condition) -> Radio.Status {
      var report = Radio.Status()
      report.condition = condition
      return report
    }
    var pair = RadioConditions([.tcp(host: "a", port: 1), .capture(file: "b")])
    #expect(!pair.isListening(0) && !pair.isOver && pair.end == nil)
    func news(_ condition: Condition, _ radio: Int = 0) -> String? { pair.record(report(condition), radio: radio) }
    #expect(news(.failed(.noPermission))?.hasPrefix("forecourt: tcp:a:1: permission is missing") == true)
    #expect(news(.degraded(.noPermission)) == nil && !pair.isOver, "the other may still come")
    #expect(news(.ended, 1) == nil && pair.isOver && pair.end == Exit.forbidden && pair.advices[0] != nil)
    #expect(news(.scanning) == nil && pair.isListening(0) && !pair.isOver && pair.advices[0] == nil)
    #expect(news(.degraded(.lineLost)) != nil && !pair.isOver, "who has listened may listen again")
    var one = RadioConditions([.tcp(host: "a", port: 1)])
    _ = one.record(report(.failed(.notAnswering)), radio: 0)
    #expect(!one.isOver, "a controller may recover")
    for (trouble, exit) in [(.unreachable, .unavailable), (.noSource, .unreadable), (.noPermission, .forbidden)] as [(Trouble, Exit)] {
      _ = one.record(report(.failed(trouble)), radio: 0)
      #expect(one.end == exit && trouble.exit == exit)
    }
    var recordings = RadioConditions([.capture(file: "a"), .capture(file: "b")])
    _ = recordings.record(report(.scanning), radio: 0)
    _ = recordings.record(report(.failed(.damagedSource)), radio: 0)
    #expect(!recordings.isOver)
    _ = recordings.record(report(.ended), radio: 1)
    #expect(recordings.isOver && recordings.end == .unreadable)
    var well = RadioConditions([.capture(file: "a")])
    _ = well.record(report(.ended), radio: 0)
    #expect(well.isOver && well.end == nil)
  }
}
