import Core

// What the broker is owed, and what it has acknowledged.

extension Courier {
  func deliver(at now: Moment) {
    guard case .up = line else { return }
    do throws(MQTTFault) {
      try answerCommands(at: now.at)
      try tellStates(at: now.at)
      try deliverEvents(at: now)
    } catch { lose(error, at: now.at) }
  }

  private func answerCommands(at now: Instant) throws(MQTTFault) {
    while link.inFlight.room > Self.roomForFarewell, let index = replies.firstIndex(where: { !$0.isSent }) {
      let message = replies[index].message
      replies[index].isSent = true
      try send(message.topic, message.payload, isRetained: false, lasting: 60, as: .reply(number: message.sequence), at: now)
    }
  }

  /// Whatever else is on its way, the last word finds a place.
  private static let roomForFarewell = 1

  private func tellStates(at now: Instant) throws(MQTTFault) {
    while link.inFlight.room > Self.roomForFarewell, let word = retained.next(at: now) {
      let publication = Publication.state(slot: word.slot, version: word.version)
      let seconds = word.left.map { UInt32(max($0.seconds, 1)) }
      retained.send(slot: word.slot, version: word.version)
      try send(word.message.topic, word.message.payload, isRetained: true, lasting: seconds, as: publication, at: now)
    }
  }

  private func deliverEvents(at now: Moment) throws(MQTTFault) {
    // States and replies keep some room; what somebody waits for keeps some from what nobody does.
    while link.inFlight.room > 8, let event = store.next(besides: link.inFlight, at: now, isUrgentOnly: link.inFlight.room <= 24) {
      let seconds: UInt32? = if case .span(let left) = event.left { UInt32(max(left.seconds, 1)) } else { nil }
      store.sent(event.publication)
      try send(event.topic, event.payload, isRetained: false, lasting: seconds, as: event.publication, at: now.at)
    }
  }

  /// What this broker will not have, however often it is offered, must not keep back what stands behind it.
  private func send(
    _ topic: Topic, _ payload: Payload, isRetained: Bool, lasting seconds: UInt32?, as publication: Publication, at now: Instant
  ) throws(MQTTFault) {
    do throws(MQTTFault) {
      try link.publish(topic, payload.bytes, isRetained: isRetained, lasting: seconds, as: publication, at: now)
      figures.published.add()
    } catch {
      guard error.isOfMessage else { throw error }
      refuse(publication, at: now)
    }
  }

  /// Whether the broker took it is not known: its number had been given out twice.
  private func recall(_ publication: Publication) {
    switch publication {
    case .event, .held: store.recall()
    case .state(let slot, let version): retained.recall(slot: slot, version: version)
    case .reply(let number): for index in replies.indices where replies[index].message.sequence == number { replies[index].isSent = false }
    }
  }

  /// When a publication has waited too long for its acknowledgement: the broker answers pings, but it has lost something.
  var overdue: Instant? { link.inFlight.oldest.map { $0 + Interval(microseconds: 4 * settings.broker.keepalive.microseconds) } }

  /// The end of a turn: whatever happened in it, the line is what we take it for.
  func audit(at now: Instant) {
    guard isTalking else { return }
    do throws(MQTTFault) {
      try link.audit()
      if let overdue, now >= overdue { throw MQTTFault("the broker does not acknowledge what it is sent") }
    } catch { lose(error, at: now) }
  }

  func settle(at now: Moment) {
    // While a call is placed the link is the dialer's.
    if isTalking { hear(at: now) }
    store.settle(at: now)
  }

  private func hear(at now: Moment) {
    for index in link.news.acknowledged.indices {
      let acknowledged = link.news.acknowledged[index]
      guard let (publication, isCertain) = link.inFlight.take(acknowledged.identifier) else { continue }
      if acknowledged.reason >= 0x80 {
        refuse(publication, isOverQuota: acknowledged.reason == 0x97, at: now.at)
      } else if isCertain {
        acknowledge(publication)
      } else {
        recall(publication)
      }
    }
    link.news.acknowledged.removeAll()
    if link.news.subscriptionsRefused > 0 {
      link.news.subscriptionsRefused = 0
      isDeaf = true
      forbidden("the broker forbids this gateway to subscribe to commands or claims; see its ACL")
    }
  }

  private func acknowledge(_ publication: Publication) {
    switch publication {
    case .event, .held: store.acknowledge(publication)
    case .state(let slot, let version): retained.acknowledge(slot: slot, version: version)
    case .reply(let number): replies.removeAll { $0.isSent && $0.message.sequence == number }
    }
    guard figures.troubles.contains(.forbidden), !isDeaf, !store.hasRefused, !retained.hasRefused else { return }
    figures.set(.forbidden, false)
    say(.info, Sentence("the broker takes what it refused before"))
  }

  /// MQTT 5, 3.4.2.1: 0x97 is a quota, which may be free again in a moment; what else a broker refuses, somebody has to mend.
  private func refuse(_ publication: Publication, isOverQuota: Bool = false, at now: Instant) {
    figures.refused.add()
    switch publication {
    case .event, .held:
      store.refuse(publication, at: now)
      if isOverQuota {
        forbidden("the broker's quota for this gateway is used up; events are kept and tried again from second to second")
      } else {
        forbidden("the broker refuses this gateway's events; see its ACL and limits. They are kept and tried again")
      }
    case .state(let slot, let version):
      retained.refuse(slot: slot, version: version, at: now)
      forbidden("the broker refuses this gateway's states; see its ACL and limits. They are tried again")
    case .reply(let number):
      replies.removeAll { $0.isSent && $0.message.sequence == number }
      forbidden("the broker refuses this gateway's replies; see its ACL and limits")
    }
  }

  private func forbidden(_ words: StaticString) {
    if !figures.troubles.contains(.forbidden) { say(.error, Sentence(words)) }
    figures.set(.forbidden, true)
  }
}
