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

  /// Only the first Reset after each opening of the line is answered.
  private func muteResets(of line: inout ModelLine) {
    var answered = line.opens
    line.fate = { wire, bytes in
      guard bytes[0] == 1, bytes[1] == 0x03, bytes[2] == 0x0C else { return [(.zero, bytes)] }
      defer { answered = wire.opens }
      return wire.opens == answered ? [] : [(.zero, bytes)]
    }
  }

  @Test("a silence after a lively past lasts until an advert, whatever else fails and is cured meanwhile", arguments: [false, true])
  func silence(isLineLost: Bool) {
    var line = ModelLine.lively()
    line.people = []
    if !isLineLost { muteResets(of: &line) }
    line.run(for: .seconds(20))
    if isLineLost { line.breakLine() }
    line.run(for: .seconds(4_000))
    let since = line.conditions.drop(while: { $0 == .starting || $0 == .scanning })
    let other: Condition = .degraded(isLineLost ? .lineLost : .notAnswering)
    #expect(since.contains(other) && since.suffix(2).contains(.degraded(.silent)), "\(line.conditions.suffix(8))")
    #expect(since.allSatisfy { !$0.isListening }, "\(line.conditions.suffix(8))")
    line.people = [7]
    line.run(for: .seconds(10))
    #expect(line.controller.condition == .scanning)
  }

  @Test("another controller in the place of one that fell silent begins anew, the same one does not", arguments: [false, true])
  func replaced(isOther: Bool) {
    var line = ModelLine.lively()
    line.people = []
    line.run(for: .seconds(700))
    #expect(line.controller.condition == .degraded(.silent))
    if isOther { line.model.address += 1 }
    line.breakLine()
    line.run(for: .seconds(30))
    let wanted: Condition = isOther ? .quiet : .degraded(.silent)
    #expect(line.controller.condition == wanted, "\(line.conditions.suffix(4))")
  }

  @Test("in a yard that was never lively a radio whose resets fail stays quiet") func quietYard() {
    var line = ModelLine()
    line.people = [1]
    line.run(for: .seconds(120))
    line.people = []
    muteResets(of: &line)
    line.run(for: .seconds(12 * 3_600))
    #expect(line.controller.recoveries.unanswered > 5)
    let isAlarmed = line.conditions.contains { $0.trouble == .silent }
    #expect(!isAlarmed && line.conditions.suffix(3).contains(.quiet), "\(line.conditions.suffix(4))")
  }
}
