import Core

// What is carried over from one outbox file, or one run, to the next.

/// A file that still has visits which go on elsewhere: it could not be written when they were taken, or they are in memory only.
struct StaleFile {
  static let most = 4

  var path: Path
  /// nil while it is in use again: the first transaction forgets them.
  var outbox: Outbox?
}

/// A file that new settings have left, or a failure. It may be used again while events from it are in flight.
struct LeftFile {
  static let most = 4

  var path: Path
  var file: UInt32
  /// A mark in it: another file may lie there by then.
  var mark: Int64
  var newest: Int64
  /// Those that it does not know yet.
  var outcomes: EventOutcomes
}

extension EventStore {
  /// More visits than that memory does not hold, when a file is lost or the next one cannot be written.
  private static let visitsMost = 4_096

  /// Somebody has deleted or changed the file. As long as it is open it can be read: what it holds goes on in a new one, or in memory if that
  /// cannot be opened.
  mutating func replace(_ old: Outbox, at now: Moment) {
    leave(old, at: now)
    counters.set(.touched, true)
    if FileSystem.exists(settings.path) {
      touched = (old, Outbox.rename(settings.path, settings.path, ".unread-"))
    } else {
      logFile(.error, "somebody deleted the outbox while it was in use. Waiting events are stored again; its history is gone", Path())
      touched = (old, settings.path)
      // The new file would take the log of a deleted one for its own, and change it.
      for suffix in ["-wal", "-shm"] as [StaticString] {
        var name = settings.path
        name.append(suffix)
        FileSystem.remove(name)
      }
    }
    open(at: now)
    if touched != nil {
      recoverEvents(from: old, at: now)
      closeTouched()
    }
    retryDue = min(retryDue, now.at)
  }

  /// What it holds is elsewhere now. Returns its last name.
  @discardableResult @inline(never)
  private mutating func closeTouched() -> Path {
    guard var name = touched?.name else { return Path() }
    touched = nil
    guard name != settings.path else { return name }
    name = Outbox.rename(name, settings.path, ".damaged-")
    logFile(.error, "somebody changed the outbox while it was in use. It was set aside as", name)
    return name
  }

  /// Reads waiting events and open visits into memory.
  private mutating func recoverEvents(from outbox: Outbox, at now: Moment) {
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
      recordLoss(of: left, Self.notSaved)
    }
  }

  private static let notSaved: StaticString = "not all waiting events could be saved from the outbox: some were lost"
  private static let visitsLost: StaticString = "not all open visits could be saved from the outbox: after a crash some get no end"

  private mutating func recoverVisits(from outbox: Outbox) throws(StoreFault) {
    var left = 0
    try outbox.openVisits { visit in
      if recoveredVisits.count < Self.visitsMost { recoveredVisits.append(visit) } else { left += 1 }
      return true
    }
    recordLoss(of: left, Self.visitsLost)
    recoveredFires = Array((recoveredFires + (try outbox.keptFires())).suffix(Outbox.firesMost))
  }

  /// From the file that somebody has touched, from damaged ones that were set aside, by this run or one before, and from those that an older
  /// version could not read: what waits there, is open, or rests. A disk that fails is waited for.
  mutating func salvage(into opened: Outbox) throws(StoreFault) {
    if let old = touched {
      let salvaged = try opened.salvage(old.name, from: old.outbox)
      // The rows are the same, also if the old file did not take the mark.
      try? opened.mark("left", left[left.count - 1].mark)
      report(salvaged, closeTouched())
    }
    for isUnread in [true, false] {
      // Only upwards: one that cannot be renamed is not taken for ever.
      var number: UInt64 = 0
      while let name = Outbox.waitingFile(beside: settings.path, isUnread: isUnread, above: &number) {
        try salvage(name, isUnread, into: opened)
      }
    }
  }

  private mutating func salvage(_ name: Path, _ isUnread: Bool, into opened: Outbox) throws(StoreFault) {
    let salvaged = try opened.salvage(name)
    // Its events are here now: once is enough.
    let name = Outbox.rename(name, isUnread ? settings.path : name, isUnread ? ".damaged-" : ".taken-")
    if isUnread {
      counters.set(.setAside, true)
      logFile(.error, "the outbox was damaged or of another version, and was set aside as", name)
    }
    if let salvaged, salvaged.events + salvaged.visits + salvaged.fires > 0 {
      let sums = "\(salvaged.events), \(salvaged.visits), \(salvaged.fires)"
      if isUnread {
        logFile(.warning, "saved from the damaged outbox: waiting events, open visits, fires:", Path(sums))
      } else {
        logFile(.info, "taken from the outbox that an older version had set aside: waiting events, open visits, fires:", Path(sums))
      }
    }
    report(salvaged, name)
  }

  @inline(never) private func report(_ salvaged: Outbox.Salvage?, _ name: Path) {
    guard let salvaged else { return }
    recordLoss(of: salvaged.lost, Self.notSaved)
    if !salvaged.areEventsWhole { logFile(.error, "not all waiting events could be read from", name) }
    guard !salvaged.areVisitsWhole || !salvaged.areFiresWhole else { return }
    logFile(.error, "whoever was served may be served again: not all open visits and fires could be read from", name)
  }

  /// New settings name another file, which is open if it can be: open visits belong to the run, and not to the file in which they began.
  mutating func takeOpenVisits(of old: Outbox, at now: Moment) {
    // What a stale file has was taken before.
    if !stale.contains(where: { $0.path == old.settings.path }), !moveVisits(from: old) {
      guard (try? recoverVisits(from: old)) != nil else { return }
      if outbox != nil { retryDue = min(retryDue, now.at) }
    }
    stale.removeAll { $0.path == old.settings.path }
    // What is in memory only stays in the file, too: this run may be over before another file has it.
    guard areVisitsInMemory || (try? old.forgetVisits()) == nil else { return }
    if stale.count == StaleFile.most { stale.removeFirst() }
    stale.append(StaleFile(path: old.settings.path, outbox: old))
  }

  /// From file to file there may be any number. False if nothing was moved.
  private mutating func moveVisits(from old: Outbox) -> Bool {
    guard let outbox else { return false }
    do throws(StoreFault) {
      try outbox.startTransaction(isDurable: true)
      if stale.contains(where: { $0.path == settings.path }) { try outbox.forgetVisits() }
      try old.openVisits { visit throws(StoreFault) in
        try outbox.record(visit)
        return true
      }
      for fire in try old.keptFires() { try outbox.recordFire(fire) }
      try outbox.commitStates()
    } catch {
      outbox.rollBack()
      return false
    }
    stale.removeAll { $0.path == settings.path }
    return true
  }

  /// Its rows keep their meaning, if it is used again.
  mutating func leave(_ outbox: Outbox, at now: Moment) {
    try? outbox.mark("left", now.at.microseconds)
    if left.count == LeftFile.most { left.removeFirst() }
    let path = outbox.settings.path
    left.append(LeftFile(path: path, file: file, mark: now.at.microseconds, newest: outbox.newest, outcomes: outcomes))
  }

  /// What is in flight from a file that was left, or was acknowledged meanwhile, does not go again. In any other file the rows are others.
  mutating func recognise(_ opened: Outbox) {
    let known = left.firstIndex { $0.path == settings.path }.map { left.remove(at: $0) }
    if let known, (try? opened.marked("left")) ?? nil == known.mark {
      // If no other was opened meanwhile, ours are the newer ones.
      if known.file != file { (file, outcomes) = (known.file, known.outcomes) }
      opened.newest = max(opened.newest, known.newest)
    } else {
      files += 1
      file = files
      outcomes.removeAll()
    }
  }

  /// Taken from one file, and not yet in another.
  var areVisitsInMemory: Bool { !recoveredVisits.isEmpty || !recoveredFires.isEmpty }

  /// The disk may be well again.
  mutating func forgetStaleVisits(at now: Moment) {
    guard !stale.isEmpty, !areVisitsInMemory, now.at >= staleDue else { return }
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
