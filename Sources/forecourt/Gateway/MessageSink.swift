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
  private var pendingSettings: PendingSettings
  private let thread: Thread?
  private let out: Output
  private let boot: Text<16>
  private let started: Instant
  private var patientFrom = Instant.zero

  static let bytes =
    Ring<Message>.bytes(for: Limits.messagesQueued) + Ring<Message>.bytes(for: Limits.urgentQueued)
    + Ring<Request>.bytes(for: Limits.requestsQueued) + Ring<Courier.Order>.bytes(for: ordersQueued)
  private static let ordersQueued = 4

  init(
    _ configuration: borrowing Configuration, _ boot: Text<16>, started: Instant, _ bell: Doorbell, _ invocation: Invocation,
    in arena: inout Arena
  ) {
    messages = Ring(capacity: Limits.messagesQueued, in: &arena)
    requests = Ring(capacity: Limits.requestsQueued, in: &arena)
    let orders = Ring<Courier.Order>(capacity: Self.ordersQueued, in: &arena)
    pendingSettings = PendingSettings(orders)
    out = invocation.out
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
      Courier.Inlets(messages: [urgent, messages], orders: orders), toCore: Outlet(requests: requests, bell: bell),
      log: Log(configuration.host.log).courier)
    self.courier = courier
    thread = courier.start()
  }

  /// Lets the courier take what is in the ring, which it does within milliseconds. If it takes nothing for a quarter of a second its disk
  /// hangs: then nobody waits for it for some seconds, because the radios' packets wait meanwhile.
  func makeRoom(in ring: Ring<Message>) {
    guard let courier else { return deliver() }
    var (left, since) = (ring.count, Clock.now())
    guard since >= patientFrom else { return }
    while left > ring.capacity / 2 {
      courier.bell.ring()
      wait(-1, nil, forAtMost: .milliseconds(1))
      if ring.count < left { (left, since) = (ring.count, Clock.now()) }
      if Clock.now() - since > .milliseconds(250) { return patientFrom = Clock.now() + .seconds(5) }
    }
  }

  /// At the end of a turn: wakes the courier if there are messages, or prints them.
  func deliver() {
    guard let courier else {
      while messages.take({ out.line($0, since: started) }) {}
      return out.flush()
    }
    if pendingSettings.retry() || messages.count > 0 || (urgent?.count ?? 0) > 0 { courier.bell.ring() }
  }

  /// For the daemon's own messages: they are few and must get through on a busy day, so they go with the urgent ones. False when full.
  func send(_ message: Message) -> Bool { (urgent ?? messages).push(message) == nil }

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
