import Core
import Testing

@testable import Host

@Suite("a subscription that crashes the program is found") struct SubscriptionTrialsTests {
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
    var trials = SubscriptionTrials()
    let isBlamed = trials.blame()
    #expect(!isBlamed)
    for turn in 0..<4 {
      trials.start([.claims, .statuses])
      var next = trials.next(at: .zero)
      #expect(trials.due == .zero + .seconds(2), "what is retained may take its time")
      if turn > 0 { next = trials.next(at: .zero + .seconds(3)) }
      let isBlamed = trials.blame()
      #expect(isBlamed == (turn < 3) && next.contains(.statuses) == isBlamed)
    }
    #expect(trials.leftOut == .statuses)
    trials.forgive()
    #expect(trials.leftOut == nil && trials.isCareful)
  }

  @Test("a power cut at the wrong moment makes one start careful")
  func powerCut() {
    let after = run(noted: 0, tried: .several, culprit: nil)
    #expect(after.made == all && after.noted == 0 && after.left == nil)
  }
}
