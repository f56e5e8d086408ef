import Core
import Testing

@testable import Host
@testable import forecourt

@Suite("where a device is measured") struct PlaceTests {
  private func words(_ text: String, _ radios: [String] = ["left"]) -> String {
    do throws(PlaceRefusal) {
      let place = try CalibrationPlace(text, radios)
      let ways = place.ways.map { $0.map { "\($0.from)..\($0.to)" } ?? "-" }.joined(separator: " ")
      return "\(place.written): \(ways)" + (place.window.map { " @\($0.from)-\($0.to)" } ?? "") + (place.isWalked ? ", walked" : "")
    } catch { return error.sentence }
  }

  @Test("a place is metres, for each radio, in a span of the recording") func places() {
    let two = ["left", "right"]
    for (text, told) in [
      ("1", "1: 1.0..1.0"), ("0.1", "0.1: 0.1..0.1"), ("200", "200: 200.0..200.0"), ("1.5..15", "1.5..15: 1.5..15.0, walked"),
      ("2@0-9.5", "2: 2.0..2.0 @0.0-9.5"), ("left=3", "left=3: 3.0..3.0"),
    ] { #expect(words(text) == told) }
    #expect(
      words("left=1,right=4.5", two) == "left=1,right=4.5: 1.0..1.0 4.5..4.5"
        && words("right=4..2", two) == "right=4..2: - 4.0..2.0, walked")
    for text in ["0.09", "200.1", "x", "", "1..2..3", "-1", "1..0", "0..1"] {
      #expect(words(text) == "\"\(text)\" is no distance: write metres from 0.1 to 200, or 1..15 for a walk")
    }
    for (text, span) in [("1@5", "5"), ("1@9-5", "9-5"), ("1@5-5", "5-5"), ("1@1-2-3", "1-2-3"), ("1@a-b", "a-b")] {
      #expect(words(text) == "\"\(span)\" is no span of the recording: write seconds like 10-40")
    }
    #expect(words("1@2@3") == "there is more than one @")
    #expect(words("1", two) == "with several radios each distance names its own: left=1,right=4.5")
    // A decimal comma would measure at 5 m.
    for text in ["1,5", "left=1,5", "left=1,left=5", "1,5@0-9", "2,2"] {
      #expect(words(text) == "a distance is given twice; decimals take a point, 1.5", "\(text)")
    }
    #expect(words("left=1,right=2,left=1", two) == "a distance is given twice; decimals take a point, 1.5")
    #expect(words("up=1", two) == "\"up\" is no radio of the configuration: left or right")
  }

  @Test("each radio that counts has a measurement") func measurements() throws {
    let place = try CalibrationPlace("left=9..4,up=3", ["left", "right", "up"])
    let all = place.measurements(7, from: .zero + .seconds(1), to: .zero + .seconds(9))
    #expect(all.map { "\($0.radio) \($0.place) \($0.from) \($0.to) \($0.seconds)" } == ["0 7 9.0 4.0 8.0", "2 7 3.0 3.0 8.0"])
  }

  @Test("decimal numbers have digits and one point, no more than six behind it") func numbers() {
    for (text, number) in [
      ("0", 0), ("12", 12), ("1.25", 1.25), ("0.000001", 0.000001), ("1.0000001", nil), ("1.", nil), (".5", nil), ("1.2.3", nil), ("", nil),
      ("1e3", nil), ("+1", nil), (" 1", nil),
    ] as [(String, Double?)] { #expect(decimalNumber(text) == number, "\(text)") }
    #expect(split("a..b", at: "..") == ["a", "b"] && split("..", at: "..") == ["", ""] && split("a.b", at: "..") == ["a.b"])
    #expect(split("", at: ",") == [""] && split("a,,b,", at: ",") == ["a", "", "b", ""])
  }

  @Test("a time is so long ago, or a moment in UTC") func times() {
    let (now, day) = (Int64(1_795_361_625_454_000), Int64(86_400_000_000))
    for (words, moment) in [
      ("90s", now - 90_000_000), ("30m", now - 1_800_000_000), ("12h", now - 43_200_000_000), ("7d", now - 7 * day), ("0s", now),
      ("99999999s", now - 99_999_999_000_000), ("100000000s", nil), ("s", nil), ("", nil), ("-1s", nil), ("1.5h", nil), ("90", nil),
      ("90x", nil),
      ("1970-01-01", 0), ("1970-01-02T00:00", day), ("1970-01-01 23:59:59", 86_399_000_000), ("1970-01-01T00:00:01Z", 1_000_000),
      ("2026-11-22T15:33:45Z", 1_795_361_625_000_000), ("2026-11-22", 1_795_305_600_000_000), ("2000-02-29", 951_782_400_000_000),
      ("2000-03-01", 951_868_800_000_000), ("2100-03-01", 4_107_542_400_000_000), ("1972-12-31", 94_608_000_000_000),
      ("9999-12-31T23:59", 253_402_300_740_000_000), ("2026-02-31", nil), ("2026-02-29", nil), ("2100-02-29T10:00", nil),
      ("2026-04-31", nil), ("2026-11-31", nil), ("2026-02-28", 1_772_236_800_000_000), ("2028-02-29", 1_835_395_200_000_000),
      ("2026-04-30", 1_777_507_200_000_000), ("2026-12-31", 1_798_675_200_000_000), ("1969-12-31", nil), ("10000-01-01", nil),
      ("2026-00-01", nil), ("2026-13-01", nil),
      ("2026-01-00", nil), ("2026-01-32", nil), ("2026-01-01T24:00", nil), ("2026-01-01T10:60", nil), ("2026-01-01T10:00:60", nil),
      ("2026-01-01T10", nil), ("2026/01/01", nil), ("2026-01", nil), ("2026-01-01T10:00:00:00", nil), ("2026-01-01_10:00", nil),
    ] as [(String, Int64?)] { #expect(parseTime(words, before: now) == moment, "\(words)") }
  }

  @Test("a prediction says what each place would see, as it is and as suggested, and what to write") func prediction() throws {
    let windows = [1.0, 15].enumerated().flatMap { place, distance in
      (0..<4).map { turn in
        SampleWindow(
          radio: 0, place: place, logDistance: Core.log10(distance), level: -59 - 20 * Core.log10(distance) + [-1, 0, 0, 1][turn],
          samples: 20)
      }
    }
    let fit = try Fit(windows, radios: 1, places: 2, offsets: [0], assuming: 1.8)
    var trigger = TriggerSettings()
    trigger.name = Name("pump")
    let clear = TriggerPrediction(trigger, fit, rate: 9.5, pump: 1, elsewhere: [15, 40])
    let head = ["", "Trigger \"pump\", once the device's power is known:"]
    #expect(
      clear.words == head + [
        "  as it is, fire_m = 1.5: misses 1.7 % of those who stand at 1 m, fires for 0.04 % of those at 15 m and fires for less than 0.01 % of those at 40 m",
        "  suggested, fire_m = 1.8: misses 0.64 % of those who stand at 1 m, fires for 0.13 % of those at 15 m and fires for less than 0.01 % of those at 40 m",
        "  No fire_m does both, this is the best compromise; a radio at each place, with their triggers in one group, would.",
      ])
    #expect(clear.fragment == ["# In the [[trigger]] \"pump\":", "# fire_m = 1.8", "# leave_m = 3.6", "# dwell_s = 0.5"])
    trigger.group = Name("pumps")
    (trigger.arm, trigger.dwell) = (Meters(100), .seconds(9))
    let near = TriggerPrediction(trigger, fit, rate: 0.5, pump: 1, elsewhere: [2])
    #expect(
      near.words == head + [
        "  as it is, fire_m = 1.5: misses less than 0.01 % of those who stand at 1 m and fires for 100 % of those at 2 m",
        "  suggested, fire_m = 0.3: misses 19 % of those who stand at 1 m and fires for 29 % of those at 2 m",
        "  No fire_m does both, this is the best compromise; a radio at each place, with their triggers in one group, would.",
      ])
    #expect(near.fragment == ["# In the [[trigger]] \"pump\":", "# fire_m = 0.3", "# leave_m = 3.8", "# dwell_s = 9"])
    let grouped = TriggerPrediction(trigger, fit, rate: 9.5, pump: 1, elsewhere: [90])
    #expect(
      grouped.words == head + [
        "  as it is, fire_m = 1.5: misses 0.08 % of those who stand at 1 m and fires for less than 0.01 % of those at 90 m",
        "  suggested, fire_m = 1.8: misses 0.02 % of those who stand at 1 m and fires for less than 0.01 % of those at 90 m",
        "  The group's margin_db makes both rarer still where a rival hears it, too.",
      ])
    // What is enough at the pump may be enough at the next one.
    let alone = TriggerPrediction(trigger, fit, rate: 9.5, pump: 1, elsewhere: [])
    #expect(
      alone.words == head + [
        "  as it is, fire_m = 1.5: misses 0.08 % of those who stand at 1 m",
        "  No fire_m is suggested: nothing was measured where it must not fire, such as at the next pump.",
      ])
    #expect(alone.fragment == ["# In the [[trigger]] \"pump\":", "# dwell_s = 9"])
    // Three adverts in their rhythm; and an arm_m that is twice fire_m stays.
    trigger.dwell = .zero
    for (rate, dwell) in [(0.5, "6"), (9.5, "0.3"), (0.01, "30")] {
      #expect(TriggerPrediction(trigger, fit, rate: rate, pump: 1, elsewhere: []).fragment.last == "# dwell_s = \(dwell)")
    }
    for (arm, isShort) in [(3.5, true), (3.7, false)] as [(Float, Bool)] {
      trigger.arm = Meters(arm)
      let fragment = TriggerPrediction(trigger, fit, rate: 9.5, pump: 1, elsewhere: [90]).fragment
      #expect(fragment.contains("# arm_m = 5.4") == isShort, "\(fragment)")
    }
  }
}
