import CLinux
package import Core
import Synchronization

/// Carries what Core has to tell to the broker, and what the broker has to ask to Core. One thread, one `poll`.
///
/// It empties the rings of messages, stores events before anything else happens to them, and delivers what the broker is owed;
/// while the broker is away it goes on storing, and tries again with ever longer pauses. It sleeps until something happens.
package final class Courier: @unchecked Sendable {
  package enum Order: BitwiseCopyable, Sendable { case adopt(CourierSettings) }

  /// What the other threads give: rings filled by one thread each, those first that go first. Who has pushed rings `bell`, once for all
  /// that was pushed.
  package struct Inlets: Sendable {
    package var messages: [Ring<Message>]
    package var orders: Ring<Order>

    package init(messages: [Ring<Message>], orders: Ring<Order>) {
      self.messages = messages
      self.orders = orders
    }
  }

  package let bell = Doorbell()
  package let figures: CourierCounters

  let say: Say
  let link: MQTTClient
  let dialer: Dialer
  let intake: Intake
  private let inlets: Inlets
  private let toCore: Outlet
  private var hasToldThePast = false

  var settings: CourierSettings
  var topics: Topics
  var line = Line.down(until: .zero)
  var backoff: Backoff
  var keepaliveDue = Instant.never
  var hasOldCall = false
  /// The broker refuses a subscription.
  var isDeaf = false
  var lastComplaint = Sentence()
  /// How many connections in a row were lost as soon as they were made.
  var briefly = 0

  var probation = Probation()
  var store: EventStore
  var retained = RetainedMessages()
  var replies: [PendingReply] = []
  /// Not an order like others: a ring may be full.
  private let isStopping = Atomic<Bool>(false)
  private var ending = Ending.no
  /// Whether this turn may still wait for the network to take more.
  private var isPatient = true

  /// The way to the broker.
  enum Line {
    case down(until: Instant)
    case dialing
    /// Connected, but the broker has not answered our greeting.
    case greeting(until: Instant)
    case up(since: Instant)
  }

  struct PendingReply {
    var message: Message
    var isSent = false
  }

  private enum Ending {
    case no
    case delivering(until: Instant)
    case sayingGoodbye(until: Instant)
    case ended
  }

  @export(interface) package init(_ settings: CourierSettings, _ inlets: Inlets, toCore: Outlet, say: @escaping Say) {
    self.settings = settings
    self.inlets = inlets
    self.toCore = toCore
    self.say = say
    topics = settings.topics
    figures = CourierCounters(ringing: toCore.bell)
    let intake = Intake(settings, toCore: toCore, figures, say: say)
    self.intake = intake
    link = MQTTClient { intake.receive($0, $1, isRetained: $2, left: $3) }
    dialer = Dialer(link, waking: bell)
    backoff = Backoff(seed: SystemRandom.word())
    store = EventStore(settings, figures, say: say)
    // OpenSSL writes to sockets that may be gone.
    linux_ignore_broken_pipes()
  }

  @export(interface) package func start() -> Thread { Thread("courier") { self.run() } }

  /// Any thread: store and deliver what is there, say goodbye, and end, within two seconds.
  package func stop() {
    isStopping.store(true, ordering: .releasing)
    bell.ring()
  }

  /// Until told to stop.
  @export(interface) package func run() {
    figures.set(.insecure, settings.broker.usesTLS && settings.broker.isInsecure)
    if settings.broker.usesTLS && settings.broker.isInsecure { say(.warning, Sentence("tls_insecure: the broker's name is not checked")) }
    store.open(at: .now())
    recallProbation()
    var ready = Ready()
    while true {
      let now = Moment.now()
      obey(at: now)
      tellThePast(at: now)
      converse(ready, at: now.at)
      collect(at: now)
      settle(at: now)
      deliver(at: now)
      audit(at: now.at)
      hurry(at: now.at)
      if case .ended = ending { break }
      ready = sleep(since: now.at)
    }
    store.close()
  }

  // MARK: Sleep

  private func sleep(since now: Instant) -> Ready {
    bell.settle()
    defer {
      bell.rise()
      figures.wakeUps.add()
    }
    let isToStop = if case .no = ending { isStopping.load(ordering: .acquiring) } else { false }
    let isIdle = !isToStop && inlets.orders.count == 0 && !inlets.messages.contains { $0.count > 0 } && !dialer.hasOutcome
    let awaited = isTalking ? Awaited(link.descriptor, toWrite: link.wantsToWrite) : nil
    let due = isIdle ? nextDue : now
    return wait(bell.descriptor, awaited, forAtMost: due == .never ? nil : due - Clock.now())
  }

  private var nextDue: Instant {
    var due = min(store.nextDue, keepaliveDue)
    if !isPastTold { due = min(due, Clock.now() + .milliseconds(50)) }
    switch line {
    case .down(let until), .greeting(let until): due = min(due, until)
    case .dialing: break
    case .up: due = min(due, min(overdue ?? .never, min(probation.due, retained.nextRested(after: Clock.now()))))
    }
    switch ending {
    case .delivering(let until), .sayingGoodbye(let until): due = min(due, until)
    case .no, .ended: break
    }
    return due
  }

  // MARK: In

  private func collect(at now: Moment) {
    isPatient = true
    for inlet in inlets.messages {
      // Not more than there were: a flood must not keep the network waiting.
      var left = inlet.count
      while left > 0 {
        let burst = min(left, Self.burst)
        if burst > 1, isTalking { link.gather() }
        for _ in 0..<burst { _ = inlet.take { accept($0, at: now) } }
        if isTalking { link.release() }
        left -= burst
      }
    }
    for message in intake.takeReplies() { accept(message, at: now) }
    store.keep(at: now)
  }

  /// So many go together: less than the network may hold unsent.
  private static let burst = 64

  private func accept(_ message: borrowing Message, at now: Moment) {
    guard message.isForSite, !settings.siteKeys.isEmpty else { return accept(asItIs: message, at: now) }
    var proven = copy message
    // Unproven it would be believed by nobody.
    guard settings.siteKeys.prove(message.topic.bytes, &proven.payload) else { return figures.oversized.add() }
    accept(asItIs: proven, at: now)
  }

  private func accept(asItIs message: borrowing Message, at now: Moment) {
    let (payload, topic) = (message.payload.overflowed, message.topic.overflowed)
    guard !payload, !topic else { return figures.oversized.add() }
    switch message.care {
    case .fleeting: pass(message)
    case .state: if !retained.put(copy message, at: now.at) { figures.statesUnkept.add() }
    case .event: store.add(message)
    case .reply:
      intake.remember(message)
      if replies.count == Self.repliesMost {
        replies.removeFirst()
        figures.repliesDropped.add()
      }
      replies.append(PendingReply(message: copy message))
    }
  }

  private static let repliesMost = 32

  /// What is only worth having now goes at once or not at all.
  private func pass(_ message: borrowing Message) {
    guard case .up = line else { return figures.droppedOffline.add() }
    do {
      if link.news.unwritten >= Self.unwrittenMost { try waitForRoom() }
      guard link.news.unwritten < Self.unwrittenMost else { return figures.droppedBusy.add() }
      try link.publish(message.topic, message.payload.bytes)
      figures.published.add()
    } catch {
      figures.droppedBusy.add()
    }
  }

  /// Once a turn, and not for long: events may stand behind this one in the ring.
  private func waitForRoom() throws(MQTTFault) {
    guard isPatient else { return }
    // On a line that is gone no message waits again: a ring full of them would keep that from being noticed for a second.
    isPatient = false
    wait(-1, Awaited(link.descriptor, toWrite: true), forAtMost: .milliseconds(2))
    try link.write()
    isPatient = link.news.unwritten < Self.unwrittenMost
  }

  /// What may wait in our own memory for a network that is slower than the air for a moment: 60 KB.
  private static let unwrittenMost = 256

  /// What the run before began and did not end is the core thread's to end, or to go on with.
  private func tellThePast(at now: Moment) {
    guard !isPastTold else { return }
    while let visit = store.unfinished?.last, toCore.requests.count < toCore.requests.capacity / 2 {
      let left = Unfinished(topic: visit.topic, id: visit.id, since: visit.since(store.machine, at: now))
      _ = toCore.requests.push(.unfinished(left))
      store.unfinished?.removeLast()
    }
    if store.unfinished?.isEmpty ?? true, !hasToldThePast, toCore.requests.push(.caughtUp) == nil { hasToldThePast = true }
    toCore.bell.ring()
  }

  private var isPastTold: Bool { hasToldThePast && store.unfinished?.isEmpty ?? true }

  // MARK: Orders

  private func obey(at now: Moment) {
    while let order = inlets.orders.pop() {
      switch order {
      case .adopt(let settings): adopt(settings, at: now)
      }
    }
    if case .no = ending, isStopping.load(ordering: .acquiring) { ending = .delivering(until: now.at + Self.patience) }
  }

  /// How long an end may wait for the broker's acknowledgements, within the two seconds that stopping may take.
  private static let patience = Interval.seconds(1.3)

  /// On the way out: first everything that is owed, then the last word, then goodbye.
  private func hurry(at now: Instant) {
    switch ending {
    case .no, .ended: break
    case .delivering(let until):
      guard case .up = line else { return ending = .ended }
      guard isAllDelivered || now >= until else { return }
      _ = retained.put(farewell("stopped"), at: now)
      deliver(at: .now())
      ending = .sayingGoodbye(until: now + .milliseconds(300))
    case .sayingGoodbye(let until):
      if case .up = line, !isAllDelivered, now < until { return }
      hangUp()
      ending = .ended
    }
  }

  /// The last word, or the will.
  func farewell(_ reason: StaticString) -> Message {
    var message = Message.offline(reason, topics: topics, boot: settings.boot, simulated: settings.simulated)
    if !settings.siteKeys.isEmpty { _ = settings.siteKeys.prove(message.topic.bytes, &message.payload) }
    return message
  }

  private var isAllDelivered: Bool {
    link.inFlight.isEmpty && store.isAllSent(at: Clock.now()) && retained.unsent == 0 && link.news.unwritten == 0
  }
}

/// Where requests go: the ring to the core thread, and its doorbell.
package struct Outlet: Sendable {
  package var requests: Ring<Request>
  package var bell: Doorbell

  package init(requests: Ring<Request>, bell: Doorbell) {
    self.requests = requests
    self.bell = bell
  }
}
