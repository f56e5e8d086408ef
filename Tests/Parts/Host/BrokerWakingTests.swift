import Core
import Testing

@testable import Host

private let base = "forecourt/site/gateway"

@Suite("who wakes whom at the broker", .serialized) struct BrokerWakingTests {
  @Test("what the broker brings wakes the core; what goes to the broker lets it sleep") func core() {
    let talk = Talk { $0.commands = true }
    talk.start()
    talk.online()
    talk.until("the subscription and the outbox's start") { talk.requests.count > 0 && !talk.broker.record.subscribed.isEmpty }
    while talk.requests.pop() != nil {}
    talk.bell.willSleep()
    for number in 0..<3 {
      talk.push(.fleeting, base + "/proximity/anna", "\(number)")
      talk.until("it") { talk.published(base + "/proximity/anna").count == number + 1 }
    }
    let slept = talk.bell.isToWrite()
    #expect(slept)
    talk.bell.willSleep()
    talk.broker.publish(base + "/command/ping", #"{"request":"r"}"#)
    talk.until("the command") { talk.requests.count > 0 }
    talk.until("the bell") {
      let sleeps = talk.bell.isToWrite()
      if sleeps { talk.bell.willSleep() }
      return !sleeps
    }
    talk.stop()
  }

  @Test("the next trial begins in its time, however seldom the broker wants a sign of life") func trial() throws {
    let talk = Talk {
      ($0.commands, $0.peers) = (true, true)
      $0.broker.keepalive = .seconds(1_200)
    }
    do {
      let outbox = try Outbox(talk.settings.outbox, machine: 1)
      try outbox.mark("falls", 1 << (SubscriptionTrials.Subject.commands.rawValue * 8))
    }
    talk.start()
    talk.until("the first") { talk.broker.record.subscribed[base + "/command/+"] != nil }
    #expect(talk.broker.record.subscribed.count == 1)
    talk.until("the second", seconds: 10) { talk.broker.record.subscribed.count == 2 }
    talk.stop()
  }
}
