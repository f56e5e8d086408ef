import CLinux
import Synchronization

/// Wakes a thread that sleeps in `poll`. Ringing costs a system call only if it sleeps.
///
/// The sleeper calls `willSleep()`, looks once more whether there is work, then polls `descriptor`; a producer rings after
/// pushing work. Both swap the same flag, so one of them always sees the other: no work is missed.
package final class Doorbell: Sendable {
  package let descriptor: CInt
  private let asleep = Atomic<Bool>(false)
  /// Rings that are not read yet: a ringer that was interrupted writes late, when the sleeper has long been awake. The sleeper's thread.
  private let owed = Atomic<Int64>(0)

  package init() {
    descriptor = eventfd(0, CInt(EFD_NONBLOCK | EFD_CLOEXEC))
    precondition(descriptor >= 0, "the system gives no eventfd: it is out of descriptors or memory")
  }

  deinit { close(descriptor) }

  /// Any thread.
  package func ring() { if isToWrite() { write() } }

  /// Whether the sleeper must be woken, by `write`.
  func isToWrite() -> Bool { asleep.exchange(false, ordering: .acquiringAndReleasing) }
  func write() { eventfd_write(descriptor, 1) }

  /// The sleeper's thread: from now on a ring wakes it.
  package func willSleep() { _ = asleep.exchange(true, ordering: .acquiringAndReleasing) }

  /// The sleeper's thread, awake again for any reason.
  package func didWake() {
    var owed = owed.load(ordering: .relaxed)
    if !asleep.exchange(false, ordering: .acquiringAndReleasing) { owed += 1 }
    guard owed > 0 else { return }
    var rings: eventfd_t = 0
    // SAFETY: the call fills one counter that is ours.
    if unsafe eventfd_read(descriptor, &rings) == 0 { owed -= Int64(rings) }
    self.owed.store(owed, ordering: .relaxed)
  }
}
