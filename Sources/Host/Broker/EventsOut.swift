import Core

// What the broker is owed of what is stored, in order, and what became of it.

extension EventStore {
  var nextDue: Instant { mustSettleFirst ? .zero : min(retryDue, min(recallDue, agingDue)) }
  func isAllSent(at now: Instant) -> Bool { !queues.contains { $0.mayWait } && held.isAllSent(at: now) }
  var hasRefused: Bool { !refusals.isEmpty || held.hasRefused }

  /// So many are noted in the file at once: each row is looked for among them.
  private static let settledAtOnce = 256
  private var mustSettleFirst: Bool { settlements.count >= Self.settledAtOnce && !figures.troubles.contains(.store) && outbox != nil }

  /// The oldest event that is not on its way, of those first that somebody waits for. Those whose time is over become history.
  mutating func next(besides inFlight: borrowing InFlight, at now: Moment, isUrgentOnly: Bool = false) -> Due? {
    figures.eventsExpired.add(held.expire(at: now.at))
    if let event = next(.urgent, besides: inFlight, at: now) { return event }
    return isUrgentOnly ? nil : next(.ordinary, besides: inFlight, at: now)
  }

  private mutating func next(_ rank: Outbox.Rank, besides inFlight: borrowing InFlight, at now: Moment) -> Due? {
    let queue = Int(rank.rawValue)
    do throws(StoreFault) {
      while queues[queue].mayWait, let outbox {
        if mustSettleFirst { return nil }
        guard let event = try outbox.next(rank, after: queues[queue].cursor, at: now) else {
          queues[queue].mayWait = false
          break
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

  private mutating func isReady(_ event: Outbox.Waiting, besides inFlight: borrowing InFlight, at now: Moment) -> Bool {
    if inFlight.holds(row: event.row, file: file) { return false }
    if settlements.contains(where: { $0.row == event.row }) { return false }
    if event.isDamaged {
      settlements.append((event.row, .damaged))
      lose(1, "the disk has changed an event that waited: it was not sent. forecourt events shows it as damaged")
      return false
    }
    if event.left.isOver { settlements.append((event.row, .expired)) }
    if event.left == .untold { recallDue = min(recallDue, now.at + .seconds(5)) }
    return !event.left.isOver && event.left != .untold && !refusals.isResting(event.row, at: now.at)
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
      settlements.append((row, .delivered))
      refusals.remove(row)
    case .held(let number):
      held.acknowledge(number)
      figures.eventsDelivered.add()
    case .event, .state, .reply: break
    }
  }

  /// Kept, and tried again: an ACL can be mended, a quota be free again.
  mutating func refuse(_ publication: Publication, at now: Instant) {
    switch publication {
    case .event(let row, _, let isUrgent): recallDue = min(recallDue, refusals.add(row, at: now, isUrgent: isUrgent))
    case .held(let number): recallDue = min(recallDue, held.refuse(number, at: now))
    case .state, .reply: break
    }
  }

  /// The connection went, and with it all that was on its way.
  mutating func recall() {
    recallRows()
    refusals.removeAll()
    held.recall()
  }

  mutating func recallRows() { queues = [Queue(), Queue()] }

  /// Notes in the file what was delivered and what is over.
  mutating func settle(at now: Moment) {
    guard !settlements.isEmpty, let outbox, now.at >= retryDue || retryDue == .never else { return }
    do throws(StoreFault) {
      try outbox.beginSettling()
      for (row, fate) in settlements { try outbox.settle(row, as: fate, at: now) }
      try outbox.endSettling()
    } catch {
      outbox.rollBack()
      return fail(error, at: now)
    }
    for (_, fate) in settlements {
      if fate == .delivered { figures.eventsDelivered.add() }
      if fate == .expired { figures.eventsExpired.add() }
    }
    settlements.removeAll(keepingCapacity: true)
    figures.eventsWaiting.set(outbox.waiting + held.count)
  }
}
