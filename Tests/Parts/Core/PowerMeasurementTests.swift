import Testing

@testable import Core

@Suite("measuring a device at a known distance") struct MeasurementTests {
  private let path = PathLoss(CalibrationSettings())

  private func measured(_ levels: [Int8], at distance: Float = 1, offset: Float = 0) -> PowerMeasurement.Result? {
    var measurement = PowerMeasurement()
    for level in levels { measurement.observe(level) }
    return measurement.result(at: Meters(distance), along: path, offset: Decibels(offset))
  }

  @Test("it takes ten packets") func fewest() {
    #expect(measured(Array(repeating: -60, count: 9)) == nil)
    #expect(measured(Array(repeating: -60, count: 10))?.power.value == -60)
  }

  @Test("somebody who passes between for a while changes nothing") func body() throws {
    let clear: [Int8] = (0..<80).map { -60 - $0 % 3 }
    let result = try #require(measured(clear + Array(repeating: -85, count: 15) + Array(repeating: -30, count: 5)))
    #expect(abs(result.power.value + 61) < 0.35, "\(result)")
    #expect(result.spread.value > 5)
  }

  @Test("the doubt falls with the packets, to what the place itself leaves open") func doubt() throws {
    func noisy(_ count: Int) -> [Int8] { (0..<count).map { $0 % 2 == 0 ? -56 : -64 } }
    let (few, many) = (try #require(measured(noisy(16))), try #require(measured(noisy(1_600))))
    #expect(abs(few.doubt.value - 2.236) < 0.01 && abs(many.doubt.value - 2.002) < 0.01)
    #expect(abs(many.spread.value - 4) < 0.01 && many.power.value == -60)
  }

  @Test("distance and the radio's own offset are taken out", arguments: [0.5, 1, 2, 5] as [Float])
  func elsewhere(distance: Float) throws {
    let result = try #require(measured(Array(repeating: -70, count: 20), at: distance, offset: 4))
    #expect(abs(result.power.value - (-74 + path.loss(at: Meters(distance)).value)) < 0.001)
  }

  @Test("levels out of range count as the nearest in range", arguments: [-128, -127, 0, 20] as [Int8]) func extremes(level: Int8) {
    #expect(measured(Array(repeating: level, count: 40))?.power.value == Float(min(max(level, -127), 0)))
  }
}
