import Core
import Testing

@testable import Host

private let base = "forecourt/site/gateway"

@Suite("what the courier begins anew", .serialized) struct BrokerRenewalTests {
  @Test("a renewed connection is one only when the broker has greeted it, whatever the one before had heard") func greeting() {
    let talk = Talk()
    talk.start()
    talk.online()
    talk.until("the subscriptions and the outbox's start") { talk.requests.count > 0 }
    talk.broker.answer { $0.greeting = nil }
    talk.broker.forget()
    talk.broker.drop()
    talk.until("another greeting") { talk.broker.record.greetings.count == 1 }
    // Words of the moment make it look at the connection again.
    for number in 0..<20 {
      talk.push(.fleeting, base + "/proximity/anna", "\(number)")
      talk.until("it was taken") { talk.messages.count == 0 }
    }
    talk.until("all were dropped") { talk.courier.counters.droppedOffline.count == 20 }
    #expect(!talk.courier.counters.isOnline && talk.courier.counters.connections.count == 1)
    #expect(talk.broker.record.subscribed.isEmpty && talk.broker.record.published.isEmpty)
    talk.broker.drop()
    talk.until("the end of that, too") { talk.told("no connection to the broker", times: 2) }
    talk.stop()
  }

  @Test("a refused reply is gone; another that nobody answered goes again") func refusedReply() {
    let talk = Talk()
    talk.broker.answer { $0.publication = { $0.hasSuffix("/reply/ping") ? nil : $0.hasSuffix("/reply/reload") ? 0x87 : 0 } }
    talk.start()
    talk.online()
    for (number, command) in ["ping", "reload"].enumerated() {
      var message = Message()
      (message.care, message.at, message.sequence) = (.reply, Clock.now(), UInt64(number + 1))
      (message.topic, message.payload) = (Topic(base + "/reply/" + command), Payload("{}"))
      #expect(talk.messages.push(message) == nil)
    }
    talk.courier.bell.ring()
    talk.until("the refusal") { talk.told("refuses this gateway's replies") }
    talk.broker.forget()
    talk.broker.drop()
    talk.until("the other") { !talk.published(base + "/reply/ping").isEmpty }
    #expect(talk.published(base + "/reply/reload").isEmpty)
    talk.stop()
  }

  @Test(
    "an event that was on its way when new settings took the line down goes again, from the file and from memory", arguments: [true, false])
  func onItsWay(hasDisk: Bool) {
    let talk = Talk { if !hasDisk { $0.outbox.path = Path("/no/such/outbox.db") } }
    talk.broker.answer { $0.publication = { $0.contains("/trigger/") ? nil : 0 } }
    talk.start()
    talk.online()
    talk.push(.event, base + "/trigger/pump", "{}")
    talk.until("the event") { talk.published(base + "/trigger/pump").count == 1 }
    talk.broker.answer { $0.publication = { _ in 0 } }
    talk.reload { $0.broker.keepalive = .seconds(40) }
    talk.until("its acknowledgement") { talk.courier.counters.eventsDelivered.count == 1 }
    #expect(talk.published(base + "/trigger/pump").count == 2)
    talk.stop()
  }

  @Test("why the line was lost is said again after a connection in between") func complaints() {
    let talk = Talk()
    talk.start()
    for times in 1...2 {
      talk.until("a connection") { talk.courier.counters.connections.count == times && talk.courier.counters.isOnline }
      talk.broker.drop()
      talk.until("why it was lost") { talk.told("no connection to the broker", times: times) }
    }
    let words = talk.said.filter { $0.contains("no connection to the broker") }
    #expect(words.count == 2 && words[0] == words[1], "\(words)")
    talk.stop()
  }

  @Test("new settings for the broker begin with the shortest pause again") func pauses() {
    let talk = Talk()
    talk.start()
    for times in 1...3 {
      talk.until("a connection") { talk.courier.counters.connections.count == times && talk.courier.counters.isOnline }
      if times < 3 { talk.broker.drop() }
    }
    talk.reload { $0.broker.keepalive = .seconds(40) }
    talk.until("another greeting") { talk.broker.record.greetings.last?.keepalive == 40 && talk.courier.counters.isOnline }
    talk.stop()
    #expect(talk.courier.backoff.next() == .milliseconds(500))
  }

  @Test("what came together leaves the kernel at once, and each time that it wakes counts") func together() {
    let talk = Talk()
    talk.start()
    talk.online()
    let woken = talk.courier.counters.wakeUps.count
    for number in 0..<10 {
      var message = Message()
      (message.care, message.at) = (.fleeting, Clock.now())
      (message.topic, message.payload) = (Topic(base + "/proximity/anna"), Payload("\(number)"))
      #expect(talk.messages.push(message) == nil)
    }
    talk.courier.bell.ring()
    talk.until("all") { talk.published(base + "/proximity/anna").count == 10 }
    talk.push(.fleeting, base + "/proximity/anna", "later")
    talk.until("it was woken") { talk.courier.counters.wakeUps.count > woken }
    #expect(!talk.courier.client.isGathering)
    talk.stop()
  }
}
