package import Core
import Synchronization

/// Writes down what one radio hears while it is heard, on a thread of its own: a slow disk costs packets of the recording, which are
/// counted in it, and nothing else.
package final class Recorder: Sendable {
  private let packets: Ring<Packet>
  private let bell = Doorbell()
  private let stopping = Atomic<Bool>(false)
  /// The recorder has something and waits for more.
  private let gathering = Atomic<Bool>(false)
  /// Written by whoever records.
  private let lost = Atomic<Int>(0)
  private let taken = Atomic<Int>(0)
  private let outcome = Outcome()
  /// The recorder's thread has nothing more to do, and may be joined without waiting.
  private let over = Atomic<Bool>(false)

  package init(in arena: inout Arena) {
    packets = Ring(capacity: Limits.packetsQueued, in: &arena)
  }

  package static let bytes = Ring<Packet>.bytes(for: Limits.packetsQueued)

  /// Join the thread after `stop`. It ends by itself where the file cannot be made, has grown to `most` bytes, or would leave too little
  /// room to others. Once that is done another recording may begin.
  package func start(writing path: String, _ manner: NewFile.Manner, atMost most: Int = .max) -> Thread {
    while packets.pop() != nil {}
    lost.store(0, ordering: .relaxed)
    taken.store(0, ordering: .relaxed)
    outcome.refusal = nil
    over.store(false, ordering: .relaxed)
    stopping.store(false, ordering: .relaxed)
    return Thread("recorder") {
      do throws(FileRefusal) { try self.run(path, manner, atMost: most) } catch { self.outcome.refusal = error }
      self.over.store(true, ordering: .releasing)
    }
  }

  /// The listener's thread.
  package func record(_ packet: Packet) {
    if packets.push(packet) == nil {
      taken.store(taken.load(ordering: .relaxed) &+ 1, ordering: .relaxed)
    } else {
      lost.store(lost.load(ordering: .relaxed) &+ 1, ordering: .relaxed)
    }
  }

  /// The listener's thread, once after several packets.
  package func wake() {
    let count = packets.count
    if count > packets.capacity / 2 || (count > 0 && !gathering.load(ordering: .relaxed)) { bell.ring() }
  }

  package func stop() {
    stopping.store(true, ordering: .releasing)
    bell.ring()
  }

  package var packetsRecorded: Int { taken.load(ordering: .relaxed) - packetsLeft }
  package var packetsDropped: Int { lost.load(ordering: .relaxed) + packetsLeft }
  /// What came after the end.
  private var packetsLeft: Int { isOver ? packets.count : 0 }
  /// Why there is no file, or not all of it; known when it is over.
  package var refusal: FileRefusal? { isOver ? outcome.refusal : nil }
  package var isOver: Bool { over.load(ordering: .acquiring) }

  /// The recorder's thread's until it is over, then the listener's.
  private final class Outcome: @unchecked Sendable { var refusal: FileRefusal? }

  /// What the gateway's own recordings leave to its events. A megabyte is far more than one piece.
  private static let leastRoom: Int64 = 32 << 20

  private func run(_ path: String, _ manner: NewFile.Manner, atMost most: Int) throws(FileRefusal) {
    try leaveRoom(beside: path, manner)
    let file = try CaptureFile(creating: path, manner)
    var isOver = false
    while !isOver {
      rest(until: 1, forAtMost: nil)
      // Fewer, larger pieces: the disk rests for a second, unless half a ring is full before.
      gathering.store(true, ordering: .relaxed)
      rest(until: packets.capacity / 2, forAtMost: .seconds(1))
      gathering.store(false, ordering: .relaxed)
      isOver = isStopping
      let dropped = packetsDropped
      while file.size < most, packets.take({ file.append($0.bytes.bytes, at: $0.at, dropped: dropped) }) {}
      isOver = isOver || file.size >= most
      file.flush()
      if file.failure != 0 { throw FileRefusal(writing: file.failure) }
      try leaveRoom(beside: path, manner)
    }
    // Somebody who asked for a recording of nothing gets none.
    if case .asked = manner, packetsRecorded == 0 { return }
    let failure = file.keep()
    if failure != 0 { throw FileRefusal(writing: failure) }
  }

  private func leaveRoom(beside path: String, _ manner: NewFile.Manner) throws(FileRefusal) {
    guard case .own = manner, let free = Files.freeBytes(Path(Files.folder(of: path))), free < Self.leastRoom else { return }
    throw FileRefusal(.noRoom(Int(Self.leastRoom >> 20)))
  }

  private var isStopping: Bool { stopping.load(ordering: .acquiring) }

  private func rest(until count: Int, forAtMost limit: Interval?) {
    bell.settle()
    if !isStopping && packets.count < count { wait(bell.descriptor, nil, forAtMost: limit) }
    bell.rise()
  }
}
