import Core
import Host

/// Where the daemon's messages go: to the courier, or with `--print` line by line to standard output.
final class MessageSink {
  let messages: Ring<Message>
  /// Emptied before `messages`; nil with `--print`, where messages keep one order.
  let urgent: Ring<Message>?
  /// What the broker brings for the gateway, and for the process.
  let requests: Ring<Request>
  let courier: Courier?
  /// The courier's and the daemon's.
  let log: Log
  private var pendingSettings: PendingSettings
  private let thread: Thread?
  private let out: Output
  private let boot: Text<16>
  private let started: Instant
  private var patientFrom = Instant.zero
  /// In this turn.
  private var waited = Interval.zero
  /// Replies that found no room. Their requests are carried out: whoever repeats one is answered by its reply alone.
  private var lateReplies: [Message] = []

  static let bytes =
    Ring<Message>.bytes(for: Limits.messagesQueued) + Ring<Message>.bytes(for: Limits.urgentQueued)
    + Ring<Request>.bytes(for: Limits.requestsQueued) + Ring<CourierSettings>.bytes(for: settingsQueued)
  private static let settingsQueued = 4
  /// As many as the courier keeps.
  private static let repliesMost = 32

  init(
    _ configuration: borrowing Configuration, _ boot: Text<16>, started: Instant, _ bell: Doorbell, _ invocation: Invocation,
    in arena: inout Arena
  ) {
    messages = Ring(capacity: Limits.messagesQueued, in: &arena)
    requests = Ring(capacity: Limits.requestsQueued, in: &arena)
    let settings = Ring<CourierSettings>(capacity: Self.settingsQueued, in: &arena)
    pendingSettings = PendingSettings(settings)
    out = invocation.out
    log = Log(configuration.host.log)
    self.boot = boot
    self.started = started
    guard !invocation.has("print") else {
      (courier, thread, urgent) = (nil, nil, nil)
      return
    }
    let urgent = Ring<Message>(capacity: Limits.urgentQueued, in: &arena)
    self.urgent = urgent
    let courier = Courier(
      CourierSettings(configuration.core, configuration.host, boot: boot),
      Courier.Inlets(messages: [urgent, messages], settings: settings), toCore: Outlet(requests: requests, bell: bell),
      log: log.courier)
    self.courier = courier
    thread = courier.start()
  }

  /// Lets the courier take what is in the ring, which it does within milliseconds, or as fast as the disk takes it. If it takes nothing for
  /// two seconds, or all of a turn waits for ten, nobody waits for some seconds: the radios' packets and the watchdog do meanwhile.
  func makeRoom(in ring: Ring<Message>) {
    guard let courier else { return deliver() }
    let begun = Clock.now()
    guard begun >= patientFrom else { return }
    var (left, moved) = (ring.count, begun)
    while left > ring.capacity / 2 {
      courier.bell.ring()
      wait(-1, nil, forAtMost: .milliseconds(1))
      let now = Clock.now()
      if ring.count < left { (left, moved) = (ring.count, now) }
      if now - moved > .seconds(2) || waited + (now - begun) > .seconds(10) { return patientFrom = now + .seconds(5) }
    }
    waited = waited + (Clock.now() - begun)
  }

  /// Nobody reads what `--print` prints.
  var isClosed: Bool { courier == nil && out.isClosed }
  func isHung(at now: Instant) -> Bool { courier?.counters.isHung(at: now) ?? false }

  /// At the end of a turn: wakes the courier if there are messages, or prints them.
  func deliver() {
    waited = .zero
    while let reply = lateReplies.first, (urgent ?? messages).push(reply) == nil { lateReplies.removeFirst() }
    guard let courier else {
      while messages.take({ out.line($0, since: started) }) {}
      return out.flush()
    }
    if pendingSettings.retry() || messages.count > 0 || (urgent?.count ?? 0) > 0 { courier.bell.ring() }
  }

  /// For the daemon's own messages: they are few and must get through on a busy day, so they go with the urgent ones. False when full; a
  /// reply waits then for one of the next turns, and telemetry says all of it again the next time.
  func send(_ message: Message) -> Bool {
    guard (urgent ?? messages).push(message) != nil else { return true }
    guard message.care == .reply, lateReplies.count < Self.repliesMost else { return false }
    lateReplies.append(message)
    return true
  }

  func reload(_ configuration: borrowing Configuration) {
    pendingSettings.send(CourierSettings(configuration.core, configuration.host, boot: boot))
    courier?.bell.ring()
  }

  /// Delivers what is left within two seconds, then stops the courier.
  func close() {
    deliver()
    courier?.stop()
    thread?.join()
  }
}
