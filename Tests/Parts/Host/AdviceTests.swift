import Core
import Testing

@testable import Host

/// What each trouble of a radio tells people to do, as a table: a sentence beside the wrong trouble sends somebody the wrong way.
@Suite("Advice about a radio") struct AdviceTests {
  private static let kernels = Adapter.hci(.number(1), mode: .user)
  private static let serial = Adapter.h4(path: "/dev/ttyACM0", baud: 1_000_000)

  @Test(
    "each trouble has its own remedy",
    arguments: [
      (.noBluetooth, "hci1: this kernel has no Bluetooth (AF_BLUETOOTH): use an h4:, tcp: or unix: adapter, or another kernel"),
      (
        .noPermission,
        "hci1: permission is missing: run as the systemd service, or once as root: setcap cap_net_admin+ep \"$(command -v forecourt)\""
      ),
      (.bluetoothd, "hci1: bluetoothd holds the adapter: systemctl mask --now bluetooth, or share it with mode = \"raw\""),
      (.blocked, "hci1: rfkill blocks the adapter: rfkill unblock bluetooth"),
      (.busy, "hci1: another program holds the adapter's user channel: stop it"),
      (.noAdapter, "hci1: there is no such adapter: plug it in, or name one that \"ls /sys/class/bluetooth\" shows"),
      (.ambiguous, "hci1: several adapters of this machine have this address: name each by its number, hciN"),
      (.down, "hci1: the adapter is down, and this user may not switch it on: hciconfig hci1 up"),
      (.unreachable, "hci1: nobody answers there: No such file or directory"),
      (.noSource, "hci1: the file cannot be opened"), (.damagedSource, "hci1: the capture is damaged"),
      (.lineLost, "hci1: the line to the controller broke: No such file or directory"),
      (.system, "hci1: the system refuses: No such file or directory"), (.notAnswering, "hci1: the controller does not answer"),
      (.nonsense, "hci1: the controller answers nonsense"), (.hardwareError, "hci1: the controller reports a hardware error"),
      (.refusing, "hci1: the controller refuses to scan"), (.silent, "hci1: nothing is heard where many were heard a moment ago"),
      (.noLevels, "hci1: the controller says of no advert how strong it is"),
      (.noLowEnergy, "hci1: the controller has no Bluetooth Low Energy"),
    ] as [(Trouble, String)])
  func remedies(trouble: Trouble, words: String) { #expect(advice(trouble, Self.kernels, code: 2) == words) }

  @Test("where the kind of adapter matters, it decides") func kinds() {
    let shared = Adapter.hci(.number(0), mode: .raw)
    #expect(advice(.noPermission, shared, code: 1).contains("setcap cap_net_admin,cap_net_raw+ep "))
    let named = Adapter.hci(.address(Address(0xAABB_CCDD_EEFF, type: 0)), mode: .user)
    let words = "no adapter of this machine has this address: plug it in, or write one that \"hciconfig\" shows (BD Address)"
    #expect(advice(.noAdapter, named, code: 19) == "AA:BB:CC:DD:EE:FF: " + words)
    #expect(advice(.down, named, code: 1).hasSuffix(": hciconfig hciN up"), "an address is no argument of hciconfig")
    let line = "h4:/dev/ttyACM0@1000000: "
    #expect(advice(.noPermission, Self.serial, code: 13).hasPrefix(line + "permission is missing: once as root: usermod "))
    for adapter: Adapter in [.unix(path: "/run/a"), .capture(file: "a"), .simulate(scenario: "a"), .tcp(host: "a", port: 9)] {
      let words = ": permission is missing: this user must be able to read and write it"
      #expect(advice(.noPermission, adapter, code: 13) == adapter.written + words)
    }
    #expect(advice(.busy, Self.serial, code: 16) == line + "another program has the line open: fuser /dev/ttyACM0 names it")
    #expect(advice(.noAdapter, Self.serial, code: 2) == line + "cannot be opened: No such file or directory")
    #expect(advice(.system, Self.kernels, code: 0) == "hci1: the system refuses")
  }

  @Test("an adapter that may be used is said to be there, whether it is up, and whether bluetoothd runs beside it") func usable() {
    for (isUp, hasDaemon, words) in [
      (true, false, "hci1: there, up, and may be used"), (false, false, "hci1: there, down, and may be used"),
      (true, true, "hci1: there, up, and may be used; bluetoothd runs beside it"),
      (false, true, "hci1: there, down, and may be used; bluetoothd runs beside it"),
    ] {
      #expect(Examined.usable("hci1", isUp: isUp, hasDaemon: hasDaemon) == words)
    }
  }
}
