import CLinux

/// What the system asks of the process, as a descriptor that can be waited for. Made by the main thread before any other is started:
/// threads leave signals alone.
package final class Signals: Sendable {
  package enum Request { case stop, reload }

  let descriptor: CInt

  package init() {
    var wanted = sigset_t()
    // SAFETY: each call fills or reads the set, which is ours.
    unsafe sigemptyset(&wanted)
    for number in [SIGTERM, SIGINT, SIGHUP] { unsafe sigaddset(&wanted, number) }
    unsafe pthread_sigmask(SIG_BLOCK, &wanted, nil)
    descriptor = unsafe signalfd(-1, &wanted, CInt(SFD_NONBLOCK | SFD_CLOEXEC))
    precondition(descriptor >= 0, "the system gives no signalfd: it is out of descriptors or memory")
  }

  deinit { close(descriptor) }

  /// Sleeps until the system asks for something or `input` can be read; whether it can.
  package func waits(forInput input: CInt) -> Bool { wait(descriptor, Awaited(input), forAtMost: nil).toRead }

  package func next() -> Request? {
    var signal = signalfd_siginfo()
    // SAFETY: the call fills the structure, which is ours and of the size it is told.
    let count = unsafe read(descriptor, &signal, MemoryLayout<signalfd_siginfo>.size)
    guard count == MemoryLayout<signalfd_siginfo>.size else { return nil }
    return signal.ssi_signo == UInt32(SIGHUP) ? .reload : .stop
  }
}
