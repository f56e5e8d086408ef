import Testing

@testable import Core

@Suite("The ring between two threads")
struct RingTests {
  @Test("it refuses exactly what does not fit and gives back the rest in order", arguments: 0..<50)
  func againstModel(seed: UInt64) {
    var random = Seeded(seed)
    let loan = Loan()
    var arena = loan.arena
    let ring = Ring<Int>(capacity: 8, in: &arena)
    var model: [Int] = []
    for step in 0..<2_000 {
      if Bool.random(using: &random) {
        let refused = ring.push(step)
        #expect(refused == (model.count == 8 ? step : nil))
        if refused == nil { model.append(step) }
      } else {
        #expect(ring.pop() == model.first)
        if !model.isEmpty { model.removeFirst() }
      }
      #expect(ring.count == model.count)
    }
  }

  @Test("two threads pass millions of elements, none lost, none twice, none torn")
  func twoThreads() async {
    struct Pair: BitwiseCopyable, Sendable {
      var value: UInt64
      var complement: UInt64
    }
    final class Shared: Sendable {
      let loan: Loan
      let ring: Ring<Pair>
      init() {
        loan = Loan()
        var arena = loan.arena
        ring = Ring(capacity: 256, in: &arena)
      }
    }
    let shared = Shared()
    let total: UInt64 = 3_000_000
    async let produced: Void = Task.detached {
      var next: UInt64 = 0
      while next < total {
        if shared.ring.push(Pair(value: next, complement: ~next)) == nil { next += 1 }
      }
    }.value
    let consumed = await Task.detached {
      var expected: UInt64 = 0
      while expected < total {
        guard let pair = shared.ring.pop() else { continue }
        guard pair.value == expected, pair.complement == ~expected else { return expected }
        expected += 1
      }
      return expected
    }.value
    await produced
    #expect(consumed == total)
  }

  @Test("an element can be looked at where it lies")
  func take() {
    let loan = Loan()
    var arena = loan.arena
    let ring = Ring<Int>(capacity: 2, in: &arena)
    #expect(ring.push(7) == nil)
    var seen = 0
    #expect(ring.take { seen = $0 } && seen == 7)
    #expect(!ring.take { _ in seen = 0 } && seen == 7)
  }

  @Test("a capacity that is no power of two traps")
  func oddCapacity() async {
    await #expect(processExitsWith: .failure) {
      let loan = Loan()
      var arena = loan.arena
      _ = Ring<Int>(capacity: 3, in: &arena)
    }
  }
}
