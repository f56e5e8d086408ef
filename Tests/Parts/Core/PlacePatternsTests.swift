import Testing

@testable import Core

@Suite("What each receiver hears of visitors at another one's place") struct PlacePatternsTests {
  /// What is supposed and learnt, written down once more: a mean, its variance and the visits for each pair; a surprise for each receiver.
  private struct Model {
    var losses = [[Double]](repeating: [Double](repeating: 22, count: 8), count: 8)
    var variances = [[Double]](repeating: [Double](repeating: 25, count: 8), count: 8)
    var visits = [[Int]](repeating: [Int](repeating: 0, count: 8), count: 8)
    var surprises = [Double](repeating: 0, count: 8)

    init() { for receiver in 0..<8 { losses[receiver][receiver] = 1 } }

    mutating func forget(_ receiver: Int) {
      let fresh = Model()
      for other in 0..<8 {
        (losses[other][receiver], losses[receiver][other]) = (fresh.losses[other][receiver], fresh.losses[receiver][other])
        (variances[other][receiver], variances[receiver][other]) = (25, 25)
        (visits[other][receiver], visits[receiver][other]) = (0, 0)
      }
      surprises[receiver] = 0
    }

    mutating func learn(_ levels: [Double?], at place: Int) {
      guard let own = levels[place] else { return }
      var found: [Int: Double] = [:]
      for (receiver, level) in levels.enumerated() where receiver != place {
        guard let level else { continue }
        let variance = variances[place][receiver] + 0.03
        let deviation = (variance + 25).squareRoot()
        let surprise = (losses[place][place] + own - level - losses[place][receiver]) / deviation
        let learnt = losses[place][receiver] + max(min(surprise, 2.5), -2.5) * deviation * variance / (variance + 81)
        losses[place][receiver] = max(min(learnt, 45), 10)
        variances[place][receiver] = max(variance * 81 / (variance + 81), 4)
        visits[place][receiver] += 1
        found[receiver] = surprise
      }
      guard !found.isEmpty else { return }
      let sorted = found.values.sorted()
      let common = min(max(0, sorted[(sorted.count - 1) / 2]), sorted[sorted.count / 2])
      surprises[place] += (-common - surprises[place]) / 5
      for (receiver, surprise) in found { surprises[receiver] += (surprise - common - surprises[receiver]) / 5 }
    }

    func mostVisits(_ receiver: Int) -> Int { (0..<8).map { max(visits[receiver][$0], visits[$0][receiver]) }.max()! }
  }

  private func expectSame(_ patterns: borrowing PlacePatterns, _ model: Model, _ words: Comment) {
    for receiver in 0..<8 {
      let visits = model.mostVisits(receiver)
      #expect(Int(patterns.visits(of: receiver)) == visits, words)
      // Close to the bound rounding may decide.
      if abs(abs(model.surprises[receiver]) - 1.6) > 0.001 {
        #expect(patterns.isMoved(receiver) == (visits >= 12 && abs(model.surprises[receiver]) > 1.6), words)
      }
      for place in 0..<8 {
        let known = patterns.known(of: receiver, at: place)
        #expect(abs(Double(known.loss.value) - model.losses[place][receiver]) < 0.01, words)
        #expect(abs(Double(known.doubt.value) - model.variances[place][receiver].squareRoot()) < 0.01, words)
        #expect(Int(known.visits) == model.visits[place][receiver], words)
      }
    }
  }

  @Test("after every visit, restoring and forgetting the table equals a model", arguments: 0..<8 as Range<UInt64>)
  func model(seed: UInt64) {
    var chance = Seeded(seed)
    func below(_ bound: Int) -> Int { Int(chance.next() % UInt64(bound)) }
    var patterns = PlacePatterns()
    var model = Model()
    expectSame(patterns, model, "new")
    for step in 0..<150 {
      switch below(30) {
      case 0:
        let receiver = below(8)
        patterns.forget(receiver)
        model.forget(receiver)
      case 1:
        let (receiver, place, loss, doubt, visits) = (below(4), 4 + below(4), 5 + below(45), below(12), 1 + below(40))
        patterns.restore(
          receiver, at: place, loss: Decibels(Float(loss)), doubt: Decibels(Float(doubt)), visits: UInt16(visits))
        model.losses[place][receiver] = max(min(Double(loss), 45), 10)
        model.variances[place][receiver] = max(Double(doubt * doubt), 4)
        model.visits[place][receiver] = visits
      default:
        // Somebody hears 15 dB more than at first, later.
        let place = below(8)
        let levels = (0..<8).map { receiver -> Double? in
          guard below(5) > 0 else { return nil }
          return (receiver == place ? -2 : -24 - Double(below(12))) + (receiver == 3 && step > 75 ? 15 : 0)
        }
        var pattern = LevelPattern()
        for (receiver, level) in levels.enumerated() { if let level { pattern.hear(receiver, Float(level)) } }
        patterns.learn(pattern, at: place)
        model.learn(levels, at: place)
      }
      expectSame(patterns, model, "seed \(seed), step \(step)")
    }
  }

  @Test(
    "a receiver that was moved is found, and no other, also where all visitors stand at one place",
    arguments: 3...8, [-14, 14] as [Float])
  func moved(receivers: Int, by change: Float) {
    for moved in 0..<receivers {
      var patterns = PlacePatterns()
      func visit(_ offset: Float) {
        var pattern = LevelPattern()
        for receiver in 0..<receivers { pattern.hear(receiver, (receiver == 0 ? -5 : -27) + (receiver == moved ? offset : 0)) }
        patterns.learn(pattern, at: 0)
      }
      for _ in 0..<30 { visit(0) }
      func found() -> [Int] { (0..<receivers).filter { patterns.isMoved($0) } }
      for _ in 0..<8 where found().isEmpty { visit(change) }
      #expect(found() == [moved])
    }
  }

  @Test("who stands at a receiver is likeliest there, by as much as whoever stands at another is not; and beside it, elsewhere")
  func compared() {
    let patterns = PlacePatterns()
    func heard(_ levels: [Float]) -> LevelPattern {
      var pattern = LevelPattern()
      for (receiver, level) in levels.enumerated() { pattern.hear(receiver, level) }
      pattern.close(.unknown, floor: -90)
      return pattern
    }
    for own in 0..<3 {
      let at = heard((0..<3).map { $0 == own ? -5 : -27 })
      let found = patterns.compare(at, at: own, 3)
      #expect(found.overRival > 3 && found.overRest > 0 && found.rival == (own == 0 ? 1 : 0), "\(found)")
      for other in 0..<3 where other != own {
        let there = patterns.compare(at, at: other, 3)
        #expect(Int(there.rival) == own && there.overRival == -found.overRival && there.lead < 0, "\(there)")
      }
    }
    let beside = patterns.compare(heard([-26, -32, -32]), at: 0, 3)
    #expect(beside.overRest < 0 && beside.overRest < beside.overRival, "\(beside)")
    let alone = patterns.compare(heard([-5]), at: 0, 1)
    #expect(alone.rival == -1 && alone.overRival == .infinity)
    // By hand: the losses that are supposed, and their variances.
    let pattern = heard([-20, -31, -28])
    func likelihood(_ losses: [Float], _ variances: [Float]) -> Float {
      var (all, doubts) = (PerReceiver(), PerReceiver())
      for receiver in 0..<8 { (all[receiver], doubts[receiver]) = (losses[min(receiver, 3)], variances[min(receiver, 3)]) }
      return pattern.likelihood(all, doubts)
    }
    let found = patterns.compare(pattern, at: 1, 3)
    let here = likelihood([22, 1, 22, 22], [25, 9, 25, 25])
    #expect(abs(found.overRest - (here - likelihood([26, 20, 26, 26], [16, 16, 16, 16]))) < 0.001)
    #expect(found.rival == 0 && abs(found.overRival - (here - likelihood([1, 22, 22, 22], [9, 25, 25, 25]))) < 0.001)
  }
}
