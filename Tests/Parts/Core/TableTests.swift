import Testing

@testable import Core

@Suite("Tables in lent memory")
struct TableTests {
  @Test("an index finds what was put in and nothing else, through any mix of insertions and removals", arguments: 0..<50)
  func indexAgainstModel(seed: UInt64) {
    var random = Seeded(seed)
    let loan = Loan()
    var arena = loan.arena
    let slots = 64
    var index = HashIndex(slots: slots, in: &arena)
    var keys = [UInt64?](repeating: nil, count: slots)
    // Few distinct hashes: chains collide, run over the end and close up.
    func hash(_ key: UInt64) -> UInt32 { UInt32(key % 7) &* 0x1000_0001 &+ 120 }
    for _ in 0..<2_000 {
      let slot = Int.random(in: 0..<slots, using: &random)
      if let key = keys[slot] {
        index.remove(hash(key), slot: slot)
        keys[slot] = nil
      } else {
        let key = UInt64.random(in: 0..<500, using: &random)
        guard !keys.contains(key) else { continue }
        keys[slot] = key
        index.insert(hash(key), slot: slot)
      }
      let probe = UInt64.random(in: 0..<500, using: &random)
      #expect(index.find(hash(probe)) { keys[$0] == probe } == keys.firstIndex(of: probe))
    }
  }

  @Test("a free slot is used first, then the longest unheard unmatched device's, then the longest unheard device's", arguments: 0..<50)
  func recencyAgainstModel(seed: UInt64) {
    var random = Seeded(seed)
    let loan = Loan()
    var arena = loan.arena
    var recency = EvictionOrder(slots: 16, in: &arena)
    var free = Array(0..<16)
    var unmatched: [Int] = []
    var matched: [Int] = []
    for _ in 0..<1_000 {
      #expect(recency.slotToReuse() == free.first ?? unmatched.first ?? matched.first)
      let slot = Int.random(in: 0..<16, using: &random)
      free.removeAll { $0 == slot }
      unmatched.removeAll { $0 == slot }
      matched.removeAll { $0 == slot }
      switch Int.random(in: 0..<5, using: &random) {
      case 0:
        free.append(slot)
        recency.touch(slot, in: .free)
      case 1, 2:
        unmatched.append(slot)
        recency.touch(slot, in: .unmatched)
      default:
        matched.append(slot)
        recency.touch(slot, in: .matched)
      }
      #expect(recency.count(of: .unmatched) == unmatched.count && recency.oldest(of: .matched) == matched.first)
    }
  }

  @Test("a deadline heap gives slots in the order of their deadlines, ties by slot, and keeps the earlier deadline", arguments: 0..<50)
  func agendaAgainstModel(seed: UInt64) {
    var random = Seeded(seed)
    let loan = Loan()
    var arena = loan.arena
    var agenda = DeadlineHeap(slots: 32, in: &arena)
    var model: [Int: Int64] = [:]
    for _ in 0..<2_000 {
      let slot = Int.random(in: 0..<32, using: &random)
      switch Int.random(in: 0..<4, using: &random) {
      case 0:
        agenda.cancel(slot)
        model[slot] = nil
      case 1:
        let first = model.min { ($0.value, $0.key) < ($1.value, $1.key) }
        let taken = agenda.takeDue(by: Instant(microseconds: 50))
        guard let first, first.value <= 50 else {
          #expect(taken == nil)
          continue
        }
        #expect(taken?.slot == first.key && taken?.due.microseconds == first.value)
        model[first.key] = nil
      default:
        let due = Int64.random(in: 0..<100, using: &random)
        agenda.enter(slot, due: Instant(microseconds: due))
        model[slot] = min(due, model[slot] ?? .max)
      }
      #expect(agenda.next.microseconds == model.values.min() ?? .max)
    }
  }

  @Test("never is no deadline")
  func never() {
    let loan = Loan()
    var arena = loan.arena
    var agenda = DeadlineHeap(slots: 1, in: &arena)
    agenda.enter(0, due: .never)
    #expect(agenda.takeDue(by: .never) == nil)
    #expect(Instant.never + .seconds(1) == .never)
  }

  @Test("an index outside a lent table traps")
  func outside() async {
    await #expect(processExitsWith: .failure) {
      let loan = Loan()
      var arena = loan.arena
      let table = arena.take(4, filledWith: 0)
      _ = table[4]
    }
  }
}
