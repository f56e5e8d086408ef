import CLinux
import Core

// Messages of the moment, at QoS 0: each is sent now or dropped.

extension Courier {
  func pass(_ message: borrowing Message) {
    guard case .up = line else { return counters.droppedOffline.add() }
    // Perhaps one of these ends the connections.
    guard shortConnections < Self.suspicious + 2 || !isCareful(at: Clock.now()) else { return counters.droppedBusy.add() }
    if !fleeting.isIdle, !isAllowed(message.topic, at: Clock.now()) { return counters.droppedBusy.add() }
    do throws(MQTTFault) {
      if client.news.unwritten >= Self.unwrittenMost { try waitForRoom() }
      guard client.news.unwritten < Self.unwrittenMost else { return counters.droppedBusy.add() }
      try client.publish(message.topic, message.payload.bytes)
      counters.published.add()
    } catch {
      counters.droppedBusy.add()
      if error.isOfMessage { complain(ofLength: message) }
    }
  }

  private func isAllowed(_ topic: Topic, at now: Instant) -> Bool {
    let before = fleeting.leftOut
    defer {
      if fleeting.leftOut != before {
        counters.set(before.subtracting(fleeting.leftOut), false)
        log(.info, Sentence("the broker takes again what was left out"))
      }
    }
    return fleeting.allows(.ofForbidden(topic.bytes, topics), at: now)
  }

  /// Once a connection.
  func complain(ofLength message: borrowing Message) {
    guard !counters.troubles.contains(.tooLong) else { return }
    counters.set(.tooLong, true)
    var words = Sentence("longer than this broker takes, with \(message.payload.bytes.byteCount) bytes: ")
    words.append(message.topic)
    log(.error, words)
  }

  /// Once a turn, and briefly: events may wait behind this message in the ring.
  private func waitForRoom() throws(MQTTFault) {
    guard isPatient else { return }
    // If the line is gone, no further message waits: a full ring of waits would hide that for a second.
    isPatient = false
    wait(-1, Awaited(client.descriptor, toWrite: true), forAtMost: .milliseconds(2))
    try client.write()
    isPatient = client.news.unwritten < Self.unwrittenMost
  }

  /// How many may wait in memory while the network is slower than the air for a moment: 60 KB.
  private static let unwrittenMost = 256
}
