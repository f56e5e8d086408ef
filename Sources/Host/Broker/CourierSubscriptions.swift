import Core

// The subscriptions: all at once, or one by one after a crash. The outcome is saved for the next run.

extension Courier {
  var subjects: [SubscriptionTrials.Subject] {
    var subjects: [SubscriptionTrials.Subject] = []
    if settings.commands { subjects.append(.commands) }
    if settings.claims { subjects += [.claims, .statuses] }
    if settings.peers { subjects.append(.peers) }
    return subjects
  }

  /// At the start: did the previous run end at what came of the subscription that it was trying?
  func restoreTrials() {
    let mark = store.marked("trying")
    let tried = SubscriptionTrials.Subject.allCases.first { $0.mark(on: store.machine) == mark }
    trials = SubscriptionTrials(saved: store.marked("falls") ?? 0, tried: tried)
    guard let tried else { return }
    var words = Sentence("the previous run ended as soon as it subscribed to ")
    words.append(filter(of: tried))
    words.append(": a message that is too long, or malformed, may be retained there")
    log(.error, words)
    saveTrials()
  }

  func subscribe(at now: Instant) {
    let subjects = trials.next(at: now)
    acquittalDue = .never
    saveTrials()
    do throws(MQTTFault) {
      for subject in subjects { try subscribe(to: subject) }
    } catch { lose(error, at: now) }
  }

  /// Another thread may stumble a moment later over what was read.
  private static let aftermath = Interval.milliseconds(100)

  /// What comes now may end the program: then the next run must know what is on trial. Whoever kills it at another moment, or cuts its power,
  /// accuses no subscription.
  func suspect(at now: Instant) {
    guard trials.trying != nil else { return }
    let isNew = acquittalDue == .never
    acquittalDue = now + Self.aftermath
    if isNew { saveTrials() }
  }

  func acquit(at now: Instant) {
    guard now >= acquittalDue else { return }
    acquittalDue = .never
    saveTrials()
  }

  private static let deafness = Interval.seconds(60)
  private static let answering = Interval.seconds(2)

  func recordRefusedSubscription(at now: Instant) {
    (isDeaf, isSubscribedAgain, deafUntil) = (true, false, now + Self.deafness)
  }

  /// Somebody may have mended the access list: asks again for what was refused; what is not refused then is taken.
  func retrySubscriptions(at now: Instant) {
    guard isDeaf, now >= deafUntil else { return }
    if isSubscribedAgain {
      (isDeaf, deafUntil) = (false, .never)
      return endRefusals()
    }
    (isSubscribedAgain, deafUntil) = (true, now + Self.answering)
    trials.start(subjects)
    subscribe(at: now)
  }

  /// A session that goes on has what other settings asked for, perhaps in the run before.
  func unsubscribe(at now: Instant) {
    let wanted = subjects.filter { !trials.isLeftOut($0) }
    do throws(MQTTFault) {
      for subject in SubscriptionTrials.Subject.allCases where subject != .several && !wanted.contains(subject) {
        try client.unsubscribe(filter(of: subject))
        if subject == .claims { try client.unsubscribe(topics.hello(settings.name)) }
        if subject == .statuses { try client.unsubscribe(topics.status) }
      }
    } catch { lose(error, at: now) }
  }

  private func subscribe(to subject: SubscriptionTrials.Subject) throws(MQTTFault) {
    switch subject {
    case .several: break
    case .commands: try client.subscribe(topics.commands, qos: 1, wantsRetained: false)
    case .claims:
      try client.subscribe(topics.claims, qos: 0, wantsRetained: false)
      // Our own hello comes back, which shows that the broker carries our messages and would bring the others'.
      try client.subscribe(topics.hello(settings.name), qos: 0, wantsRetained: false, wantsOwn: true)
    case .statuses:
      try client.subscribe(topics.statuses, qos: 1, wantsRetained: true)
      // What another gateway of our name has left there: not every broker brings it with the others'.
      try client.subscribe(topics.status, qos: 0, wantsRetained: true, wantsOwn: true)
    case .peers: try client.subscribe(topics.peers, qos: 1, wantsRetained: true)
    }
  }

  private func filter(of subject: SubscriptionTrials.Subject) -> Topic {
    switch subject {
    case .several: Topic("its topics")
    case .commands: topics.commands
    case .claims: topics.claims
    case .statuses: topics.statuses
    case .peers: topics.peers
    }
  }

  /// The connection is lost: because of the subscription that was being tried, or for another reason.
  func judge(_ fault: MQTTFault) {
    let tried = trials.trying
    let isToBlame = fault.isOfContent && trials.blame()
    if isToBlame, let tried, trials.isLeftOut(tried) {
      var words = Sentence("what the broker retains under ")
      words.append(filter(of: tried))
      words.append(" ends every connection: this gateway no longer subscribes to it. Clear what is retained there, then reload")
      log(.error, words)
    }
    trials.end()
    if tried != nil { saveTrials() }
  }

  /// New settings: subscriptions that are left out get one more trial.
  func forgive() {
    trials.forgive()
    saveTrials()
    // Not connected: the next connection tries them.
    guard case .up = line, trials.leftOut == nil else { return }
    trials.start(subjects)
    subscribe(at: Clock.now())
  }

  func endTrials() {
    guard trials.trying != nil else { return }
    trials.end()
    saveTrials()
  }

  private func saveTrials() {
    if trials.trying == nil { acquittalDue = .never }
    store.mark("trying", acquittalDue == .never ? 0 : trials.trying?.mark(on: store.machine) ?? 0)
    store.mark("falls", trials.saved)
    counters.set(.leftOut, trials.leftOut != nil)
    counters.set(.tried, trials.isCareful && trials.leftOut == nil)
  }
}
