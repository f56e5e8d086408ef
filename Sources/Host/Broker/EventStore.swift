import Core

/// The courier's side of the outbox: events are stored in batches and handed out in order. When the disk refuses, the newest are
/// kept in memory and delivered from there, and the disk is asked again.
struct EventStore {
  /// An event ready to be published.
  struct Ready {
    var delivery: Delivery
    var topic: Topic
    var payload: Payload
    var left: TimeLeft
  }

  private struct Held {
    enum Standing { case waiting, onItsWay, refused }

    var number: UInt64
    var until: Instant
    var standing = Standing.waiting
    var message: Message

    /// As it is stored late: its time has been running since it was held.
    func late(at now: Instant) -> Message {
      var message = message
      message.at = now
      message.expires = until
      return message
    }
  }

  /// A minute of a busy forecourt.
  private static let heldMost = 256

  private let figures: CourierFigures
  private let say: Say
  private let machine = machineStart()
  private var settings: Outbox.Settings
  private var key: Text<512>
  private var signer: Signer?
  private var outbox: Outbox?
  private var batch: [Message] = []
  private var held: [Held] = []
  private var heldEver: UInt64 = 0
  private var file: UInt32 = 0
  private var settlements: [(row: Int64, fate: Outbox.Fate)] = []
  /// Everything up to this row is on its way.
  private var cursor: Int64 = 0
  private var mayWait = true
  private var retryDue = Instant.never
  private var recallDue = Instant.never
  private var agingDue = Instant.zero

  init(_ settings: CourierSettings, _ figures: CourierFigures, say: @escaping Say) {
    self.settings = settings.outbox
    key = settings.signingKey
    self.figures = figures
    self.say = say
    signer = Self.signer(settings, figures, say)
  }

  private static func signer(_ settings: CourierSettings, _ figures: CourierFigures, _ say: Say) -> Signer? {
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
      outbox = opened
      file += 1
      // They name rows of the file before this one.
      settlements.removeAll()
      recall()
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

  private mutating func fail(_ fault: StoreFault, at now: Moment) {
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

  private func tell(_ severity: Severity, _ words: StaticString, _ more: Path) {
    var sentence = Sentence(settings.path.bytes)
    sentence.append(": ")
    sentence.append(words)
    sentence.append(" ")
    sentence.append(more)
    say(severity, sentence)
  }

  // MARK: In

  mutating func add(_ message: borrowing Message) {
    var message = copy message
    if let signer, !signer.sign(&message.payload) { figures.set(.unsigned, true) }
    batch.append(message)
  }

  /// Stores what was added, all in one go.
  mutating func keep(at now: Moment) {
    age(at: now)
    guard !batch.isEmpty || now.at >= retryDue else { return }
    if now.at >= retryDue || retryDue == .never {
      if outbox == nil { open(at: now) }
      if let outbox { write(to: outbox, at: now) }
    }
    for message in batch { hold(message, at: now) }
    batch.removeAll(keepingCapacity: true)
    figures.eventsWaiting.set((outbox?.waiting ?? 0) + held.count)
  }

  private mutating func write(to outbox: Outbox, at now: Moment) {
    do throws(StoreFault) {
      try outbox.begin()
      for event in held where event.standing != .onItsWay { try outbox.store(event.late(at: now.at), at: now) }
      for message in batch { try outbox.store(message, at: now) }
      lose(try outbox.commit(), "the outbox is full: undelivered events were lost")
    } catch {
      outbox.rollBack()
      return fail(error, at: now)
    }
    figures.eventsStored.add(batch.count)
    held.removeAll { $0.standing != .onItsWay }
    batch.removeAll(keepingCapacity: true)
    mayWait = true
    retryDue = .never
    if figures.troubles.contains(.store) { tell(.info, "the outbox can be written again", Path()) }
    figures.set(.store, false)
  }

  private mutating func hold(_ message: Message, at now: Moment) {
    heldEver += 1
    if held.count == Self.heldMost {
      held.removeFirst()
      lose(1, "too many events for the memory while the outbox cannot be written: some were lost")
    }
    let until = message.expires == .never ? Instant.never : now.at + (message.expires - message.at)
    held.append(Held(number: heldEver, until: until, message: message))
  }

  private func lose(_ count: Int, _ words: StaticString) {
    guard count > 0 else { return }
    if !figures.troubles.contains(.lost) { say(.error, Sentence(words)) }
    figures.set(.lost, true)
    figures.eventsLost.add(count)
  }

  private mutating func age(at now: Moment) {
    if now.at >= recallDue {
      recallDue = .never
      recallRows()
      for index in held.indices where held[index].standing == .refused { held[index].standing = .waiting }
    }
    guard now.at >= agingDue else { return }
    agingDue = now.at + .hours(1)
    do throws(StoreFault) { try outbox?.age(at: now) } catch { fail(error, at: now) }
    // Where nothing is left in the file SQLite counts from one again.
    recallRows()
  }

  // MARK: Out

  var nextDue: Instant { min(retryDue, min(recallDue, agingDue)) }
  var isAllSent: Bool { !mayWait && !held.contains { $0.standing == .waiting } }

  /// The oldest event that is not on its way. Those whose time is over become history.
  mutating func next(besides inFlight: borrowing InFlight, at now: Moment) -> Ready? {
    do throws(StoreFault) {
      while mayWait, let outbox {
        guard let event = try outbox.next(after: cursor, at: now) else {
          mayWait = false
          break
        }
        let isSettled = settlements.contains { $0.row == event.row }
        let isOnItsWay = inFlight.holds(row: event.row, file: file)
        if !isSettled && !isOnItsWay && !event.left.isOver && event.left != .untold {
          return Ready(delivery: .event(row: event.row, file: file), topic: event.topic, payload: event.payload, left: event.left)
        }
        cursor = event.row
        if event.left.isOver && !isSettled { settlements.append((event.row, .expired)) }
        if event.left == .untold { recallDue = min(recallDue, now.at + .seconds(5)) }
      }
    } catch {
      mayWait = false
      fail(error, at: now)
    }
    return nextHeld(at: now.at)
  }

  private mutating func nextHeld(at now: Instant) -> Ready? {
    let before = held.count
    held.removeAll { $0.standing != .onItsWay && $0.until <= now }
    figures.eventsExpired.add(before - held.count)
    guard let event = held.first(where: { $0.standing == .waiting }) else { return nil }
    let left = event.until == .never ? TimeLeft.unlimited : .span(event.until - now)
    return Ready(delivery: .held(number: event.number), topic: event.message.topic, payload: event.message.payload, left: left)
  }

  mutating func sent(_ delivery: Delivery) {
    switch delivery {
    case .event(let row, _): cursor = row
    case .held(let number): stand(.onItsWay, number)
    case .state, .reply: break
    }
  }

  mutating func acknowledge(_ delivery: Delivery) {
    switch delivery {
    case .event(let row, file): settlements.append((row, .delivered))
    case .held(let number):
      held.removeAll { $0.number == number }
      figures.eventsDelivered.add()
    case .event, .state, .reply: break
    }
  }

  /// Kept, and tried again in a minute: an ACL can be mended.
  mutating func refuse(_ delivery: Delivery, at now: Instant) {
    recallDue = min(recallDue, now + .seconds(60))
    if case .held(let number) = delivery { stand(.refused, number) }
  }

  private mutating func stand(_ standing: Held.Standing, _ number: UInt64) {
    for index in held.indices where held[index].number == number { held[index].standing = standing }
  }

  /// The connection went, and with it all that was on its way.
  mutating func recall() {
    recallRows()
    for index in held.indices { held[index].standing = .waiting }
  }

  private mutating func recallRows() {
    cursor = 0
    mayWait = true
  }

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
    for (_, fate) in settlements { if fate == .delivered { figures.eventsDelivered.add() } else { figures.eventsExpired.add() } }
    settlements.removeAll(keepingCapacity: true)
    figures.eventsWaiting.set(outbox.waiting + held.count)
  }
}
