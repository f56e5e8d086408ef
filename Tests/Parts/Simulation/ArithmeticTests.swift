import Foundation
import Testing

@testable import Simulation

@Suite("Arithmetic that is the same on every machine is right, too") struct ArithmeticTests {
  private static let powers = stride(from: -300.0, through: 300, by: 7.3).map { Foundation.pow(10, $0 / 10) }

  @Test("logarithms to the last digits, on both sides of where the mantissa is halved") func logarithms() {
    for x in Self.powers + [1, 2, 0.5, 1.414213562373095, 1.4142135623730951, 1.4142135623730954, 0.7071067811865475, 1e-6, 1e12] {
      let (log2, ln) = (Foundation.log2(x), Foundation.log(x))
      #expect(abs(Arithmetic.log2(x) - log2) <= 4e-16 * max(1, abs(log2)), "\(x)")
      #expect(abs(Arithmetic.ln(x) - ln) <= 6e-16 * max(1, abs(ln)), "\(x)")
      #expect(abs(Arithmetic.decibels(ofRatio: x) - 10 * Foundation.log10(x)) <= 1e-14 * max(1, abs(log2)), "\(x)")
    }
  }

  @Test("where the mantissa is halved the last digit is right, too") func halved() {
    #expect(Arithmetic.log2(1.4142135623730951) == 0.5000000000000001)
  }

  @Test("powers to the last digits, and nothing below what a number can be") func exponentials() {
    for x in stride(from: -40.0, through: 40, by: 0.37) + [0, 0.5, -0.5, 0.49999999, 1, -1, 999.9, -999.9] {
      let exact = Foundation.exp2(x)
      #expect(abs(Arithmetic.exp2(x) - exact) <= 8e-16 * exact, "\(x)")
      guard abs(x) < 690 else { continue }
      #expect(abs(Arithmetic.exp(x) / Foundation.exp(x) - 1) <= 3e-15 * max(1, abs(x)), "\(x)")
    }
    #expect(Arithmetic.exp2(-1_000) == 0 && Arithmetic.exp2(-.infinity) == 0 && Arithmetic.exp2(-999) > 0)
    #expect(Arithmetic.exp2(10) == 1_024 && Arithmetic.exp2(-3) == 0.125)
  }

  @Test("halves go away from zero") func rounding() {
    for (x, whole) in [(0.4, 0), (0.5, 1), (-0.4, 0), (-0.5, -1), (1.5, 2), (-2.5, -3), (7, 7)] as [(Double, Int64)] {
      #expect(Arithmetic.rounded(x) == whole, "\(x)")
    }
  }

  @Test("normal numbers have mean 0 and deviation 1, and their tails") func normal() {
    var random = Random(seed: 3)
    let all = (0..<20_000).map { _ in random.normal() }
    let mean = all.reduce(0, +) / 20_000
    #expect(abs(mean) < 0.02 && abs(all.reduce(0) { $0 + $1 * $1 } / 20_000 - 1) < 0.03)
    #expect((30...80).contains(all.count { abs($0) > 3 }))
    // Two numbers of one draw have nothing in common.
    let pairs = stride(from: 0, to: 20_000, by: 2).reduce(0) { $0 + all[$1] * all[$1 + 1] }
    #expect(abs(pairs / 10_000) < 0.03)
    let fractions = (0..<10_000).map { _ in random.between(2, 6) }
    #expect(fractions.allSatisfy { 2..<6 ~= $0 } && abs(fractions.reduce(0, +) / 10_000 - 4) < 0.05)
  }

  @Test("the distance from a line ends at its ends") func lines() {
    let (start, end) = (Point(0, 0), Point(10, 0))
    for (point, distance) in [
      (Point(5, 3), 3), (Point(-3, 4), 5), (Point(13, -4), 5), (Point(0, 0), 0), (Point(10, 2), 2), (Point(7, 0), 0),
    ] as [(Point, Double)] {
      #expect(point.distance(toLineFrom: start, to: end) == distance && point.distance(toLineFrom: end, to: start) == distance)
      #expect(point.distance(toLineFrom: start, to: start) == point.distance(to: start))
    }
    #expect(Point(3, 4).direction == Point(0.6000000000000001, 0.8) && Point.zero.direction == Point(1, 0))
    #expect(Point(1, 2) + Point(3, 5) == Point(4, 7) && Point(1, 2) - Point(3, 5) == Point(-2, -3) && Point(1, 2) * 3 == Point(3, 6))
  }

  @Test("whoever is due first sends first; of two at one moment the first in the list") func timetable() {
    var random = Random(seed: 5)
    var transmitters = (0..<40).map { index in
      var phone = Phone()
      phone.interval = 0.02 * Double(1 + index % 7)
      return Transmitter(phone, seed: 9, index: index, cipher: nil)
    }
    transmitters += transmitters.prefix(5)
    var (table, model) = (Timetable(transmitters), transmitters.map(\.due))
    #expect(Timetable([]).first == nil)
    for _ in 0..<2_000 {
      let least = model.indices.min { (model[$0], $0) < (model[$1], $1) }!
      #expect(table.first?.transmitter == least && table.first?.due == model[least])
      model[least] += Int64(random.next() % 50)
      table.postponeFirst(to: model[least])
    }
  }
}
