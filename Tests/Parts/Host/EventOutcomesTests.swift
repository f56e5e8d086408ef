import Seeds
import Testing

@testable import Host

@Suite("What became of events, before it stands in the file") struct EventOutcomesTests {
  @Test("every row that was added is found, in the order of the file, with what was said of it first", arguments: 0..<8 as Range<UInt64>)
  func asAModel(seed: UInt64) {
    var random = Seeded(seed)
    var (outcomes, model) = (EventOutcomes(), [Int64: Outbox.State]())
    for _ in 0..<400 {
      let row = Int64.random(in: 1...300, using: &random)
      let state = Bool.random(using: &random) ? Outbox.State.delivered : .expired
      outcomes.append(row, state)
      if model[row] == nil { model[row] = state }
      let asked = Int64.random(in: 0...301, using: &random)
      #expect(outcomes.contains(asked) == (model[asked] != nil))
    }
    #expect(outcomes.all.map(\.row) == model.keys.sorted())
    #expect(outcomes.all.allSatisfy { model[$0.row] == $0.state })
    outcomes.removeAll()
    #expect(outcomes.count == 0 && !outcomes.contains(1))
  }
}
