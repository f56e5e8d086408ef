import Foundation
import Seeds
import Testing

@testable import Core

@Suite("How well a pattern of levels fits a place") struct LevelPatternTests {
  /// What a receiver hears: a level, and how old it is; or nothing.
  private struct Heard {
    var level: Float?
    var age = 0.0
    var isListening = true
  }

  private func pattern(_ all: [Heard], _ loudness: LevelPattern.Loudness, floor: Float) -> LevelPattern {
    var pattern = LevelPattern()
    for (receiver, heard) in all.enumerated() {
      if let level = heard.level {
        pattern.hear(receiver, level, age: .seconds(heard.age))
      } else if heard.isListening {
        pattern.hearNothing(receiver)
      }
    }
    pattern.close(loudness, floor: floor)
    return pattern
  }

  /// The same by trying how loud the phone may be: half of the weighed squares that are left, and of what the silent should have
  /// heard, each up to 6.
  private func tried(
    _ all: [Heard], _ losses: [Double], _ variances: [Double], _ loudness: LevelPattern.Loudness, floor: Double
  ) -> Double {
    func squares(_ shift: Double) -> Double {
      var sum = shift * shift / Double(loudness.deviation * loudness.deviation)
      for (receiver, heard) in all.enumerated() {
        guard let level = heard.level else { continue }
        let error = Double(level) + losses[receiver] - Double(loudness.mean) - shift
        sum += error * error / (25 + 4 * heard.age * heard.age + variances[receiver])
      }
      return sum
    }
    var (low, high) = (-200.0, 200.0)
    for _ in 0..<200 {
      let (left, right) = (low + (high - low) * 0.4, low + (high - low) * 0.6)
      if squares(left) < squares(right) { high = right } else { low = left }
    }
    var sum = squares(low)
    for (receiver, heard) in all.enumerated() where heard.level == nil && heard.isListening {
      let over = max(low + Double(loudness.mean) - floor - losses[receiver], 0)
      sum += min(over * over / (25 + variances[receiver]), 6)
    }
    return -sum / 2
  }

  @Test("the likelihood is that of the loudness that fits best, silent receivers counted", arguments: 0..<60 as Range<UInt64>)
  func fits(seed: UInt64) {
    var chance = Seeded(seed)
    func number(_ low: Float, _ high: Float) -> Float { low + (high - low) * Float(chance.next() % 10_001) / 10_000 }
    let loudness = [LevelPattern.Loudness.known, .unknown, .init(mean: 3, deviation: 2)][Int(seed % 3)]
    let floor = number(-60, -20)
    let all = (0..<8).map { receiver in
      let isHeard = receiver == 0 || chance.next() % 3 > 0
      return Heard(
        level: isHeard ? number(-60, 0) : nil, age: Double(chance.next() % 4), isListening: seed % 4 > 0 && chance.next() % 2 == 0)
    }
    let pattern = pattern(all, loudness, floor: floor)
    #expect(pattern.heard == all.count { $0.level != nil })
    #expect(pattern.hasSilence == all.contains { $0.level == nil && $0.isListening })
    var points = PlanPoints(of: -1)
    var places: [[Double]] = []
    for _ in 0..<8 {
      var losses = PerReceiver()
      var variances = PerReceiver()
      for receiver in 0..<8 { (losses[receiver], variances[receiver]) = (number(0, 45), number(0, 40)) }
      points.append(losses)
      places.append((0..<8).map { Double(losses[$0]) })
      let found = pattern.likelihood(losses, variances)
      let wanted = tried(all, places.last!, (0..<8).map { Double(variances[$0]) }, loudness, floor: Double(floor))
      #expect(abs(Double(found) - wanted) < 0.01 * max(1, abs(wanted)), "\(found), \(wanted)")
    }
    // Points have no doubts of their own, and leave out what is the same for all.
    let loan = Loan(bytes: 4_096)
    var arena = loan.arena
    var table = arena.take(1, of: PlanPoints.self)
    table[0] = points
    let found = pattern.likelihood(table, 0, 8)
    let wanted = places.map { tried(all, $0, [Double](repeating: 0, count: 8), loudness, floor: Double(floor)) }
    for point in 1..<8 {
      let (difference, right) = (Double(found[point] - found[0]), wanted[point] - wanted[0])
      #expect(abs(difference - right) < 0.01 * max(1, abs(wanted[0]), abs(right)), "\(difference), \(right)")
    }
  }

  @Test("a receiver that hears less than seven in ten of the best one's adverts hears the strong ones: up to 6 dB too much")
  func faintness() {
    let found = LevelPattern.faintness(PerReceiver(10, 7, 3.5, 0, 12, 8.4, 4.2, 1.2))
    // The best hears 12 a second.
    for (receiver, decibels) in ([0, 1, 3.5, 6, 0, 0, 3, 5.143] as [Float]).enumerated() {
      #expect(abs(found[receiver] - decibels) < 0.001, "\(receiver)")
    }
    #expect(LevelPattern.faintness(PerReceiver()) == PerReceiver() && LevelPattern.faintness(PerReceiver(repeating: -1)) == PerReceiver())
  }

  @Test("what each receiver hears too much is taken off its level, and nothing off the silent") func excess() {
    let heard = [Heard(level: -20), Heard(level: -30), Heard(level: nil)]
    let plain = pattern([Heard(level: -22), Heard(level: -27), Heard(level: nil)], .unknown, floor: -40)
    var lowered = LevelPattern()
    for (receiver, one) in heard.enumerated() {
      if let level = one.level { lowered.hear(receiver, level) } else { lowered.hearNothing(receiver) }
    }
    lowered.close(.unknown, floor: -40, excess: PerReceiver(2, -3, 9, 9, 0, 0, 0, 0))
    let losses = PerReceiver(3, 12, 20, 1, 1, 1, 1, 1)
    #expect(abs(lowered.likelihood(losses, PerReceiver()) - plain.likelihood(losses, PerReceiver())) < 1e-4)
  }

  @Test("the loudest receiver is the one that hears it best, and none where nobody hears it") func loudest() {
    for best in 0..<8 {
      let heard = (0..<8).map { Heard(level: $0 == best ? -20 : $0 % 3 == 0 ? nil : -30) }
      #expect(pattern(heard, .unknown, floor: -40).loudest == Int8(best))
    }
    #expect(pattern([Heard(level: nil), Heard(level: nil)], .unknown, floor: -40).loudest == -1)
  }

  // MARK: Judgements

  private func comparison(_ rival: Float, _ rest: Float) -> SitePlan.Comparison {
    SitePlan.Comparison(rival: 2, overRival: rival, overRest: rest)
  }

  @Test("the verdict is the worse of rival and rest; from how many receivers, and whether they have places") func verdict() throws {
    var judgement = PatternJudgement()
    for (rival, rest, quick) in [(3, 5, 3), (5, 3, 3), (-1, 2, -1)] as [(Float, Float, Float)] {
      for isPlaced in [true, false] {
        judgement.record(comparison(rival, rest), 1.5, receivers: 4, isPlaced: isPlaced, at: .zero)
        let verdict = try #require(judgement.verdict)
        #expect(verdict.quick == quick && verdict.settled == 1.5 && verdict.receivers == (isPlaced ? 4 : 13) && judgement.receivers == 4)
      }
    }
    // Half as likely there, a quarter as likely elsewhere: of seven parts.
    judgement.record(comparison(Float(log(2.0)), Float(log(4.0))), 0, receivers: 2, isPlaced: true, at: .zero)
    var shares = judgement.shares
    #expect(abs(shares.here - 4 / 7) < 1e-5 && abs(shares.rival - 2 / 7) < 1e-5 && abs(shares.rest - 1 / 7) < 1e-5)
    judgement.record(.init(rival: -1, overRival: .infinity, overRest: 0), 0, receivers: 2, isPlaced: true, at: .zero)
    shares = judgement.shares
    #expect(shares.here == 0.5 && shares.rival == 0 && shares.rest == 0.5)
  }

  @Test("here wins a tie, a rival must be ahead of the rest; a nameless one is written as elsewhere") func likeliest() {
    func likelihood(_ here: Float, _ rival: Float, _ rest: Float, _ name: Name = "east") -> Likelihood {
      Likelihood(here: here, rival: rival, elsewhere: rest, rivalName: name, receivers: 2, at: .zero)
    }
    for (here, rival, rest, name) in [
      (0.4, 0.4, 0.2, "here"), (0.4, 0.2, 0.4, "here"), (0.2, 0.5, 0.3, "east"), (0.2, 0.4, 0.4, "elsewhere"), (0.1, 0.3, 0.6, "elsewhere"),
    ] as [(Float, Float, Float, Name)] { #expect(likelihood(here, rival, rest).likeliest == name) }
    func written(_ likelihood: Likelihood) -> String {
      var text = Text<100>()
      text.openObject()
      text.members(of: likelihood)
      text.closeObject()
      return String(text)
    }
    #expect(written(likelihood(0.5, 0.3, 0.2)) == #"{"here":0.5,"east":0.3,"elsewhere":0.2}"#)
    #expect(written(likelihood(0.5, 0, 0.5, "")) == #"{"here":0.5,"elsewhere":0.5}"#)
  }
}
