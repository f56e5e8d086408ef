import Core

// What is taken over from one file, or one run, to the next.

extension EventStore {
  /// Nobody can open what the run before could not read more of: as many visits as a site has places for.
  private static let visitsMost = 4_096

  /// From a file that is ours to read for the last time: what waits, and what is open.
  mutating func salvage(from outbox: Outbox, at now: Moment) {
    do throws(StoreFault) {
      for rank in [Outbox.Rank.urgent, .ordinary] {
        var row: Int64 = 0
        while let event = try outbox.next(rank, after: row, at: now) {
          row = event.row
          guard !settlements.contains(where: { $0.row == event.row }), !event.left.isOver else { continue }
          guard !event.isDamaged, event.left != .untold, held.count < HeldEvents.most else {
            lose(1, "not all that waited in the outbox could be saved: some was lost")
            continue
          }
          hold(Message(event, isUrgent: rank == .urgent, at: now), at: now)
        }
      }
      try outbox.openVisits { visit in
        if carried.count < Self.visitsMost { carried.append(visit) }
        return true
      }
    } catch { fail(error, at: now) }
  }

  /// What earlier runs began and nobody ended.
  func openVisits(of outbox: Outbox) throws(StoreFault) -> [Outbox.OpenVisit] {
    var visits: [Outbox.OpenVisit] = []
    try outbox.openVisits { visit in
      if visit.boot != outbox.boot { visits.append(visit) }
      return visits.count < Self.visitsMost
    }
    return visits
  }
}

extension Message {
  /// What is open in the old file is carried over by itself.
  fileprivate init(_ event: Outbox.Waiting, isUrgent: Bool, at now: Moment) {
    self.init()
    care = .event
    at = now.at
    self.isUrgent = isUrgent
    if case .span(let left) = event.left { expires = now.at + left }
    topic = event.topic
    payload = event.payload
  }
}
