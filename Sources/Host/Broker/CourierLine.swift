import Core

// The way to the broker: calling, greeting, losing it.

extension Courier {
  var isTalking: Bool {
    switch line {
    case .greeting, .up: true
    case .down, .dialing: false
    }
  }

  func converse(_ ready: Ready, at now: Instant) {
    switch line {
    case .down(let until): if now >= until { call(at: now) }
    case .dialing: if let outcome = dialer.outcome() { answer(outcome, at: now) }
    case .greeting(let until):
      talk(ready, at: now)
      if case .greeting = line, link.news.greeted != .not { welcome(at: now) }
      if case .greeting = line, now >= until { lose(MQTTFault("the broker does not answer the greeting"), at: now) }
    case .up:
      talk(ready, at: now)
      if case .up = line, now >= probation.due { subscribe(at: now) }
    }
  }

  private func talk(_ ready: Ready, at now: Instant) {
    do throws(MQTTFault) {
      if ready.toRead { try link.read() }
      if link.wantsToWrite { try link.write() }
      if now >= keepaliveDue {
        keepaliveDue = now + pulse
        try link.tick()
      }
    } catch { lose(error, at: now) }
  }

  /// libmosquitto pings when its own clock says so, if it is asked often enough.
  private var pulse: Interval { max(Interval(microseconds: settings.broker.keepalive.microseconds / 4), .seconds(1)) }

  private func call(at now: Instant) {
    var identifier = Text<128>("forecourt-")
    identifier.append(settings.site)
    identifier.append(byte: UInt8(ascii: "-"))
    identifier.append(settings.name)
    let will = farewell("connection lost")
    do throws(MQTTFault) {
      try link.prepare(settings.broker, MQTTClient.Greeting(identifier: identifier, will: will))
      line = .dialing
      dialer.dial()
    } catch { lose(error, at: now) }
  }

  private func answer(_ outcome: Dialer.Outcome, at now: Instant) {
    if hasOldCall {
      hasOldCall = false
      link.discard()
      line = .down(until: now)
      return
    }
    switch outcome {
    case .failed(let fault): lose(fault, at: now)
    case .connected:
      line = .greeting(until: now + .seconds(10))
      keepaliveDue = now + pulse
      link.limitUnsent(to: 65_536)
    }
  }

  private func welcome(at now: Instant) {
    line = .up(since: now)
    figures.isOnline = true
    figures.connections.add()
    figures.set(.forbidden, false)
    isDeaf = false
    lastComplaint = Sentence()
    var words = Sentence("connected to the broker at ")
    words.append(settings.broker.host)
    say(.info, words)
    retained.recall(everything: link.news.greeted == .fresh)
    probation.begin(subjects)
    subscribe(at: now)
  }

  func lose(_ fault: MQTTFault, at now: Instant) {
    // A connection may be made and lost in one turn: its span is then zero.
    let wasUp: Interval? = if case .up(let since) = line { now - since } else { nil }
    judge(fault)
    link.discard()
    link.inFlight.removeAll()
    link.news = MQTTNews()
    keepaliveDue = .never
    if wasUp != nil {
      figures.isOnline = false
      retained.recall(everything: false)
      retained.recall(topics.status)
      store.recall()
      for index in replies.indices { replies[index].isSent = false }
    } else {
      figures.failedAttempts.add()
    }
    // A connection that ends as soon as it begins must not be tried twice a second for ever.
    if let wasUp {
      briefly = wasUp > .seconds(10) ? 0 : briefly + 1
      if wasUp > .seconds(10) { backoff.reset() }
    }
    line = .down(until: now + backoff.next())
    var fault = fault
    // Not every broker says why it lets go of the older of two clients.
    if briefly >= 3, !fault.isOfContent { fault.said.append(" Again and again: is there another gateway of the same site and name?") }
    complain(fault)
  }

  /// The same words are said once, not at every try.
  private func complain(_ fault: MQTTFault) {
    guard fault.said != lastComplaint else { return }
    lastComplaint = fault.said
    var words = Sentence("no connection to the broker at ")
    words.append(settings.broker.host)
    words.append(": ")
    words.append(fault.said)
    say(.warning, words)
  }

  /// With a word, unless the broker does not listen.
  func hangUp() {
    endProbation()
    if case .up = line {
      link.sayGoodbye()
      let limit = Clock.now() + .milliseconds(100)
      while link.wantsToWrite, Clock.now() < limit, (try? link.write()) != nil {
        wait(bell.descriptor, Awaited(link.descriptor, toWrite: true), forAtMost: .milliseconds(10))
      }
    }
    if case .dialing = line { return }
    link.discard()
    link.inFlight.removeAll()
    link.news = MQTTNews()
    keepaliveDue = .never
    figures.isOnline = false
    line = .down(until: .zero)
  }

  /// New settings. The broker is left only if something concerns it.
  func adopt(_ new: CourierSettings, at now: Moment) {
    let old = settings
    let goodbye = farewell("reconfigured")
    settings = new
    figures.set(.insecure, new.broker.usesTLS && new.broker.isInsecure)
    store.adopt(new, at: now)
    intake.adopt(new)
    if probation.isCareful { forgive() }
    guard !old.hasSameBroker(as: new) else { return }
    if case .up = line {
      _ = try? link.publish(
        goodbye.topic, goodbye.payload.bytes, isRetained: true, lasting: nil, as: .reply(number: 0), at: now.at)
      store.recall()
    }
    if topics.base != new.topics.base { retained = RetainedMessages() }
    topics = new.topics
    if case .dialing = line { hasOldCall = true } else { hangUp() }
    retained.recall(everything: true)
    for index in replies.indices { replies[index].isSent = false }
    backoff.reset()
  }
}

extension CourierSettings {
  fileprivate func hasSameBroker(as other: Self) -> Bool {
    broker == other.broker && prefix == other.prefix && site == other.site && name == other.name && simulated == other.simulated
      && commands == other.commands && claims == other.claims && peers == other.peers
  }
}
