import CLinux
import Core

// The connection to the broker: made, greeted, lost.

extension Courier {
  var isTalking: Bool {
    switch line {
    case .greeting, .up: true
    case .down, .dialing: false
    }
  }

  func advanceLine(_ ready: Ready, at now: Instant) {
    switch line {
    case .down(let until): if now >= until { call(at: now) }
    case .dialing: if let outcome = dialer.outcome() { answer(outcome, at: now) }
    case .greeting(let until):
      talk(ready, at: now)
      if case .greeting = line, client.news.greeted != .not { welcome(at: now) }
      if case .greeting = line, now >= until { lose(MQTTFault("the broker does not answer the greeting"), at: now) }
    case .up:
      talk(ready, at: now)
      acquit(at: now)
      if case .up = line, now >= trials.due { subscribe(at: now) }
      if case .up = line { retrySubscriptions(at: now) }
    }
  }

  private func talk(_ ready: Ready, at now: Instant) {
    do throws(MQTTFault) {
      if ready.toRead { try receive(at: now) }
      if client.wantsToWrite { try client.write() }
      if now >= keepaliveDue {
        keepaliveDue = now + pulse
        try client.tick()
      }
    } catch { lose(error, at: now) }
  }

  /// libmosquitto reads one packet a call. What came together is read at once.
  private func receive(at now: Instant) throws(MQTTFault) {
    suspect(at: now)
    defer { intake.ring() }
    client.news.arrived = 0
    var last = 0
    repeat {
      last = client.news.arrived
      try client.read()
    } while gathering.isLively && client.news.arrived > last && client.news.arrived < Self.batch
    let arrived = client.news.arrived
    if arrived > 0 { client.heard = now }
    gathering.observe(arrived, isAll: arrived < Self.batch, at: now)
  }

  /// Less than the news can hold.
  private static let batch = 64

  /// libmosquitto sends pings by its own clock, if it is called often enough.
  private var pulse: Interval {
    let keepalive = min(settings.broker.keepalive, client.news.keepalive ?? .hours(24))
    return max(Interval(microseconds: keepalive.microseconds / 4), .seconds(1))
  }

  private func call(at now: Instant) {
    // The broker ends the older of two connections with the same identifier: a rehearsal must not end the real gateway's.
    var identifier = Text<128>(topics.base.bytes)
    if settings.simulated { identifier.append("/rehearsal") }
    let will = farewell(CourierSettings.lost)
    do throws(MQTTFault) {
      try client.prepare(settings.broker, MQTTClient.Greeting(identifier: identifier, will: will, isWillRetained: settings.retains))
      line = .dialing
      dialer.dial()
    } catch { lose(error, at: now) }
  }

  private func answer(_ outcome: Dialer.Outcome, at now: Instant) {
    if hasOldCall {
      hasOldCall = false
      client.discard()
      line = .down(until: now)
      return
    }
    switch outcome {
    case .failed(let fault): lose(fault, at: now)
    case .connected:
      line = .greeting(until: now + .seconds(10))
      mayDisconnect = true
      keepaliveDue = now + pulse
      client.limitUnsent(to: 65_536)
      client.limitUnacknowledged(to: .seconds(10))
    }
  }

  private func welcome(at now: Instant) {
    line = .up(since: now)
    counters.isOnline = true
    counters.connections.add()
    counters.set(.forbidden, isCutOff)
    counters.set(.tooLong, false)
    (isDeaf, deafUntil) = (false, .never)
    if shortConnections < 3 { lastComplaint = Sentence() }
    var words = Sentence("connected to the broker at ")
    words.append(settings.broker.host)
    log(.info, words)
    refreshDue = now + settings.refresh
    keepaliveDue = now + pulse
    trials.start(subjects)
    if client.news.greeted == .resumed { unsubscribe(at: now) }
    if case .up = line { subscribe(at: now) }
    // A handshake touches three megabytes of OpenSSL that nothing needs until the next one.
    linux_release_libraries()
  }

  func lose(_ fault: MQTTFault, at now: Instant) {
    // A connection may be made and lost in one turn: it then lasted zero seconds.
    let wasUp: Interval? = if case .up(let since) = line { now - since } else { nil }
    // Some may have come together with the end.
    if wasUp != nil { takeAcknowledgements(at: now) }
    judge(fault)
    if fault.isTakeover {
      intake.suspectTwin()
      intake.ring()
    }
    let culprits = fault.isOfContent || wasUp == nil ? [] : culprits(at: now)
    client.discard()
    keepaliveDue = .never
    if wasUp != nil {
      counters.isOnline = false
      for culprit in culprits { refuse(culprit, at: now) }
      retained.requeue(keepingRefusals: isCutOff)
      store.requeue(keepingRefusals: isCutOff)
      for index in replies.indices { replies[index].isSent = false }
    } else {
      counters.failedAttempts.add()
    }
    // After connections that end at once, the back-off must grow.
    if let wasUp {
      // Between the two others may end them: another gateway of the same name, or a message at QoS 1.
      let isAlone = shortConnections == 0 || shortConnections >= Self.suspicious + 2
      let isTelling = isAlone && culprits.isEmpty && !fault.isOfContent && !holds(fault.said, "another gateway")
      let isTried = fleeting.isTrying(at: now)
      let leftOut = fleeting.lose(after: wasUp, isTelling: isTelling, at: now)
      if let leftOut, let words = leftOut.words {
        counters.set(leftOut, true)
        log(.error, Sentence(words))
      }
      if wasUp <= Self.short { shortConnections += 1 } else if !isTried || leftOut != nil { shortConnections = 0 }
      if wasUp > Self.short || !culprits.isEmpty { backoff.reset() }
    }
    line = .down(until: now + backoff.next())
    var fault = fault
    // Not every broker says why it drops the older of two clients.
    if shortConnections >= 3, !fault.isOfContent {
      fault.said += " Again and again: is there another gateway of the same site and name? Or does its access list forbid a topic?"
    }
    complain(Sentence(fault.said))
    linux_release_libraries()
  }

  private static let short = Interval.seconds(10)
  static let suspicious = 2

  /// After connections that ended soon, one message at a time: so the one that ends them is found.
  func isCareful(at now: Instant) -> Bool {
    guard shortConnections >= Self.suspicious, case .up(let since) = line else { return false }
    return now - since < Self.short
  }

  /// Which messages ended the connection: those on their way that did so before, or, for the second time, the only one on its way. On a line
  /// that breaks all the time it is another one each time.
  private func culprits(at now: Instant) -> [Publication] {
    let flying = client.inFlight.publications
    let known = isCutOff ? flying.filter { store.isRefused($0) || retained.isRefused($0) } : []
    let only = isCareful(at: now) && flying.count == 1 ? flying.first : nil
    suspicions = only == nil ? 0 : only == suspect ? suspicions + 1 : 1
    suspect = only
    guard suspicions >= Self.suspicious || !known.isEmpty else { return [] }
    (suspicions, isCutOff) = (0, true)
    return known.isEmpty ? flying : known
  }

  /// Logs the same complaint once, not at every retry.
  private func complain(_ said: Sentence) {
    guard said != lastComplaint else { return }
    lastComplaint = said
    var words = Sentence("no connection to the broker at ")
    words.append(settings.broker.host)
    words.append(": ")
    words.append(said)
    log(.warning, words)
  }

  /// With DISCONNECT, if the broker is connected.
  func hangUp() {
    endTrials()
    if line.isConnected, mayDisconnect || client.inFlight.isEmpty {
      // Also before the broker has greeted us: it knows our will by then.
      client.sayGoodbye()
      let limit = Clock.now() + .milliseconds(100)
      while client.wantsToWrite, Clock.now() < limit, (try? client.write()) != nil {
        wait(bell.descriptor, Awaited(client.descriptor, toWrite: true), forAtMost: .milliseconds(10))
      }
    }
    if case .dialing = line { return }
    client.discard()
    keepaliveDue = .never
    counters.isOnline = false
    line = .down(until: .zero)
  }

  /// Reconnects only if a setting of the connection has changed.
  func reload(_ new: CourierSettings, at now: Moment) {
    let old = settings
    // Whoever comes back under the same name says no goodbye: its neighbours wait for it, and nobody can say it again for it later.
    let goodbye = farewell(old.hasSamePlace(as: new) ? CourierSettings.lost : "reconfigured")
    settings = new
    counters.set(.insecure, new.broker.usesTLS && new.broker.isInsecure)
    store.reload(new, at: now)
    intake.reload(new)
    if trials.isCareful { forgive() }
    if isDeaf { (isSubscribedAgain, deafUntil) = (false, now.at) }
    fleeting.retry(at: now.at)
    guard !old.hasSameBroker(as: new) else { return }
    if case .up = line {
      sendFarewell(goodbye, at: now.at)
      store.requeue()
    }
    if topics.base != new.topics.base { retained = RetainedMessages() }
    topics = new.topics
    if case .dialing = line { hasOldCall = true } else { hangUp() }
    retained.requeue()
    for index in replies.indices { replies[index].isSent = false }
    backoff.reset()
  }
}

extension CourierSettings {
  fileprivate func hasSamePlace(as other: Self) -> Bool {
    broker.host == other.broker.host && broker.port == other.broker.port && prefix == other.prefix && site == other.site
      && name == other.name && simulated == other.simulated
  }

  fileprivate func hasSameBroker(as other: Self) -> Bool {
    broker == other.broker && hasSamePlace(as: other) && commands == other.commands && claims == other.claims && peers == other.peers
      // The last will carries a proof.
      && siteKeys == other.siteKeys
  }
}
