import Core
import Foundation
import Testing

@testable import Simulation

@Suite("The channel") struct ChannelTests {
  /// Every run draws other shadows: one level from each of many runs is what a measurement over many places sees.
  private func levels(
    at distance: Double, runs: UInt64 = 400, _ change: (inout Scenario) -> Void = { _ in }
  ) -> (levels: [Int], lost: Double) {
    var levels: [Int] = []
    let scenario = Scenario.standing(at: distance, seconds: 2, change)
    for seed in 0..<runs { levels += World.receptions(scenario, seed: seed).map(\.rssi) }
    return (levels, 1 - Double(levels.count) / (Double(runs) * 2 / 0.105))
  }

  @Test(
    "one packet's level has the mean and deviation measured outdoors",
    arguments: [(1.0, -65.5, 5.7), (5.0, -78.4, 5.9), (10.0, -84.1, 4.5), (16.0, -90.8, 3.5)])
  func measured(distance: Double, mean: Double, deviation: Double) {
    let (levels, lost) = levels(at: distance) { $0.phones[0].power = -65.5 }
    print("channel at \(distance) m: mean \(levels.mean) (\(mean)), deviation \(levels.deviation) (\(deviation)), lost \(lost)")
    #expect(abs(levels.mean - mean) < 3)
    #expect(abs(levels.deviation - deviation) < 1.1)
  }
}

extension ChannelTests {
  @Test("the more of a level goes straight, the less fading takes of it on average") func rician() {
    let means = stride(from: 0.5, through: 200, by: 0.5).map { AirModel.meanDecibels(ricianFactor: $0) }
    for (less, more) in zip(means, means.dropFirst()) { #expect(less < more && more < 0 && more - less < 0.6, "\(less), \(more)") }
    #expect(abs(means[39] + 0.212) < 0.006, "K = 20: \(means[39])")
  }

  @Test("bystanders that have nowhere to go stand still") func crowded() {
    var scenario = Scenario.standing(at: 1, seconds: 2)
    (scenario.bystanders.count, scenario.bystanders.standing) = (3, 0)
    (scenario.bystanders.corner, scenario.bystanders.opposite) = (Point(5, 5), Point(5, 5))
    #expect(!World.receptions(scenario, seed: 1).isEmpty)
  }

  /// The difference of two gateways' levels, 1.5 m and 5 m from a person who moves on the spot.
  private func differences(packets: Int) -> [Double] {
    let scenario = Scenario.standing(at: 0, seconds: Double(packets) * 0.13) {
      $0.gateways[0].place = Point(1.5, 0)
      $0.gateways.append($0.gateways[0])
      $0.gateways[1].place = Point(-5, 0)
    }
    return (0..<4_000).compactMap { seed in
      let heard = World.receptions(scenario, seed: UInt64(seed))
      let near = heard.filter { $0.gateway == 0 }.prefix(packets).map(\.rssi)
      let far = heard.filter { $0.gateway == 1 }.prefix(packets).map(\.rssi)
      return near.isEmpty || far.isEmpty ? nil : near.mean - far.mean
    }
  }

  @Test("the nearer of two gateways is mistaken as often as measured: 10 % on one packet, 1.4 % on ten")
  func pairs() {
    let one = differences(packets: 1)
    let ten = differences(packets: 10)
    let wrongOnOne = Double(one.count { $0 < 0 }) / Double(one.count)
    let wrongOnTen = Double(ten.count { $0 < 0 }) / Double(ten.count)
    let wrongByMargin = Double(ten.count { $0 < -6 }) / Double(ten.count)
    print("two gateways: \(wrongOnOne) wrong on one packet, \(wrongOnTen) on ten, \(wrongByMargin) by 6 dB")
    #expect(wrongOnOne > 0.05 && wrongOnOne < 0.15)
    #expect(wrongOnTen > 0.007 && wrongOnTen < 0.04)
    #expect(wrongByMargin < 0.002)
  }

  @Test("levels on one channel are alike while nobody moves, and independent after half a wavelength")
  func correlation() {
    var link = Fading(seed: 5, index: 0)
    let air = AirModel(Air())
    var still: [Double] = []
    var walking: [Double] = []
    var way = 0.0
    for _ in 0..<20_000 {
      let here = link.fading(on: 0, after: way, at: 0, in: air)
      let again = link.fading(on: 0, after: way + 0.001, at: 0, in: air)
      let further = link.fading(on: 0, after: way + 0.15, at: 0, in: air)
      still.append(abs(again - here))
      walking.append(abs(further - here))
      way += 50
    }
    #expect(still.reduce(0, +) / 20_000 < 1)
    #expect(walking.reduce(0, +) / 20_000 > 3.5)
  }

  @Test("three channels differ by as much as 10 to 15 dB at one place")
  func channels() {
    let air = AirModel(Air())
    let spreads = (0..<4_000).map { index in
      var link = Fading(seed: 9, index: index)
      let levels = (0..<3).map { link.fading(on: $0, after: 0, at: 0, in: air) }
      return levels.max()! - levels.min()!
    }.sorted()
    print("channel spread: median \(spreads[2_000]), p95 \(spreads[3_800]) dB")
    #expect(spreads[3_800] > 10 && spreads[3_800] < 20)
  }

  @Test("a level's mean in dB is what a calibration measures: fading adds nothing to it")
  func unbiased() {
    let air = AirModel(Air())
    var sum = 0.0
    for index in 0..<40_000 {
      var link = Fading(seed: 3, index: index)
      sum += link.fading(on: index % 3, after: 0, at: 0, in: air)
    }
    #expect(abs(sum / 40_000) < 0.1)
  }

  @Test("a crowd drowns the weak and leaves the strong")
  func collisions() {
    var traffic = Traffic()
    for index in 0..<4_000 { traffic.record(-80, at: Double(index) * 0.0005) }
    #expect(traffic.collision(of: -80) > 0.7)
    #expect(traffic.collision(of: -70) == 0)
    // A loud crowd at the antenna, too.
    traffic = Traffic()
    for index in 0..<4_000 { traffic.record(-39, at: Double(index) * 0.0005) }
    #expect(traffic.collision(of: -39) > 0.7 && traffic.collision(of: -28) == 0)
  }

  @Test("pockets, bodies, roofs and cars attenuate as the README says")
  func losses() {
    func mean(_ change: (inout Scenario) -> Void) -> Double { levels(at: 1, change).levels.mean }
    let open = mean { _ in }
    let pocket = mean { $0.phones[0].carried = .inFrontPocket }
    let behind = mean { $0.phones[0].carried = .inBackPocket }
    let inCar = mean {
      $0.travellers[0].begins = .car
      $0.travellers[0].steps = [.stay(seconds: 5, facing: .zero, in: .car)]
      $0.phones[0].carried = .inHand
    }
    let onRoof = mean {
      $0.travellers[0].begins = .car
      $0.travellers[0].steps = [.stay(seconds: 5, facing: .zero, in: .car)]
      $0.phones[0].carried = .onRoof
    }
    #expect(abs(open - pocket - 4) < 0.7)
    #expect(abs(open - behind - 14) < 0.7)
    #expect(abs(open - inCar - 7) < 0.7)
    #expect(abs(open - onRoof) < 0.7)
  }
}
