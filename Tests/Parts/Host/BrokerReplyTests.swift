import Core
import Foundation
import Testing

@testable import Host

private let base = "forecourt/site/gateway"

@Suite("what the courier answers", .serialized) struct BrokerReplyTests {
  private func push(_ command: String, _ number: UInt64, to talk: Talk) {
    var message = Message()
    (message.care, message.at, message.sequence) = (.reply, Clock.now(), number)
    (message.topic, message.payload) = (Topic(base + "/reply/" + command), Payload("{}"))
    #expect(talk.messages.push(message) == nil)
    talk.courier.bell.ring()
  }

  @Test("after a lost line the replies that nobody acknowledged go again, and only those") func repliesAgain() {
    let talk = Talk()
    talk.broker.answer { $0.publication = { $0.hasSuffix("/reply/ping") ? nil : 0 } }
    talk.start()
    talk.online()
    push("ping", 1, to: talk)
    push("reload", 2, to: talk)
    talk.until("both") { talk.broker.record.published.count >= 2 }
    // Whose acknowledgement has arrived before.
    talk.push(.event, base + "/trigger/pump", "{}")
    talk.until("the event") { talk.courier.counters.eventsDelivered.count == 1 }
    talk.broker.forget()
    talk.broker.drop()
    talk.until("the reply") { !talk.published(base + "/reply/ping").isEmpty }
    talk.push(.event, base + "/trigger/pump", "{}")
    talk.until("another event") { talk.courier.counters.eventsDelivered.count == 2 }
    #expect(talk.published(base + "/reply/ping").count == 1 && talk.published(base + "/reply/reload").isEmpty)
    talk.stop()
  }

  @Test("a command that cannot be read is answered at once, with its request and why") func refused() throws {
    let talk = Talk { $0.commands = true }
    talk.start()
    talk.until("the subscription") { talk.broker.record.subscribed[base + "/command/+"] != nil }
    talk.broker.publish(base + "/command/calibrate", #"{"request":"a","distance_m":90}"#)
    talk.until("the reply") { !talk.published(base + "/reply/calibrate").isEmpty }
    let reply = try #require(talk.published(base + "/reply/calibrate").first)
    #expect(reply.payload.contains(#""request":"a""#) && reply.payload.contains(#""ok":false"#), "\(reply.payload)")
    #expect(reply.qos == 1 && !reply.isRetained)
    while let request = talk.requests.pop() { if case .command = request { Issue.record("it is passed on") } }
    talk.stop()
  }
}
