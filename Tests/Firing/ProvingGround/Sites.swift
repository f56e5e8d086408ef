import Core
import Dispatch
import Foundation
import Simulation

/// Sites that nobody has seen, with phones of unknown power: how many visitors are served, by the number of receivers and the way of
/// carrying. Even seeds choose constants, odd seeds are reported.
struct Sites {
  let seeds: Int
  let parity: Int
  /// With `at_m`.
  let isPlaced: Bool
  var receivers = [2, 3, 4, 8]
  /// Between pumps in one row, in metres; nil: eight and nine.
  var spacing: Double?
  /// Of the variations; empty: all.
  var only: [String] = []

  private static let columns = ["visits", "served", "wrong", "twice", "street", "of", "shop", "of", "through", "of", "p50_s", "p95_s"]

  func print() {
    Swift.print(parity == 0 ? "even seeds" : "odd seeds", "— \(seeds)")
    Swift.print(Table.row("", Self.columns))
    for receivers in receivers { for way in RandomSite.carriages { row(receivers, way.name, way.ways) } }
  }

  /// The same phones come three times.
  func printReturns() {
    Swift.print(parity == 0 ? "even seeds" : "odd seeds", "— \(seeds)")
    Swift.print(Table.row("", Self.columns))
    let (seeds, parity, isPlaced, spacing) = (seeds, parity, isPlaced, spacing)
    for receivers in receivers {
      for way in RandomSite.carriages {
        let visits = ["first", "second", "third"]
        let tallies = visits.map { _ in Tally() }
        DispatchQueue.concurrentPerform(iterations: seeds) { index in
          let seed = UInt64(2 * index + parity)
          let site = RandomSite(receivers: receivers, spacing: spacing, carried: way.ways, seed: seed, returns: true)
          var learnt: [Gateways.Learnt] = []
          for (visit, tally) in tallies.enumerated() {
            let trial = Trial(
              site.scenario, seed: seed + UInt64(visit) << 32, isCalibrated: false, isPlaced: isPlaced, after: learnt, cipher: Table.cipher)
            learnt = trial.learnt
            tally.add(trial)
          }
        }
        for (visit, tally) in zip(visits, tallies) { print(tally, "\(receivers) \(way.name) \(visit)") }
      }
    }
  }

  /// What a site may have otherwise, all ways of carrying together.
  func printVariations() {
    Swift.print(parity == 0 ? "even seeds" : "odd seeds", "— \(seeds)")
    Swift.print(Table.row("", Self.columns))
    for receivers in receivers {
      for variation in Variation.allCases where only.isEmpty || only.contains(variation.rawValue) { row(receivers, variation) }
    }
  }

  private func row(_ receivers: Int, _ variation: Variation) {
    let (seeds, parity, isPlaced, spacing) = (seeds, parity, isPlaced, spacing)
    let tally = Tally()
    DispatchQueue.concurrentPerform(iterations: seeds) { index in
      let seed = UInt64(2 * index + parity)
      var scenario = RandomSite(receivers: receivers, spacing: spacing, carried: RandomSite.carriages.flatMap(\.ways), seed: seed).scenario
      var random = Random(seed: seed, 0x5641_5249, receivers)
      variation.change(&scenario, &random)
      let pumps = scenario.pumps
      let trial = Trial(
        scenario, seed: seed, isCalibrated: variation.knowsPower, isPlaced: isPlaced && variation.isPlaced, cipher: Table.cipher
      ) { settings in
        for index in settings.triggers.indices {
          settings.triggers[index].groupRefractory = variation.groupRefractory
          if !variation.isGrouped { settings.triggers[index].group = Name() }
        }
        // A gateway believes that it hangs at its pump.
        for pump in pumps where pump.name == settings.gateway.name && !settings.radios.isEmpty {
          settings.radios[0].point = PlanPoint(x: Float(pump.place.x), y: Float(pump.place.y))
        }
      }
      tally.add(trial)
    }
    print(tally, "\(receivers) \(variation.rawValue)")
  }

  private func row(_ receivers: Int, _ name: String, _ ways: [Carried]) {
    let (seeds, parity, isPlaced, spacing) = (seeds, parity, isPlaced, spacing)
    let tally = Tally()
    DispatchQueue.concurrentPerform(iterations: seeds) { index in
      let seed = UInt64(2 * index + parity)
      let site = RandomSite(receivers: receivers, spacing: spacing, carried: ways, seed: seed)
      tally.add(Trial(site.scenario, seed: seed, isCalibrated: false, isPlaced: isPlaced, cipher: Table.cipher))
    }
    print(tally, "\(receivers) \(name)")
  }

  private func print(_ tally: Tally, _ name: String) {
    let score = tally.score
    var cells = [score.visits, score.served, score.wrongPump, score.doubles].map(String.init)
    for role in [RandomSite.Role.street, .shop, .through] { cells += ["\(tally.fires[role] ?? 0)", "\(tally.phones[role] ?? 0)"] }
    cells += [score.latencies.percentile(0.5), score.latencies.percentile(0.95)]
    Swift.print(Table.row(name, cells))
    fflush(nil)
  }
}

private final class Tally: @unchecked Sendable {
  private let lock = NSLock()
  private(set) var score = Score()
  private(set) var fires: [RandomSite.Role: Int] = [:]
  private(set) var phones: [RandomSite.Role: Int] = [:]

  func add(_ trial: Trial) {
    let more = Score(trial.fires, trial, undecided: trial.undecided)
    lock.lock()
    defer { lock.unlock() }
    score = score + more
    for (index, phone) in trial.scenario.phones.enumerated() {
      let role = RandomSite.role(of: phone)
      phones[role, default: 0] += 1
      fires[role, default: 0] += trial.fires.count { $0.phone == index }
    }
  }
}
