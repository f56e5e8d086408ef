import Foundation
import Testing

@testable import Core

@Suite("Calendar time") struct WallClockTests {
  private func written(_ microseconds: Int64, since epoch: Int64 = 0) -> String {
    var text = Text<40>()
    WallClock(started: .zero, epoch: epoch).write(Instant(microseconds: microseconds), to: &text)
    return String(text)
  }

  @Test("each day from 1904 to 2500 has the date that the Gregorian calendar gives it, at both of its ends") func days() throws {
    var calendar = Calendar(identifier: .gregorian)
    calendar.timeZone = try #require(TimeZone(secondsFromGMT: 0))
    // Every eleventh day, and all around the turns of months and centuries.
    for day in (-24_000..<193_600) where day % 11 == 0 || (-2...2).contains(day % 36_524) || (-1_500..<1_500).contains(day - 11_016) {
      let date = calendar.dateComponents([.year, .month, .day], from: Date(timeIntervalSince1970: Double(day) * 86_400))
      let words = String(format: "\"%04d-%02d-%02dT", try #require(date.year), try #require(date.month), try #require(date.day))
      let start = Int64(day) * 86_400_000_000
      #expect(written(start) == words + "00:00:00.000Z\"")
      #expect(written(start + 86_399_999_999) == words + "23:59:59.999Z\"")
      #expect(WallClock(started: .zero, epoch: start).day(at: Instant(microseconds: 86_399_999_999)) == Int64(day))
    }
  }

  @Test("hours, minutes, seconds and milliseconds are those of the moment, on top of the clock's beginning") func hours() {
    #expect(written(0, since: 1_795_361_625_454_999) == #""2026-11-22T15:33:45.454Z""#)
    #expect(written(12_345_678_901, since: 86_400_000_000) == #""1970-01-02T03:25:45.678Z""#)
    let clock = WallClock(started: Instant(microseconds: 4_000_000), epoch: 5_500_000)
    #expect(clock.uptime(at: Instant(microseconds: 9_000_000)) == .seconds(5))
    #expect(clock.unixTime(at: Instant(microseconds: 9_600_000)) == 15)
  }

  @Test(
    "no moment stops the program: outside the years 0000 to 9999 nothing is said, but each has its day",
    arguments: [0, 1, -1, 86_400_000_000] as [Int64])
  func wild(epoch: Int64) {
    #expect(written(-62_167_219_200_000_000 - epoch, since: epoch) == #""0000-01-01T00:00:00.000Z""#)
    #expect(written(253_402_300_799_999_999 - epoch, since: epoch) == #""9999-12-31T23:59:59.999Z""#)
    for unix in [Int64.min, .min + 1, .min + 86_400_000_000, -62_167_219_200_000_001, 253_402_300_800_000_000, 1 << 62, .max] {
      #expect(written(unix &- epoch, since: epoch) == "null", "\(unix)")
      let day = WallClock(started: .zero, epoch: epoch).day(at: Instant(microseconds: unix &- epoch))
      #expect(day == unix / 86_400_000_000 - (unix % 86_400_000_000 < 0 ? 1 : 0), "\(unix)")
    }
  }

  @Test("while the clock is not set nothing is said") func unset() {
    let clock = WallClock(started: .zero, epoch: nil)
    var text = Text<40>()
    clock.write(.zero, to: &text)
    #expect(String(text) == "null" && clock.unixTime(at: .zero) == nil && clock.day(at: .zero) == nil)
  }

  @Test("once it is set, or set right, each state that is retained is published with its new date; a correction in passing changes none")
  func states() {
    var rig = Rig(epoch: nil) {
      $0.addRegion("door", exit: .after(.seconds(1_000)))
      $0.addTrigger("pump")
    }
    rig.gateway.caughtUp(at: .zero)
    rig.hear(1, at: 1)
    rig.wait(until: 100)
    #expect(rig.said().last { $0.topic == "region/door" }?.payload.contains(#""count":1,"since":null"#) == true)
    let set: Int64 = 1_760_000_000_000_000
    for (seconds, epoch, isNews) in [
      (200, set, true), (201, set, false), (202, set + 999_999, false), (300, set + 3_600_000_000, true), (400, nil, true),
    ] as [(Int64, Int64?, Bool)] {
      let moment = Instant(microseconds: seconds * 1_000_000)
      rig.gateway.setClock(epoch, at: moment)
      rig.gateway.expireLeftovers(at: moment)
      let told = rig.said().filter { $0.topic == "region/door" || $0.topic == "trigger/pump/state" }
      #expect(told.map(\.topic) == (isNews ? ["region/door", "trigger/pump/state"] : []), "\(seconds)")
      if isNews { #expect(told.first?.payload.contains(#""since":null"#) == (epoch == nil), "\(told)") }
    }
  }
}
