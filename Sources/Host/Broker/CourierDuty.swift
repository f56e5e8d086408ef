import Core

// What the broker is owed, and what it has acknowledged.

extension Courier {
  func deliver(at now: Moment) {
    guard case .up = line else { return }
    do throws(LinkFault) {
      try answerCommands()
      try tellStates(at: now.at)
      try deliverEvents(at: now)
    } catch { lose(error, at: now.at) }
  }

  private func answerCommands() throws(LinkFault) {
    for index in replies.indices where !replies[index].isSent && link.inFlight.room > 0 {
      let message = replies[index].message
      try link.publish(message.topic, message.payload.bytes, isRetained: false, lasting: 60, as: .reply(number: message.sequence))
      replies[index].isSent = true
      figures.published.add()
    }
  }

  private func tellStates(at now: Instant) throws(LinkFault) {
    while link.inFlight.room > 0, let word = shelf.next(at: now) {
      let delivery = Delivery.state(slot: word.slot, version: word.version)
      let seconds = word.left.map { UInt32(max($0.seconds, 1)) }
      try link.publish(word.message.topic, word.message.payload.bytes, isRetained: true, lasting: seconds, as: delivery)
      shelf.send(slot: word.slot, version: word.version)
      figures.published.add()
    }
  }

  private func deliverEvents(at now: Moment) throws(LinkFault) {
    // States and replies keep some room.
    while link.inFlight.room > 8, let event = store.next(besides: link.inFlight, at: now) {
      let seconds: UInt32? = if case .span(let left) = event.left { UInt32(max(left.seconds, 1)) } else { nil }
      try link.publish(event.topic, event.payload.bytes, isRetained: false, lasting: seconds, as: event.delivery)
      store.sent(event.delivery)
      figures.published.add()
    }
  }

  func settle(at now: Moment) {
    // While a call is placed the link is the dialer's.
    if isTalking { hear(at: now) }
    store.settle(at: now)
  }

  private func hear(at now: Moment) {
    for index in link.news.acknowledged.indices {
      let acknowledged = link.news.acknowledged[index]
      guard let (delivery, isCertain) = link.inFlight.take(acknowledged.identifier) else { continue }
      if acknowledged.reason >= 0x80 {
        refuse(delivery, acknowledged.reason, at: now.at)
      } else if isCertain {
        acknowledge(delivery)
      } else {
        store.recall()
      }
    }
    link.news.acknowledged.removeAll()
    if link.news.subscriptionsRefused > 0 {
      link.news.subscriptionsRefused = 0
      forbidden("the broker forbids this gateway to subscribe to commands or claims; see its ACL")
    }
  }

  private func acknowledge(_ delivery: Delivery) {
    switch delivery {
    case .event, .held: store.acknowledge(delivery)
    case .state(let slot, let version): shelf.acknowledge(slot: slot, version: version)
    case .reply(let number): replies.removeAll { $0.isSent && $0.message.sequence == number }
    }
  }

  private func refuse(_ delivery: Delivery, _ reason: Int32, at now: Instant) {
    figures.refused.add()
    switch delivery {
    case .event, .held:
      store.refuse(delivery, at: now)
      forbidden("the broker refuses this gateway's events; see its ACL. They are kept and tried again")
    case .state: forbidden("the broker refuses this gateway's states; see its ACL")
    case .reply(let number):
      replies.removeAll { $0.isSent && $0.message.sequence == number }
      forbidden("the broker refuses this gateway's replies; see its ACL")
    }
  }

  private func forbidden(_ words: StaticString) {
    if !figures.troubles.contains(.forbidden) { say(.error, Sentence(words)) }
    figures.set(.forbidden, true)
  }
}
