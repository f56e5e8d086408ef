import Core
import Dispatch
import Foundation
import Host
import Simulation

/// What a trigger alone gives up for what: `fire_m` and `dwell_s` against the visits missed and the neighbours fired for, power measured.
///
/// The defaults are chosen on even seeds and reported on odd ones.
struct Curve {
  let seeds: Int

  private static let neighbour = "next-door-alone"
  private static let distances: [Float] = [1.2, 1.5, 1.7, 1.9]
  private static let dwells = [0.5, 1.0, 2.0]

  func print() {
    for parity in 0...1 {
      Swift.print(parity == 0 ? "even seeds" : "odd seeds")
      Swift.print("  fire_m  dwell_s    visits    missed     fired     p50_s     p95_s")
      for distance in Self.distances { for dwell in Self.dwells { row(parity, distance, dwell) } }
    }
  }

  private func row(_ parity: Int, _ distance: Float, _ dwell: Double) {
    let score = Table(seeds: seeds).run(Self.neighbour, parity: parity) {
      $0.triggers[0].fire = Meters(distance)
      $0.triggers[0].dwell = .seconds(dwell)
    }
    let cells = ["\(distance)", "\(dwell)"] + [score.visits, score.missed, score.passing + score.untimely].map(String.init)
    let times = [score.latencies.percentile(0.5), score.latencies.percentile(0.95)]
    Swift.print((cells + times).map { String(repeating: " ", count: max(0, 10 - $0.count)) + $0 }.joined())
  }
}
