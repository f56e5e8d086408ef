import Core
import Foundation
import Seeds
import Synchronization
import Testing

@testable import Host

private let base = "forecourt/site/gateway"

/// What a broker answers to each kind of message, and what it has taken.
private final class Mood: Sendable {
  struct State {
    /// By a word in the topic; nil: no answer.
    var answers: [String: UInt8?] = [:]
    var taken: [String: Int] = [:]
  }

  private let state = Mutex(State())

  func answer(_ word: String, _ answer: UInt8?) { state.withLock { $0.answers[word] = .some(answer) } }
  func please() { state.withLock { $0.answers = [:] } }
  var taken: [String: Int] { state.withLock { $0.taken } }

  @Sendable func receive(_ topic: String) -> UInt8? {
    state.withLock { state in
      for (word, answer) in state.answers where topic.contains(word) { if answer != 0 { return answer } }
      state.taken[topic, default: 0] += 1
      return 0
    }
  }
}

/// A courier, its broker, and what befalls them by a seed.
private final class Storm {
  let talk: Talk
  let mood = Mood()
  private(set) var events = 0
  private(set) var replies = 0
  private(set) var states: [String: String] = [:]
  private var drops = 0
  private var random: Seeded
  private let isLatest: Bool
  private let files: [Path]

  init(seed: UInt64) {
    random = Seeded(seed)
    isLatest = seed % 3 != 0
    let version: BrokerSettings.Version = isLatest ? .v5 : .v311
    talk = Talk { $0.broker.version = version }
    // Into the last no disk takes anything.
    files = [talk.settings.outbox.path, talk.scratch["other.db"], talk.scratch["no/such/outbox.db"]]
    talk.broker.answer { [mood] in $0.publication = mood.receive }
    talk.start()
    talk.online()
  }

  static func topic(ofEvent number: Int) -> String { base + (number % 3 == 0 ? "/trigger/" : "/region/") + "pump-\(number)" }

  func step(_ number: Int) {
    switch Int.random(in: 0..<12, using: &random) {
    case 0...3:
      for _ in 0..<Int.random(in: 1...6, using: &random) {
        events += 1
        talk.push(.event, Self.topic(ofEvent: events), "{\"event\":\(events)}")
      }
    case 4, 5:
      let topic = base + "/presence/door-\(Int.random(in: 0..<3, using: &random))"
      states[topic] = "{\"state\":\(number)}"
      talk.push(.state, topic, states[topic]!)
    case 6: reply()
    case 7:
      let word = ["/trigger/", "/region/", "/presence/", "/reply/"].randomElement(using: &random)!
      // MQTT 3 knows no refusal of a message.
      mood.answer(word, (isLatest ? [nil, 0x87, 0x97] : [nil]).randomElement(using: &random)!)
    case 8: mood.please()
    case 9 where drops < 3: loseTheLine()
    case 10: talk.reload { $0.broker.keepalive = $0.broker.keepalive == .seconds(30) ? .seconds(31) : .seconds(30) }
    case 11:
      let path = files.randomElement(using: &random)!
      talk.reload { $0.outbox.path = path }
    default: break
    }
    // What a ring holds is taken before more is pushed.
    talk.until("they are taken") { talk.messages.count == 0 && talk.newSettings.count == 0 }
    usleep(UInt32.random(in: 0..<60_000, using: &random))
  }

  private func reply() {
    replies += 1
    var message = Message()
    (message.care, message.at, message.sequence) = (.reply, Clock.now(), UInt64(replies))
    (message.topic, message.payload) = (Topic(base + "/reply/ping-\(replies)"), Payload("{}"))
    #expect(talk.messages.push(message) == nil)
    talk.courier.bell.ring()
  }

  private func loseTheLine() {
    drops += 1
    let isResumed = Bool.random(using: &random)
    talk.broker.answer { $0.greeting = (0, isResumed) }
    if isLatest, Bool.random(using: &random) { talk.broker.dismiss(0x8B) } else { talk.broker.drop() }
  }

  /// The broker takes everything, and each file has its turn.
  func settle() {
    mood.please()
    let counters = talk.courier.counters
    for path in files.prefix(2) {
      talk.reload { $0.outbox.path = path }
      talk.until("the settings") { talk.newSettings.count == 0 }
      // What nobody answered goes again on a new line.
      talk.until("the line is up") { talk.broker.isTalking && counters.isOnline }
      talk.broker.answer { $0.greeting = (0, false) }
      let before = counters.connections.count
      talk.broker.drop()
      talk.until("another line") { counters.connections.count > before && counters.isOnline }
      talk.until("all that waited there") { counters.eventsWaiting.count == 0 }
    }
    talk.until("every event") { counters.eventsDelivered.count >= events }
    for (topic, payload) in states { talk.until("the last state") { talk.published(topic).last?.payload == payload } }
    talk.until("no trouble") { counters.troubles == [] }
    talk.stop()
  }
}

@Suite("the courier through lost lines, refusals and new settings in any order", .serialized) struct BrokerStormTests {
  @Test(
    "each event is taken and counted once, each topic has its last state, each reply is gone, and no trouble stays",
    arguments: [1, 2, 3, 4, 5, 6, 39, 45] as [UInt64])
  func anyOrder(seed: UInt64) throws {
    let storm = Storm(seed: seed)
    for step in 0..<40 { storm.step(step) }
    storm.settle()
    let (talk, counters) = (storm.talk, storm.talk.courier.counters)
    #expect(counters.eventsDelivered.count == storm.events && counters.eventsStored.count <= storm.events)
    #expect(counters.eventsLost.count == 0 && counters.eventsExpired.count == 0 && counters.repliesDropped.count == 0)
    for number in 0..<storm.events {
      let topic = Storm.topic(ofEvent: number + 1)
      #expect(storm.mood.taken[topic] != nil && talk.published(topic).allSatisfy { $0.payload == "{\"event\":\(number + 1)}" }, "\(topic)")
    }
    for number in 0..<storm.replies { #expect(!talk.published(base + "/reply/ping-\(number + 1)").isEmpty, "reply \(number + 1)") }
    #expect(talk.courier.replies.isEmpty)
    let end = try #require(talk.broker.record.published.last)
    #expect(end.topic == base + "/status" && end.isRetained && end.payload.contains(#""reason":"stopped""#))
  }
}
