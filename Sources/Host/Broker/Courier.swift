import CLinux
package import Core
import Synchronization

/// Carries Core's messages to the broker, and the broker's messages to Core. One thread, one `poll`.
///
/// It empties the rings of messages, stores events before anything else, and sends what the broker has not acknowledged. While the broker
/// is away it goes on storing, and retries with growing pauses. It sleeps until something happens.
package final class Courier: @unchecked Sendable {
  /// What the other threads push: each ring has one producer, and the first ring goes first. After pushing, a producer rings `bell` once.
  package struct Inlets: Sendable {
    package var messages: [Ring<Message>]
    package var settings: Ring<CourierSettings>

    package init(messages: [Ring<Message>], settings: Ring<CourierSettings>) {
      self.messages = messages
      self.settings = settings
    }
  }

  package let bell = Doorbell()
  package let counters: CourierCounters

  let log: CourierLog
  let client: MQTTClient
  let dialer: Dialer
  let intake: Intake
  let inlets: Inlets
  private let toCore: Outlet
  private(set) var isUnfinishedSent = false

  var settings: CourierSettings
  var topics: Topics
  var line = Line.down(until: .zero)
  var backoff: Backoff
  var keepaliveDue = Instant.never
  var refreshDue = Instant.never
  var hasOldCall = false
  /// The broker has refused a subscription.
  var isDeaf = false
  /// When that is tried again; and since the last try, when it counts as taken.
  var deafUntil = Instant.never
  var isSubscribedAgain = false
  var lastComplaint = Sentence()
  /// How many connections in a row were lost within seconds.
  var shortConnections = 0
  /// How many of the last ones ended while one message was on its way alone.
  var suspicions = 0
  var suspect: Publication?
  /// The broker has ended a connection because of a message, as MQTT 3.1.1 (3.3.5) lets it refuse one.
  var isCutOff = false

  var gathering = Gathering.broker
  var trials = SubscriptionTrials()
  /// Until then what was read may end the program, and the subscription on trial is to blame; never: nothing was.
  var acquittalDue = Instant.never
  var store: EventStore
  var retained = RetainedMessages()
  var replies: [PendingReply] = []
  /// Not in the ring of settings, which may be full.
  let isStopping = Atomic<Bool>(false)
  var ending = Ending.no
  /// The last status is on its way before DISCONNECT, which makes the broker forget our will.
  var mayDisconnect = true
  /// Whether this turn may still wait for the network to take more.
  var isPatient = true
  var fleeting = FleetingTrials()

  /// The way to the broker.
  enum Line {
    case down(until: Instant)
    case dialing
    /// Connected, but the broker has not answered CONNECT.
    case greeting(until: Instant)
    case up(since: Instant)

    var isConnected: Bool {
      switch self {
      case .down, .dialing: false
      case .greeting, .up: true
      }
    }
  }

  struct PendingReply {
    var message: Message
    var isSent = false
  }

  enum Ending {
    case no
    case delivering(until: Instant)
    case sayingGoodbye(until: Instant)
    case ended
  }

  @export(interface) package init(_ settings: CourierSettings, _ inlets: Inlets, toCore: Outlet, log: @escaping CourierLog) {
    self.settings = settings
    self.inlets = inlets
    self.toCore = toCore
    self.log = log
    topics = settings.topics
    counters = CourierCounters(ringing: toCore.bell)
    let intake = Intake(settings, toCore: toCore, counters, log: log)
    self.intake = intake
    client = MQTTClient { intake.receive($0, $1, isRetained: $2, left: $3) }
    dialer = Dialer(client, waking: bell)
    backoff = Backoff(seed: SystemRandom.word())
    store = EventStore(settings, counters, log: log)
    // OpenSSL writes to sockets that may be gone.
    linux_ignore_broken_pipes()
  }

  @export(interface) package func start() -> Thread { Thread("courier") { self.run() } }

  /// Any thread: store and deliver everything, disconnect, and end, within two seconds.
  package func stop() {
    isStopping.store(true, ordering: .releasing)
    bell.ring()
  }

  /// Returns after `stop`.
  @export(interface) package func run() {
    counters.set(.insecure, settings.broker.usesTLS && settings.broker.isInsecure)
    if settings.broker.usesTLS && settings.broker.isInsecure { log(.warning, Sentence("tls_insecure: the broker's name is not checked")) }
    counters.isBusy(since: Clock.now())
    store.open(at: .now())
    restoreTrials()
    var ready = Ready()
    while true {
      let now = Moment.now()
      counters.isBusy(since: now.at)
      takeSettings(at: now)
      sendUnfinished(at: now)
      if intake.holdsStatuses { intake.ring() }
      advanceLine(ready, at: now.at)
      receiveAcknowledgements(at: now)
      collect(at: now)
      deliver(at: now)
      checkLine(at: now.at)
      advanceEnding(at: now.at)
      if case .ended = ending { break }
      ready = sleep(since: now.at)
    }
    store.close()
  }

  // MARK: In

  private func collect(at now: Moment) {
    isPatient = true
    for inlet in inlets.messages {
      // Only what was there at the start: a flood must not keep the network waiting.
      var left = inlet.count
      while left > 0 {
        let burst = min(left, Self.burst)
        if burst > 1, isTalking { client.gather() }
        for _ in 0..<burst { _ = inlet.take { accept($0, at: now) } }
        if isTalking { client.release() }
        left -= burst
      }
    }
    for message in intake.takeReplies() { accept(message, at: now) }
    store.flush(at: now)
  }

  /// So many go in one batch: less than the network may hold unsent.
  private static let burst = 64

  private func accept(_ message: borrowing Message, at now: Moment) {
    guard message.isForSite, !settings.siteKeys.isEmpty else { return accept(asItIs: message, at: now) }
    var proven = copy message
    // Without the proof every neighbour would ignore it.
    guard settings.siteKeys.prove(message.topic.bytes, &proven.payload) else { return counters.oversized.add() }
    accept(asItIs: proven, at: now)
  }

  private func accept(asItIs message: borrowing Message, at now: Moment) {
    let (payload, topic) = (message.payload.overflowed, message.topic.overflowed)
    guard !payload, !topic else { return counters.oversized.add() }
    switch message.care {
    case .fleeting: pass(message)
    case .state: if !retained.put(copy message, at: now.at) { counters.statesUnkept.add() }
    case .event: store.add(message)
    case .reply:
      intake.record(message)
      if replies.count == Self.repliesMost {
        replies.removeFirst()
        counters.repliesDropped.add()
      }
      replies.append(PendingReply(message: copy message))
    }
  }

  private static let repliesMost = 32

  /// Visits that the previous run started and did not end: the core thread ends or continues them.
  private func sendUnfinished(at now: Moment) {
    guard !isUnfinishedSent || !store.recentFires.isEmpty else { return }
    while toCore.requests.count < toCore.requests.capacity / 2, let fire = store.recentFires.popLast() {
      _ = toCore.requests.push(.fired(fire))
    }
    guard !isUnfinishedSent else { return toCore.bell.ring() }
    while toCore.requests.count < toCore.requests.capacity / 2, let visit = store.takeUnfinished(at: now) {
      let since = visit.since(store.machine, at: now)
      let left = Unfinished(topic: visit.topic, id: visit.id, since: since, vouchedLevel: visit.vouchedLevel)
      _ = toCore.requests.push(.unfinished(left))
    }
    if store.recentFires.isEmpty, store.isUnfinishedTaken, toCore.requests.push(.caughtUp) == nil { isUnfinishedSent = true }
    toCore.bell.ring()
  }

  // MARK: New settings, and the end

  private func takeSettings(at now: Moment) {
    while let settings = inlets.settings.pop() { reload(settings, at: now) }
    if case .no = ending, isStopping.load(ordering: .acquiring) {
      ending = .delivering(until: now.at + Self.patience)
      store.retryNow(at: now)
    }
  }

  /// How long an end may wait for the broker's acknowledgements. Stopping may take two seconds, and a busy board needs the rest of them.
  private static let patience = Interval.seconds(1)

  /// Stopping: first everything unacknowledged, then the last status, then DISCONNECT.
  private func advanceEnding(at now: Instant) {
    switch ending {
    case .no, .ended: break
    case .delivering(let until):
      guard case .up = line else { return ending = .ended }
      guard isAllDelivered || now >= until else { return }
      sendFarewell(farewell("stopped"), at: now)
      ending = .sayingGoodbye(until: now + .milliseconds(300))
    case .sayingGoodbye(let until):
      if case .up = line, !isAllDelivered, now < until { return }
      hangUp()
      ending = .ended
    }
  }

  /// The last status, or the will.
  func farewell(_ reason: StaticString) -> Message {
    var message = Message.offline(reason, topics: topics, boot: settings.boot, simulated: settings.simulated)
    if !settings.siteKeys.isEmpty { _ = settings.siteKeys.prove(message.topic.bytes, &message.payload) }
    return message
  }

  /// Past all that waits: one place in flight is free for it. If not, the broker does not have it yet, and publishes our will instead.
  func sendFarewell(_ message: borrowing Message, at now: Instant) {
    guard case .up = line else { return }
    mayDisconnect = client.inFlight.room > 0
    let isRetained = settings.retains
    _ = try? client.publish(message.topic, message.payload.bytes, isRetained: isRetained, lasting: nil, as: .reply(number: 0), at: now)
  }

  private var isAllDelivered: Bool {
    client.inFlight.isEmpty && store.isAllSent(at: Clock.now()) && retained.unsent == 0 && client.news.unwritten == 0
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
