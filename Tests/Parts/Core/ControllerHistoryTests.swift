import Testing

@testable import Core

@Suite("A radio's past") struct ControllerHistoryTests {
  private enum Fault: CaseIterable {
    case deafUntilRescan, deafUntilReset, deafUntilReopened, hardwareError, lineLost, unanswered, endlessConnection
  }

  private func happen(_ fault: Fault, to line: inout ModelLine) {
    switch fault {
    case .deafUntilRescan: line.model.deafUntil = .rescan
    case .deafUntilReset: line.model.deafUntil = .reset
    case .deafUntilReopened: line.model.deafUntil = .reopen
    case .hardwareError:
      line.model.restart()
      line.say([4, 0x10, 1, 0x42])
    case .lineLost: line.breakLine()
    case .unanswered:
      line.model.swallowed = [0x2006]
      _ = line.offer([1, 0x06, 0x20, 0])
    case .endlessConnection:
      line.model.swallowed = [0x2043]
      for _ in 0..<2 {
        _ = line.offer([1, 0x43, 0x20, 0])
        line.run(for: .milliseconds(20))
      }
    }
  }

  /// What it took until the radio listened again, and for how long it heard less.
  private func cost(_ fault: Fault, to line: inout ModelLine) -> [UInt32] {
    func figures(_ line: borrowing ModelLine) -> [UInt32] {
      let done = line.controller.recoveries
      return [done.rescans, done.resets, done.reopens, done.degradations, done.cures, done.hardwareErrors, done.unanswered, done.refused]
    }
    let before = figures(line)
    happen(fault, to: &line)
    line.run(for: .seconds(120))
    line.model.swallowed = []
    #expect(line.controller.condition == .scanning && line.model.isScanning, "\(fault)")
    return zip(figures(line), before).map { $0 - $1 }
  }

  @Test("a fault costs what it costs a new radio, whatever came before it", arguments: 0..<6 as Range<UInt64>)
  func faults(seed: UInt64) {
    func lively() -> ModelLine {
      var line = ModelLine()
      line.run(for: .seconds(120))
      return line
    }
    var random = Seeded(seed)
    var old = lively()
    var past: [Fault] = []
    var costs: [Fault: [UInt32]] = [:]
    for _ in 0..<12 {
      let fault = Fault.allCases.randomElement(using: &random)!
      if costs[fault] == nil {
        var new = lively()
        costs[fault] = cost(fault, to: &new)
      }
      let wanted = costs[fault] ?? []
      #expect(wanted.reduce(0, +) > 0, "\(fault) costs nothing")
      #expect(cost(fault, to: &old) == wanted, "\(fault) after \(past)")
      past.append(fault)
    }
  }
}
