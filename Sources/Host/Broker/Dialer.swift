import Synchronization

/// Places calls on a thread of its own: looking up a name or connecting may take minutes, and the courier has events to store.
///
/// The link belongs to the dialer's thread from `dial` until `outcome` gives an answer, and to the courier's otherwise.
final class Dialer: @unchecked Sendable {
  private enum Call: UInt8, AtomicRepresentable { case none, wanted, placed }

  enum Outcome {
    case connected
    case failed(MQTTFault)
  }

  private let link: MQTTClient
  private let courier: Doorbell
  private let bell = Doorbell()
  private let call = Atomic<Call>(.none)
  /// Written before `call` says placed, read after.
  private var fault: MQTTFault?

  init(_ link: MQTTClient, waking courier: Doorbell) {
    self.link = link
    self.courier = courier
    _ = Thread("dialer") { self.serve() }
  }

  var hasOutcome: Bool { call.load(ordering: .acquiring) == .placed }

  func dial() {
    call.store(.wanted, ordering: .releasing)
    bell.ring()
  }

  /// Once per call.
  func outcome() -> Outcome? {
    guard hasOutcome else { return nil }
    let fault = fault
    call.store(.none, ordering: .releasing)
    if let fault { return .failed(fault) }
    return .connected
  }

  /// Never returns: the process ends without asking whether a name server answers at last.
  private func serve() {
    while true {
      bell.settle()
      if call.load(ordering: .acquiring) != .wanted { wait(bell.descriptor, nil, forAtMost: nil) }
      bell.rise()
      guard call.load(ordering: .acquiring) == .wanted else { continue }
      fault = link.dial()
      call.store(.placed, ordering: .releasing)
      courier.ring()
    }
  }
}
