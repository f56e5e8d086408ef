import Core
import Host

/// Keeps what visits taught beside the outbox, for the next run. A rehearsal teaches nothing.
struct LearntPowersStore {
  private let path: String
  private let isKept: Bool
  private var saved: UInt64 = 0
  private var due = Instant.zero

  /// Flash wears: what is lost with the power is a minute's.
  private static let pause = Interval.seconds(60)

  init(beside outbox: String, isKept: Bool) {
    path = outbox.folder + "learnt-powers.jsonl"
    self.isKept = isKept
  }

  mutating func recall(_ gateway: inout Gateway, _ log: Log) {
    guard isKept else { return }
    do throws(FileRefusal) {
      let strange = try LearntFile.read(path) { gateway.restore($0) }
      if strange > 0 { log.say(.warning, "\(path): \(strange) lines cannot be understood and are left out") }
    } catch { log.say(.warning, "\(path) \(error.sentence); what visits taught is forgotten") }
    saved = gateway.triggers.learnt.changes
  }

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
  /// With the slash at its end; empty for a name alone.
  var folder: String {
    let bytes = Array(utf8)
    return bytes.lastIndex(of: UInt8(ascii: "/")).map { String(decoding: bytes[...$0], as: UTF8.self) } ?? ""
  }
}
