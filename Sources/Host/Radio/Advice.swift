package import Core

/// What is wrong with a radio and what to do about it, in one sentence.
@export(interface) package func advice(_ trouble: Trouble, _ adapter: Adapter, code: Int32) -> String {
  let name = adapter.written
  switch trouble {
  case .noBluetooth: return "\(name): this kernel has no Bluetooth (AF_BLUETOOTH): use an h4:, tcp: or unix: adapter, or another kernel"
  case .noPermission: return permission(adapter)
  case .bluetoothd:
    return "\(name): bluetoothd holds the adapter: systemctl mask --now bluetooth, or share it with mode = \"raw\""
  case .blocked: return "\(name): rfkill blocks the adapter: rfkill unblock bluetooth"
  case .busy:
    if case .h4 = adapter { return "\(name): another program has the line open: fuser \(adapter.place) names it" }
    return "\(name): another program holds the adapter's user channel: stop it"
  case .noAdapter:
    if case .hci(.address, _) = adapter {
      return "\(name): no adapter of this machine has this address: plug it in, or write one that \"hciconfig\" shows (BD Address)"
    }
    if case .hci = adapter { return "\(name): there is no such adapter: plug it in, or name one that \"ls /sys/class/bluetooth\" shows" }
    return "\(name): cannot be opened: \(systemWords(code))"
  case .ambiguous: return "\(name): several adapters of this machine have this address: name each by its number, hciN"
  case .down:
    let number = if case .hci(.number, _) = adapter { name } else { "hciN" as String }
    return "\(name): the adapter is down, and this user may not switch it on: hciconfig \(number) up"
  case .unreachable: return "\(name): nobody answers there: \(systemWords(code))"
  case .noSource, .damagedSource: return "\(name): \(words(of: trouble))"
  case .lineLost, .system: return "\(name): \(words(of: trouble))" + (code == 0 ? "" : ": " + systemWords(code))
  case .notAnswering, .nonsense, .hardwareError, .refusing, .silent, .noLevels, .noLowEnergy, .misplaced:
    return "\(name): \(words(of: trouble))"
  }
}

private func permission(_ adapter: Adapter) -> String {
  switch adapter {
  case .hci(_, let mode):
    let capabilities = mode == .user ? "cap_net_admin" : "cap_net_admin,cap_net_raw"
    return
      "\(adapter.written): permission is missing: run as the systemd service, or once as root: setcap \(capabilities)+ep \"$(command -v forecourt)\""
  case .h4: return "\(adapter.written): permission is missing: once as root: usermod -aG dialout \(userName)"
  case .unix, .capture, .simulate, .tcp: return "\(adapter.written): permission is missing: this user must be able to read and write it"
  }
}

private func words(of trouble: Trouble) -> String { String(Text<128>(trouble.sentence)) }

extension Adapter {
  /// As the configuration writes it.
  package var written: String {
    switch self {
    case .hci(.number(let number), _): "hci\(number)"
    case .hci(.address(let address), _): address.written
    case .h4(let path, let baud): "h4:\(path)@\(baud)"
    case .tcp(let host, let port): "tcp:\(host):\(port)"
    case .unix(let path): "unix:" + path
    case .capture(let file): "capture:" + file
    case .simulate(let scenario): "simulate:" + scenario
    }
  }

  fileprivate var place: String {
    if case .h4(let path, _) = self { return path }
    return written
  }
}
