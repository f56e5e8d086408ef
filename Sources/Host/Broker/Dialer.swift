import Synchronization

/// Connects on a thread of its own: resolving a name or connecting may take minutes, and the courier has events to store.
///
/// The client belongs to the dialer's thread from `dial` until `outcome` gives an answer, and to the courier's otherwise.
final class Dialer: @unchecked Sendable {
  private enum Call: UInt8, AtomicRepresentable { case none, wanted, placed }

  enum Outcome {
    case connected
    case failed(MQTTFault)
  }

  private let client: MQTTClient
  private let courier: Doorbell
  private let bell = Doorbell()
  private let call = Atomic<Call>(.none)
  /// Written before `call` says placed, read after.
  private var fault: MQTTFault?

  init(_ client: MQTTClient, waking courier: Doorbell) {
    self.client = client
    self.courier = courier
    _ = Thread("dialer") { self.serve() }
  }

  var hasOutcome: Bool { call.load(ordering: .acquiring) == .placed }

  func dial() {
    call.store(.wanted, ordering: .releasing)
    bell.ring()
  }

  /// Once per `dial`.
  func outcome() -> Outcome? {
    guard hasOutcome else { return nil }
    let fault = fault
    call.store(.none, ordering: .releasing)
    if let fault { return .failed(fault) }
    return .connected
  }

  /// Never returns: the process ends without waiting for a name server.
  private func serve() {
    while true {
      bell.willSleep()
      if call.load(ordering: .acquiring) != .wanted { wait(bell.descriptor, nil, forAtMost: nil) }
      bell.didWake()
      guard call.load(ordering: .acquiring) == .wanted else { continue }
      fault = client.dial()
      call.store(.placed, ordering: .releasing)
      courier.ring()
    }
  }
}
