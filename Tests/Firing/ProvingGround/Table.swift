import Core
import Dispatch
import Foundation
import Host
import Simulation

/// Every scenario under many seeds, on all cores. The same seeds give the same table on every machine.
struct Table {
  let seeds: Int
  var only: [String] = []
  /// Without the peers' rows, for which most of the time goes.
  var isOurs = false

  private static let folder = "Tests/Firing/Scenarios"
  private static let columns = [
    "visits", "served", "missed", "early", "wrong", "passing", "street", "twice", "left", "undecided", "p50_s", "p95_s",
  ]
  static let rules = ["forecourt", AltBeacon.title, ESPresense.title, Bermuda.title, Crownstone.title]

  /// Stands in for AES: only that a key makes a difference matters here.
  static let cipher: Cipher = { key, plain in (key &* 3) ^ (plain &* 5) }

  func print() {
    let files = (try? FileManager.default.contentsOfDirectory(atPath: Self.folder).filter { $0.hasSuffix(".toml") }.sorted()) ?? []
    var totals: [String: Score] = [:]
    for isCalibrated in [true, false] {
      Swift.print(isCalibrated ? "power measured" : "\npower unknown, deviation 8 dB", "— \(seeds) seeds")
      Swift.print(Self.row("", Self.columns))
      for file in files where only.isEmpty || only.contains(String(file.dropLast(5))) {
        let scores = run(file, isCalibrated)
        for (rule, score) in zip(rules, scores) {
          Swift.print(Self.row((rule == Self.rules[0] ? String(file.dropLast(5)) : "  " + rule), score.cells))
          let key = rule + (isCalibrated ? "" : "?")
          totals[key] = (totals[key] ?? Score()) + score
        }
      }
      for rule in rules {
        Swift.print(Self.row("all: " + rule, (totals[rule + (isCalibrated ? "" : "?")] ?? Score()).cells))
      }
    }
  }

  private var rules: [String] { isOurs ? [Self.rules[0]] : Self.rules }

  /// Our own score with other settings, on the seeds of one parity.
  func run(_ scenario: String, parity: Int, _ change: @escaping @Sendable (inout Settings) -> Void) -> Score {
    let scene = Self.read(scenario + ".toml")
    let ledger = Ledger(1)
    DispatchQueue.concurrentPerform(iterations: seeds) { index in
      let trial = Trial(scene, seed: UInt64(2 * index + parity), isCalibrated: true, cipher: Self.cipher, change)
      ledger.add([Score(trial.fires, trial, leaves: trial.leaves, undecided: trial.undecided)])
    }
    return ledger.scores[0]
  }

  private static func read(_ file: String) -> Scenario {
    let path = folder + "/" + file
    guard let source = try? ConfigurationText(reading: path) else { fatalError("\(path) cannot be read") }
    let reading = ScenarioFile(source)
    precondition(reading.findings.isEmpty, reading.findings.map { $0.line(in: path) }.joined(separator: "\n"))
    return reading.scenario
  }

  private func run(_ file: String, _ isCalibrated: Bool) -> [Score] {
    let scene = Self.read(file)
    let ledger = Ledger(rules.count)
    DispatchQueue.concurrentPerform(iterations: seeds) { seed in
      let trial = Trial(scene, seed: UInt64(seed), isCalibrated: isCalibrated, cipher: Self.cipher)
      let ours = Score(trial.fires, trial, leaves: trial.leaves, undecided: trial.undecided)
      ledger.add([ours] + (isOurs ? [] : trial.peers))
    }
    return ledger.scores
  }

  static func row(_ name: String, _ cells: [String]) -> String {
    let padded = cells.map { String(repeating: " ", count: max(0, 10 - $0.count)) + $0 }
    return name.padding(toLength: 18, withPad: " ", startingAt: 0) + padded.joined()
  }
}

extension Trial {
  fileprivate var peers: [Score] {
    [
      Score(AltBeacon.run(samples, site), self), Score(ESPresense.run(samples, site), self), Score(Bermuda.run(samples, site), self),
      Score(Crownstone.run(samples, site), self),
    ]
  }
}

/// Adds up what several threads find.
private final class Ledger: @unchecked Sendable {
  private let lock = NSLock()
  private(set) var scores: [Score]

  init(_ count: Int) { scores = Array(repeating: Score(), count: count) }

  func add(_ more: [Score]) {
    lock.lock()
    defer { lock.unlock() }
    for index in scores.indices { scores[index] = scores[index] + more[index] }
  }
}
