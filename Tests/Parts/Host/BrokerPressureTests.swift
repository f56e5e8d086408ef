import Core
import Foundation
import Synchronization
import Testing

@testable import Host

private let base = "forecourt/site/gateway"

@Suite("the courier between full rings and a broker that is slow", .serialized) struct BrokerPressureTests {
  @Test("while a broker reads nothing, each message of the moment is sent or counted as dropped, and every event arrives")
  func slow() {
    let talk = Talk()
    let hold = Hold()
    talk.broker.answer { answers in
      answers.publication = { topic in
        while topic.contains("/proximity/"), hold.isOn { usleep(2_000) }
        return 0
      }
    }
    talk.start()
    talk.online()
    let counters = talk.courier.counters
    let words = String(repeating: "w", count: 900)
    var pushed = 0
    while counters.droppedBusy.count < 50, pushed < 20_000 {
      var message = Message()
      message.topic = Topic("forecourt/site/gateway/proximity/anna")
      message.payload = Payload(Array("\(pushed) \(words)".utf8).span.bytes)
      while talk.messages.push(message) != nil { usleep(100) }
      talk.courier.bell.ring()
      pushed += 1
    }
    talk.until("room in the ring") { talk.messages.count == 0 }
    // One wait for the network in a turn, not one for each message: the quickest of some tries, for the machine may be busy.
    let pauses = (0..<6).map { _ in
      for _ in 0..<60 {
        var message = Message()
        (message.topic, message.payload) = (Topic("forecourt/site/gateway/proximity/bert"), Payload("{}"))
        if talk.messages.push(message) == nil { pushed += 1 }
      }
      let begun = Clock.now()
      talk.courier.bell.ring()
      talk.until("they are taken") { talk.messages.count == 0 }
      return (Clock.now() - begun).microseconds
    }
    #expect(pauses.min()! < 100_000, "\(pauses)")
    talk.push(.event, base + "/trigger/pump", "{\"event\":1}")
    talk.until("all are taken") { counters.eventsStored.count == 1 && talk.messages.count == 0 }
    let (sent, dropped) = (counters.published.count, counters.droppedBusy.count)
    #expect(dropped >= 50 && counters.droppedOffline.count == 0 && counters.connections.count == 1)
    hold.end()
    talk.until("the event") { counters.eventsDelivered.count == 1 }
    // The event may have been among those that were sent.
    #expect((0...1).contains(sent + dropped - pushed), "\(sent) sent, \(dropped) dropped of \(pushed)")
    let bert = talk.published(base + "/proximity/bert").count
    let arrived = talk.published(base + "/proximity/anna").compactMap { Int($0.payload.prefix { $0 != " " }) }
    #expect(arrived.count + bert == pushed - dropped && zip(arrived, arrived.dropFirst()).allSatisfy { $0 < $1 }, "each once, in order")
    talk.push(.fleeting, base + "/proximity/anna", "later")
    talk.until("what comes later") { talk.published(base + "/proximity/anna").last?.payload == "later" }
    #expect(counters.droppedBusy.count == dropped)
    talk.stop()
  }

  @Test("each visit that the run before left open, of however many, is passed on once, then the end of them, and half the ring stays free")
  func unfinished() throws {
    let talk = Talk()
    let names = (10_000..<15_000).map { "irk:\($0)" }
    do {
      let outbox = try Outbox(talk.settings.outbox, machine: machineStart())
      outbox.boot = Text("before" as StaticString)
      try outbox.startTransaction(isDurable: true)
      for name in names {
        var visit = Outbox.OpenVisit()
        (visit.topic, visit.id) = (Topic("forecourt/site/gateway/trigger/pump"), Text(Array(name.utf8).span.bytes))
        (visit.boot, visit.machine, visit.at) = (outbox.boot, outbox.machine, Instant(microseconds: 7))
        try outbox.record(visit)
      }
      _ = try outbox.commit()
    }
    talk.start()
    var woken: Int?
    talk.until("as many as half the ring holds, in one turn") {
      if woken == nil, talk.requests.count > 0 { woken = talk.courier.counters.wakeUps.count }
      return talk.requests.count >= talk.requests.capacity / 2
    }
    #expect(try talk.courier.counters.wakeUps.count - #require(woken) < 5)
    var told: [String] = []
    var ends = 0
    talk.until("the end of the list") {
      #expect(talk.requests.count <= talk.requests.capacity / 2 + 1)
      while let request = talk.requests.pop() {
        switch request {
        case .unfinished(let visit):
          told.append(String(visit.id))
          #expect(ends == 0 && visit.since == Instant(microseconds: 7))
        case .caughtUp: ends += 1
        default: Issue.record("something else")
        }
      }
      talk.courier.bell.ring()
      return ends > 0
    }
    #expect(told == names.reversed() && ends == 1)
    talk.online()
    #expect(talk.requests.count == 0, "that was all")
    talk.stop()
  }

  @Test("while the outbox cannot be read nobody is told that nothing was left open") func unread() {
    let talk = Talk { $0.outbox.path = Path("/proc/no/such/folder") }
    talk.start()
    talk.until("the disk's failure") { talk.courier.counters.troubles.contains(.store) }
    talk.online()
    while let request = talk.requests.pop() { if case .caughtUp = request { Issue.record("it has not been read") } }
    talk.stop()
  }

  private final class Hold: Sendable {
    private let state = Atomic<Bool>(true)

    var isOn: Bool { state.load(ordering: .acquiring) }
    func end() { state.store(false, ordering: .releasing) }
  }
}
