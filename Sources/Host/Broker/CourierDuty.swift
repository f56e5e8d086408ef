import Core

// What is sent to the broker, and what it acknowledges.

extension Courier {
  func deliver(at now: Moment) {
    guard case .up = line else { return }
    refresh(at: now.at)
    do throws(MQTTFault) {
      // What ends each connection must not keep events waiting.
      // Nor may hundreds of states, where the broker takes one message at a time.
      try deliverEvents(at: now, isUrgentOnly: !isCareful(at: now.at))
      try sendReplies(at: now.at)
      try sendStates(at: now.at)
      try deliverEvents(at: now)
    } catch { lose(error, at: now.at) }
  }

  /// Pings and telemetry wake the courier often enough for it.
  private func refresh(at now: Instant) {
    guard now >= refreshDue, retained.isAllAcknowledged else { return }
    refreshDue = now + settings.refresh
    retained.refresh()
  }

  private func sendReplies(at now: Instant) throws(MQTTFault) {
    while hasRoom(beside: client.inFlight.roomForFarewell, at: now), let index = replies.firstIndex(where: { !$0.isSent }) {
      let message = replies[index].message
      replies[index].isSent = true
      try send(message.topic, message.payload, isRetained: false, lasting: 60, as: .reply(number: message.sequence), at: now)
    }
  }

  /// After a reload or a new connection all go at once, and the broker takes them one after another: a fire must not wait behind hundreds.
  private static let statesAtOnce = 8

  private func sendStates(at now: Instant) throws(MQTTFault) {
    while hasRoom(beside: client.inFlight.roomForFarewell, at: now), retained.unsent > 0, retained.awaited < Self.statesAtOnce,
      let word = retained.next(at: now)
    {
      let publication = Publication.state(slot: word.slot, version: word.version)
      let seconds = word.left.map { UInt32(max($0.seconds, 1)) }
      retained.send(slot: word.slot, version: word.version)
      try send(word.message.topic, word.message.payload, isRetained: settings.retains, lasting: seconds, as: publication, at: now)
    }
  }

  private func deliverEvents(at now: Moment, isUrgentOnly: Bool = false) throws(MQTTFault) {
    // Some room is reserved for states and replies, and some for urgent events.
    while hasRoom(beside: client.inFlight.reserve, at: now.at),
      let event = store.next(
        besides: client.inFlight, at: now, isUrgentOnly: isUrgentOnly || client.inFlight.room <= client.inFlight.urgentReserve)
    {
      let seconds: UInt32? = if case .span(let left) = event.left { UInt32(max(left.seconds, 1)) } else { nil }
      store.sent(event.publication)
      try send(event.topic, event.payload, isRetained: false, lasting: seconds, as: event.publication, at: now.at)
    }
  }

  private func hasRoom(beside reserved: Int, at now: Instant) -> Bool {
    isCareful(at: now) ? client.inFlight.isEmpty : client.inFlight.room > reserved
  }

  /// A message that this broker will never take must not block those behind it.
  private func send(
    _ topic: Topic, _ payload: Payload, isRetained: Bool, lasting seconds: UInt32?, as publication: Publication, at now: Instant
  ) throws(MQTTFault) {
    do throws(MQTTFault) {
      try client.publish(topic, payload.bytes, isRetained: isRetained, lasting: seconds, as: publication, at: now)
      counters.published.add()
    } catch {
      guard error.isOfMessage else { throw error }
      if !shorten(publication, at: now) { refuse(publication, at: now) }
    }
  }

  /// Whether the broker took it is unknown, because its packet identifier was in use twice: it goes again.
  private func requeue(_ publication: Publication) {
    switch publication {
    case .event, .held: store.requeue()
    case .state(let slot, let version): retained.requeue(slot: slot, version: version)
    case .reply(let number): for index in replies.indices where replies[index].message.sequence == number { replies[index].isSent = false }
    }
  }

  /// When the oldest publication has waited too long for its acknowledgement: the broker answers pings, but has lost a message. Or a fire, which
  /// does not live as long as that, while nothing at all is heard of the broker, or what was sent after it is acknowledged.
  var overdue: Instant? {
    let silent = client.inFlight.oldest(isUrgent: true).map {
      ($0 < client.inFlight.acknowledged ? $0 : max($0, client.heard)) + Self.urgentPatience
    }
    let late = client.inFlight.oldest().map { $0 + Interval(microseconds: 4 * settings.broker.keepalive.microseconds) }
    return late.map { min($0, silent ?? .never) }
  }

  private static let urgentPatience = Interval.seconds(10)

  /// At the end of a turn: is the connection still there, and does the broker acknowledge?
  func checkLine(at now: Instant) {
    guard isTalking else { return }
    do throws(MQTTFault) {
      try client.audit()
      if let overdue, now >= overdue { throw MQTTFault("the broker does not acknowledge what it is sent") }
    } catch { lose(error, at: now) }
  }

  func receiveAcknowledgements(at now: Moment) {
    // While a call is placed the client is the dialer's.
    if isTalking { takeAcknowledgements(at: now.at) }
    store.recordOutcomes(at: now)
  }

  func takeAcknowledgements(at now: Instant) {
    for index in client.news.acknowledged.indices {
      let acknowledged = client.news.acknowledged[index]
      guard let (publication, isCertain) = client.inFlight.take(acknowledged.identifier) else { continue }
      if acknowledged.reason >= 0x80 {
        // MQTT 5, 3.4.2.1 does not list it, but mosquitto's message_size_limit gives it.
        if acknowledged.reason == 0x95, shorten(publication, at: now) { continue }
        refuse(publication, because: acknowledged.reason, at: now)
      } else if isCertain {
        acknowledge(publication)
      } else {
        requeue(publication)
      }
    }
    client.news.acknowledged.removeAll()
    if client.news.subscriptionsRefused > 0 {
      client.news.subscriptionsRefused = 0
      recordRefusedSubscription(at: now)
      forbidden("the broker forbids this gateway to subscribe to commands or claims; see its ACL")
    }
  }

  private func acknowledge(_ publication: Publication) {
    switch publication {
    case .event, .held: store.acknowledge(publication)
    case .state(let slot, let version): retained.acknowledge(slot: slot, version: version)
    case .reply(let number): replies.removeAll { $0.isSent && $0.message.sequence == number }
    }
    endRefusals()
  }

  func endRefusals() {
    guard counters.troubles.contains(.forbidden), !isDeaf, !store.hasRefused, !retained.hasRefused else { return }
    isCutOff = false
    counters.set(.forbidden, false)
    log(.info, Sentence("the broker refuses nothing any more"))
  }

  /// MQTT 5, 3.4.2.1: 0x97 is a quota, which may be free again soon; any other refusal needs somebody to fix the broker's settings. Only 0x87,
  /// the access list's, and 0x90 are about the topic, and hold what comes later on it. Others say nothing of the next message: RabbitMQ
  /// answers 0x83 while one subscriber's queue is full, and a fire must not wait behind an arm until it expires.
  func refuse(_ publication: Publication, because reason: Int32 = 0, at now: Instant) {
    counters.refused.add()
    switch publication {
    case .event, .held:
      store.refuse(publication, holdsTopic: reason == 0x87 || reason == 0x90, isForbidden: reason == 0x87, at: now)
      if reason == 0x97 {
        forbidden("the broker's quota for this gateway is used up; events are kept and retried")
      } else {
        forbidden("the broker refuses this gateway's events; see its ACL and limits. They are kept and retried")
      }
    case .state(let slot, let version):
      retained.refuse(slot: slot, version: version, at: now)
      forbidden("the broker refuses this gateway's states; see its ACL and limits. They are retried")
    case .reply(let number):
      replies.removeAll { $0.isSent && $0.message.sequence == number }
      forbidden("the broker refuses this gateway's replies; see its ACL and limits")
    }
  }

  private func forbidden(_ words: StaticString) {
    if !counters.troubles.contains(.forbidden) { log(.error, Sentence(words)) }
    counters.set(.forbidden, true)
  }
}
