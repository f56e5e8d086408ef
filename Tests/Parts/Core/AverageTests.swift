import Foundation
import Testing

@testable import Core

private let usual = AverageSettings()

/// A level of one device, packet by packet, and the average of it.
private struct Listener {
  var average = Average()
  var settings = usual
  var microseconds: Int64 = 0

  @discardableResult
  mutating func hear(_ level: Int8, every milliseconds: Int64 = 100) -> Average.Verdict {
    microseconds += milliseconds * 1_000
    return average.observe(level, at: Instant(microseconds: microseconds), settings)
  }

  mutating func hear(_ level: Int8, times: Int, every milliseconds: Int64 = 100) {
    for _ in 0..<times { hear(level, every: milliseconds) }
  }

  var now: Instant { Instant(microseconds: microseconds) }
}

/// A normal distribution of spread `spread`, near enough: the sum of twelve uniform draws.
private func noisy(_ level: Double, spread: Double, _ dice: inout Seeded) -> Int8 {
  let sum = (0..<12).reduce(0.0) { sum, _ in sum + Double.random(in: -0.5...0.5, using: &dice) }
  return Int8((level + spread * sum).rounded())
}

@Suite struct AverageTests {
  @Test("the average, in 32 bits, answers what the study's reference answers in 64")
  func golden() throws {
    let file = URL(filePath: #filePath).appending(path: "../../../Firing/Recordings/average_golden.csv").standardizedFileURL
    let path = PathLoss(CalibrationSettings())
    var listener = Listener()
    var scenario = ""
    var packets = 0
    for line in try String(contentsOf: file, encoding: .utf8).split(separator: "\n") {
      let cells = line.split(separator: ",", omittingEmptySubsequences: false).map(String.init)
      if cells[0] == "scenario" {
        scenario = cells[1]
        listener = Listener()
        listener.settings.timeConstant = .seconds(try #require(Double(cells[2])))
        listener.settings.windowSamples = try #require(Int(cells[3]))
        listener.settings.outlier = Decibels(try #require(Float(cells[4])))
        listener.settings.stale = .seconds(try #require(Double(cells[5])))
        continue
      }
      packets += 1
      let at = try #require(Int64(cells[0]))
      let place = Comment(rawValue: "\(scenario) at \(at)")
      let verdict = listener.average.observe(try #require(Int8(cells[1])), at: Instant(microseconds: at), listener.settings)
      let average = listener.average
      #expect("\(verdict)" == cells[2], place)
      #expect(abs(average.level.value - Float(cells[3])!) < 5e-4, place)
      #expect(average.samples == Int(cells[6]), place)
      #expect(abs(average.doubt.value - Float(cells[7])!) < 5e-4, place)
      #expect(average.interval.map { abs($0.seconds - Double(cells[8])!) < 2e-6 * max(1, $0.seconds) } ?? cells[8].isEmpty, place)
      let loss = Decibels(-59) - average.level
      let reach = path.reach(of: average.doubt)
      for (loss, cell) in zip([loss, loss - reach, loss + reach], cells[9...]) {
        let expected = try #require(Float(cell))
        #expect(abs(path.distance(atLoss: loss).value - expected) <= 1e-4 * expected, place)
      }
    }
    #expect(packets > 900)
  }

  @Test("a step of 20 dB at ten packets a second is settled within half a second, and stays settled", arguments: [20, -20])
  func settles(step: Int8) {
    var listener = Listener()
    listener.hear(-75, times: 100)
    listener.hear(-75 + step, times: 5)
    for _ in 0..<300 {
      listener.hear(-75 + step)
      #expect(abs(listener.average.level.value - Float(-75 + step)) < 2)
    }
  }

  @Test("at two packets a second it takes a second, at one it takes two", arguments: [500, 1_000])
  func settlesSlowly(milliseconds: Int64) {
    var listener = Listener()
    listener.hear(-75, times: 60, every: milliseconds)
    listener.hear(-55, times: 3, every: milliseconds)
    #expect(abs(listener.average.level.value + 55) < 2)
  }

  @Test("one packet never moves a settled average by more than a quarter of the gate", arguments: [40, 100, 500, 1_000, 4_000])
  func calm(milliseconds: Int64) {
    for odd in [Int8(-127), -20, 20] {
      var listener = Listener()
      listener.hear(-75, times: 60, every: milliseconds)
      #expect(listener.hear(odd, every: milliseconds) == .held)
      #expect(abs(listener.average.level.value + 75) <= 3)
    }
  }

  @Test("two copies of a packet within three milliseconds weigh little more than one")
  func copies() {
    var once = Listener()
    var twice = Listener()
    for i in 0..<200 {
      let level = Int8(-70 - i % 7)
      once.hear(level)
      twice.hear(level, every: 97)
      twice.hear(level, every: 3)
    }
    #expect(abs(once.average.level.value - twice.average.level.value) < 0.5)
  }

  @Test("the first packets make a plain mean")
  func young() {
    var listener = Listener()
    for level in [Int8(-80), -70, -72] { listener.hear(level) }
    #expect(abs(listener.average.level.value + 74) < 0.1)
    var off = Listener()
    off.hear(-40)
    off.hear(-75, times: 6)
    #expect(abs(off.average.level.value + 75) < 2)
  }

  @Test("after a long silence the average is unknown and starts again")
  func stale() {
    var listener = Listener()
    #expect(listener.average.isStale(at: .zero, usual))
    listener.hear(-60, times: 20)
    #expect(!listener.average.isStale(at: listener.now + usual.stale - .milliseconds(1), usual))
    #expect(listener.average.isStale(at: listener.now + usual.stale, usual))
    #expect(listener.hear(-90, every: 15_000) == .started)
    #expect(listener.average.level.value == -90)
    #expect(listener.average.samples == 1)
  }

  @Test("after a long silence nothing heard before it counts: the average is as one that begins", arguments: 0..<200 as Range<UInt64>)
  func forgotten(seed: UInt64) {
    var dice = Seeded(seed)
    var old = Listener()
    var level = Double.random(in: -90...(-50), using: &dice)
    for _ in 0..<Int.random(in: 1...60, using: &dice) {
      if Int.random(in: 0..<6, using: &dice) == 0 { level = Double.random(in: -90...(-50), using: &dice) }
      old.hear(noisy(level, spread: 3, &dice), every: Int64.random(in: 20...1_500, using: &dice))
    }
    var new = Listener()
    new.microseconds = old.microseconds
    var pause = Int64(15_000)
    for _ in 0..<30 {
      if Int.random(in: 0..<9, using: &dice) == 0 { level = Double.random(in: -90...(-50), using: &dice) }
      let sample = noisy(level, spread: 3, &dice)
      let verdicts = (old.hear(sample, every: pause), new.hear(sample, every: pause))
      #expect(verdicts.0 == verdicts.1 && old.average.samples == new.average.samples)
      #expect(abs(old.average.level.value - new.average.level.value) < 0.01)
      #expect(abs(old.average.doubt.value - new.average.doubt.value) < 0.01)
      pause = Int64.random(in: 20...1_500, using: &dice)
    }
  }

  @Test("a clock that goes back is taken to stand still")
  func backwards() {
    var listener = Listener()
    listener.hear(-60, times: 20)
    let before = listener.average
    listener.average.observe(-61, at: .zero, usual)
    #expect(!listener.average.isStale(at: listener.now, usual))
    #expect(abs(listener.average.level.value - before.level.value) < 0.1)
    #expect(listener.average.isStale(at: listener.now + .seconds(15.1), usual))
  }

  @Test("the interval is the observed one, outlives the average, and ignores an absence")
  func interval() throws {
    var listener = Listener()
    listener.hear(-60)
    #expect(listener.average.interval == nil)
    listener.hear(-60, times: 50, every: 20_000)
    #expect(try #require(listener.average.interval) == .seconds(20))
    #expect(listener.average.samples == 1)
    listener.hear(-60, every: 121_000)
    #expect(listener.average.interval == nil)
    listener.hear(-60, times: 40)
    #expect(abs(listener.average.rate - 10) < 0.01)
    var exact = Listener()
    exact.hear(-60, times: 4, every: 1_000)
    #expect(exact.average.interval == .seconds(1), "to the microsecond")
  }

  @Test("standing still in noise of 5 dB the average stays within 2.5 dB, for half an hour")
  func stands() {
    var dice = Seeded(7)
    var listener = Listener()
    listener.hear(-70, times: 200)
    for _ in 0..<18_000 {
      listener.hear(noisy(-70, spread: 5, &dice), every: Int64.random(in: 100...110, using: &dice))
      #expect(abs(listener.average.level.value + 70) < 2.5)
    }
  }

  @Test("a device that never leaves is counted to the counter's end and no further")
  func saturates() {
    var listener = Listener()
    listener.hear(-70, times: 70_000)
    #expect(listener.average.samples == 65_535)
    #expect(listener.average.level.value == -70)
  }

  @Test("an average fits in a cache line")
  func size() { #expect(MemoryLayout<Average>.stride <= 64) }
}

@Suite struct PathTests {
  @Test("ten times the distance costs ten times the exponent, and the way back is the same")
  func round() {
    var calibration = CalibrationSettings()
    calibration.pathLossExponent = 2
    let path = PathLoss(calibration)
    #expect(abs(path.distance(atLoss: Decibels(0)).value - 1) < 1e-6)
    #expect(abs(path.distance(atLoss: Decibels(20)).value - 10) < 1e-5)
    for distance in stride(from: Float(0.1), to: 60, by: 0.37) {
      #expect(abs(path.distance(atLoss: path.loss(at: Meters(distance))).value - distance) < 1e-5 * distance)
    }
  }

  @Test("exponential and logarithm keep their promised errors")
  func functions() {
    for i in -20_000...20_000 {
      let x = Double(i) / 97
      let truth = Foundation.pow(2, x)
      #expect(abs(Core.exp2(x) / truth - 1) < 2e-9)
      #expect(abs(Core.log2(truth) - x) < 4e-9)
    }
    #expect(Core.exp2(-5_000) == Core.exp2(-1_000))
    #expect(Core.exp2(0) == 1)
  }

  @Test("in halves a whole number becomes the same float or double, rounding and all")
  func halves() {
    var random = SplitMix64(state: 22)
    for _ in 0..<200_000 {
      let bits = random.next()
      let number = Int64(bitPattern: bits) >> Int64(bits & 63)
      #expect(Core.double(halves: number) == Double(number))
      let short = Int32(truncatingIfNeeded: number)
      #expect(Core.float(halves: short) == Float(short))
    }
    for number in [0, 1, -1, .max, .min, Int64(Int32.max), Int64(Int32.min)] {
      #expect(Core.double(halves: number) == Double(number))
      #expect(Core.float(halves: Int32(clamping: number)) == Float(Int32(clamping: number)))
    }
  }

  @Test("a beacon that has been heard for hours stays heard: its samples are counted to 65,535") func longHeard() {
    var listener = Listener()
    listener.hear(-60, times: 65_534)
    #expect(listener.average.samples == 65_534)
    for _ in 0..<3 {
      listener.hear(-60)
      #expect(listener.average.samples == 65_535 && listener.average.level.value == -60)
      #expect(!listener.average.isStale(at: listener.now, usual))
    }
  }

  @Test("a whole number becomes a float exactly, up to an ordinary silence")
  func wholeNumbers() {
    for number in Array(-128...127) + Array(stride(from: -4_194_303, through: 4_194_303, by: 997)) + [4_194_303] {
      #expect(Core.float(Int32(number)) == Float(number))
    }
    var slow = AverageSettings()
    (slow.timeConstant, slow.stale) = (.seconds(60), .seconds(60))
    #expect(slow.isOrdinary(Interval(microseconds: 3_999_999)))
    #expect(!slow.isOrdinary(.seconds(4)) && !slow.isOrdinary(Interval(microseconds: -1)))
  }

  @Test("two doubts together are less than their sum, and a measured device adds none")
  func doubts() {
    #expect(Decibels(3).joined(with: Decibels(4)).value == 5)
    #expect(MeasuredPower.calibrated(Decibels(-60)).doubt(otherwise: Decibels(2)).value == 0)
    #expect(MeasuredPower.advertised(Decibels(-60)).doubt(otherwise: Decibels(2)).value == 2)
  }
}
