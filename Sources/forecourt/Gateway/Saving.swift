import Core
import Host
import Synchronization

/// Writes one of the files beside the outbox on the disk's thread; again a minute after it failed.
struct Saving {
  private final class Outcome: Sendable { let hasFailed = Atomic<Bool>(false) }

  private let job: DiskThread.Job
  private let name: String
  private(set) var path: String
  private let outcome = Outcome()
  private var retryDue = Instant.zero

  private static let retry = Interval.seconds(60)

  init(_ job: DiskThread.Job, _ name: String, beside outbox: String) {
    (self.job, self.name) = (job, name)
    path = SideFiles.path(name, beside: outbox)
  }

  /// Whether new settings move it: the next start reads there. That the old folder failed says nothing of the new one.
  mutating func reload(_ configuration: borrowing Configuration) -> Bool {
    let new = SideFiles.path(name, beside: String(configuration.host.outbox.path))
    guard !same(path, new) else { return false }
    (path, retryDue) = (new, .zero)
    return true
  }

  /// `isOver`: the last chance.
  func isDue(_ isChanged: Bool, isOver: Bool, at now: Instant, _ diskThread: DiskThread) -> Bool {
    guard !diskThread.isBusy(job) else { return false }
    return outcome.hasFailed.load(ordering: .acquiring) ? isOver || now >= retryDue : isChanged
  }

  mutating func write(_ text: [UInt8], at now: Instant, _ diskThread: DiskThread, _ log: Log) {
    retryDue = now + Self.retry
    let (path, outcome) = (path, outcome)
    outcome.hasFailed.store(false, ordering: .releasing)
    _ = diskThread.submit(job, at: now) {
      do throws(FileRefusal) { try NewFile.write(text, to: path) } catch {
        outcome.hasFailed.store(true, ordering: .releasing)
        log.say(.warning, "\(path) \(error.sentence)")
      }
    }
  }
}
