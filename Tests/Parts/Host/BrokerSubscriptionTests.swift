import Core
import Foundation
import Testing

@testable import Host

private let base = "forecourt/site/gateway"

@Suite("subscriptions that cannot be made, or do harm", .serialized) struct BrokerSubscriptionTests {
  @Test("a broker that takes no subscription, for that packet is too long for it, is no connection") func tooShort() {
    let talk = Talk { $0.commands = true }
    talk.broker.answer { $0.longest = 20 }
    talk.start()
    talk.until("why there is none") { talk.told("no connection to the broker at 127.0.0.1: ") }
    talk.broker.answer { $0.longest = nil }
    talk.until("the subscription") { talk.broker.record.subscribed[base + "/command/+"] != nil }
    talk.stop()
  }

  @Test(
    "which subscription ended the run before is said",
    arguments: [
      (.several, "its topics"), (.commands, "forecourt/site/gateway/command/+"), (.claims, "forecourt/site/claim/+/+/+"),
      (.statuses, "forecourt/site/+/status"), (.peers, "forecourt/site/peer/+/+"),
    ] as [(SubscriptionTrials.Subject, String)])
  func culprit(subject: SubscriptionTrials.Subject, filter: String) throws {
    let talk = Talk()
    do {
      let outbox = try Outbox(talk.settings.outbox, machine: 1)
      try outbox.mark("trying", subject.mark(on: machineStart()))
    }
    talk.start()
    talk.until("the words") { talk.told("error: the previous run ended as soon as it subscribed to \(filter): a message") }
    talk.online()
    talk.stop()
  }

  @Test("a subscription that ended the program three times is left out; new settings try it once more, on the same connection")
  func leftOut() throws {
    let talk = Talk { $0.claims = true }
    let claims = SubscriptionTrials.Subject.claims
    do {
      let outbox = try Outbox(talk.settings.outbox, machine: 1)
      try outbox.mark("trying", claims.mark(on: machineStart()))
      try outbox.mark("falls", 2 << (claims.rawValue * 8))
    }
    // The session goes on, and would bring what ends the program.
    talk.broker.answer { $0.greeting = (0, true) }
    talk.start()
    let statuses: Set = ["forecourt/site/+/status", base + "/status"]
    talk.until("the other subscription") { talk.broker.record.subscribed.count >= 2 }
    #expect(talk.courier.counters.troubles == .leftOut && Set(talk.broker.record.subscribed.keys) == statuses)
    #expect(talk.broker.record.unsubscribed.contains("forecourt/site/claim/+/+/+"))
    #expect(talk.told("error: the previous run ended as soon as it subscribed to forecourt/site/claim/+/+/+: a message that is too long"))
    // What is on trial for two seconds is harmless.
    usleep(2_200_000)
    talk.reload { $0.outbox.maxEvents += 1 }
    talk.until("another trial") { talk.broker.record.subscribed["forecourt/site/claim/+/+/+"] != nil }
    // If what comes ends the program now, the next run knows.
    let database = try Database(path: talk.settings.outbox.path, readOnly: true)
    talk.until("the mark") {
      talk.broker.publish("forecourt/site/claim/a/b/c", "poison")
      return trying(database) == claims.mark(on: machineStart())
    }
    talk.until("its success") { talk.courier.counters.troubles == [] }
    #expect(talk.courier.counters.connections.count == 1 && talk.broker.record.greetings.count == 1)
    talk.stop()
  }

  @Test("a power cut accuses no subscription") func powerCut() throws {
    let talk = Talk { $0.claims = true }
    do {
      let outbox = try Outbox(talk.settings.outbox, machine: 1)
      try outbox.mark("trying", SubscriptionTrials.Subject.claims.mark(on: machineStart() ^ 1))
      try outbox.mark("falls", 2 << (SubscriptionTrials.Subject.claims.rawValue * 8))
    }
    talk.start()
    talk.until("the subscription") { talk.broker.record.subscribed["forecourt/site/claim/+/+/+"] != nil }
    #expect(!talk.told("the previous run ended"))
    talk.stop()
  }

  private func trying(_ database: Database) -> Int64? { try? database.number("SELECT value FROM mark WHERE name = 'trying'") }

  @Test("whoever ends the program while nothing comes from the broker accuses no subscription") func killed() throws {
    let talk = Talk { $0.claims = true }
    talk.start()
    talk.until("the subscriptions") { talk.broker.record.subscribed.count == 4 }
    let database = try Database(path: talk.settings.outbox.path, readOnly: true)
    talk.until("the mark of what comes") {
      talk.broker.publish("forecourt/site/other/status", "poison")
      return trying(database) == SubscriptionTrials.Subject.several.mark(on: machineStart())
    }
    // They are on trial for two seconds.
    usleep(600_000)
    #expect(trying(database) == 0)
    talk.stop()
  }

  @Test("a session that goes on keeps no subscription that nobody wants any more, whoever made it") func dropped() {
    let talk = Talk {
      $0.commands = true
      $0.claims = true
    }
    talk.start()
    talk.until("all") { talk.broker.record.subscribed.count == 5 }
    #expect(talk.broker.record.unsubscribed == [], "a new session has none")
    talk.broker.answer { $0.greeting = (0, true) }
    talk.broker.forget()
    talk.reload { $0.commands = false }
    talk.until("the others") { talk.broker.record.subscribed.count == 4 }
    #expect(talk.broker.record.unsubscribed == [base + "/command/+", "forecourt/site/peer/+/+"])
    talk.broker.forget()
    talk.reload { ($0.commands, $0.claims, $0.peers) = (true, false, true) }
    talk.until("the others") { talk.broker.record.subscribed.count == 2 }
    let claims = ["forecourt/site/claim/+/+/+", "forecourt/site/claim/site/hello/gateway"]
    #expect(talk.broker.record.unsubscribed == claims + ["forecourt/site/+/status", base + "/status"])
    talk.stop()
  }
}
