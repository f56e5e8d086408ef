package import Core
import Synchronization

/// One radio, as its own thread and the core thread share it: each field has one writer.
///
/// The radio's thread pushes packets and statuses, and counts; the core thread pops them, and pushes what neighbours know of phones.
package final class Radio: Sendable {
  /// The radio's state, pushed whenever it changes.
  package struct Status: BitwiseCopyable, Sendable {
    package var at = Instant.zero
    package var condition = Condition.opening
    package var profile = Profile()
    package var recoveries = Recoveries()
    /// The errno of the last failed call.
    package var code: Int32 = 0
    /// It does not listen for a moment.
    package var isPaused = false
    /// Whether there is a line to a controller.
    package var isOpen = false

    package init() {}
  }

  package let name: Name
  package let packets: Ring<Packet>
  package let statuses: Ring<Status>
  /// Phones that another radio or gateway has asked already.
  let hints: Ring<KnownPeer>
  /// Wakes the radio's thread.
  let bell = Doorbell()
  /// Wakes the thread that pops the packets.
  let listener: Doorbell
  private let stopping = Atomic<Bool>(false)
  /// Only the core thread writes it.
  private let permitted: Atomic<Bool>
  /// Its adapter is another radio's: what it hears does not count. Only the core thread writes it.
  private let misplaced = Atomic<Bool>(false)
  /// Sent commands appear among the packets, too, for recordings.
  private let echoing: Atomic<Bool>
  /// Only the radio's thread writes these.
  private let lost = Atomic<Int64>(0)
  private let heard = Atomic<Int>(0)
  private let noise = Atomic<Int64>(0)

  /// Rings `listener` when there is something to pop.
  package init(name: Name, listener: Doorbell, echoes: Bool, isPermitted: Bool = true, in arena: inout Arena) {
    permitted = Atomic(isPermitted)
    echoing = Atomic(echoes)
    self.name = name
    self.listener = listener
    packets = Ring(capacity: Limits.packetsQueued, in: &arena)
    statuses = Ring(capacity: Limits.statusesQueued, in: &arena)
    hints = Ring(capacity: Limits.hintsQueued, in: &arena)
  }

  package static let bytes =
    Ring<Packet>.bytes(for: Limits.packetsQueued) + Ring<Status>.bytes(for: Limits.statusesQueued)
    + Ring<KnownPeer>.bytes(for: Limits.hintsQueued)

  // MARK: The core thread

  /// This phone is known already. If the ring is full, the radio asks it once more.
  package func hint(_ peer: KnownPeer) {
    if hints.push(peer) == nil { bell.ring() }
  }

  /// Any thread: the radio's thread ends soon afterwards.
  package func stop() {
    stopping.store(true, ordering: .releasing)
    bell.ring()
  }

  /// Whether it may listen; if not, it closes its adapter.
  package func permit(_ isPermitted: Bool) {
    guard permitted.exchange(isPermitted, ordering: .relaxed) != isPermitted else { return }
    bell.ring()
  }

  /// Whether its adapter is another radio's; if so, it delivers nothing and sends nothing of its own.
  package func misplace(_ isMisplaced: Bool) {
    guard misplaced.exchange(isMisplaced, ordering: .relaxed) != isMisplaced else { return }
    bell.ring()
  }

  /// A recording starts or ends.
  package func echo(_ isWanted: Bool) { echoing.store(isWanted, ordering: .relaxed) }

  /// Packets that found the ring full.
  package var packetsDropped: Int64 { lost.load(ordering: .relaxed) }
  package var packetsHeard: Int { heard.load(ordering: .relaxed) }
  /// Bytes that belonged to no packet.
  package var bytesDiscarded: Int64 { noise.load(ordering: .relaxed) }

  // MARK: The radio's thread

  var isStopping: Bool { stopping.load(ordering: .acquiring) }
  var isPermitted: Bool { permitted.load(ordering: .relaxed) }
  package var isMisplaced: Bool { misplaced.load(ordering: .relaxed) }
  var isEchoing: Bool { echoing.load(ordering: .relaxed) }

  var isFull: Bool { packets.count >= packets.capacity }

  func deliver(_ packet: Packet) {
    heard.store(heard.load(ordering: .relaxed) &+ 1, ordering: .relaxed)
    if packets.push(packet) != nil { lost.store(lost.load(ordering: .relaxed) &+ 1, ordering: .relaxed) }
  }

  func discarded(_ bytes: UInt64) { noise.store(Int64(truncatingIfNeeded: bytes), ordering: .relaxed) }
}
