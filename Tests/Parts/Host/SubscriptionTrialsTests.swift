import Core
import Testing

@testable import Host

@Suite("subscriptions that end the program are told apart") struct SubscriptionTrialsTests {
  private let all: [SubscriptionTrials.Subject] = [.commands, .claims, .statuses, .peers]

  /// One run: it ends where `culprit` is subscribed to; what it has subscribed to, and what it leaves to the next one.
  private func run(
    noted: Int64, tried: SubscriptionTrials.Subject?, culprit: SubscriptionTrials.Subject?
  ) -> (made: [SubscriptionTrials.Subject], left: SubscriptionTrials.Subject?, noted: Int64, tried: SubscriptionTrials.Subject?) {
    var trials = SubscriptionTrials(saved: noted, tried: tried)
    trials.start(all)
    var made: [SubscriptionTrials.Subject] = []
    var now = Instant.zero
    while true {
      let next = trials.next(at: now)
      made += next
      if let culprit, next.contains(culprit) { return (made, trials.leftOut, trials.saved, trials.trying) }
      guard trials.due != .never else { return (made, trials.leftOut, trials.saved, nil) }
      now = trials.due
    }
  }

  @Test("the first end names nobody, the second and third name one, the fourth start is without it; each later run gives it one chance")
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

  @Test("what ends a connection counts like what ends the program, and only while it is tried")
  func connections() {
    var trials = SubscriptionTrials()
    let isBlamed = trials.blame()
    #expect(!isBlamed)
    for turn in 0..<4 {
      trials.start([.claims, .statuses])
      var next = trials.next(at: .zero)
      if turn > 0 { next = trials.next(at: .zero + .seconds(3)) }
      let isBlamed = trials.blame()
      #expect(isBlamed == (turn < 3) && next.contains(.statuses) == isBlamed)
    }
    #expect(trials.leftOut == .statuses)
    trials.forgive()
    #expect(trials.leftOut == nil && trials.isCareful)
  }

  @Test("a power cut in the wrong moment makes the next start careful, once")
  func powerCut() {
    let after = run(noted: 0, tried: .several, culprit: nil)
    #expect(after.made == all && after.noted == 0 && after.left == nil)
  }
}
