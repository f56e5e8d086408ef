import CBluetooth
import CLinux
import Core

extension Adapter {
  var isKernels: Bool { if case .hci = self { true } else { false } }
}

extension Examined {
  static var kernel: Examined {
    let socket = bluetooth_socket()
    if socket >= 0 {
      close(socket)
      return Examined("kernel", .good, "has Bluetooth (AF_BLUETOOTH)")
    }
    let code = linux_errno()
    if code == EPERM || code == EACCES {
      return Examined("kernel", .bad(.forbidden), "may not be asked for Bluetooth: \(systemWords(code))")
    }
    let words =
      "has no Bluetooth (AF_BLUETOOTH: \(systemWords(code))): modprobe bluetooth, use an h4:, tcp: or unix: adapter, or another kernel"
    return Examined("kernel", .bad(.unavailable), words)
  }

  // SAFETY: a literal ends with a zero.
  package static var gatewayRuns: Bool { unsafe linux_service_runs("forecourt.service") != 0 }

  /// Where the running gateway's view of the file system begins, for root; nil: none runs.
  static var gatewaysRoot: String? {
    // SAFETY: a literal ends with a zero.
    let process = unsafe linux_service_process("forecourt.service")
    return process > 0 ? "/proc/\(process)/root" : nil
  }

  /// Opens it as the gateway would, and closes it at once. Leaves a running gateway's adapter alone; `isWanted`: the caller needs it;
  /// `isInUse`: a gateway with this outbox runs.
  @export(interface) package static func adapter(
    _ adapter: Adapter, _ subject: String, isWanted: Bool = false, isInUse: Bool = false
  ) -> Examined {
    switch adapter {
    case .hci(let name, let mode):
      let index: UInt16
      do throws(HCITransport.Refusal) { index = try HCI(finding: name).index } catch {
        return refused(error.trouble, adapter, subject, code: error.code)
      }
      return kernels(index, mode, adapter, subject, isWanted: isWanted)
    // Opening one that is in use would break it.
    case .h4, .tcp, .unix:
      if gatewayRuns { return ofGateway(adapter, subject, isWanted: isWanted) }
      if isInUse { return Examined(subject, .good, "\(adapter.written): left alone: a gateway with this outbox runs") }
      return line(adapter, subject)
    case .capture(let file):
      do throws(CaptureFault) { _ = try CaptureReader(opening: file, orPipe: false) } catch {
        return Examined(subject, .bad(.unavailable), "\(adapter.written): \(file) \(error.sentence)")
      }
    case .simulate(let file):
      do throws(FileRefusal) {
        let source = try ConfigurationText(reading: file)
        if let finding = ScenarioFile(source).findings.first {
          return Examined(subject, .bad(.unavailable), "\(adapter.written): \(finding.line(in: source.name))")
        }
      } catch {
        return Examined(subject, .bad(.unavailable), "\(adapter.written): \(file) \(error.sentence)")
      }
    }
    return Examined(subject, .doubtful, "\(adapter.written): a rehearsal: nobody will act on its events")
  }

  private static func line(_ adapter: Adapter, _ subject: String) -> Examined {
    do throws(HCITransport.Refusal) {
      let line = try HCITransport.open(adapter, cycle: false, bell: -1)
      _ = consume line
      // A serial line has a wire to somewhere; behind a socket is whoever opened it.
      if case .h4 = adapter { return Examined(subject, .good, "\(adapter.written): can be opened") }
      return Examined(subject, .doubtful, "\(adapter.written): can be opened; a recording played there would pass for the air")
    } catch {
      return refused(error.trouble, adapter, subject, code: error.code)
    }
  }

  /// Gives whoever asks the gateway's adapter.
  package static let stopping = "systemctl stop forecourt"

  /// `isContested`: bluetoothd runs by now, and whichever begins first after a restart has the adapter.
  static func ofGateway(_ adapter: Adapter, _ subject: String, isWanted: Bool, isContested: Bool = false) -> Examined {
    let words = "\(adapter.written): the running gateway has it (forecourt.service)"
    if isContested, !isWanted {
      let mending = "systemctl mask --now bluetooth"
      return Examined(
        subject, .doubtful, words + ", but bluetoothd runs, too, and may take it at the gateway's next start: " + mending, command: mending)
    }
    guard isWanted else { return Examined(subject, .good, words) }
    return Examined(
      subject, .bad(.unavailable), words + ". Stop it for now; whoever leaves before the end finds it started again",
      command: Self.stopping)
  }

  /// Checks in the order in which the kernel would refuse.
  private static func kernels(_ index: UInt16, _ mode: Adapter.Mode, _ adapter: Adapter, _ subject: String, isWanted: Bool) -> Examined {
    let socket = bluetooth_socket()
    guard socket >= 0 else { return refused(linux_errno() == EPERM ? .noPermission : .noBluetooth, adapter, subject) }
    defer { close(socket) }
    let flags = bluetooth_flags(socket, index)
    guard flags >= 0 else { return refused(linux_errno() == EPERM ? .noPermission : .noAdapter, adapter, subject) }
    if isBlocked(index) { return refused(.blocked, adapter, subject) }
    // SAFETY: a literal ends with a zero.
    let hasDaemon = unsafe linux_runs("bluetoothd") != 0 || linux_service_runs("bluetooth.service") != 0
    // Who has it only root can ask.
    if gatewayRuns, mode == .raw || geteuid() != 0 || bluetooth_is_held(index) != 0 {
      return ofGateway(adapter, subject, isWanted: isWanted && mode == .user, isContested: hasDaemon && mode == .user)
    }
    let isUp = flags & 1 << Int64(HCI_UP) != 0
    if mode == .user, hasDaemon, isUp { return refused(.bluetoothd, adapter, subject) }
    // The gateway may be about to open it.
    if gatewayRuns, !isWanted {
      return Examined(
        subject, .doubtful, "\(adapter.written): the gateway runs (forecourt.service) and does not have it: its status says why")
    }
    let channel = mode == .user ? HCI_CHANNEL_USER : HCI_CHANNEL_RAW
    let name = "hci\(index)" + (KernelAdapter.address(of: index).map { " (\($0.written))" } ?? "")
    if bluetooth_bind(socket, index, UInt16(channel)) == 0 {
      return Examined(subject, .good, usable(name, isUp: isUp, hasDaemon: hasDaemon))
    }
    let code = linux_errno()
    if code == EPERM || code == EACCES { return refused(.noPermission, adapter, subject) }
    if code == ERFKILL { return refused(.blocked, adapter, subject) }
    guard code == EBUSY else { return refused(.system, adapter, subject, code: code) }
    if isUp, bluetooth_is_held(index) == 0 {
      return Examined(subject, .good, "\(name): there and up, nobody else is known to use it; the gateway takes it for itself")
    }
    return refused(.busy, adapter, subject)
  }

  static func usable(_ name: String, isUp: Bool, hasDaemon: Bool) -> String {
    let daemon = hasDaemon ? "; bluetoothd runs beside it" : ""
    return "\(name): there, \(isUp ? "up" : "down"), and may be used\(daemon)"
  }

  static func refused(_ trouble: Trouble, _ adapter: Adapter, _ subject: String, code: CInt = 0) -> Examined {
    let command: String? =
      switch trouble {
      case .bluetoothd: "systemctl mask --now bluetooth"
      case .blocked: "rfkill unblock bluetooth"
      default: nil
      }
    return Examined(
      subject, .bad(trouble == .noPermission ? .forbidden : .unavailable), advice(trouble, adapter, code: code), command: command)
  }

  private static func isBlocked(_ index: UInt16) -> Bool {
    for number in 0..<64 {
      let folder = "/sys/class/rfkill/rfkill\(number)/"
      guard same(word(in: folder + "name"), "hci\(index)") else { continue }
      return same(word(in: folder + "soft"), "1") || same(word(in: folder + "hard"), "1")
    }
    return false
  }

  private static func word(in file: String) -> String {
    guard let read = try? File(reading: file, atMost: 4_096) else { return "" }
    return String(decoding: read.bytes.prefix { $0 > 0x20 }, as: UTF8.self)
  }
}
