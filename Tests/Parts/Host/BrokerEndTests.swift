import Core
import Foundation
import Synchronization
import Testing

@testable import Host

private let base = "forecourt/site/gateway"

@Suite("what the courier sends first, last and all the while", .serialized) struct BrokerEndTests {
  private func pump(_ number: Int, isUrgent: Bool, to talk: Talk) {
    var message = Message()
    (message.care, message.at, message.isUrgent) = (.event, Clock.now(), isUrgent)
    (message.topic, message.payload) = (Topic(base + (isUrgent ? "/trigger/pump" : "/region/yard/event")), Payload("\(number)"))
    while talk.messages.push(message) != nil { usleep(200) }
    talk.courier.bell.ring()
  }

  @Test("what somebody replaced at the broker is published again after a while, over the same connection") func refreshed() {
    let talk = Talk {
      $0.refresh = .milliseconds(300)
      $0.broker.keepalive = .seconds(5)
    }
    talk.start()
    talk.online()
    for topic in ["/status", "/region/door"] { talk.push(.state, base + topic, "{}") }
    talk.until("both") { talk.published(base + "/status").count > 0 && talk.published(base + "/region/door").count > 0 }
    talk.broker.forget()
    talk.until("both again") { talk.published(base + "/status").count > 1 && talk.published(base + "/region/door").count > 1 }
    #expect(talk.courier.counters.connections.count == 1)
    talk.stop()
  }

  @Test("a neighbour's goodbye that finds the core thread busy reaches it once it has time, though nothing more comes") func goodbye() {
    let talk = Talk {
      $0.claims = true
      // No sign of life wakes it meanwhile.
      $0.broker.keepalive = .seconds(1_200)
    }
    talk.start()
    talk.online()
    // So the run before is settled.
    talk.until("the outbox's word") { talk.courier.isUnfinishedSent }
    var count = 0
    while talk.requests.count < 16 {
      count += 1
      talk.broker.publish("forecourt/site/claim/site/hello/third", "{\"v\":1,\"gateway\":\"third\",\"boot\":\"b\",\"seq\":\(count)}")
      usleep(2_000)
    }
    talk.broker.publish("forecourt/site/other/status", #"{"v":1,"state":"offline","boot":"b"}"#)
    talk.until("held") { talk.courier.intake.holdsStatuses }
    // The courier no longer expects what comes together, nor tries its subscriptions.
    usleep(2_500_000)
    var hasGone = false
    talk.until("the goodbye", seconds: 4) {
      while let request = talk.requests.pop() { if case .neighbour(let neighbour) = request { hasGone = hasGone || !neighbour.isOnline } }
      return hasGone
    }
    talk.stop()
  }

  @Test("a rehearsal retains nothing: neither its states, nor its will, nor its last word") func rehearsed() throws {
    let talk = Talk { $0.simulated = true }
    talk.start()
    talk.online()
    let greeting = try #require(talk.broker.record.greetings.first)
    #expect(greeting.willTopic == base + "/status" && greeting.willFlags == 0x08, "at QoS 1")
    talk.push(.state, base + "/region/door", "{}")
    talk.until("a state") { talk.published(base + "/region/door").count == 1 }
    talk.stop()
    #expect(talk.published(base + "/status").last?.payload.contains("stopped") == true)
    #expect(talk.broker.record.published.allSatisfy { !$0.isRetained && $0.qos == 1 })
  }

  @Test("while a broker acknowledges nothing, room stays for what is urgent, and then for states") func room() {
    let talk = Talk()
    talk.broker.answer { $0.publication = { _ in nil } }
    talk.start()
    talk.online()
    let counters = talk.courier.counters
    for number in 0..<200 { pump(number, isUrgent: false, to: talk) }
    talk.until("as many as may go") { talk.published(base + "/region/yard/event").count == 104 && counters.eventsStored.count == 200 }
    for number in 0..<40 { pump(number, isUrgent: true, to: talk) }
    talk.until("what is urgent") { talk.published(base + "/trigger/pump").count == 16 && counters.eventsStored.count == 240 }
    for number in 0..<20 { talk.push(.state, base + "/region/\(number)", "{}") }
    talk.until("states") { talk.broker.record.published.count == 127 && talk.messages.count == 0 }
    talk.stop()
    #expect(talk.published(base + "/region/yard/event").map(\.payload) == (0..<104).map(String.init))
    #expect(talk.published(base + "/trigger/pump").map(\.payload) == (0..<16).map(String.init))
    #expect(counters.eventsWaiting.count == 240 && talk.broker.record.published.count == 128)
    #expect(talk.broker.record.published.last?.topic == base + "/status" && talk.broker.record.goodbyes == 1)
  }

  @Test("a broker gets no more at once than it takes; without room for the last status the will speaks", arguments: [20, 1] as [UInt16])
  func quota(most: UInt16) {
    let talk = Talk()
    talk.broker.answer { ($0.publication, $0.receiveMaximum) = ({ _ in nil }, most) }
    talk.start()
    talk.online()
    for number in 0..<40 { pump(number, isUrgent: false, to: talk) }
    talk.until("they are stored") { talk.courier.counters.eventsStored.count == 40 }
    pump(1, isUrgent: true, to: talk)
    talk.until("the fire is stored") { talk.courier.counters.eventsStored.count == 41 }
    talk.stop()
    let published = talk.broker.record.published.map { $0.topic.dropFirst(base.count) }
    if most == 1 {
      #expect(published == ["/region/yard/event"] && talk.broker.record.goodbyes == 0)
    } else {
      #expect(published == Array(repeating: "/region/yard/event", count: 17) + ["/trigger/pump", "/status"], "\(published)")
      #expect(talk.broker.record.goodbyes == 1)
    }
  }

  @Test("of hundreds of states only eight go before a fire") func states() {
    let talk = Talk()
    talk.broker.answer { $0.publication = { topic in topic.contains("/region/") ? nil : 0 } }
    talk.start()
    talk.online()
    for number in 0..<40 { talk.push(.state, base + "/region/\(number)", "{}") }
    talk.until("states") { talk.broker.record.published.count >= 8 && talk.messages.count == 0 }
    pump(1, isUrgent: true, to: talk)
    talk.until("the fire") { talk.published(base + "/trigger/pump").count == 1 }
    #expect(talk.broker.record.published.count == 9)
    talk.stop()
  }

  @Test("a broker that takes one message at a time gets a fire before the states that wait") func single() throws {
    let talk = Talk()
    talk.broker.answer {
      $0.receiveMaximum = 1
      $0.publication = { _ in
        usleep(50_000)
        return 0
      }
    }
    talk.start()
    talk.online()
    for number in 0..<40 { talk.push(.state, base + "/region/\(number)", "{}") }
    talk.until("a state") { talk.broker.record.published.count >= 2 }
    pump(1, isUrgent: true, to: talk)
    talk.until("the fire") { talk.published(base + "/trigger/pump").count == 1 }
    #expect(talk.broker.record.published.count < 20, "\(talk.broker.record.published.count)")
    talk.stop()
  }

  @Test("an acknowledgement that comes together with the broker's goodbye counts") func lastWord() {
    let talk = Talk()
    // While two are on their way libmosquitto reads on behind an acknowledgement.
    talk.broker.answer { ($0.leaves, $0.publication) = ({ $0.hasSuffix("/event") }, { $0.hasSuffix("/pump") ? nil : 0 }) }
    talk.start()
    talk.online()
    pump(1, isUrgent: true, to: talk)
    talk.until("the fire") { talk.published(base + "/trigger/pump").count == 1 }
    pump(1, isUrgent: false, to: talk)
    talk.until("both connections") { talk.published(base + "/trigger/pump").count == 2 }
    talk.until("it") { talk.courier.counters.eventsDelivered.count == 1 }
    #expect(talk.published(base + "/region/yard/event").count == 1)
    talk.stop()
  }

  @Test("a fire that the broker has lost, though it acknowledges what came later, goes again after ten seconds") func lostFire() {
    let talk = Talk()
    let fires = Atomic<Int>(0)
    talk.broker.answer {
      $0.publication = { $0.hasSuffix("/pump") && fires.add(1, ordering: .relaxed).oldValue == 0 ? nil : 0 }
    }
    talk.start()
    talk.online()
    pump(1, isUrgent: true, to: talk)
    talk.until("the first try") { talk.published(base + "/trigger/pump").count == 1 }
    for number in 0..<30 where talk.courier.counters.eventsDelivered.count <= number {
      pump(number, isUrgent: false, to: talk)
      usleep(500_000)
    }
    talk.until("the second", seconds: 2) { talk.published(base + "/trigger/pump").count == 2 }
    talk.stop()
  }

  @Test("an end waits for the acknowledgement that is on its way; the status is the last word", arguments: [true, false])
  func patient(isAnswered: Bool) throws {
    let talk = Talk()
    talk.broker.answer { answers in
      answers.publication = { topic in
        guard topic.hasSuffix("/trigger/pump") else { return 0 }
        usleep(700_000)
        return isAnswered ? 0 : nil
      }
    }
    talk.start()
    talk.online()
    pump(1, isUrgent: true, to: talk)
    talk.until("it is stored") { talk.courier.counters.eventsStored.count == 1 }
    talk.stop()
    #expect(talk.broker.record.published.map(\.topic) == [base + "/trigger/pump", base + "/status"] && talk.broker.record.goodbyes == 1)
    #expect(try Outbox(talk.settings.outbox, machine: 1).waiting == (isAnswered ? 0 : 1))
  }

  @Test("an end tries the disk once more, whatever it said a moment ago", arguments: [true, false]) func disk(isWell: Bool) throws {
    let scratch = Scratch()
    let folder = String(scratch["late"])
    let talk = Talk {
      $0.outbox.path = Path(folder + "/outbox.db")
      // Nobody listens there.
      $0.broker.port = 9
    }
    talk.start()
    pump(1, isUrgent: true, to: talk)
    talk.until("it is in memory only") { talk.courier.counters.troubles.contains(.store) && talk.courier.counters.eventsWaiting.count == 1 }
    if isWell { try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: false) }
    talk.stop()
    if isWell { #expect(try Outbox(talk.settings.outbox, machine: 1).waiting == 1) }
    #expect(talk.courier.counters.eventsLost.count == (isWell ? 0 : 1) && talk.courier.counters.troubles.contains(.lost) != isWell)
    #expect(talk.told("error: the outbox could not be written to the end") != isWell)
  }

  @Test("a line on which nothing is said is kept by pings") func pings() {
    let talk = Talk { $0.broker.keepalive = .seconds(5) }
    talk.start()
    talk.online()
    talk.until("a ping", seconds: 30) { talk.broker.record.pings > 0 }
    #expect(talk.courier.counters.connections.count == 1)
    talk.stop()
  }

  @Test("a line on which pings are not answered is given up, whatever else is said there") func deafBroker() {
    let talk = Talk { $0.broker.keepalive = .seconds(5) }
    talk.broker.answer { $0.pings = false }
    talk.start()
    talk.online()
    talk.until("two intervals") { talk.courier.counters.connections.count == 2 }
    #expect(talk.broker.record.pings > 0 && talk.told("no connection to the broker"))
    talk.stop()
  }

  @Test("what is for the site carries its proof; what has no room for it is counted and not sent") func proven() throws {
    let talk = Talk { $0.siteKeys.append([UInt8](repeating: 7, count: 32)) }
    talk.start()
    talk.online()
    for (name, isForSite, length) in [("plain", false, 900), ("long", true, 1_010), ("proven", true, 900)] {
      var message = Message()
      (message.at, message.isForSite) = (Clock.now(), isForSite)
      (message.topic, message.payload) = (Topic(base + "/" + name), Payload("{\"v\":\"" + String(repeating: "x", count: length) + "\"}"))
      #expect(!message.payload.overflowed)
      while talk.messages.push(message) != nil { usleep(200) }
      talk.courier.bell.ring()
    }
    talk.until("the last") { !talk.published(base + "/proven").isEmpty }
    #expect(talk.published(base + "/proven").first?.payload.contains(#","mac":""#) == true)
    #expect(talk.published(base + "/plain").first?.payload.contains("mac") == false)
    #expect(talk.published(base + "/long").isEmpty && talk.courier.counters.oversized.count == 1)
    talk.stop()
  }

  @Test("refused rows are retried ever more rarely, each by itself; of more than 256 the others wait a minute") func rows() {
    func at(_ seconds: Double) -> Instant { .zero + .seconds(seconds) }
    var rows = RefusedRows()
    let first = [rows.add(7, at: at(0), isUrgent: false), rows.add(8, at: at(0.5), isUrgent: true)]
    #expect(first == [at(1), at(1.5)] && !rows.isEmpty)
    #expect(rows.isBackingOff(7, at: at(0.999)) && !rows.isBackingOff(7, at: at(1)) && !rows.isBackingOff(9, at: at(0)))
    let next = [rows.next(after: at(0)), rows.next(after: at(1)), rows.next(after: at(1.5))]
    #expect(next == [at(1), at(1.5), .never])
    let again = [rows.add(7, at: at(2), isUrgent: false), rows.add(7, at: at(4), isUrgent: false), rows.next(after: at(4))]
    #expect(again == [at(4), at(8), at(8)], "twice as long, then four times")
    rows.remove(7)
    let left = rows.next(after: at(61.5))
    #expect(!rows.isBackingOff(7, at: at(4)) && left == .never && !rows.isEmpty)
    _ = rows.next(after: at(61.6))
    #expect(rows.isEmpty, "due a minute ago")
    for row in 0..<256 { _ = rows.add(Int64(row), at: at(100), isUrgent: true) }
    let late = rows.add(300, at: at(100), isUrgent: true)
    #expect(late == at(160) && !rows.isBackingOff(300, at: at(100)) && rows.isBackingOff(255, at: at(100)))
    rows.removeAll()
    #expect(rows.isEmpty)
  }
}
