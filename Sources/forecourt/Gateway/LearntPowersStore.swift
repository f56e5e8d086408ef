import Core
import Host
import Synchronization

/// Saves what visits taught of transmitters and receivers beside the outbox, and restores it at the next start. A rehearsal saves nothing.
struct LearntPowersStore {
  private var path: String
  private let isKept: Bool
  /// nil: nothing yet where the file lies now.
  private var saved: UInt64? = 0
  private var due = Instant.zero
  /// Of the disk's thread: whether the last writing failed.
  private let saving = Saving()

  private final class Saving: Sendable { let failed = Atomic<Bool>(false) }
  /// Flash wears; a power cut loses a minute at most. A disk that failed is tried again after the same time.
  private static let pause = Interval.seconds(60)

  init(beside outbox: String, isKept: Bool) {
    path = Self.path(beside: outbox)
    self.isKept = isKept
  }

  private static func path(beside outbox: String) -> String { outbox.folder + "learnt-powers.jsonl" }

  mutating func reload(_ configuration: borrowing Configuration) {
    let new = Self.path(beside: String(configuration.host.outbox.path))
    guard !same(path, new) else { return }
    // The next start reads there.
    (path, saved, due) = (new, nil, .zero)
  }

  mutating func restore(_ gateway: inout Gateway, _ log: Log) {
    guard isKept else { return }
    do throws(FileRefusal) {
      let strange = try LearntFile.read(path, radios: gateway.settings.radioNames) {
        switch $0 {
        case .power(let record): gateway.restore(record)
        case .receiver(let record): gateway.restore(record)
        case .place(let record): gateway.restore(record)
        }
      }
      if strange > 0 { log.say(.warning, "\(path): \(counted(strange, "line")) skipped: not readable") }
    } catch { log.say(.warning, "\(path) \(error.sentence); what visits taught starts anew") }
    saved = gateway.learntChanges
  }

  /// Once a turn: saves what is new, or could not be written.
  mutating func turned(_ gateway: inout Gateway, isOver: Bool, at now: Instant, _ diskThread: DiskThread, _ log: Log) {
    guard gateway.learntChanges != saved || saving.failed.load(ordering: .acquiring) else { return }
    guard isOver || now >= due, !diskThread.isBusy(.learnt) else { return }
    if let moved = gateway.takeMoved() { log.say(.warning, moved.warning) }
    saved = gateway.learntChanges
    guard isKept else { return }
    due = now + Self.pause
    let radios = gateway.settings.radioNames
    let text = LearntFile.text(gateway.triggers.learnt, gateway.triggers.plan, gateway.triggers.unplaced, radios: radios)
    let (path, saving) = (path, saving)
    saving.failed.store(false, ordering: .releasing)
    _ = diskThread.submit(.learnt, at: now) {
      do throws(FileRefusal) { try NewFile.write(text, to: path) } catch {
        saving.failed.store(true, ordering: .releasing)
        log.say(.warning, "\(path) \(error.sentence)")
      }
    }
  }
}

extension MovedReceiver {
  fileprivate var warning: String {
    let place = point.map { " at \($0.written)" } ?? ""
    let words = "\(String(gateway))\(place) no longer hears as it did for \(counted(Int(visits), "visit"))"
    return words + ": was its radio or antenna moved? What was learnt of it is forgotten"
  }
}

extension PlanPoint {
  /// As at_m has it.
  var written: String { "[\(String(number: Double(x))), \(String(number: Double(y)))]" }
}
