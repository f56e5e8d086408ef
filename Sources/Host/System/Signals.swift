import CLinux
package import Core
import Synchronization

/// Signals as a descriptor to wait for. The main thread creates it before it starts others, which leave signals blocked.
package final class Signals: Sendable {
  package enum Order { case stop, reload }

  let descriptor: CInt
  /// For the signals that end the process; polled, never read.
  private let ending: CInt
  private let bell = Doorbell()
  private let isTaken = Atomic<Bool>(false)

  /// `limit`: so long after a request to stop the process ends, whatever hangs.
  package init(endingWithin limit: Interval? = nil) {
    descriptor = Self.opened(for: [SIGTERM, SIGINT, SIGHUP])
    ending = Self.opened(for: [SIGTERM, SIGINT])
    guard let limit else { return }
    bell.willSleep()
    _ = Thread("last resort") { self.end(after: limit) }
  }

  deinit {
    close(descriptor)
    close(ending)
  }

  private static func opened(for numbers: [CInt]) -> CInt {
    var wanted = sigset_t()
    // SAFETY: each call fills or reads the set, which is ours.
    unsafe sigemptyset(&wanted)
    for number in numbers { unsafe sigaddset(&wanted, number) }
    unsafe pthread_sigmask(SIG_BLOCK, &wanted, nil)
    let descriptor = unsafe signalfd(-1, &wanted, CInt(SFD_NONBLOCK | SFD_CLOEXEC))
    precondition(descriptor >= 0, "the system gives no signalfd: it is out of descriptors or memory")
    return descriptor
  }

  /// Sleeps until a signal comes or `input` can be read; returns whether it can.
  package func waits(forInput input: CInt) -> Bool { wait(descriptor, Awaited(input), forAtMost: nil).toRead }

  package func next() -> Order? {
    var signal = signalfd_siginfo()
    // SAFETY: the call fills the structure, which is ours and of the size it is told.
    let count = unsafe read(descriptor, &signal, MemoryLayout<signalfd_siginfo>.size)
    guard count == MemoryLayout<signalfd_siginfo>.size else { return nil }
    guard signal.ssi_signo != UInt32(SIGHUP) else { return .reload }
    isTaken.store(true, ordering: .releasing)
    bell.ring()
    return .stop
  }

  // MARK: The last resort's thread

  /// Sleeps until the signal is taken, or pending: the thread that should take it may hang.
  private func end(after limit: Interval) {
    _ = Privileges.keepOnly([])
    while !isTaken.load(ordering: .acquiring), !wait(bell.descriptor, Awaited(ending), forAtMost: nil).toRead {}
    let deadline = Clock.now() + limit
    while Clock.now() < deadline { wait(-1, nil, forAtMost: deadline - Clock.now()) }
    let words: StaticString =
      "forecourt: asked to stop, but something hangs, such as a disk: the process ends now. Stored events are kept\n"
    // SAFETY: the literal's pointer and length belong together.
    if canTakeWords(STDERR_FILENO) { _ = unsafe write(STDERR_FILENO, words.utf8Start, words.utf8CodeUnitCount) }
    _exit(1)
  }
}

/// Whether a line can be written there without blocking.
package func canTakeWords(_ descriptor: CInt) -> Bool { wait(-1, Awaited(descriptor, toWrite: true), forAtMost: .zero).toWrite }
