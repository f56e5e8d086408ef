package import Core
import Synchronization

/// Records what one radio receives, on a thread of its own: a slow disk costs only packets of the recording, which counts them.
package final class Recorder: Sendable {
  private let packets: Ring<Packet>
  private let bell = Doorbell()
  private let stopping = Atomic<Bool>(false)
  /// The recorder has packets and waits for more.
  private let gathering = Atomic<Bool>(false)
  /// Only the listener's thread writes these.
  private let lost = Atomic<Int>(0)
  private let taken = Atomic<Int>(0)
  private let outcome = Outcome()
  /// The recorder's thread is done and can be joined without waiting.
  private let over = Atomic<Bool>(false)

  package init(in arena: inout Arena) {
    packets = Ring(capacity: Limits.packetsQueued, in: &arena)
  }

  package static let bytes = Ring<Packet>.bytes(for: Limits.packetsQueued)

  /// Join the thread after `stop`. It ends by itself if the file cannot be created, has grown to `most` bytes, or would fill the disk.
  /// After the join another recording may start.
  package func start(writing path: String, _ manner: NewFile.Manner, atMost most: Int64 = .max) -> Thread {
    while packets.pop() != nil {}
    lost.store(0, ordering: .relaxed)
    taken.store(0, ordering: .relaxed)
    (outcome.refusal, outcome.kept) = (nil, nil)
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
  /// Packets that came after the end.
  private var packetsLeft: Int { isOver ? packets.count : 0 }
  /// Why the file is missing or incomplete; set when the recording is over.
  package var refusal: FileRefusal? { isOver ? outcome.refusal : nil }
  /// What is left of a recording that somebody named and that a failure has ended.
  package var kept: CaptureFile.Kept? { isOver ? outcome.kept : nil }
  package var isOver: Bool { over.load(ordering: .acquiring) }

  /// Belongs to the recorder's thread until it is over, then to the listener's.
  private final class Outcome: @unchecked Sendable {
    var refusal: FileRefusal?
    var kept: CaptureFile.Kept?
  }

  /// The room that the gateway's own recordings leave for its events; far more than one piece.
  private static let leastRoom: Int64 = 32 << 20

  private func run(_ path: String, _ manner: NewFile.Manner, atMost most: Int64) throws(FileRefusal) {
    try leaveRoom(beside: path, manner)
    let file = try CaptureFile(creating: path, manner)
    var isOver = false
    while !isOver {
      sleep(until: 1, forAtMost: nil)
      // Fewer, larger pieces: write once a second, or earlier if the ring is half full.
      gathering.store(true, ordering: .relaxed)
      sleep(until: packets.capacity / 2, forAtMost: .seconds(1))
      gathering.store(false, ordering: .relaxed)
      isOver = isStopping
      let dropped = packetsDropped
      while file.size < most, packets.take({ file.append($0.bytes.bytes, at: $0.at, dropped: dropped) }) {}
      isOver = isOver || file.size >= most
      file.flush()
      if file.failure != 0 { throw refusal(file, manner) }
      try leaveRoom(beside: path, manner)
    }
    // A recording without packets leaves no file, if somebody named it.
    if case .asked = manner, packetsRecorded == 0 { return }
    if file.keep() != 0 { throw refusal(file, manner) }
  }

  /// The gateway's own recordings leave the room to its events.
  private func refusal(_ file: borrowing CaptureFile, _ manner: NewFile.Manner) -> FileRefusal {
    if case .asked = manner { outcome.kept = file.keepRecords() }
    return FileRefusal(writing: file.failure)
  }

  private func leaveRoom(beside path: String, _ manner: NewFile.Manner) throws(FileRefusal) {
    guard case .own = manner, let free = FileSystem.freeBytes(Path(FileSystem.folder(of: path))), free < Self.leastRoom else { return }
    throw FileRefusal(.noRoom(Int(Self.leastRoom >> 20)))
  }

  private var isStopping: Bool { stopping.load(ordering: .acquiring) }

  private func sleep(until count: Int, forAtMost limit: Interval?) {
    bell.willSleep()
    if !isStopping && packets.count < count { wait(bell.descriptor, nil, forAtMost: limit) }
    bell.didWake()
  }
}
