import Core

/// The courier's side of the outbox: events are stored in batches and handed out in order, those first that somebody waits for at a
/// pump. When the disk refuses, the newest are kept in memory and delivered from there, and the disk is asked again.
struct EventStore {
  /// An event ready to be published.
  struct Due {
    var publication: Publication
    var topic: Topic
    var payload: Payload
    var left: TimeLeft
  }

  /// Everything up to a row is on its way; whether something may wait behind it.
  struct Queue {
    var cursor: Int64 = 0
    var mayWait = true
  }

  let figures: CourierCounters
  let say: Say
  let machine = machineStart()
  private let boot: Text<16>
  private let isRehearsal: Bool
  private(set) var settings: OutboxSettings
  private var key: Text<512>
  private var signer: Signer?
  private(set) var outbox: Outbox?
  private var batch: [Message] = []
  var held = HeldEvents()
  /// What another file said was open, for this one.
  var carried: [Outbox.OpenVisit] = []
  /// What the run before left open, for whoever can end it; nil until the file was read.
  var unfinished: [Outbox.OpenVisit]?
  var refusals = RefusedRows()
  var file: UInt32 = 0
  var settlements: [(row: Int64, fate: Outbox.Fate)] = []
  var queues = [Queue(), Queue()]
  private var lookDue = Instant.zero
  var retryDue = Instant.never
  var recallDue = Instant.never
  var agingDue = Instant.zero

  init(_ settings: CourierSettings, _ figures: CourierCounters, say: @escaping Say) {
    self.settings = settings.outbox
    boot = settings.boot
    isRehearsal = settings.simulated
    key = settings.signingKey
    self.figures = figures
    self.say = say
    signer = Self.signer(settings, figures, say)
  }

  private static func signer(_ settings: CourierSettings, _ figures: CourierCounters, _ say: Say) -> Signer? {
    guard !settings.signingKey.isEmpty else { return nil }
    let signer = Signer(settings.signingKey)
    if signer == nil {
      say(.error, Sentence("signing_key_file holds no Ed25519 key (openssl genpkey -algorithm ed25519); events go unsigned"))
    }
    figures.set(.unsigned, signer == nil)
    return signer
  }

  // MARK: The file

  mutating func open(at now: Moment) {
    do throws(StoreFault) {
      let opened = try Outbox(settings, machine: machine)
      (opened.boot, opened.isRehearsal) = (boot, isRehearsal)
      outbox = opened
      file += 1
      // They name rows of the file before this one.
      settlements.removeAll()
      refusals.removeAll()
      recall()
      if unfinished == nil { unfinished = isRehearsal ? [] : try openVisits(of: opened) }
      retryDue = .never
      agingDue = now.at
      guard let name = opened.setAside else { return }
      figures.set(.setAside, true)
      tell(.error, "the outbox was damaged or of another version, and was set aside as", name)
    } catch { fail(error, at: now) }
  }

  mutating func close() { outbox = nil }

  mutating func adopt(_ new: CourierSettings, at now: Moment) {
    if key != new.signingKey { signer = Self.signer(new, figures, say) }
    key = new.signingKey
    let isElsewhere = settings.path != new.outbox.path
    settings = new.outbox
    if let outbox, !isElsewhere {
      outbox.settings = new.outbox
      agingDue = now.at
    } else if isElsewhere {
      outbox = nil
      open(at: now)
    }
  }

  mutating func fail(_ fault: StoreFault, at now: Moment) {
    figures.storeFailures.add()
    if !figures.troubles.contains(.store) {
      if fault.kind == .forbidden {
        let remedy = Path("chown \(userName) \(String(settings.path))*")
        tell(.error, "this user may not write the outbox; events are kept in memory only, and end with the gateway. Once as root:", remedy)
      } else {
        tell(.error, "the outbox cannot be used; events are kept in memory only. It says:", Path(fault.said.bytes))
      }
    }
    figures.set(.store, true)
    retryDue = now.at + .seconds(5)
    // The next opening sets the file aside.
    if fault.kind == .corrupt { outbox = nil }
  }

  func tell(_ severity: Severity, _ words: StaticString, _ more: Path) {
    var sentence = Sentence(settings.path.bytes)
    sentence.append(": ")
    sentence.append(words)
    sentence.append(" ")
    sentence.append(more)
    say(severity, sentence)
  }

  // MARK: Marks

  /// Without waiting for the disk: what it is for is an end of the program, not of the power.
  mutating func mark(_ name: StaticString, _ value: Int64) {
    guard let outbox, (try? outbox.marked(name)) ?? 0 != value else { return }
    do throws(StoreFault) {
      try outbox.beginSettling()
      try outbox.mark(name, value)
      try outbox.endSettling()
    } catch { outbox.rollBack() }
  }

  func marked(_ name: StaticString) -> Int64? { (try? outbox?.marked(name)) ?? nil }

  // MARK: In

  mutating func add(_ message: borrowing Message) {
    var message = copy message
    if let signer, !signer.sign(&message.payload) { figures.set(.unsigned, true) }
    batch.append(message)
  }

  /// Stores what was added, all in one go.
  mutating func keep(at now: Moment) {
    age(at: now)
    look(at: now)
    guard !batch.isEmpty || now.at >= retryDue else { return }
    if now.at >= retryDue || retryDue == .never {
      if outbox == nil { open(at: now) }
      if let outbox { write(to: outbox, at: now) }
    }
    for message in batch { hold(message, at: now) }
    batch.removeAll(keepingCapacity: true)
    figures.eventsWaiting.set((outbox?.waiting ?? 0) + held.count)
  }

  /// Now and then, and before each writing: whoever deletes or damages the file does not tell us.
  private mutating func look(at now: Moment) {
    guard let outbox, !batch.isEmpty || now.at >= lookDue else { return }
    lookDue = now.at + .seconds(1)
    guard !outbox.isUntouched else { return }
    salvage(from: outbox, at: now)
    self.outbox = nil
    if Files.exists(settings.path) {
      tell(.error, "somebody changed the outbox while it was in use. It was set aside as", Outbox.rename(settings.path))
    } else {
      tell(.error, "somebody deleted the outbox while it was in use. What waited is stored anew; its history is gone", Path())
    }
    figures.set(.touched, true)
    open(at: now)
    retryDue = min(retryDue, now.at)
  }

  private mutating func write(to outbox: Outbox, at now: Moment) {
    let wasInTrouble = figures.troubles.contains(.store)
    let begun = Clock.now()
    do throws(StoreFault) {
      try outbox.begin()
      for visit in carried { try outbox.keep(visit) }
      for message in held.notes { try outbox.note(message, at: now) }
      for event in held.events where !event.isOnItsWay { try outbox.store(event.late(at: now.at), at: now) }
      for message in batch { try outbox.store(message, at: now) }
      // A transaction that writes nothing asks nothing of the disk.
      if wasInTrouble { try outbox.mark("tried", now.at.microseconds) }
      lose(try outbox.commit(), "the outbox is full: undelivered events were lost")
      if wasInTrouble { try outbox.age(at: now) }
    } catch {
      outbox.rollBack()
      return fail(error, at: now)
    }
    figures.eventsStored.add(batch.count)
    carried.removeAll()
    held.stored()
    batch.removeAll(keepingCapacity: true)
    for index in queues.indices { queues[index].mayWait = true }
    retryDue = .never
    if wasInTrouble { tell(.info, "the outbox can be written again", Path()) }
    figures.set(.store, false)
    figures.set(.slow, Clock.now() - begun > .seconds(1))
  }

  mutating func hold(_ message: Message, at now: Moment) {
    lose(held.add(message, at: now), "too many events for the memory while the outbox cannot be written: some were lost")
  }

  func lose(_ count: Int, _ words: StaticString) {
    guard count > 0 else { return }
    if !figures.troubles.contains(.lost) { say(.error, Sentence(words)) }
    figures.set(.lost, true)
    figures.eventsLost.add(count)
  }

  private mutating func age(at now: Moment) {
    if now.at >= recallDue {
      recallDue = min(refusals.next(after: now.at), held.nextRested(after: now.at))
      recallRows()
    }
    guard now.at >= agingDue else { return }
    agingDue = now.at + .hours(1)
    do throws(StoreFault) { try outbox?.age(at: now) } catch { fail(error, at: now) }
    // Where nothing is left in the file SQLite counts from one again.
    recallRows()
  }
}
