import Core

/// The courier's side of the outbox: it stores events in batches and gives them out in order, urgent ones first. While the disk fails, it
/// keeps the newest in memory, delivers them from there, and retries the disk.
struct EventStore {
  /// An event ready to be published.
  struct Due {
    var publication: Publication
    var topic: Topic
    var payload: Payload
    var left: TimeLeft
  }

  /// Everything up to row `cursor` is on its way; whether something may wait behind it.
  struct Queue {
    var cursor: Int64 = 0
    var mayWait = true
    /// Hashes of the topics of which something that was refused waits before the cursor.
    var heldTopics: [UInt64] = []
  }

  let counters: CourierCounters
  let log: CourierLog
  let machine = machineStart()
  private let boot: Text<16>
  private let isRehearsal: Bool
  private(set) var settings: OutboxSettings
  private var signing: EventSigning
  var formerNames: FormerNames
  private(set) var outbox: Outbox?
  private var batch: [Message] = []
  var held = HeldEvents()
  /// Open visits from the previous file, for this one.
  var recoveredVisits: [Outbox.OpenVisit] = []
  /// Likewise the last fires: whoever was served rests on.
  var recoveredFires: [Outbox.OpenVisit] = []
  /// Files that visits were taken from, and that do not know it yet.
  var stale: [StaleFile] = []
  var staleDue = Instant.zero
  /// The file that somebody has deleted or changed, still open, and its new name if it has one: from here to the next opening.
  var touched: (outbox: Outbox, name: Path)?
  /// A page of the visits that the previous run left open, for the core thread, its first one last; nil until the file has been read.
  var unfinished: [Outbox.OpenVisit]?
  /// Behind which the next page begins, if there is one; and when it may be read, after a failure.
  var unfinishedEnd: Outbox.OpenVisit?
  var unfinishedDue = Instant.zero
  /// Fires of the previous run, for the core thread.
  var recentFires: [Unfinished] = []
  var refusals = RefusedRows()
  var file: UInt32 = 0
  /// How many different ones there were; and those that new settings have left.
  var files: UInt32 = 0
  var left: [LeftFile] = []
  var outcomes = EventOutcomes()
  var queues = [Queue(), Queue()]
  private var checkDue = Instant.zero
  /// A file of so many bytes a card reads in some seconds; the core thread does not wait much longer for who was served.
  var checkedAtOnce: Int64 = 64 << 20
  var retryDue = Instant.never
  var requeueDue = Instant.never
  var agingDue = Instant.zero

  init(_ settings: CourierSettings, _ counters: CourierCounters, log: @escaping CourierLog) {
    self.settings = settings.outbox
    boot = settings.boot
    isRehearsal = settings.simulated
    self.counters = counters
    self.log = log
    signing = EventSigning(settings, counters, log: log)
    formerNames = FormerNames(settings)
  }

  // MARK: The file

  mutating func open(at now: Moment) {
    defer { countWaiting() }
    releaseStaleFile()
    do throws(StoreFault) {
      let opened = try Outbox(settings, machine: machine, checkedAtOnce: checkedAtOnce)
      (opened.boot, opened.isRehearsal) = (boot, isRehearsal)
      if let name = opened.setAside, opened.isSetAsideNewer {
        counters.set(.setAside, true)
        let words: StaticString =
          "a newer version wrote the outbox. What waits there is sent once such a one runs again; it is set aside as"
        logFile(.error, words, name)
      }
      try salvage(into: opened)
      // First: a file that cannot be read is opened again.
      if unfinished == nil, isRehearsal { unfinished = [] }
      if unfinished == nil {
        recentFires = try opened.recentFires(at: now)
        try readUnfinished(from: opened)
      }
      outbox = opened
      recognise(opened)
      requeueRows()
      refusals.removeAll()
      // What was kept in memory meanwhile is written at once, but not what is on its way from there: it would go a second time.
      retryDue = recoveredVisits.isEmpty && recoveredFires.isEmpty && !counters.troubles.contains(.store) ? .never : now.at
      agingDue = now.at
      if opened.isMended { logFile(.warning, "the disk has changed an index of the outbox, which was built anew", Path()) }
    } catch { fail(error, at: now) }
  }

  mutating func close() {
    recordLoss(of: held.count, "the outbox could not be written to the end: events that were in memory only are lost with it")
    if !held.visits.isEmpty {
      log(.error, Sentence("the outbox never learnt of some visits: they get no end, and whoever was served there may be served again"))
    }
    outbox = nil
  }

  /// Before an end: what failed a moment ago may be well again.
  mutating func retryNow(at now: Moment) { if retryDue != .never { retryDue = now.at } }

  mutating func reload(_ new: CourierSettings, at now: Moment) {
    signing.reload(new)
    formerNames.reload(new)
    let isElsewhere = settings.path != new.outbox.path
    if isElsewhere, let left = outbox?.waiting, left > 0 {
      logFile(.error, "no longer the outbox. Events that wait there are delivered when its path is configured again:", Path("\(left)"))
    }
    settings = new.outbox
    if let outbox, !isElsewhere {
      outbox.settings = new.outbox
      agingDue = now.at
      // Perhaps a trigger comes back.
      if unfinished != nil, !isRehearsal, let fires = try? outbox.recentFires(at: now) { recentFires = fires }
    } else if isElsewhere {
      let old = outbox
      if let old { leave(old, at: now) }
      outbox = nil
      open(at: now)
      if let old { takeOpenVisits(of: old, at: now) }
    }
  }

  mutating func fail(_ fault: StoreFault, at now: Moment) {
    counters.storeFailures.add()
    if !counters.troubles.contains(.store) {
      let (words, remedy) = fault.advice(for: String(settings.path))
      logFile(.error, words, Path(remedy))
    }
    counters.set(.store, true)
    retryDue = now.at + .seconds(5)
    guard fault.kind == .corrupt else { return }
    // The next opening mends the file or sets it aside. If it is mended, what is in flight or was acknowledged does not go again.
    checkedAtOnce = .max
    if let outbox { leave(outbox, at: now) }
    outbox = nil
  }

  func logFile(_ severity: Severity, _ words: StaticString, _ more: Path) {
    var sentence = Sentence(settings.path.bytes)
    sentence.append(": ")
    sentence.append(words)
    sentence.append(" ")
    sentence.append(more)
    log(severity, sentence)
  }

  // MARK: Marks

  /// Without waiting for the disk: a mark must survive a crash of the program, not a power cut.
  mutating func mark(_ name: StaticString, _ value: Int64) {
    guard let outbox, (try? outbox.marked(name)) ?? 0 != value else { return }
    do throws(StoreFault) {
      try outbox.startTransaction(isDurable: false)
      try outbox.mark(name, value)
      try outbox.commitStates()
    } catch { outbox.rollBack() }
  }

  func marked(_ name: StaticString) -> Int64? { (try? outbox?.marked(name)) ?? nil }

  // MARK: In

  mutating func add(_ message: borrowing Message) {
    var message = copy message
    signing.sign(&message)
    batch.append(message)
  }

  /// Stores the added events in one transaction.
  mutating func flush(at now: Moment) {
    age(at: now)
    forgetStaleVisits(at: now)
    checkFile(at: now)
    guard !batch.isEmpty || now.at >= retryDue || retryDue == .never && held.hasUnsent else { return }
    if now.at >= retryDue || retryDue == .never {
      if outbox == nil { open(at: now) }
      if let outbox { write(to: outbox, at: now) }
    }
    for message in batch { hold(message, at: now) }
    batch.removeAll(keepingCapacity: true)
    countWaiting()
  }

  func countWaiting() { counters.eventsWaiting.set((outbox?.waiting ?? 0) + held.count) }

  /// Every second, and before each transaction: has somebody deleted or changed the file, or its disk?
  private mutating func checkFile(at now: Moment) {
    guard let outbox, !batch.isEmpty || now.at >= checkDue else { return }
    checkDue = now.at + .seconds(1)
    if let check = outbox.lateCheck, check.hasFoundDamage { return fail(StoreFault(.corrupt, "the file is damaged"), at: now) }
    guard !outbox.isUntouched else { return }
    self.outbox = nil
    replace(outbox, at: now)
  }

  private mutating func write(to outbox: Outbox, at now: Moment) {
    let wasInTrouble = counters.troubles.contains(.store)
    let begun = Clock.now()
    do throws(StoreFault) {
      try outbox.startTransaction(isDurable: true)
      if stale.contains(where: { $0.path == settings.path }) { try outbox.forgetVisits() }
      for visit in recoveredVisits { try outbox.record(visit) }
      for fire in recoveredFires { try outbox.recordFire(fire) }
      for message in held.visits { try outbox.recordVisit(of: message, at: now) }
      for event in held.events where !event.isOnItsWay { try outbox.store(event.message.withoutVisit, at: now) }
      for message in batch { try outbox.store(message, at: now) }
      if !recoveredFires.isEmpty { outbox.knowFires() }
      // A transaction without a write would not touch the disk.
      if wasInTrouble { try outbox.mark("tried", now.at.microseconds) }
      recordLoss(of: try outbox.commit(), "the outbox is full: undelivered events were lost")
      if wasInTrouble { try outbox.age(at: now) }
    } catch {
      outbox.rollBack()
      return fail(error, at: now)
    }
    counters.eventsStored.add(batch.count)
    if areVisitsInMemory { staleDue = now.at }
    recoveredVisits.removeAll()
    recoveredFires.removeAll()
    stale.removeAll { $0.path == settings.path }
    forgetStaleVisits(at: now)
    held.stored()
    batch.removeAll(keepingCapacity: true)
    for index in queues.indices { queues[index].mayWait = true }
    retryDue = .never
    if wasInTrouble { logFile(.info, "the outbox can be written again", Path()) }
    counters.set(.store, false)
    counters.set(.slow, Clock.now() - begun > .seconds(1))
  }

  mutating func hold(_ message: Message, at now: Moment) {
    recordLoss(of: held.add(message, at: now), "too many events for the memory while the outbox cannot be written: some were lost")
  }

  func recordLoss(of count: Int, _ words: StaticString) {
    guard count > 0 else { return }
    if !counters.troubles.contains(.lost) { log(.error, Sentence(words)) }
    counters.set(.lost, true)
    counters.eventsLost.add(count)
  }

  private mutating func age(at now: Moment) {
    if now.at >= requeueDue {
      requeueDue = min(refusals.next(after: now.at), held.nextRetry(after: now.at))
      requeueRows()
    }
    guard now.at >= agingDue else { return }
    agingDue = now.at + min(settings.maxAge, .hours(1))
    // A page after the other: events are stored and sent between them.
    do throws(StoreFault) {
      if let outbox, try outbox.age(at: now) { agingDue = now.at + .seconds(1) }
    } catch { fail(error, at: now) }
    // SQLite numbers rows from 1 again if the table is empty.
    requeueRows()
  }
}
