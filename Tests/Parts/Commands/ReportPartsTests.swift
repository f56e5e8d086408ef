import Core
import Testing

@testable import forecourt

@Suite("the report's parts") struct ReportPartsTests {
  private func event(_ at: Double, _ name: String, _ trigger: String = "pump", _ identity: String = "anna", reason: String = "")
    -> ReportRun.Event
  {
    ReportRun.Event(at: at, trigger: trigger, name: name, reason: reason, identity: identity)
  }

  private func told(_ visits: [ReportVisit]) -> [String] {
    func words(_ time: Double?) -> String { time.map { "\($0)" } ?? "-" }
    return visits.map {
      "\($0.trigger) \($0.identity) \(words($0.armed)) \(words($0.fired)) \(words($0.left)) \($0.event) \($0.remark)"
    }
  }

  @Test("visits follow from the events: each device at each trigger by itself, its remark from what was said last") func visits() {
    let visits = ReportVisit.all([
      event(1, "arm"), event(2, "arm", "till"), event(3, "arm", "pump", "bert"), event(4, "undecided", reason: "rival"), event(5, "fire"),
      event(6, "undecided", "pump", "bert", reason: "pattern"), event(7, "arm", "pump", "bert"), event(8, "leave", reason: "away"),
      event(9, "manual"), event(10, "leave", reason: "lost"), event(11, "leave", "till", reason: "away"), event(12, "arm"),
    ])
    #expect(
      told(visits) == [
        "pump anna 1.0 5.0 8.0 4 undecided (rival), away", "till anna 2.0 - 11.0 1 away", "pump bert 3.0 - 7.0 2 undecided (pattern)",
        "pump bert 7.0 - - 6 ", "pump anna - 9.0 10.0 8 manual, lost", "pump anna 12.0 - - 11 ",
      ], "\(told(visits))")
  }

  @Test("two runs' fires belong together within 15 s; one that only one of them has stands alone; all stand in time's order")
  func differences() {
    let all = FireDifference.all(
      [event(10, "fire"), event(30, "fire", "till"), event(50, "fire"), event(70, "arm"), event(100, "fire")],
      [event(5, "fire", "pump", "bert"), event(10.09, "fire"), event(45, "fire", "till"), event(65.1, "fire"), event(90, "fire")])
    func words(_ time: Double?) -> String { time.map { "\($0)" } ?? "-" }
    #expect(
      all.map { "\($0.trigger) \($0.identity) \(words($0.first)) \(words($0.second)) \($0.isLonely) \($0.shift)" }
        == [
          "pump bert - 5.0 true 0.0", "pump anna 10.0 10.09 false 0.0", "till anna 30.0 45.0 false 15.0", "pump anna 50.0 - true 0.0",
          "pump anna 65.1 - true 0.0", "pump anna 100.0 90.0 false -10.0",
        ].map { $0.replacing("anna 65.1 - true", with: "anna - 65.1 true") })
  }

  private func ticks(_ seconds: Double, _ epoch: Int64? = nil, detail: Int) -> [String] {
    ReportTime(seconds: seconds, epoch: epoch).ticks.filter { $0.detail == detail }.sorted { $0.at < $1.at }.map { "\($0.at) \($0.words)" }
  }

  @Test("the time axis has few marks that are always shown, and finer ones for zoom, each once") func ticks() {
    #expect(ticks(20, detail: 0) == ["0.0 0 s", "5.0 5 s", "10.0 10 s", "15.0 15 s", "20.0 20 s"])
    #expect(ticks(20, detail: 2).count == 36)
    #expect(ticks(25.6, detail: 3).count == 205 && ticks(25.7, detail: 3).isEmpty, "256 are the most")
    #expect(ticks(119, detail: 0) == ["0.0 0 s", "60.0 60 s"] && ticks(120, detail: 0) == ["0.0 0:00", "60.0 1:00", "120.0 2:00"])
    #expect(ticks(3_700, detail: 0) == ["0.0 0:00", "900.0 15:00", "1800.0 30:00", "2700.0 45:00", "3600.0 1:00:00"])
    #expect(ticks(3_700, detail: 1).last == "3300.0 55:00")
    #expect(ticks(36_000, detail: 0) == ["0.0 0:00", "21600.0 6:00:00"] && ticks(36_000, detail: 1).last == "36000.0 10:00:00")
    // 2026-11-22T15:33:45.454Z
    let dated = ticks(40, 1_795_361_625_454_000, detail: 0)
    #expect(dated == ["14.6 15:34:00", "29.6 15:34:15"] || dated == ["14.6 15:34", "29.6 15:34:15"], "\(dated)")
    #expect(ReportTime(seconds: 5, epoch: nil).words(3.26) == "3.3 s" && ReportTime(seconds: 0, epoch: nil).seconds == 1)
    #expect(ReportTime(seconds: 40, epoch: 1_795_361_625_454_000).words(14.6) == "15:34:00.0")
    for epoch in [Int64.min, -62_167_219_200_000_001, 253_402_300_799_000_000, .max] {
      let wild = ReportTime(seconds: 40, epoch: epoch)
      #expect(wild.ticks.allSatisfy { $0.words.utf8.count >= 5 } && wild.words(30).utf8.count == 10, "a recording of no year: \(epoch)")
    }
    for seconds in [0.5, 7, 90, 900, 5_000, 40_000, 90_000] {
      let all = ReportTime(seconds: seconds, epoch: nil).ticks
      #expect(Set(all.map(\.at)).count == all.count && all.allSatisfy { $0.at >= 0 && $0.at <= max(seconds, 1) })
      #expect((1...6).contains(all.count { $0.detail == 0 }), "\(seconds)")
    }
  }
}

@Suite("the rule that blocks, in words") struct BlockingWordsTests {
  @Test("each has its own words, with the figures and the key that they concern") func words() {
    var settings = TriggerSettings()
    (settings.minimumSamples, settings.minimumRate, settings.dwell) = (7, 2.5, .seconds(3))
    for (rule, words) in [
      (.samples(3), "3 of min_samples 7"), (.rate(1.25), "1.25 adverts a second, min_rate_hz is 2.50"),
      (.distance(Decibels(2.5)), "too far: 2.5 dB beyond fire_m"), (.movement(Decibels(1.5)), "still moving: 1.5 dB"),
      (.rival(Decibels(4.5)), "a rival hears it too well: 4.5 dB"),
      (.pattern(1.25), "what all radios hear fits another place as well: against it, here must become 3.5 times as likely as now"),
      (.pattern(4.3), "what all radios hear fits another place as well: against it, here must become 74 times"),
      (.pattern(6.91), "what all radios hear fits another place as well: against it, here must become over 1,000 times"),
      (.power, "its power is unknown"), (.dwell(1.5), "evidence of 1.50 s, dwell_s is 3.00"),
      (.presentAtStart, "it was there when the gateway started"), (.notAway, "it was said to have left"),
      (.newcomer, "it may have been there under another address"), (.rest(.seconds(12.5)), "it was served: no fire for 12.5 s more"),
      (.taken, "another trigger of the group has it"), (.settle(.seconds(0.75)), "margin_db must hold for 0.75 s more"),
      (.neighbours, "waiting for the neighbours' answers"),
    ] as [(BlockingRule, String)] {
      #expect(rule.words(settings).hasPrefix(words), "\(rule.words(settings))")
    }
  }

  @Test("of two it is further who met more rules, or lacks less of the same") func further() {
    let ordered: [[BlockingRule]] = [
      [.samples(1), .samples(2)], [.rate(1), .rate(2)], [.dwell(1), .dwell(2)], [.distance(Decibels(2)), .distance(Decibels(1))],
      [.movement(Decibels(2)), .movement(Decibels(1))], [.rival(Decibels(2)), .rival(Decibels(1))], [.pattern(2), .pattern(1)],
      [.rest(.seconds(2)), .rest(.seconds(1))], [.settle(.seconds(2)), .settle(.seconds(1))], [.samples(9), .rate(0)],
      [.rival(Decibels(1)), .dwell(0)], [.taken, .neighbours],
    ]
    for pair in ordered {
      #expect(pair[1].isFurther(than: pair[0]) && !pair[0].isFurther(than: pair[1]) && !pair[0].isFurther(than: pair[0]), "\(pair)")
    }
    #expect(!BlockingRule.power.isFurther(than: .pattern(1)) && !BlockingRule.pattern(1).isFurther(than: .power))
  }
}
