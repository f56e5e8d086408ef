import CBluetooth
import CLinux
import Core

/// An open connection to a controller: its descriptor carries H4 packets and is closed in `deinit`.
struct HCITransport: ~Copyable {
  let descriptor: CInt
  let kind: Kind

  enum Kind {
    /// One packet at a time, stamped by the kernel.
    case packets
    /// A stream of bytes.
    case stream
  }

  init(_ descriptor: CInt, _ kind: Kind) {
    self.descriptor = descriptor
    self.kind = kind
  }

  deinit { close(descriptor) }

  /// Why opening failed, or the connection was lost.
  struct Refusal: Error {
    let trouble: Trouble
    /// The errno; 0 if no call failed.
    let code: CInt

    init(_ trouble: Trouble, _ code: CInt = 0) {
      self.trouble = trouble
      self.code = code
    }
  }

  /// Opens what `adapter` names. `bell` interrupts the wait for a connection; `cycle` switches a shared adapter off first.
  static func open(_ adapter: borrowing Adapter, cycle: Bool, bell: CInt) throws(Refusal) -> HCITransport {
    switch adapter {
    case .hci(let name, let mode):
      let hci = try HCI(finding: name)
      let line = mode == .user ? try hci.openAlone() : try hci.openShared(cycle: cycle)
      // It may have been pulled out since, and another one have its number.
      guard hci.has(name) else { throw Refusal(.noAdapter) }
      return line
    case .h4(let path, let baud): return try openTerminal(path, baud)
    case .tcp(let host, let port):
      // SAFETY: the name is terminated and lives while it is used.
      return try connected(unsafe host.withCString { unsafe linux_connect_tcp($0, port) }, bell)
    case .unix(let path):
      // SAFETY: as above.
      return try connected(unsafe path.withCString { unsafe linux_connect_unix($0) }, bell)
    case .capture, .simulate: preconditionFailure("a rehearsal has no line")
    }
  }

  private static func openTerminal(_ path: String, _ baud: Int) throws(Refusal) -> HCITransport {
    // SAFETY: the name is terminated and lives while it is used.
    let descriptor = unsafe path.withCString { unsafe linux_open($0, O_RDWR | O_NOCTTY | O_NONBLOCK | O_CLOEXEC, 0) }
    guard descriptor >= 0 else { throw refusal(linux_errno()) }
    let line = HCITransport(descriptor, .stream)
    guard linux_make_raw(descriptor, CInt(baud)) == 0 else { throw refusal(linux_errno()) }
    return line
  }

  /// Waits for a connection, for at most two seconds.
  private static func connected(_ descriptor: CInt, _ bell: CInt) throws(Refusal) -> HCITransport {
    guard descriptor >= 0 else { throw refusal(linux_errno()) }
    let line = HCITransport(descriptor, .stream)
    guard wait(bell, Awaited(descriptor, toWrite: true), forAtMost: .seconds(2)).toWrite else { throw Refusal(.unreachable, ETIMEDOUT) }
    let code = linux_socket_error(descriptor)
    guard code == 0 else { throw refusal(code) }
    return line
  }

  private static func refusal(_ code: CInt) -> Refusal {
    switch code {
    case EACCES, EPERM: Refusal(.noPermission, code)
    case EBUSY: Refusal(.busy, code)
    case ENOENT, ENODEV, ENXIO, EIO: Refusal(.noAdapter, code)
    case ECONNREFUSED, EADDRNOTAVAIL, ETIMEDOUT, EHOSTUNREACH, ENETUNREACH, EAGAIN, ECONNRESET: Refusal(.unreachable, code)
    default: Refusal(.system, code)
    }
  }
}
