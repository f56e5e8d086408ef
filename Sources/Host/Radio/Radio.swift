package import Core
import Synchronization

/// One radio between its own thread and the core thread: everything that both touch, each with one writer.
///
/// The radio's thread pushes packets and reports, and counts; the core thread pops them, and pushes packets for the controller.
package final class Radio: Sendable {
  /// How the radio is, whenever that changed.
  package struct Status: BitwiseCopyable, Sendable {
    package var at = Instant.zero
    package var condition = Condition.opening
    package var profile = Profile()
    package var recoveries = Recoveries()
    /// What the system said last, when it refused something.
    package var code: Int32 = 0

    package init() {}
  }

  package let name: Name
  package let packets: Ring<Packet>
  package let reports: Ring<Status>
  /// Whom somebody else of the site has asked.
  let hints: Ring<KnownPeer>
  /// Wakes the radio's thread.
  let bell = Doorbell()
  /// Wakes whoever pops the packets.
  let listener: Doorbell
  private let stopping = Atomic<Bool>(false)
  /// Written by the core thread alone.
  private let permitted: Atomic<Bool>
  /// Commands come back among the packets, for recordings. Whoever pops them must expect that type.
  private let echoing: Atomic<Bool>
  /// Written by the radio's thread alone.
  private let lost = Atomic<Int>(0)
  private let heard = Atomic<Int>(0)
  private let noise = Atomic<Int>(0)

  /// `listener` is rung when something can be popped and the listener sleeps.
  package init(name: Name, listener: Doorbell, echoes: Bool, isPermitted: Bool = true, in arena: inout Arena) {
    permitted = Atomic(isPermitted)
    echoing = Atomic(echoes)
    self.name = name
    self.listener = listener
    packets = Ring(capacity: Limits.packetsQueued, in: &arena)
    reports = Ring(capacity: Limits.reportsQueued, in: &arena)
    hints = Ring(capacity: Limits.hintsQueued, in: &arena)
  }

  package static let bytes =
    Ring<Packet>.bytes(for: Limits.packetsQueued) + Ring<Status>.bytes(for: Limits.reportsQueued)
    + Ring<KnownPeer>.bytes(for: Limits.hintsQueued)

  // MARK: The core thread

  /// This one is known already; whoever finds the queue full is asked once more.
  package func hint(_ peer: KnownPeer) {
    if hints.push(peer) == nil { bell.ring() }
  }

  /// Any thread: its own ends soon afterwards.
  package func stop() {
    stopping.store(true, ordering: .releasing)
    bell.ring()
  }

  /// Whether it may listen. One that may not lets its adapter go.
  package func permit(_ isPermitted: Bool) {
    guard permitted.exchange(isPermitted, ordering: .relaxed) != isPermitted else { return }
    bell.ring()
  }

  /// A recording begins, or ends.
  package func echo(_ isWanted: Bool) { echoing.store(isWanted, ordering: .relaxed) }

  /// Packets that found the ring full.
  package var packetsDropped: Int { lost.load(ordering: .relaxed) }
  package var packetsHeard: Int { heard.load(ordering: .relaxed) }
  /// Bytes that belonged to no packet.
  package var bytesDiscarded: Int { noise.load(ordering: .relaxed) }

  // MARK: The radio's thread

  var isStopping: Bool { stopping.load(ordering: .acquiring) }
  var isPermitted: Bool { permitted.load(ordering: .relaxed) }
  var isEchoing: Bool { echoing.load(ordering: .relaxed) }

  func deliver(_ packet: Packet) {
    heard.store(heard.load(ordering: .relaxed) &+ 1, ordering: .relaxed)
    if packets.push(packet) != nil { lost.store(lost.load(ordering: .relaxed) &+ 1, ordering: .relaxed) }
  }

  func discarded(_ bytes: UInt64) { noise.store(Int(truncatingIfNeeded: bytes), ordering: .relaxed) }
}
