import Core
import Dispatch
import Foundation
import Simulation

/// What nobody can beat: somebody stands for half a minute, at a pump, in the street or in the shop, and the likelihoods of all that the
/// receivers hear are compared exactly, by somebody who knows the model of `RandomSite` and, column by column, more of the site.
/// A fire costs nothing but its errors: the threshold is the one that a share of the stands elsewhere exceeds.
struct BestPossible {
  enum Knowledge: CaseIterable {
    case everything
    /// The power as one earlier visit at a known pump shows it, but nothing of the site.
    case visit
    case site, nothing

    var isSiteKnown: Bool { self == .everything || self == .site }
  }
  /// Who must not fire: somebody in the street or the shop for as long, or somebody who walks past a pump, at the moment when it is nearest.
  enum Other { case standing, passing }

  static let errors = [0.01, 0.001, 0.0001]
  private static let elsewhere = 100_000
  private static let visits = 4_000

  func print() {
    Swift.print(
      "share of stands that can be served: power, antennas and exponent known | power learnt | power unknown | all unknown; at \(Self.errors) errors"
    )
    for other in [Other.standing, .passing] {
      let words = other == .standing ? "those in the street and the shop" : "those who walk past, at their nearest moment"
      Swift.print("against \(words):")
      for receivers in [2, 4, 8] {
        for carried in [Carried.inHand, .inFrontPocket, .inBag] {
          var cells = ["\(receivers) \(carried)"]
          for knowledge in Knowledge.allCases { cells.append(row(receivers, carried, knowledge, other)) }
          Swift.print(cells.joined(separator: "   "))
          fflush(nil)
        }
      }
    }
  }

  private func row(_ receivers: Int, _ carried: Carried, _ knowledge: Knowledge, _ other: Other) -> String {
    let far = scores(Self.elsewhere, receivers, carried, knowledge, other, isVisit: false).sorted(by: >)
    let near = scores(Self.visits, receivers, carried, knowledge, other, isVisit: true)
    let shares = Self.errors.map { error in
      let threshold = far[Int(error * Double(far.count))]
      return Double(near.count { $0 > threshold }) / Double(near.count)
    }
    return shares.map { "\(Int(($0 * 100).rounded())) %" }.joined(separator: " ")
  }

  /// By how much somebody stands likelier at a pump than elsewhere: at the own pump on a visit, at the likeliest one else.
  private func scores(
    _ count: Int, _ receivers: Int, _ carried: Carried, _ knowledge: Knowledge, _ other: Other, isVisit: Bool
  ) -> [Double] {
    let parts = 64
    let results = Results(parts)
    DispatchQueue.concurrentPerform(iterations: parts) { part in
      var random = Random(seed: UInt64(part), isVisit ? 1 : 2, receivers)
      results[part] = (0..<count / parts).map { _ in
        var stand = Stand(receivers, carried, &random)
        let pump = isVisit ? Int(random.fraction() * Double(receivers)) : nil
        stand.draw(at: pump, other, &random)
        return stand.score(at: pump, knowledge, other)
      }
    }
    return results.all
  }
}

private final class Results: @unchecked Sendable {
  private let lock = NSLock()
  private var parts: [[Double]]

  init(_ count: Int) { parts = Array(repeating: [], count: count) }

  subscript(part: Int) -> [Double] {
    get { lock.withLock { parts[part] } }
    set { lock.withLock { parts[part] = newValue } }
  }
  var all: [Double] { lock.withLock { parts.flatMap { $0 } } }
}

/// One phone that stands somewhere on one site.
private struct Stand {
  private let places: [Point]
  private let carried: Carried
  private let exponent: Double
  private let antennas: [Double]
  private let power: Double
  /// What an earlier visit made of it, and how wrong that is, one standard deviation.
  private let learnt: (power: Double, error: Double)
  /// Of what is left of shadows and fading after half a minute.
  private let variance: Double
  /// nil: not heard.
  private var levels: [Double?] = []

  private static let height = 0.6
  private static let headings = 4

  init(_ receivers: Int, _ carried: Carried, _ random: inout Random) {
    places = RandomSite.layouts[receivers]!
    self.carried = carried
    exponent = random.between(RandomSite.exponents.lowerBound, RandomSite.exponents.upperBound)
    let shadow = random.between(RandomSite.shadows.lowerBound, RandomSite.shadows.upperBound)
    // The air stirs by 1.5 m in half a minute, shadows reach 3 m, and what the channels differ by is nearly averaged out.
    variance = 0.8 * shadow * shadow + 0.7
    antennas = places.map { _ in RandomSite.antenna(&random) }
    power = RandomSite.power(&random)
    let antenna = RandomSite.antennas.deviation
    let error = ((variance + antenna * antenna) / Double(receivers)).squareRoot()
    learnt = (power + error * random.normal(), error)
  }

  private var left: Double { places.map(\.x).min()! }
  private var right: Double { places.map(\.x).max()! }
  private var top: Double { places.map(\.y).max()! }

  mutating func draw(at pump: Int?, _ other: BestPossible.Other, _ random: inout Random) {
    let place: Point
    if let pump {
      place = places[pump] + Self.around(random.between(0, 1), random.between(0.5, 1.4))
    } else if other == .passing {
      let depth = random.between(1.6, 4) * (random.happens(0.5) ? 1 : -1)
      place = places[Int(random.fraction() * Double(places.count))] + Point(random.between(-0.5, 0.5), depth)
    } else if random.happens(0.5) {
      let depth = 14 + random.between(0.5, 4)
      place = Point(random.between(left, right), random.happens(0.5) ? -depth : top + depth)
    } else {
      place = Point(right + random.between(9, 13), random.between(0, top))
    }
    let mean = means(at: place, heading: random.fraction(), exponent)
    levels = places.indices.map { receiver in
      let level = power + antennas[receiver] + mean[receiver] + variance.squareRoot() * random.normal()
      return random.happens(Self.chanceToHear(level)) ? level : nil
    }
  }

  private static func around(_ turn: Double, _ radius: Double) -> Point {
    Point(radius * cos(turn * 2 * .pi), radius * sin(turn * 2 * .pi))
  }

  /// Of some packets in half a minute.
  private static func chanceToHear(_ level: Double) -> Double { 1 / (1 + exp((-97 - level) / 1.2)) }

  /// The gain of each path.
  private func means(at place: Point, heading: Double, _ exponent: Double) -> [Double] {
    let ahead = Self.around(heading, 1)
    return places.map { receiver in
      let line = Point(receiver.x - place.x, receiver.y - place.y)
      let flat = (line.x * line.x + line.y * line.y).squareRoot()
      let toward = carried.facing * (ahead.x * line.x + ahead.y * line.y) / max(flat, 0.1)
      let distance = (flat * flat + Self.height * Self.height).squareRoot()
      return -10 * exponent * Foundation.log10(max(distance, 0.3)) - carried.loss - carried.body * (1 - toward) / 2
    }
  }

  // MARK: Judging

  func score(at pump: Int?, _ knowledge: BestPossible.Knowledge, _ other: BestPossible.Other) -> Double {
    let exponents = knowledge.isSiteKnown ? [exponent] : [1.85, 2.1, 2.4, 2.65]
    let elsewhere = other == .standing ? standingElsewhere(exponents, knowledge) : passing(exponents, knowledge)
    let pumps = pump.map { [$0] } ?? Array(places.indices)
    return pumps.map { pump in
      var near: [Double] = []
      for radius in [0.7, 1.2] {
        for turn in 0..<6 { add(places[pump] + Self.around(Double(turn) / 6, radius), exponents, knowledge, to: &near) }
      }
      return Self.mean(near) - elsewhere
    }.max()!
  }

  private func passing(_ exponents: [Double], _ knowledge: BestPossible.Knowledge) -> Double {
    var list: [Double] = []
    for place in places {
      for depth in [-3.5, -2.6, -1.9, 1.9, 2.6, 3.5] { add(place + Point(0, depth), exponents, knowledge, to: &list) }
    }
    return Self.mean(list)
  }

  private func standingElsewhere(_ exponents: [Double], _ knowledge: BestPossible.Knowledge) -> Double {
    var far: [Double] = []
    for x in stride(from: left, through: right, by: max((right - left) / 5, 1)) {
      for depth in [15.5, 17.5] { for y in [-depth, top + depth] { add(Point(x, y), exponents, knowledge, to: &far) } }
    }
    var shop: [Double] = []
    for x in [10.0, 12] { for y in [0.1, 0.5, 0.9] { add(Point(right + x, top * y), exponents, knowledge, to: &shop) } }
    return Self.mean([Self.mean(far), Self.mean(shop)])
  }

  /// The logarithm of a mean of likelihoods.
  private static func mean(_ logarithms: [Double]) -> Double {
    let most = logarithms.max()!
    return most + log(logarithms.reduce(0) { $0 + exp($1 - most) } / Double(logarithms.count))
  }

  private func add(_ place: Point, _ exponents: [Double], _ knowledge: BestPossible.Knowledge, to list: inout [Double]) {
    for exponent in exponents {
      for heading in 0..<Self.headings {
        list.append(likelihood(means(at: place, heading: Double(heading) / Double(Self.headings), exponent), knowledge))
      }
    }
  }

  /// The power is taken out exactly where it is unknown; what silent receivers should have heard is judged by its likeliest value.
  private func likelihood(_ means: [Double], _ knowledge: BestPossible.Knowledge) -> Double {
    let antenna = RandomSite.antennas.deviation
    let variance = variance + (knowledge.isSiteKnown ? 0 : antenna * antenna)
    let unknown = (mean: RandomSite.loudness.mean, deviation: RandomSite.loudness.deviation)
    let prior = knowledge == .visit ? (mean: learnt.power, deviation: learnt.error) : unknown
    var (heard, sum, squares) = (0.0, 0.0, 0.0)
    for (receiver, level) in levels.enumerated() {
      guard let level else { continue }
      let known = knowledge.isSiteKnown ? antennas[receiver] : 0
      let error = level - means[receiver] - known - (knowledge == .everything ? power : prior.mean)
      heard += 1
      sum += error
      squares += error * error
    }
    let square = prior.deviation * prior.deviation
    var supposed = power
    var logarithm = -squares / variance / 2
    if knowledge != .everything {
      let gain = square / (variance + heard * square)
      logarithm += gain * sum * sum / variance / 2
      supposed = prior.mean + gain * sum
    }
    for (receiver, level) in levels.enumerated() where level == nil {
      let known = knowledge.isSiteKnown ? antennas[receiver] : 0
      let missing = (-97 - supposed - known - means[receiver]) / variance.squareRoot()
      logarithm += log(max(0.5 * erfc(-missing / 2.0.squareRoot()), 1e-12))
    }
    return logarithm
  }
}
