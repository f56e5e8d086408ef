import Core

// Which event goes next, and what became of those that were sent.

extension EventStore {
  var nextDue: Instant { mustRecordFirst ? .zero : min(retryDue, min(requeueDue, agingDue)) }
  func isAllSent(at now: Instant) -> Bool { !queues.contains { $0.mayWait } && held.isAllSent(at: now) }
  var hasRefused: Bool { !refusals.isEmpty || held.hasRefused }

  /// How many outcomes are recorded in one transaction.
  private static let recordedAtOnce = 256
  private var mustRecordFirst: Bool { outcomes.count >= Self.recordedAtOnce && !counters.troubles.contains(.store) && outbox != nil }

  /// The oldest event that is not on its way; urgent ones first. Expired ones become history.
  mutating func next(besides inFlight: borrowing InFlight, at now: Moment, isUrgentOnly: Bool = false) -> Due? {
    counters.eventsExpired.add(held.expire(at: now.at))
    if let event = next(.urgent, besides: inFlight, at: now) { return event }
    return isUrgentOnly ? nil : next(.ordinary, besides: inFlight, at: now)
  }

  private mutating func next(_ rank: Outbox.Rank, besides inFlight: borrowing InFlight, at now: Moment) -> Due? {
    let queue = Int(rank.rawValue)
    do throws(StoreFault) {
      while queues[queue].mayWait, let outbox {
        if mustRecordFirst { return nil }
        guard let event = try outbox.next(rank, after: queues[queue].cursor, at: now) else {
          queues[queue].mayWait = false
          break
        }
        if rank == .ordinary, let last = refusals.last(waitingWith: event.row, at: now.at) {
          queues[queue].cursor = last
          continue
        }
        if expires(event, besides: inFlight, at: now.at) || isHeld(event, queue, at: now.at) {
          queues[queue].cursor = event.row
          continue
        }
        if isReady(event, besides: inFlight, at: now) {
          let publication = Publication.event(row: event.row, file: file, isUrgent: rank == .urgent)
          return Due(publication: publication, topic: event.topic, payload: event.payload, left: event.left)
        }
        queues[queue].cursor = event.row
      }
    } catch {
      queues[queue].mayWait = false
      fail(error, at: now)
    }
    guard let event = held.next(isUrgent: rank == .urgent, at: now.at) else { return nil }
    let left = event.until == .never ? TimeLeft.unlimited : .span(event.until - now.at)
    return Due(publication: .held(number: event.number), topic: event.message.topic, payload: event.message.payload, left: left)
  }

  /// Nobody will ever let it through. Once it counts as expired it is no longer among the refused.
  private mutating func expires(_ event: Outbox.Waiting, besides inFlight: borrowing InFlight, at now: Instant) -> Bool {
    guard !refusals.isEmpty, refusals.isForbidden(event.row), formerNames.have(event.topic) else { return false }
    guard formerNames.isOver(at: now), !inFlight.holds(row: event.row, file: file) else { return false }
    refusals.forget(event.row)
    outcomes.append(event.row, .expired)
    guard formerNames.isNews(event.topic) else { return true }
    var words = Sentence("an event under another name than this gateway's expires: for an hour the broker's access list has forbidden ")
    words.append(event.topic)
    log(.error, words)
    return true
  }

  /// The broker would refuse it, too; and if it did not, a `leave` would come before its `fire`.
  private mutating func isHeld(_ event: borrowing Outbox.Waiting, _ queue: Int, at now: Instant) -> Bool {
    guard !event.left.isOver, !refusals.isEmpty else { return false }
    let (row, topic) = (event.row, event.topic.hash)
    if queues[queue].heldTopics.contains(topic) {
      if !refusals.contains(row) { _ = refusals.add(row, at: now, isUrgent: queue == 1, holdsTopic: true) }
      return true
    }
    if refusals.holdsTopic(row) { queues[queue].heldTopics.append(topic) }
    return false
  }

  private mutating func isReady(_ event: Outbox.Waiting, besides inFlight: borrowing InFlight, at now: Moment) -> Bool {
    if inFlight.holds(row: event.row, file: file) { return false }
    if outcomes.contains(event.row) { return false }
    if event.isDamaged {
      outcomes.append(event.row, .damaged)
      recordLoss(of: 1, "the disk has changed an event that waited: it was not sent. forecourt events shows it as damaged")
      return false
    }
    if event.left.isOver {
      refusals.forget(event.row)
      outcomes.append(event.row, .expired)
    }
    if event.left == .unknown { requeueDue = min(requeueDue, now.at + .seconds(5)) }
    return !event.left.isOver && event.left != .unknown && !refusals.isBackingOff(event.row, at: now.at)
  }

  mutating func sent(_ publication: Publication) {
    switch publication {
    case .event(let row, _, let isUrgent): queues[isUrgent ? 1 : 0].cursor = row
    case .held(let number): held.send(number)
    case .state, .reply: break
    }
  }

  mutating func acknowledge(_ publication: Publication) {
    switch publication {
    case .event(let row, file, _):
      outcomes.append(row, .delivered)
      // One is taken: perhaps the others are, too.
      if refusals.isForbidden(row) { formerNames.forgive() }
      if refusals.remove(row) { requeueDue = .zero }
    case .event(let row, let other, _):
      for index in left.indices where left[index].file == other { left[index].outcomes.append(row, .delivered) }
    case .held(let number):
      if held.acknowledge(number) { counters.eventsDelivered.add() }
    case .state, .reply: break
    }
  }

  /// Kept and retried: somebody may fix the ACL, a quota may be free again.
  mutating func refuse(_ publication: Publication, holdsTopic: Bool = false, isForbidden: Bool = false, at now: Instant) {
    switch publication {
    case .event(let row, file, let isUrgent):
      let due = refusals.add(row, at: now, isUrgent: isUrgent, holdsTopic: holdsTopic, isForbidden: isForbidden)
      requeueDue = min(requeueDue, due)
    case .held(let number): requeueDue = min(requeueDue, held.refuse(number, holdsTopic: holdsTopic, at: now))
    // Of a file that is not in use: it goes again when that is.
    case .event, .state, .reply: break
    }
  }

  func isRefused(_ publication: Publication) -> Bool {
    switch publication {
    case .event(let row, file, _): refusals.contains(row)
    case .held(let number): held.isRefused(number)
    case .event, .state, .reply: false
    }
  }

  /// The connection is lost, and all that was on its way counts as unsent.
  mutating func requeue(keepingRefusals: Bool = false) {
    requeueRows()
    refusals.requeue(keepingRows: keepingRefusals)
    held.requeue(keepingRefusals: keepingRefusals)
  }

  mutating func requeueRows() { queues = [Queue(), Queue()] }

  /// Writes into the file what was delivered and what has expired.
  mutating func recordOutcomes(at now: Moment) {
    guard outcomes.count > 0, let outbox, now.at >= retryDue || retryDue == .never else { return }
    do throws(StoreFault) {
      try outbox.startTransaction(isDurable: false)
      for (row, state) in outcomes.all { try outbox.record(row, as: state, at: now) }
      try outbox.commitStates()
    } catch {
      outbox.rollBack()
      return fail(error, at: now)
    }
    for (_, state) in outcomes.all {
      if state == .delivered { counters.eventsDelivered.add() }
      if state == .expired { counters.eventsExpired.add() }
    }
    outcomes.removeAll()
    countWaiting()
  }
}
