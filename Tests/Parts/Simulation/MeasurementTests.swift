import Core
import Testing

@testable import Host

@Suite("Whether a measurement can be believed") struct MeasurementWorthTests {
  private func measured(_ levels: [Double], seconds: Double = 10, to: Double = 5) -> Measurement {
    var measurement = Measurement(radio: 0, place: 0, from: 5, to: to, begin: .zero, end: .zero + .seconds(seconds))
    for (index, level) in levels.enumerated() {
      let at = Instant.zero + .seconds(seconds * Double(index) / Double(max(levels.count, 1)))
      measurement.readings.append(Measurement.Reading(at: at, level: level))
    }
    return measurement
  }

  @Test("the drift is from the first third to the last, none where a third is nothing") func drift() {
    for levels in [[], [-60], [-60, -40]] as [[Double]] { #expect(measured(levels).drift == 0) }
    #expect(measured([-60, -50, -40]).drift == 20 && measured([-60, -70, -50, -40, -66]).drift == -6)
    #expect(measured([-60, -62, -50, -50, -40, -42]).drift == 20)
  }

  @Test("ten readings are enough, 12 dB of drift too much where nobody walked, three quarters of the adverts the least") func worth() {
    let still = [Double](repeating: -60, count: 10)
    #expect(measured(Array(still.dropLast())).worth(besides: 1) == .few && measured(still).worth(besides: 1) == .good)
    func moving(_ drift: Double, to: Double = 5) -> Measurement.Worth {
      measured([-60, -60, -60, -60, -60, -60, -60, -60 + drift, -60 + drift, -60 + drift], to: to).worth(besides: 1)
    }
    #expect(moving(12) == .good && moving(-12) == .good && moving(12.5) == .moving(12.5) && moving(-12.5) == .moving(12.5))
    #expect(moving(12.5, to: 9) == .good, "walked")
    #expect(measured(still).worth(besides: 1 / 0.75) == .good && measured(still).worth(besides: 2) == .faint(0.5))
    #expect(measured(still, seconds: 0).seconds == 0.001 && measured(still).rate == 1)
    #expect(measured(still).deviation == 0 && measured([-60, -62]).deviation == 2.0.squareRoot() && measured([-60]).deviation == 0)
  }
}
