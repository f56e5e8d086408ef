import Core
import Testing

@testable import Host

@Suite("retained messages") struct RetainedMessagesTests {
  /// A shelf, the broker, and what stands between them.
  private struct Model {
    private(set) var shelf = RetainedMessages()
    /// The latest of each topic, and until when.
    private(set) var wanted: [String: (payload: String, until: Int64)] = [:]
    private(set) var broker: [String: String] = [:]
    var onDisk: [String: String] = [:]
    private var onTheWire: [(slot: Int, version: UInt64)] = []
    private(set) var now: Int64 = 0

    var at: Instant { Instant(microseconds: now) }
    mutating func pass(_ microseconds: Int) { now += Int64(microseconds) }

    mutating func put(_ topic: String, _ payload: String, lasting: Int64? = nil) {
      var message = Message()
      (message.care, message.at, message.topic) = (.state, at, Topic(Array(topic.utf8).span.bytes))
      message.payload = Payload(Array(payload.utf8).span.bytes)
      if let lasting { message.expires = at + Interval(microseconds: lasting) }
      wanted = wanted.filter { $0.value.until > now }
      let hasRoom = wanted[topic] != nil || wanted.count < RetainedMessages.capacity
      #expect(shelf.put(message, at: at) == hasRoom)
      if hasRoom { wanted[topic] = (payload, lasting.map { now + $0 } ?? .max) }
    }

    /// False when there is nothing to send.
    mutating func send() -> Bool {
      guard let word = shelf.next(at: at) else { return false }
      let topic = String(word.message.topic)
      let last = wanted[topic] ?? ("", 0)
      #expect(last.payload == String(word.message.payload) && last.until > now, "the latest, not yet expired")
      #expect(word.left?.microseconds == (last.until == .max ? nil : last.until - now))
      shelf.send(slot: word.slot, version: word.version)
      broker[topic] = last.payload
      onTheWire.append((word.slot, word.version))
      return true
    }

    mutating func answer(_ answer: (inout RetainedMessages, Int, UInt64) -> Void) {
      guard !onTheWire.isEmpty else { return }
      let (slot, version) = onTheWire.removeFirst()
      answer(&shelf, slot, version)
    }

    mutating func acknowledgeAll() { while !onTheWire.isEmpty { answer { $0.acknowledge(slot: $1, version: $2) } } }

    /// The line is lost, and with it perhaps what the broker learnt since it last wrote to its disk; in any case the will has replaced the
    /// status.
    mutating func loseTheLine(isForgotten: Bool) {
      if isForgotten { broker = onDisk }
      onTheWire.removeAll()
      shelf.requeue()
      broker["topic/3"] = "the will"
    }

    /// What the broker should have and has not.
    var missing: [String] { wanted.filter { $0.value.until > now && broker[$0.key] != $0.value.payload }.keys.sorted() }
  }

  @Test(
    "once all is sent and acknowledged the broker has each topic's latest message, whatever was lost, refused or expired before",
    arguments: 1...40 as ClosedRange<UInt64>)
  func againstModel(seed: UInt64) {
    var state = seed
    func below(_ bound: Int) -> Int {
      state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      return Int(state >> 33) % bound
    }
    var model = Model()
    // On every third shelf there is hardly room for the others.
    for number in 0..<(seed % 3 == 0 ? RetainedMessages.capacity - 5 : 0) { model.put("full/\(number)", "full") }
    while model.send() {}
    model.acknowledgeAll()
    for number in 0..<400 {
      switch below(12) {
      case 0...4: model.put("topic/\(below(9))", "\(number)", lasting: below(4) == 0 ? Int64(1 + below(20)) * 1_000_000 : nil)
      case 5, 6: for _ in 0..<below(6) { _ = model.send() }
      case 7, 8: model.answer { $0.acknowledge(slot: $1, version: $2) }
      case 9 where below(2) == 0:
        let at = model.at
        model.answer { $0.refuse(slot: $1, version: $2, at: at) }
      case 9: model.answer { $0.requeue(slot: $1, version: $2) }
      case 10 where below(4) == 0: model.loseTheLine(isForgotten: below(2) == 0)
      case 10 where below(4) == 0: model.onDisk = model.broker
      default: model.pass(below(4_000_000))
      }
      #expect((0...RetainedMessages.capacity).contains(model.shelf.unsent))
    }
    // The longest pause after a refusal is a minute.
    model.pass(61_000_000)
    while model.send() {}
    model.acknowledgeAll()
    #expect(model.shelf.unsent == 0 && !model.shelf.hasRefused && model.missing == [], "seed \(seed)")
  }

  @Test("what the will has replaced goes again, also the very first message, and after another lost line", arguments: [false, true])
  func replaced(isLostAgain: Bool) throws {
    var shelf = RetainedMessages()
    var message = Message()
    (message.care, message.topic, message.payload) = (.state, Topic("status"), Payload("1"))
    #expect((shelf.put(message, at: .zero)) == true)
    let first = shelf.next(at: .zero)
    let word = try #require(first)
    shelf.send(slot: word.slot, version: word.version)
    shelf.acknowledge(slot: word.slot, version: word.version)
    shelf.requeue()
    if isLostAgain { shelf.requeue() }
    #expect(shelf.unsent == 1 && shelf.next(at: .zero)?.message.payload == Payload("1"))
  }

  @Test("what was cleared is not cleared again when the broker has forgotten everything: the topic may be another's by now")
  func cleared() {
    var shelf = RetainedMessages()
    for (topic, payload) in [("old", ""), ("ours", "1")] as [(StaticString, StaticString)] {
      var message = Message()
      (message.care, message.topic, message.payload) = (.state, Topic(topic), Payload(payload))
      let isTaken = shelf.put(message, at: .zero)
      #expect(isTaken)
    }
    func sent() -> [String] {
      var topics: [String] = []
      while let word = shelf.next(at: .zero) {
        shelf.send(slot: word.slot, version: word.version)
        shelf.acknowledge(slot: word.slot, version: word.version)
        topics.append(String(word.message.topic))
      }
      return topics.sorted()
    }
    #expect(sent() == ["old", "ours"])
    shelf.requeue()
    #expect(sent() == ["ours"])
  }

  @Test("what a broker refuses keeps nothing else from going again, nor is it tried sooner for that") func refreshed() throws {
    var shelf = RetainedMessages()
    for topic in ["a", "b", "c"] {
      var message = Message()
      (message.care, message.topic, message.payload) = (.state, Topic(topic), Payload("1"))
      #expect((shelf.put(message, at: .zero)) == true)
    }
    var words: [(slot: Int, version: UInt64)] = []
    while let word = shelf.next(at: .zero) {
      shelf.send(slot: word.slot, version: word.version)
      words.append((word.slot, word.version))
    }
    #expect(shelf.awaited == 3 && !shelf.isAllAcknowledged)
    for word in words.dropFirst() { shelf.acknowledge(slot: word.slot, version: word.version) }
    #expect(shelf.awaited == 1 && !shelf.isAllAcknowledged)
    shelf.refuse(slot: words[0].slot, version: words[0].version, at: .zero)
    #expect(shelf.awaited == 0 && shelf.isAllAcknowledged && shelf.unsent == 1)
    shelf.refresh()
    #expect(shelf.unsent == 3 && shelf.hasRefused && shelf.nextRetry(after: .zero) == .zero + .seconds(1))
    let first = shelf.next(at: .zero)
    #expect(first?.message.topic == Topic("b") && !shelf.isAllAcknowledged)
  }
}
