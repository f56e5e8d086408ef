import CLinux
package import Core

/// A descriptor to wait for beside the doorbell, to read or to write. Its end wakes in any case, as readable.
package struct Awaited: BitwiseCopyable {
  package var descriptor: CInt
  package var toRead = true
  package var toWrite = false

  package init(_ descriptor: CInt, toRead: Bool = true, toWrite: Bool = false) {
    self.descriptor = descriptor
    self.toRead = toRead
    self.toWrite = toWrite
  }

  fileprivate var events: Int16 { Int16((toRead ? POLLIN : 0) | (toWrite ? POLLOUT : 0)) }
}

package struct Ready: BitwiseCopyable {
  package var toRead = false
  package var toWrite = false
}

/// Sleeps until the doorbell rings, the other descriptor is ready, or the limit is over. nil: no limit.
@discardableResult
package func wait(_ bell: CInt, _ other: Awaited?, forAtMost limit: Interval?) -> Ready {
  var polled: [2 of pollfd] = [pollfd(fd: bell, events: Int16(POLLIN), revents: 0), pollfd(fd: -1, events: 0, revents: 0)]
  if let other { polled[1] = pollfd(fd: other.descriptor, events: other.events, revents: 0) }
  var span = polled.mutableSpan
  // SAFETY: two structures that are ours; EINTR is as good as being woken.
  unsafe span.withUnsafeMutableBufferPointer {
    _ = unsafe linux_poll($0.baseAddress, 2, limit.map { max($0.microseconds, 0) } ?? -1)
  }
  let got = CInt(polled[1].revents)
  return Ready(toRead: got & (POLLIN | POLLERR | POLLHUP) != 0, toWrite: got & POLLOUT != 0)
}
