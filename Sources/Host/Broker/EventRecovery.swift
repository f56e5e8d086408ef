import Core

// What is carried over from one outbox file, or one run, to the next.

/// A file that still has visits which go on elsewhere: it could not be written when they were taken.
struct StaleFile {
  static let most = 4

  var path: Path
  /// nil while it is in use again: the first transaction forgets them.
  var outbox: Outbox?
}

extension EventStore {
  /// As many visits as a site can have open.
  private static let visitsMost = 4_096

  /// Reads waiting events and open visits from a file that somebody has deleted or changed, before it is closed.
  mutating func recoverEvents(from outbox: Outbox, at now: Moment) {
    do throws(StoreFault) { try recoverVisits(from: outbox) } catch { fail(error, at: now) }
    var left = outbox.waiting
    do throws(StoreFault) {
      for rank in [Outbox.Rank.urgent, .ordinary] {
        var row: Int64 = 0
        while let event = try outbox.next(rank, after: row, at: now) {
          row = event.row
          left -= 1
          guard !outcomes.contains(event.row), !event.left.isOver else { continue }
          guard !event.isDamaged, event.left != .unknown, held.count < HeldEvents.most else {
            recordLoss(of: 1, Self.notSaved)
            continue
          }
          hold(Message(event, isUrgent: rank == .urgent, at: now), at: now)
        }
      }
    } catch {
      fail(error, at: now)
      if left > 0 { recordLoss(of: left, Self.notSaved) }
    }
  }

  private static let notSaved: StaticString = "not all waiting events could be saved from the outbox: some were lost"

  private mutating func recoverVisits(from outbox: Outbox) throws(StoreFault) {
    try outbox.openVisits { visit in
      if recoveredVisits.count < Self.visitsMost { recoveredVisits.append(visit) }
      return true
    }
  }

  /// New settings name another file: open visits belong to the run, and not to the file in which they began.
  mutating func takeOpenVisits(of outbox: Outbox) {
    // What this file has was taken before.
    let isStale = stale.contains { $0.path == outbox.settings.path }
    guard isStale || (try? recoverVisits(from: outbox)) != nil else { return }
    stale.removeAll { $0.path == outbox.settings.path }
    guard (try? outbox.forgetVisits()) == nil else { return }
    if stale.count == StaleFile.most { stale.removeFirst() }
    stale.append(StaleFile(path: outbox.settings.path, outbox: outbox))
  }

  /// The disk may be well again.
  mutating func forgetStaleVisits(at now: Moment) {
    guard !stale.isEmpty, now.at >= staleDue else { return }
    staleDue = now.at + .seconds(5)
    stale.removeAll { $0.outbox.map { (try? $0.forgetVisits()) != nil } ?? false }
  }

  /// The file is used again. Only one of us can have it open.
  mutating func releaseStaleFile() {
    for index in stale.indices where stale[index].path == settings.path { stale[index].outbox = nil }
  }

  /// A crowd may have left more visits open than memory should hold at once.
  private static let page = 256

  /// Visits that earlier runs started and nobody ended: the first page, or the next one.
  mutating func readUnfinished(from outbox: Outbox) throws(StoreFault) {
    let page = try outbox.visitsLeftOpen(before: unfinishedEnd, atMost: Self.page)
    unfinished = page.reversed()
    unfinishedEnd = page.count == Self.page ? page.last : nil
  }

  /// Each once; nil when there is none, or none that can be read now.
  mutating func takeUnfinished(at now: Moment) -> Outbox.OpenVisit? {
    // Those that come from the file before must stand in this one.
    if unfinished?.isEmpty ?? false, unfinishedEnd != nil, recoveredVisits.isEmpty, now.at >= unfinishedDue, let outbox {
      do throws(StoreFault) { try readUnfinished(from: outbox) } catch {
        unfinishedDue = now.at + .seconds(5)
        fail(error, at: now)
      }
    }
    return unfinished?.popLast()
  }

  var isUnfinishedTaken: Bool { unfinished?.isEmpty ?? false && unfinishedEnd == nil }
}

extension Message {
  /// Visits are recorded in their own order, which need not be that in which events are stored.
  var withoutVisit: Message {
    var message = self
    message.visit = .none
    return message
  }

  /// Without its visit: open visits are carried over separately.
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
