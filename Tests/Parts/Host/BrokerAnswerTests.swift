import Core
import Foundation
import Testing

@testable import Host

private let base = "forecourt/site/gateway"

@Suite("the courier at a broker", .serialized) struct BrokerAnswerTests {
  @Test("the greeting says who we are, what to publish when we are lost, and for how long to keep us", arguments: [5, 4] as [UInt8])
  func greeting(version: UInt8) throws {
    let talk = Talk {
      $0.broker.version = version == 5 ? .v5 : .v311
      $0.broker.keepalive = .seconds(17)
      $0.broker.username = Text("anna" as StaticString)
      $0.broker.password = Text("secret" as StaticString)
    }
    talk.start()
    talk.online()
    let greeting = try #require(talk.broker.record.greetings.first)
    #expect(greeting.version == version && greeting.keepalive == 17 && greeting.identifier == base)
    #expect(greeting.username == "anna" && greeting.password == "secret")
    #expect(greeting.willTopic == base + "/status" && greeting.willFlags == 0x28, "retained, at QoS 1")
    #expect(greeting.willPayload == #"{"v":1,"state":"offline","reason":"connection lost","boot":"run"}"#)
    // 17: the session's 60 s; 39: packets of 4,096 bytes.
    let wanted: [UInt8] = version == 5 ? [17, 0, 0, 0, 60, 39, 0, 0, 16, 0] : []
    #expect(greeting.isClean == (version == 4) && greeting.properties.starts(with: wanted), "\(greeting.properties)")
    talk.until("the log") { talk.told("info: connected to the broker at 127.0.0.1") }
    // The kernel holds no more than 64 kB unsent, and gathers nothing while nobody says so.
    for (option, wanted) in [(TCP_NOTSENT_LOWAT, 65_536), (TCP_CORK, 0), (TCP_NODELAY, 1)] as [(Int32, Int32)] {
      var (value, size) = (Int32(-1), socklen_t(4))
      #expect(getsockopt(talk.courier.client.descriptor, Int32(IPPROTO_TCP), option, &value, &size) == 0 && value == wanted, "\(option)")
    }
    #expect(talk.courier.counters.connections.count == 1 && talk.courier.counters.failedAttempts.count == 0)
    talk.stop()
    let farewell = talk.published(base + "/status").last
    #expect(farewell?.payload == #"{"v":1,"state":"offline","reason":"stopped","boot":"run"}"# && farewell?.isRetained == true)
    #expect(talk.broker.record.goodbyes == 1 && !talk.courier.counters.isOnline)
  }

  @Test("a state is retained, an event is acknowledged and expires, a word of the moment is neither")
  func care() throws {
    let talk = Talk()
    talk.start()
    talk.online()
    talk.push(.event, base + "/trigger/pump", "{\"event\":1}", lasting: .seconds(60))
    talk.push(.state, base + "/region/door", "{\"state\":1}")
    talk.push(.fleeting, base + "/proximity/anna", "{\"word\":1}")
    talk.until("all three") { talk.broker.record.published.count == 3 }
    talk.until("acknowledged") { talk.courier.counters.eventsDelivered.count == 1 && talk.courier.counters.published.count == 3 }
    let event = try #require(talk.published(base + "/trigger/pump").first)
    #expect(event.qos == 1 && !event.isRetained && event.payload == "{\"event\":1}")
    // 3: the content's type; 2: the seconds until it expires.
    let type = [3, 0, 16] + Array("application/json".utf8)
    #expect(event.properties.starts(with: type + [2, 0, 0, 0]) && (58...60).contains(event.properties.last ?? 0), "\(event.properties)")
    let state = try #require(talk.published(base + "/region/door").first)
    #expect(state.qos == 1 && state.isRetained && state.properties == type)
    let word = try #require(talk.published(base + "/proximity/anna").first)
    #expect(word.qos == 0 && !word.isRetained && word.properties == type)
    let counters = talk.courier.counters
    #expect(counters.eventsStored.count == 1 && counters.eventsWaiting.count == 0)
    #expect(counters.droppedOffline.count == 0 && counters.droppedBusy.count == 0 && counters.refused.count == 0)
    talk.stop()
  }

  @Test("after a lost connection unacknowledged events and all states go again, also to a broker that goes on with our session")
  func lost() {
    let talk = Talk()
    talk.broker.answer { $0.publication = { $0.hasSuffix("/trigger/pump") ? nil : 0 } }
    talk.start()
    talk.online()
    for topic in ["/status", "/region/door"] { talk.push(.state, base + topic, "{}") }
    talk.push(.event, base + "/trigger/pump", "{\"event\":1}")
    talk.push(.event, base + "/trigger/till", "{\"event\":2}")
    talk.until("all four") { talk.broker.record.published.count == 4 && talk.courier.counters.eventsDelivered.count == 1 }
    for isResumed in [true, false] {
      let before = talk.courier.counters.connections.count
      talk.broker.answer { $0.greeting = (0, isResumed) }
      talk.broker.forget()
      talk.broker.drop()
      talk.until("a new connection") { talk.courier.counters.connections.count > before && talk.courier.counters.isOnline }
      talk.until("the event again") { talk.published(base + "/trigger/pump").count == 1 }
      talk.until("the status again") { talk.published(base + "/status").count == 1 }
      talk.until("the state again") { talk.published(base + "/region/door").count == 1 }
      #expect(talk.broker.record.greetings.count == 1 && talk.broker.record.greetings[0].identifier == base)
    }
    talk.broker.answer { $0.publication = { _ in 0 } }
    talk.broker.drop()
    talk.until("the delivery") { talk.courier.counters.eventsDelivered.count == 2 && talk.courier.counters.eventsWaiting.count == 0 }
    talk.stop()
  }

  @Test("a refusal is said once, kept and retried, and so is the end of it", arguments: [0x87, 0x97] as [UInt8])
  func refused(reason: UInt8) {
    let talk = Talk()
    talk.broker.answer { $0.publication = { $0.hasSuffix("/trigger/pump") ? reason : 0 } }
    talk.start()
    talk.online()
    talk.push(.event, base + "/trigger/pump", "{\"event\":1}")
    let words = reason == 0x97 ? "quota for this gateway is used up" : "refuses this gateway's events"
    talk.until("the refusal") { talk.told("error: the broker's " + words) || talk.told("error: the broker " + words) }
    talk.until("the trouble") { talk.courier.counters.troubles == .forbidden }
    #expect(talk.courier.counters.refused.count == 1)
    #expect(talk.courier.counters.eventsDelivered.count == 0 && talk.courier.counters.eventsWaiting.count == 1)
    talk.broker.answer { $0.publication = { _ in 0 } }
    talk.until("the delivery") { talk.courier.counters.eventsDelivered.count == 1 }
    talk.until("the end of it") { talk.told("info: the broker refuses nothing any more") }
    #expect(talk.courier.counters.troubles == [] && talk.said.count { $0.contains("error") } == 1)
    talk.stop()
  }

  @Test("a refused state is retried, a refused reply is not") func refusedState() {
    let talk = Talk()
    talk.broker.answer { $0.publication = { _ in 0x87 } }
    talk.start()
    talk.online()
    talk.push(.reply, base + "/reply/ping", "{}")
    talk.until("the refusal") { talk.told("error: the broker refuses this gateway's replies") }
    talk.broker.answer { $0.publication = { _ in 0x87 } }
    talk.push(.state, base + "/region/door", "{}")
    talk.until("another refusal") { talk.courier.counters.refused.count == 2 }
    #expect(talk.courier.counters.troubles == .forbidden)
    talk.broker.answer { $0.publication = { _ in 0 } }
    talk.until("the state again") { talk.told("the broker refuses nothing any more") }
    #expect(talk.published(base + "/reply/ping").count == 1 && talk.published(base + "/region/door").count >= 2)
    talk.stop()
  }

  @Test("why a broker lets nobody in, or sends us away, is said in its own words, once") func unwelcome() {
    let talk = Talk()
    talk.broker.answer { $0.greeting = (0x86, false) }
    talk.start()
    talk.until("two attempts") { talk.courier.counters.failedAttempts.count >= 2 }
    let refusals = talk.said.filter { $0.contains("no connection to the broker at 127.0.0.1: the broker refuses us: ") }
    #expect(refusals.count == 1, "\(talk.said)")
    #expect(!talk.courier.counters.isOnline && talk.courier.counters.connections.count == 0)
    talk.broker.answer { $0.greeting = (0, false) }
    talk.online()
    talk.broker.dismiss(0x8E)
    talk.until("the reason") { talk.told("the broker ended the connection: ") }
    #expect(talk.told("is there another gateway of the same site and name?"), "\(talk.said)")
    talk.online()
    talk.broker.dismiss(0x8B)
    talk.until("another reason") { talk.told("the broker ended the connection: ", times: 2) }
    #expect(talk.said.last { $0.contains("ended the connection") }?.contains("another gateway") == false, "\(talk.said)")
    talk.stop()
  }

  @Test("after another client took our session over, every state goes again, even if the broker remembers us") func takenOver() {
    let talk = Talk()
    talk.start()
    talk.online()
    talk.push(.state, base + "/region/door", "{}")
    talk.until("the state") { talk.courier.counters.published.count == 1 }
    talk.broker.answer { $0.greeting = (0, true) }
    talk.broker.dismiss(0x8E)
    talk.until("the state again") { talk.published(base + "/region/door").count == 2 }
    talk.stop()
  }

  @Test("what we subscribe to follows from the settings, without what we publish ourselves; a refusal is a trouble") func subscriptions() {
    let talk = Talk {
      $0.commands = true
      $0.claims = true
      $0.peers = true
    }
    talk.broker.answer { $0.subscription = { $0.contains("/claim/") ? 0x87 : 1 } }
    talk.start()
    talk.until("the refusal") { talk.told("error: the broker forbids this gateway to subscribe to commands or claims") }
    talk.until("all of them") { talk.broker.record.subscribed.count == 6 && talk.courier.counters.troubles == .forbidden }
    // 4: not our own; 8: retained as published; 0x20: nothing retained; the lowest bits: QoS.
    #expect(
      talk.broker.record.subscribed == [
        base + "/command/+": 0x2D, "forecourt/site/claim/+/+/+": 0x2C, "forecourt/site/claim/site/hello/gateway": 0x28,
        "forecourt/site/+/status": 0x05, base + "/status": 0x00, "forecourt/site/peer/+/+": 0x05,
      ], "\(talk.broker.record.subscribed)")
    // That an event is taken does not end it.
    talk.push(.event, base + "/trigger/pump", "{}")
    talk.until("the event") { talk.courier.counters.eventsDelivered.count == 1 }
    #expect(talk.courier.counters.troubles == .forbidden)
    // New settings try again at once. Refused again, it stays.
    talk.broker.forget()
    talk.reload { _ in }
    talk.until("the same again") { talk.broker.record.subscribed.count == 6 }
    usleep(500_000)
    #expect(talk.courier.counters.troubles == .forbidden)
    talk.broker.answer { $0.subscription = { _ in 1 } }
    talk.reload { _ in }
    talk.until("no trouble, on the same line") { talk.courier.counters.troubles == [] && talk.courier.counters.connections.count == 1 }
    talk.broker.answer { $0.subscription = { $0.contains("/claim/") ? 0x87 : 1 } }
    talk.broker.drop()
    talk.until("another refusal") { talk.courier.counters.troubles == .forbidden && talk.courier.counters.connections.count == 2 }
    talk.broker.answer { $0.subscription = { _ in 1 } }
    talk.broker.forget()
    talk.broker.drop()
    talk.until("another connection") { talk.courier.counters.connections.count == 3 && talk.broker.record.subscribed.count == 6 }
    talk.until("no trouble") { talk.courier.counters.troubles == [] }
    talk.broker.answer { $0.publication = { $0.contains("/trigger/") ? 0x87 : 0 } }
    talk.push(.event, base + "/trigger/pump", "{}")
    talk.until("another trouble") { talk.courier.counters.troubles == .forbidden }
    talk.broker.answer { $0.publication = { _ in 0 } }
    talk.until("the end of that, too") { talk.courier.counters.troubles == [] }
    talk.stop()
  }

  @Test("a command is passed on, unless it was retained; what is left of its life counts") func incoming() {
    let talk = Talk { $0.commands = true }
    talk.start()
    talk.until("the subscription") { talk.broker.record.subscribed[base + "/command/+"] != nil }
    talk.broker.publish(base + "/command/ping", #"{"request":"a"}"#, isRetained: true)
    talk.broker.publish(base + "/command/ping", #"{"request":"b"}"#, properties: [2, 0, 0, 0, 9])
    var commands = 0
    talk.until("the command") {
      while let request = talk.requests.pop() { if case .command = request { commands += 1 } }
      return commands == 1
    }
    #expect(talk.courier.counters.commands.count == 2 && talk.courier.counters.requestsRefused.count == 1, "one is retained")
    talk.stop()
  }

  @Test("new settings reconnect when they concern the broker, and only then; the old name says goodbye") func reload() {
    let talk = Talk()
    talk.start()
    talk.online()
    talk.push(.state, base + "/region/door", "{}")
    talk.until("the state") { talk.published(base + "/region/door").count == 1 }
    talk.reload { $0.outbox.maxEvents += 1 }
    talk.push(.state, base + "/region/door", "{\"state\":2}")
    talk.until("another state") { talk.published(base + "/region/door").count == 2 }
    #expect(talk.broker.record.greetings.count == 1, "the outbox is no matter of the broker's")
    talk.reload { $0.name = Name("other" as StaticString) }
    talk.until("another name") { talk.broker.record.greetings.last?.identifier == "forecourt/site/other" && talk.courier.counters.isOnline }
    let goodbye = talk.published(base + "/status").last
    #expect(goodbye?.payload.contains(#""state":"offline","reason":"reconfigured""#) == true && goodbye?.isRetained == true)
    #expect(talk.broker.record.goodbyes == 1 && talk.broker.record.greetings.count == 2)
    talk.reload { $0.broker.keepalive = .seconds(33) }
    talk.until("another greeting") { talk.broker.record.greetings.last?.keepalive == 33 && talk.courier.counters.isOnline }
    let pause = talk.published("forecourt/site/other/status").last
    #expect(pause?.payload.contains(#""state":"offline","reason":"connection lost""#) == true, "it comes back under the same name")
    talk.reload { $0.siteKeys.append([UInt8](repeating: 7, count: 32)) }
    talk.until("a will with the new key's proof") { talk.broker.record.greetings.last?.willPayload.contains(#""mac":"#) == true }
    talk.online()
    // A rehearsal beside the real gateway must not throw it out.
    talk.reload { $0.simulated = true }
    talk.until("a rehearsal's name") { talk.broker.record.greetings.last?.identifier == "forecourt/site/other/rehearsal" }
    talk.online()
    talk.stop()
  }

  @Test("what the broker brings comes together: a busy site wakes us 25 times a second, and nothing is lost; a quiet one at once")
  func together() {
    let talk = Talk()
    talk.start()
    talk.online()
    let counters = talk.courier.counters
    /// 400 a second, for so long: how often the courier woke.
    func flood(_ seconds: Double) -> Int {
      let (before, count, end) = (counters.wakeUps.count, counters.requestsRefused.count, Clock.now() + .seconds(seconds))
      var sent = 0
      while Clock.now() < end {
        talk.broker.publish("forecourt/site/claim/nonsense", "{}")
        sent += 1
        usleep(2_500)
      }
      talk.until("all of them") { counters.requestsRefused.count == count + sent }
      return counters.wakeUps.count - before
    }
    _ = flood(1.2)
    let woken = flood(2)
    #expect(woken < 80, "\(woken)")
    usleep(700_000)
    let quiet = counters.requestsRefused.count
    for number in 1...5 {
      talk.broker.publish("forecourt/site/claim/nonsense", "{}")
      talk.until("it is read") { counters.requestsRefused.count == quiet + number }
      usleep(50_000)
    }
    talk.stop()
  }

  @Test("a broker that is silent after the greeting's patience, or talks nonsense, is given up, and tried again") func nonsense() {
    let talk = Talk()
    talk.start()
    talk.online()
    talk.broker.send([0x20, 2, 0, 0])
    talk.broker.send([0xF5, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF])
    talk.until("the loss") { talk.courier.counters.connections.count == 2 && talk.courier.counters.isOnline }
    #expect(talk.told("warning: no connection to the broker at 127.0.0.1: "))
    talk.stop()
  }
}
