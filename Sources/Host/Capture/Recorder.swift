import CLinux
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
  /// Written by the recorder's thread: the errno that ended it.
  private let failed = Atomic<Int>(0)
  /// The recorder's thread has nothing more to do, and may be joined without waiting.
  private let over = Atomic<Bool>(false)

  package init(in arena: inout Arena) {
    packets = Ring(capacity: Limits.packetsQueued, in: &arena)
  }

  package static let bytes = Ring<Packet>.bytes(for: Limits.packetsQueued)

  /// The file is there when this returns; join the thread after `stop`. It ends by itself where the file has grown to `most` bytes.
  /// Once that is done another recording may begin. It fails where it would leave less `room` on the disk than others need.
  package func start(writing path: String, atMost most: Int = .max, leaving room: Int64 = 0) throws(FileRefusal) -> Thread {
    let handover = Handover(file: try CaptureFile(creating: path))
    while packets.pop() != nil {}
    lost.store(0, ordering: .relaxed)
    taken.store(0, ordering: .relaxed)
    failed.store(0, ordering: .relaxed)
    over.store(false, ordering: .relaxed)
    stopping.store(false, ordering: .relaxed)
    return Thread("recorder") {
      self.run(handover.file, atMost: most) { room > 0 && Files.freeBytes(Path(path)) ?? .max < room }
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
  package var failure: Int32 { Int32(failed.load(ordering: .relaxed)) }
  package var isOver: Bool { over.load(ordering: .acquiring) }

  /// The file changes hands once, before the thread begins.
  private struct Handover: @unchecked Sendable { let file: CaptureFile }

  private func run(_ file: CaptureFile, atMost most: Int, _ isCramped: () -> Bool) {
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
      if isCramped() { return failed.store(Int(ENOSPC), ordering: .relaxed) }
      if file.failure != 0 { return failed.store(Int(file.failure), ordering: .relaxed) }
    }
  }

  private var isStopping: Bool { stopping.load(ordering: .acquiring) }

  private func rest(until count: Int, forAtMost limit: Interval?) {
    bell.settle()
    if !isStopping && packets.count < count { wait(bell.descriptor, nil, forAtMost: limit) }
    bell.rise()
  }
}
