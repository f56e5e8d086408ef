import Core
import Host

/// Saves what visits taught of transmitters and receivers beside the outbox, and restores it at the next start. A rehearsal saves nothing.
struct LearntPowersStore {
  private let isKept: Bool
  /// nil: nothing yet where the file lies now.
  private var saved: UInt64? = 0
  private var due = Instant.zero
  private var saving: Saving

  /// Flash wears; a power cut loses a minute at most.
  private static let pause = Interval.seconds(60)

  init(beside outbox: String, isKept: Bool) {
    saving = Saving(.learnt, LearntFile.name, beside: outbox)
    self.isKept = isKept
  }

  mutating func reload(_ configuration: borrowing Configuration) {
    if saving.reload(configuration) { (saved, due) = (nil, .zero) }
  }

  mutating func restore(_ gateway: inout Gateway, _ log: Log) {
    guard isKept else { return }
    do throws(FileRefusal) {
      let strange = try LearntFile.read(saving.path, radios: gateway.settings.radioNames) {
        switch $0 {
        case .power(let record): gateway.restore(record)
        case .receiver(let record): gateway.restore(record)
        case .place(let record): gateway.restore(record)
        }
      }
      if strange > 0 { log.say(.warning, "\(saving.path): \(counted(strange, "line")) skipped: not readable") }
    } catch { log.say(.warning, "\(saving.path) \(error.sentence); what visits taught starts anew") }
    saved = gateway.learntChanges
  }

  /// Once a turn: saves what is new, or could not be written.
  mutating func turned(_ gateway: inout Gateway, isOver: Bool, at now: Instant, _ diskThread: DiskThread, _ log: Log) {
    guard isOver || now >= due, saving.isDue(gateway.learntChanges != saved, isOver: isOver, at: now, diskThread) else { return }
    if let moved = gateway.takeMoved() { log.say(.warning, moved.warning) }
    saved = gateway.learntChanges
    guard isKept else { return }
    due = now + Self.pause
    let radios = gateway.settings.radioNames
    let text = LearntFile.text(gateway.triggers.learnt, gateway.triggers.plan, gateway.triggers.unplaced, radios: radios)
    saving.write(text, at: now, diskThread, log)
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
