import CBluetooth
import CLinux
import Core

/// One of the kernel's adapters.
struct HCI {
  let index: UInt16

  /// The adapter that the configuration names.
  init(finding name: KernelAdapter) throws(HCITransport.Refusal) {
    switch name {
    case .number(let number): index = number
    case .address(let address):
      _ = try Self.socket()
      let found = KernelAdapter.all.filter { $0.address == address }
      guard let first = found.first else { throw HCITransport.Refusal(.noAdapter) }
      // Some cheap controllers are all sold with one address.
      guard found.count == 1 else { throw HCITransport.Refusal(.ambiguous) }
      index = first.number
    }
  }

  /// Whether it is still the one that bears this name.
  func has(_ name: KernelAdapter) -> Bool {
    guard case .address(let address) = name else { return true }
    return KernelAdapter.all.contains { $0.number == index && $0.address == address }
  }

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
