import Glibc
import Testing

@testable import Core
@testable import Host

@Suite("What a radio has found out", .serialized) struct RadioNewsTests {
  @Test("waits until a full ring has room") func news() {
    let controller = YesController("news")
    var duties = PeerDuties.none
    _ = duties.transmissions.append(TransmitSettings())
    let running = RunningRadio(.unix(path: controller.path), duties)
    controller.answer()
    controller.serveUntilScanning()
    for number in 0..<2_000 { controller.send(YesController.report(UInt32(number))) }
    while running.radio.packetsDropped == 0 { usleep(1_000) }
    // Until it advertises.
    while let command = controller.command() {
      controller.send([4, 0x0E, 68, 1, command[1], command[2]] + [UInt8](repeating: 0, count: 65))
      if command[1...2] == [0x0A, 0x20], command[4] == 1 { break }
    }
    var found: PeerNews?
    while found == nil, let packet = running.packet() { found = PeerNews(packet: packet.bytes.bytes) }
    guard case .sends(transmission: 0, power: _)? = found else {
      Issue.record("\(String(describing: found))")
      return
    }
  }
}
