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
    case .hci(let index, .user): return try HCI(index).openAlone()
    case .hci(let index, .raw): return try HCI(index).openShared(cycle: cycle)
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

/// One of the kernel's adapters.
private struct HCI {
  private let index: UInt16

  init(_ index: UInt16) { self.index = index }

  private static func socket() throws(HCITransport.Refusal) -> HCITransport {
    let descriptor = bluetooth_socket()
    if descriptor >= 0 { return HCITransport(descriptor, .packets) }
    throw refusal(linux_errno())
  }

  /// The user channel needs the adapter down and unused.
  func openAlone() throws(HCITransport.Refusal) -> HCITransport {
    let line = try Self.socket()
    if bluetooth_bind(line.descriptor, index, UInt16(HCI_CHANNEL_USER)) < 0 {
      guard linux_errno() == EBUSY else { throw Self.refusal(linux_errno()) }
      try takeDown(line)
      guard bluetooth_bind(line.descriptor, index, UInt16(HCI_CHANNEL_USER)) == 0 else { throw Self.refusal(linux_errno()) }
    }
    bluetooth_ask_for_stamps(line.descriptor, UInt16(HCI_CHANNEL_USER))
    return line
  }

  private func takeDown(_ line: borrowing HCITransport) throws(HCITransport.Refusal) {
    // SAFETY: a literal ends with a zero.
    if unsafe linux_runs("bluetoothd") != 0 || linux_service_runs("bluetooth.service") != 0 {
      throw HCITransport.Refusal(.bluetoothd, EBUSY)
    }
    let flags = bluetooth_flags(line.descriptor, index)
    guard flags >= 0 else { throw Self.refusal(linux_errno()) }
    guard flags & 1 << Int64(HCI_UP) != 0 else { throw HCITransport.Refusal(.busy, EBUSY) }
    guard bluetooth_down(line.descriptor, index) == 0 else { throw Self.refusal(linux_errno()) }
  }

  func openShared(cycle: Bool) throws(HCITransport.Refusal) -> HCITransport {
    let line = try Self.socket()
    // A remedy that may lack the permission; then go on without it.
    if cycle { _ = bluetooth_down(line.descriptor, index) }
    let flags = bluetooth_flags(line.descriptor, index)
    guard flags >= 0 else { throw Self.refusal(linux_errno()) }
    if flags & 1 << Int64(HCI_UP) == 0, bluetooth_up(line.descriptor, index) < 0, linux_errno() != EALREADY {
      throw linux_errno() == EPERM ? HCITransport.Refusal(.down, EPERM) : Self.refusal(linux_errno())
    }
    guard bluetooth_bind(line.descriptor, index, UInt16(HCI_CHANNEL_RAW)) == 0, bluetooth_listen_to_all(line.descriptor) == 0 else {
      throw Self.refusal(linux_errno())
    }
    bluetooth_ask_for_stamps(line.descriptor, UInt16(HCI_CHANNEL_RAW))
    return line
  }

  private static func refusal(_ code: CInt) -> HCITransport.Refusal {
    switch code {
    case EAFNOSUPPORT, EPROTONOSUPPORT: HCITransport.Refusal(.noBluetooth, code)
    case EPERM, EACCES: HCITransport.Refusal(.noPermission, code)
    case ENODEV: HCITransport.Refusal(.noAdapter, code)
    case EBUSY: HCITransport.Refusal(.busy, code)
    case ERFKILL: HCITransport.Refusal(.blocked, code)
    default: HCITransport.Refusal(.system, code)
    }
  }
}
