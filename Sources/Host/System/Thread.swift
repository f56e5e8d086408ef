import CLinux

/// A POSIX thread that runs one closure.
package struct Thread: Sendable {
  private let handle: pthread_t

  private final class Body: Sendable {
    let name: StaticString
    let run: @Sendable () -> Void

    init(_ name: StaticString, _ run: @escaping @Sendable () -> Void) {
      self.name = name
      self.run = run
    }
  }

  /// Blocks all signals, which belong to the main thread. `name` is what `top -H` shows: at most 15 bytes.
  package init(_ name: StaticString, stack: Int = 256 * 1024, _ run: @escaping @Sendable () -> Void) {
    var attributes = pthread_attr_t()
    var everySignal = sigset_t()
    var before = sigset_t()
    var thread = pthread_t()
    // SAFETY: each call fills a structure of ours; the body is retained here and released by the new thread.
    unsafe pthread_attr_init(&attributes)
    unsafe pthread_attr_setstacksize(&attributes, stack)
    unsafe sigfillset(&everySignal)
    unsafe pthread_sigmask(SIG_SETMASK, &everySignal, &before)
    let body = unsafe Unmanaged.passRetained(Body(name, run)).toOpaque()
    let refused = unsafe pthread_create(&thread, &attributes, { unsafe Thread.enter($0) }, body)
    precondition(refused == 0, "the system gives no thread: it is out of memory or processes")
    // SAFETY: as above.
    unsafe pthread_sigmask(SIG_SETMASK, &before, nil)
    unsafe pthread_attr_destroy(&attributes)
    handle = thread
  }

  package func join() { pthread_join(handle, nil) }

  private static func enter(_ opaque: UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? {
    // SAFETY: `init` retained the body for exactly this one call; a literal ends with a zero.
    let body = unsafe Unmanaged<Body>.fromOpaque(opaque!).takeRetainedValue()
    unsafe linux_name_thread(UnsafeRawPointer(body.name.utf8Start).assumingMemoryBound(to: CChar.self))
    body.run()
    return nil
  }
}
