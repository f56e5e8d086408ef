import Core
import Host

/// Where messages go: to the courier, or line by line to standard output.
final class MessageSink {
  let messages: Ring<Message>
  /// What goes before them; nil where all goes in one order, to be read.
  let urgent: Ring<Message>?
  /// What the broker asks of us.
  let requests: Ring<Request>
  let courier: Courier?
  private var pendingSettings: PendingSettings
  private let thread: Thread?
  private let out: Output
  private let started: Instant

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

  /// The end of a turn: whoever carries the messages is woken, if there are any.
  func carry() {
    guard let courier else {
      while messages.take({ out.line($0, since: started) }) {}
      return out.flush()
    }
    if pendingSettings.retry() || messages.count > 0 || (urgent?.count ?? 0) > 0 { courier.bell.ring() }
  }

  /// What the process itself says is little, and must come through when much is going on. False when there was no room for it.
  func send(_ message: Message) -> Bool { (urgent ?? messages).push(message) == nil }

  func adopt(_ settings: CourierSettings) {
    pendingSettings.send(settings)
    courier?.bell.ring()
  }

  /// Everything that is owed is delivered first, within two seconds.
  func close() {
    carry()
    courier?.stop()
    thread?.join()
  }
}
