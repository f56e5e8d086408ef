import CLinux
import Synchronization

/// Wakes a thread that sleeps in `poll`. Ringing costs a system call only if it sleeps.
///
/// The sleeper calls `willSleep()`, looks once more whether there is work, then polls `descriptor`; a producer rings after
/// pushing work. Both swap the same flag, so one of them always sees the other: no work is missed.
package final class Doorbell: Sendable {
  package let descriptor: CInt
  private let asleep = Atomic<Bool>(false)

  package init() {
    descriptor = eventfd(0, CInt(EFD_NONBLOCK | EFD_CLOEXEC))
    precondition(descriptor >= 0, "the system gives no eventfd: it is out of descriptors or memory")
  }

  deinit { close(descriptor) }

  /// Any thread.
  package func ring() {
    guard asleep.exchange(false, ordering: .acquiringAndReleasing) else { return }
    eventfd_write(descriptor, 1)
  }

  /// The sleeper's thread: from now on a ring wakes it.
  package func willSleep() { _ = asleep.exchange(true, ordering: .acquiringAndReleasing) }

  /// The sleeper's thread, awake again for any reason.
  package func didWake() {
    if asleep.exchange(false, ordering: .acquiringAndReleasing) { return }
    var rings: eventfd_t = 0
    // SAFETY: the call fills one counter that is ours.
    _ = unsafe eventfd_read(descriptor, &rings)
  }
}
