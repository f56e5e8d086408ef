import CLinux
import Core
import Foundation
import Testing

@testable import Host

private let base = "forecourt/site/gateway"

@Suite("the courier while its line comes and goes", .serialized) struct BrokerLineTests {
  /// The broker turns everybody away, until it does not.
  private func turnedAway(_ change: (inout CourierSettings) -> Void = { _ in }) -> Talk {
    let talk = Talk(change)
    talk.broker.answer { $0.greeting = (0x88, false) }
    talk.start()
    talk.until("a refusal") { talk.courier.counters.failedAttempts.count > 0 }
    return talk
  }

  private func push(_ care: Message.Care, _ topic: String, _ number: Int, to talk: Talk) {
    var message = Message()
    (message.care, message.at, message.sequence) = (care, Clock.now(), UInt64(number))
    (message.topic, message.payload) = (Topic(Array(topic.utf8).span.bytes), Payload("\(number)"))
    while talk.messages.push(message) != nil { usleep(200) }
    talk.courier.bell.ring()
  }

  @Test("while there is no broker the last 32 replies wait, words of the moment are dropped, each kind with its own count")
  func offline() {
    let talk = turnedAway()
    let counters = talk.courier.counters
    for number in 1...40 { push(.reply, base + "/reply/ping", number, to: talk) }
    for number in 1...7 { push(.fleeting, base + "/proximity/anna", number, to: talk) }
    for number in 1...3 { push(.state, base + "/region/door", number, to: talk) }
    talk.until("all are taken") { counters.droppedOffline.count == 7 && counters.repliesDropped.count == 8 && talk.messages.count == 0 }
    #expect(counters.published.count == 0 && counters.statesUnkept.count == 0 && counters.eventsStored.count == 0)
    talk.broker.answer { $0.greeting = (0, false) }
    talk.online()
    talk.until("what waited") { talk.broker.record.published.count == 33 && counters.published.count == 33 }
    #expect(talk.published(base + "/reply/ping").map(\.payload) == (9...40).map(String.init))
    #expect(talk.published(base + "/region/door").map(\.payload) == ["3"])
    talk.stop()
  }

  @Test("the kernel holds 64 kB unsent at most, and what is urgent is not gathered") func unsent() {
    let talk = Talk()
    talk.start()
    talk.online()
    for (option, wanted) in [(TCP_NOTSENT_LOWAT, 65_536), (TCP_NODELAY, 1), (TCP_CORK, 0)] as [(CInt, CInt)] {
      var (value, size) = (CInt(-1), socklen_t(4))
      #expect(getsockopt(talk.courier.client.descriptor, CInt(IPPROTO_TCP), option, &value, &size) == 0 && value == wanted, "\(option)")
    }
    talk.stop()
  }

  @Test("640 topics are retained, one more is counted; a message that was cut is counted and never sent")
  func bounds() {
    let talk = turnedAway()
    let counters = talk.courier.counters
    for number in 1...641 { push(.state, base + "/region/\(number)", number, to: talk) }
    push(.state, base + "/region/640", 7, to: talk)
    var cut = Message()
    (cut.care, cut.topic) = (.event, Topic("forecourt/site/gateway/trigger/pump"))
    cut.payload = Payload(Array(repeating: UInt8(ascii: "x"), count: 1_100).span.bytes)
    #expect(cut.payload.overflowed)
    while talk.messages.push(cut) != nil { usleep(200) }
    talk.courier.bell.ring()
    talk.until("all are taken") { counters.oversized.count == 1 }
    #expect(counters.statesUnkept.count == 1 && counters.eventsStored.count == 0)
    talk.broker.answer { $0.greeting = (0, false) }
    talk.online()
    talk.until("the states") { talk.broker.record.published.count == 640 }
    let payloads = (1...639).map(String.init) + ["7"]
    #expect(talk.broker.record.published.map(\.payload).sorted() == payloads.sorted())
    talk.stop()
  }

  @Test("MQTT 3 knows no expiry: what would expire is not retained, and nothing has properties")
  func older() throws {
    let talk = Talk { $0.broker.version = .v311 }
    talk.start()
    talk.online()
    talk.push(.state, base + "/peer/aa", "1", lasting: .seconds(60))
    talk.push(.state, base + "/region/door", "2")
    talk.push(.event, base + "/trigger/pump", "3", lasting: .seconds(60))
    talk.until("all three") { talk.broker.record.published.count == 3 && talk.courier.counters.eventsDelivered.count == 1 }
    for one in talk.broker.record.published {
      #expect(one.qos == 1 && one.isRetained == one.topic.hasSuffix("/door") && one.properties.isEmpty, "\(one)")
    }
    talk.stop()
  }

  @Test("a third connection in a row that ends within seconds asks for a second gateway of our name")
  func twins() {
    let talk = Talk()
    talk.start()
    for number in 1...3 {
      talk.until("connection \(number)") { talk.courier.counters.connections.count == number && talk.courier.counters.isOnline }
      #expect(!talk.told("Again and again"))
      talk.broker.drop()
    }
    talk.until("the hint") { talk.told("Again and again: is there another gateway of the same site and name?") }
    talk.stop()
  }

  @Test("a connection that the broker gives to another client of our name is a sign of another gateway") func takenOver() {
    let talk = Talk()
    talk.start()
    talk.online()
    talk.broker.dismiss(0x8E)
    var isTold = false
    talk.until("the sign") {
      if case .twin? = talk.requests.pop() { isTold = true }
      return isTold
    }
    talk.stop()
  }

  /// A command of 400,000 bytes begins.
  private func sendTooMuch(_ talk: Talk) {
    let topic = Array((base + "/command/ping").utf8)
    let length = 400_000
    // The length in groups of seven bits.
    let head: [UInt8] = [0x30, UInt8(length & 0x7F) | 0x80, UInt8(length >> 7 & 0x7F) | 0x80, UInt8(length >> 14)]
    talk.broker.send(head + [0, UInt8(topic.count)] + topic + [0] + [UInt8](repeating: 7, count: 1_000))
  }

  @Test("a message of a broker that is longer than any that we read ends the line, and its topics are tried one by one")
  func tooLong() {
    let talk = Talk {
      $0.commands = true
      $0.peers = true
    }
    talk.start()
    talk.until("the subscriptions") { talk.broker.record.subscribed.count == 2 }
    talk.broker.forget()
    sendTooMuch(talk)
    talk.until("the reason") { talk.told("the broker sends a message of ") && talk.told(" bytes on a topic that we read") }
    talk.until("another connection") { talk.courier.counters.connections.count == 2 }
    talk.until("the first trial") { !talk.broker.record.subscribed.isEmpty }
    #expect(talk.broker.record.subscribed.keys.sorted() == [base + "/command/+"], "one at a time")
    #expect(talk.courier.counters.troubles == .tried)
    talk.until("the second") { talk.broker.record.subscribed.count == 2 }
    talk.until("the end of it") { talk.courier.counters.troubles == [] }
    talk.stop()
  }

  @Test("what is longer than the broker takes is refused, kept and said; what comes behind it goes on") func tooLongForIt() {
    let talk = Talk()
    talk.broker.answer { $0.longest = 200 }
    talk.start()
    talk.online()
    let counters = talk.courier.counters
    talk.push(.event, base + "/trigger/pump", String(repeating: "x", count: 200))
    talk.until("the refusal") { talk.told("error: the broker refuses this gateway's events; see its ACL and limits") }
    talk.push(.event, base + "/trigger/pump", "{}")
    talk.until("the next event") { counters.eventsDelivered.count == 1 }
    #expect(talk.published(base + "/trigger/pump").map(\.payload) == ["{}"])
    #expect(counters.troubles == .forbidden && counters.refused.count >= 1 && counters.eventsWaiting.count == 1)
    #expect(counters.connections.count == 1)
    talk.stop()
  }

  @Test("a status that is longer than the broker takes goes without what only people read") func shortStatus() {
    let talk = Talk()
    talk.broker.answer { $0.longest = 200 }
    talk.start()
    talk.online()
    let short = #"{"v":1,"state":"degraded","reason":"r","boot":"b","groups":"pumps""#
    talk.push(.state, base + "/status", short + #","purpose":"\#(String(repeating: "x", count: 200))"}"#)
    talk.until("the short one") { talk.published(base + "/status").map(\.payload) == [short + "}"] }
    talk.until("the trouble") { talk.courier.counters.troubles == .tooLong }
    #expect(talk.courier.counters.refused.count == 0 && talk.told("error: longer than this broker takes, with "))
    talk.stop()
  }

  @Test("an event that is on its way when new settings end the connection goes again") func onItsWay() {
    let talk = Talk()
    talk.broker.answer { $0.publication = { $0.hasSuffix("/trigger/pump") ? nil : 0 } }
    talk.start()
    talk.online()
    push(.event, base + "/trigger/pump", 1, to: talk)
    talk.until("the event") { talk.published(base + "/trigger/pump").count == 1 }
    talk.broker.answer { $0.publication = { _ in 0 } }
    talk.reload { $0.broker.keepalive = .seconds(33) }
    talk.until("the event again") { talk.courier.counters.eventsDelivered.count == 1 }
    #expect(talk.published(base + "/trigger/pump").map(\.payload) == ["1", "1"])
    talk.stop()
  }

  @Test("an end, or a line that is lost otherwise, holds nothing against the subscription on trial", arguments: [true, false])
  func innocent(stops: Bool) throws {
    let talk = Talk { $0.commands = true }
    talk.start()
    talk.until("the subscription") { talk.broker.record.subscribed.count == 1 }
    if !stops {
      talk.broker.answer { $0.greeting = (0x88, false) }
      talk.broker.drop()
      talk.until("a refusal") { talk.courier.counters.failedAttempts.count > 0 }
    }
    talk.stop()
    let outbox = try Outbox(talk.settings.outbox, machine: 1)
    let marks = try [outbox.marked("trying"), outbox.marked("falls")]
    #expect(marks.allSatisfy { $0 ?? 0 == 0 } && talk.courier.counters.troubles == [], "\(marks)")
  }

  @Test("why TLS fails is said in the library's own words: the first is the cause", arguments: [true, false])
  func withoutTLS(hasAuthorities: Bool) {
    let talk = Talk()
    talk.scratch.write("junk", Array("no certificate".utf8))
    // A folder is read when it is needed.
    talk.reload { $0.broker.authorities = hasAuthorities ? Text(talk.scratch.path) : talk.scratch["junk"] }
    talk.start()
    if hasAuthorities {
      talk.until("the call") { talk.broker.isTalking }
      talk.broker.send(Array("no TLS here\r\n".utf8))
    }
    talk.until("the failure") { talk.courier.counters.failedAttempts.count > 0 && !talk.said.isEmpty }
    #expect(talk.said.count == 1 && talk.told("warning: no connection to the broker at 127.0.0.1: A TLS error occurred. "), "\(talk.said)")
    #expect(talk.told(hasAuthorities ? "wrong version number" : "Unable to load CA certificates"), "\(talk.said)")
    talk.stop()
  }

  @Test("what ends the line for the third time is left out, said once with its remedy, and the rest goes on")
  func leftOut() throws {
    let talk = Talk {
      $0.commands = true
      $0.peers = true
    }
    do {
      // Twice before.
      let outbox = try Outbox(talk.settings.outbox, machine: 1)
      try outbox.mark("falls", 2 << (SubscriptionTrials.Subject.commands.rawValue * 8))
    }
    talk.start()
    talk.until("the trial") { talk.broker.record.subscribed[base + "/command/+"] != nil }
    #expect(talk.courier.counters.troubles == .tried && talk.broker.record.subscribed.count == 1)
    talk.broker.forget()
    sendTooMuch(talk)
    let words = "error: what the broker retains under \(base)/command/+ ends every connection"
    talk.until("the reason") { talk.told(words) }
    talk.until("the others") { talk.broker.record.subscribed["forecourt/site/peer/+/+"] != nil }
    #expect(talk.courier.counters.troubles == .leftOut && talk.broker.record.subscribed.count == 1)
    #expect(talk.said.count { $0.contains(words) } == 1)
    talk.stop()
    // The next start knows it, too.
    let commands = SubscriptionTrials.Subject.commands.rawValue * 8
    #expect(try Outbox(talk.settings.outbox, machine: 1).marked("falls") == 3 << commands)
  }

  @Test(
    "what the broker refuses is named, with what becomes of it",
    arguments: [
      (.event, 0x87, "the broker refuses this gateway's events; see its ACL and limits. They are kept and retried"),
      (.event, 0x97, "the broker's quota for this gateway is used up; events are kept and retried"),
      (.state, 0x97, "the broker refuses this gateway's states; see its ACL and limits. They are retried"),
      (.reply, 0x87, "the broker refuses this gateway's replies; see its ACL and limits"),
    ] as [(Message.Care, UInt8, String)])
  func refusals(care: Message.Care, reason: UInt8, words: String) {
    let talk = Talk()
    talk.broker.answer { $0.publication = { _ in reason } }
    talk.start()
    talk.online()
    push(care, base + "/trigger/pump", 1, to: talk)
    talk.until("the refusal") { talk.told("error: " + words) && talk.courier.counters.troubles == .forbidden }
    talk.broker.answer { $0.publication = { _ in 0 } }
    push(.state, base + "/region/door", 2, to: talk)
    talk.until("the end of it") { talk.courier.counters.troubles == [] }
    // A reply that nobody waits for any more is not repeated.
    #expect(talk.published(base + "/trigger/pump").count == (care == .reply ? 1 : 2))
    talk.stop()
  }
}
