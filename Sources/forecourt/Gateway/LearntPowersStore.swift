import Core
import Host

/// Saves the powers learnt from visits beside the outbox, and restores them at the next start. A rehearsal saves nothing.
struct LearntPowersStore {
  private let path: String
  private let isKept: Bool
  private var saved: UInt64 = 0
  private var due = Instant.zero

  /// Flash wears; a power cut loses a minute at most.
  private static let pause = Interval.seconds(60)

  init(beside outbox: String, isKept: Bool) {
    path = outbox.folder + "learnt-powers.jsonl"
    self.isKept = isKept
  }

  mutating func restore(_ gateway: inout Gateway, _ log: Log) {
    guard isKept else { return }
    do throws(FileRefusal) {
      let strange = try LearntFile.read(path) { gateway.restore($0) }
      if strange > 0 { log.say(.warning, "\(path): \(counted(strange, "line")) skipped: not readable") }
    } catch { log.say(.warning, "\(path) \(error.sentence); powers learnt from visits start anew") }
    saved = gateway.triggers.learnt.changes
  }

  /// Once a turn: saves what is new.
  mutating func turned(_ gateway: borrowing Gateway, isOver: Bool, at now: Instant, _ diskThread: DiskThread, _ log: Log) {
    guard isKept, gateway.triggers.learnt.changes != saved, isOver || now >= due, !diskThread.isBusy(.learnt) else { return }
    saved = gateway.triggers.learnt.changes
    due = now + Self.pause
    let (text, path) = (LearntFile.text(gateway.triggers.learnt), path)
    _ = diskThread.submit(.learnt, at: now) {
      do throws(FileRefusal) { try NewFile.write(text, to: path) } catch { log.say(.warning, "\(path) \(error.sentence)") }
    }
  }
}

extension String {
  /// The path's folder with its slash; empty for a name alone.
  var folder: String {
    let bytes = Array(utf8)
    return bytes.lastIndex(of: UInt8(ascii: "/")).map { String(decoding: bytes[...$0], as: UTF8.self) } ?? ""
  }
}
