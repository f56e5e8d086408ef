import Core
import Testing

@testable import Host

@Suite("a subscription that crashes the program is found") struct ProbationTests {
  private let all: [Probation.Subject] = [.commands, .claims, .statuses, .peers]

  /// One run: it ends where `culprit` is subscribed to; what it has subscribed to, and what it leaves to the next one.
  private func run(
    noted: Int64, tried: Probation.Subject?, culprit: Probation.Subject?
  ) -> (made: [Probation.Subject], left: Probation.Subject?, noted: Int64, tried: Probation.Subject?) {
    var probation = Probation(noted: noted, tried: tried)
    probation.begin(all)
    var made: [Probation.Subject] = []
    var now = Instant.zero
    while true {
      let next = probation.next(at: now)
      made += next
      if let culprit, next.contains(culprit) { return (made, probation.leftOut, probation.noted, probation.trying) }
      guard probation.due != .never else { return (made, probation.leftOut, probation.noted, nil) }
      now = probation.due
    }
  }

  @Test("the second and third crash accuse a subscription, the fourth start leaves it out, and each later run tries it once")
  func culprits() {
    for culprit in all {
      var last = run(noted: 0, tried: nil, culprit: culprit)
      #expect(last.made == all && last.tried == .several)
      for _ in 0..<2 {
        last = run(noted: last.noted, tried: last.tried, culprit: culprit)
        #expect(last.made.last == culprit && last.tried == culprit && last.left == nil)
      }
      for _ in 0..<3 {
        last = run(noted: last.noted, tried: last.tried, culprit: culprit)
        #expect(last.made == all.filter { $0 != culprit } && last.left == culprit && last.tried == nil)
        last = run(noted: last.noted, tried: last.tried, culprit: culprit)
        #expect(last.made.last == culprit && last.tried == culprit, "one chance after a run that ended well")
      }
      last = run(noted: last.noted, tried: nil, culprit: nil)
      #expect(last.made == all && last.noted == 0, "mended: nothing is held against it")
    }
  }

  @Test("a lost connection counts like a crash, but only while the subscription is on trial")
  func connections() {
    var probation = Probation()
    let isBlamed = probation.blame()
    #expect(!isBlamed)
    for turn in 0..<4 {
      probation.begin([.claims, .statuses])
      var next = probation.next(at: .zero)
      if turn > 0 { next = probation.next(at: .zero + .seconds(3)) }
      let isBlamed = probation.blame()
      #expect(isBlamed == (turn < 3) && next.contains(.statuses) == isBlamed)
    }
    #expect(probation.leftOut == .statuses)
    probation.forgive()
    #expect(probation.leftOut == nil && probation.isCareful)
  }

  @Test("a power cut at the wrong moment makes one start careful")
  func powerCut() {
    let after = run(noted: 0, tried: .several, culprit: nil)
    #expect(after.made == all && after.noted == 0 && after.left == nil)
  }
}
