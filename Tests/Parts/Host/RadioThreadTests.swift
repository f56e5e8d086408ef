import Glibc
import Seeds
import Testing

@testable import Core
@testable import Host

@Suite("A radio's thread", .serialized) struct RadioThreadTests {
  @Test("what a controller reports arrives whole, in order and stamped, however it is cut") func order() {
    let controller = YesController("order")
    let running = RunningRadio(.unix(path: controller.path))
    controller.answer()
    controller.serveUntilScanning()
    let began = Clock.now()
    let total: UInt32 = 20_000
    let sender = Thread("sender") {
      var random = Seeded(1)
      var number: UInt32 = 0
      while number < total {
        // At most some 900 are on their way at a time, cut anywhere, so that nothing is lost.
        var bytes: [UInt8] = []
        let many = min(total - number, UInt32.random(in: 1...400, using: &random))
        for offset in 0..<many { bytes += YesController.report(number + offset) }
        number += many
        var cut = 0
        while cut < bytes.count {
          let end = min(bytes.count, cut + Int.random(in: 1...3_000, using: &random))
          controller.send(Array(bytes[cut..<end]))
          cut = end
        }
        while Int(number) - running.radio.packetsHeard + running.radio.packets.count > 500 { usleep(200) }
      }
    }
    var last = Instant.zero
    var next: UInt32 = 0
    var isOrdered = true
    while next < total, let packet = running.packet() {
      guard packet.bytes.count == 18, packet.bytes[1] == 0x3E else { continue }
      isOrdered = isOrdered && packet.bytes.bytes.little32(at: 7) == next && packet.at >= last && packet.at >= began
      last = packet.at
      next += 1
    }
    sender.join()
    #expect(next == total && isOrdered)
    #expect(running.radio.packetsDropped == 0 && running.radio.bytesDiscarded == 0)
    #expect(controller.opcodes.filter { $0 == 0x0C03 }.count == 1)
  }

  @Test("at another radio's adapter it delivers nothing, and lets the controller forget what it sends; put right, it hears again")
  func misplaced() {
    let controller = YesController("misplaced")
    let running = RunningRadio(.unix(path: controller.path))
    controller.answer()
    controller.serveUntilScanning()
    controller.send(YesController.report(1))
    #expect(running.number() == 1)
    running.radio.misplace(true)
    controller.serveUntilScanning()
    #expect(controller.opcodes.filter { $0 == 0x0C03 }.count == 2, "a reset")
    #expect(running.reaches(.degraded(.misplaced)))
    while running.radio.packets.pop() != nil {}
    controller.send(YesController.report(2))
    // Noise is counted without being delivered: then what came before it has been read, too.
    controller.send([UInt8](repeating: 0xAA, count: 10) + YesController.report(3))
    while running.radio.bytesDiscarded < 10 { usleep(1_000) }
    running.radio.misplace(false)
    #expect(running.reaches(.scanning))
    controller.send(YesController.report(4))
    #expect(running.number() == 4)
  }

  @Test("bytes between packets that belong to none are counted, and the packets come through") func noise() {
    let controller = YesController("noise")
    let running = RunningRadio(.unix(path: controller.path))
    controller.answer()
    controller.serveUntilScanning()
    for number in 0..<20 as Range<UInt32> {
      controller.send([UInt8](repeating: 0xAA, count: 10) + YesController.report(number))
      #expect(running.number() == number)
    }
    #expect(running.radio.bytesDiscarded == 200, "\(running.radio.bytesDiscarded)")
  }

  @Test("a lively line is read a hundred times a second, and nothing is lost or out of order") func line() {
    let controller = YesController("lively")
    let running = RunningRadio(.unix(path: controller.path))
    controller.answer()
    controller.serveUntilScanning()
    let total: UInt32 = 3_000
    let sender = Thread("sender") {
      let began = Clock.now()
      var sent: UInt32 = 0
      while sent < total {
        // What is due, so that the rate is kept on a busy machine, too.
        let due = min(total, UInt32((Clock.now() - began).microseconds / 1_000))
        while sent < due {
          controller.send(YesController.report(sent))
          sent += 1
        }
        usleep(500)
      }
    }
    var (stamps, last) = (0, Instant.zero)
    for number in 0..<total {
      var packet = running.packet()
      while let other = packet, other.bytes.count != 18 { packet = running.packet() }
      guard let packet else { break }
      #expect(packet.bytes.bytes.little32(at: 7) == number)
      if number >= 1_000, packet.at > last { stamps += 1 }
      last = packet.at
    }
    sender.join()
    // Two seconds: two hundred, and some for what follows an empty look.
    #expect(stamps > 0 && stamps <= 250, "\(stamps)")
    #expect(running.radio.packetsDropped == 0)
  }

  @Test("a full ring drops the newest, and counts them") func full() {
    let controller = YesController("full")
    let running = RunningRadio(.unix(path: controller.path))
    controller.answer()
    controller.serveUntilScanning()
    for number in 0..<3_000 { controller.send(YesController.report(UInt32(number))) }
    let end = Clock.now() + .seconds(5)
    while running.radio.packetsHeard < 3_000 + controller.opcodes.count && Clock.now() < end { usleep(1_000) }
    #expect(Int(running.radio.packetsDropped) == 3_000 + controller.opcodes.count - Limits.packetsQueued)
    // The oldest are there.
    #expect(running.number() == 0 && running.number() == 1)
  }

  @Test("a line that breaks within a packet is reopened") func breaks() {
    let controller = YesController("breaks")
    let running = RunningRadio(.unix(path: controller.path))
    for round in 0..<3 as Range<UInt32> {
      controller.answer()
      controller.serveUntilScanning()
      #expect(running.reaches(.scanning))
      controller.send(YesController.report(round * 2) + YesController.report(round * 2 + 1).prefix(7))
      #expect(running.number() == round * 2)
      controller.hangUp()
      #expect(running.reaches(.degraded(.lineLost)))
    }
  }

  @Test("a slow packet is read, but half a packet does not swallow the next") func pauses() {
    let controller = YesController("pauses")
    let running = RunningRadio(.unix(path: controller.path))
    controller.answer()
    controller.serveUntilScanning()
    controller.send(Array(YesController.report(1).prefix(7)))
    usleep(300_000)
    controller.send(Array(YesController.report(1).dropFirst(7)))
    #expect(running.number() == 1)
    controller.send(Array(YesController.report(2).prefix(7)))
    let end = Clock.now() + .seconds(5)
    while running.radio.bytesDiscarded == 0 && Clock.now() < end {
      usleep(10_000)
    }
    controller.send(YesController.report(3))
    #expect(running.number() == 3)
    #expect(running.radio.bytesDiscarded == 7)
  }

  @Test("a missing controller is reported until one answers") func nobody() {
    let running = RunningRadio(.unix(path: "/tmp/forecourt-later-\(getpid()).sock"))
    #expect(running.reaches(.degraded(.noAdapter)))
    let controller = YesController("later")
    controller.answer()
    controller.serveUntilScanning()
    #expect(running.reaches(.scanning))
  }

  @Test("the line to a controller that does not answer is closed until it is tried again") func mute() throws {
    let controller = YesController("mute")
    let running = RunningRadio(.unix(path: controller.path))
    for _ in 0..<2 {
      controller.answer()
      let asked = Clock.now()
      while let command = controller.command() { #expect(command == [1, 0x03, 0x0C, 0], "a reset, and nothing else") }
      // Before it is opened again.
      var report = running.report()
      while let other = report, other.condition != .degraded(.notAnswering) || other.at < asked { report = running.report() }
      #expect(try #require(report).isOpen == false)
    }
  }

  @Test("a refused TCP line is reported with its reason") func refused() throws {
    // Bound and not listening: nobody else can take the port, and it refuses.
    let door = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    defer { close(door) }
    var address = sockaddr_in()
    (address.sin_family, address.sin_addr.s_addr) = (UInt16(AF_INET), UInt32(0x7F00_0001).bigEndian)
    var length = socklen_t(MemoryLayout<sockaddr_in>.size)
    withUnsafeMutablePointer(to: &address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
        #expect(bind(door, address, length) == 0 && getsockname(door, address, &length) == 0)
      }
    }
    let running = RunningRadio(.tcp(host: "127.0.0.1", port: UInt16(bigEndian: address.sin_port)))
    while let report = running.report() {
      guard report.condition == .opening else {
        #expect(report.condition == .degraded(.unreachable) && report.code == ECONNREFUSED, "\(report)")
        return
      }
    }
    Issue.record("no report")
  }

  @Test("a radio without authorization stops scanning, closes its line, and starts again when authorized") func permission() {
    let controller = YesController("permission")
    let running = RunningRadio(.unix(path: controller.path))
    controller.answer()
    controller.serveUntilScanning()
    #expect(running.reaches(.scanning))
    for _ in 0..<2 {
      running.radio.permit(false)
      #expect(running.reaches(.off))
      #expect(controller.command() == [1, 0x0C, 0x20, 2, 0, 0])
      #expect(controller.command() == nil)
      let allowed = Clock.now()
      running.radio.permit(true)
      controller.answer()
      // What it says from now on is no older than the permission: nothing has fallen due while it was off.
      let first = running.report()
      #expect(first.map { $0.at >= allowed && $0.condition.trouble == nil } == true, "\(String(describing: first))")
      controller.serveUntilScanning()
      #expect(running.reaches(.scanning))
    }
    running.radio.permit(false)
    #expect(running.reaches(.off))
  }

  @Test("a permission that ends just before the radio's thread falls asleep again is obeyed at once") func lastMoment() {
    let controller = YesController("moment")
    let running = RunningRadio(.unix(path: controller.path))
    var random = Seeded(7)
    for round in 0..<60 {
      controller.answer()
      controller.serveUntilScanning()
      #expect(running.reaches(.scanning))
      running.radio.bell.ring()
      let moment = Clock.now() + Interval(microseconds: Int64.random(in: 0...150, using: &random))
      while Clock.now() < moment {}
      running.radio.permit(false)
      guard running.reaches(.off) else {
        Issue.record("it slept on, in round \(round)")
        return
      }
      running.radio.permit(true)
    }
  }

  @Test("a stopped radio switches scanning off and ends at once") func stops() {
    let controller = YesController("stops")
    do {
      let running = RunningRadio(.unix(path: controller.path))
      controller.answer()
      controller.serveUntilScanning()
      #expect(running.reaches(.scanning))
    }
    #expect(controller.command() == [1, 0x0C, 0x20, 2, 0, 0])
    #expect(controller.command() == nil)
  }
  @Test("a hint wakes the radio's thread, unless there is no room for it") func hints() {
    var arena = Arena.taken(bytes: Radio.bytes)
    let radio = Radio(name: Name("test"), listener: Doorbell(), echoes: false, in: &arena)
    func wakes() -> Bool {
      radio.bell.willSleep()
      radio.hint(KnownPeer(address: Address(word: 1), id: 2))
      defer { radio.bell.didWake() }
      return wait(radio.bell.descriptor, Awaited(radio.bell.descriptor), forAtMost: .zero).toRead
    }
    let woken = (0..<Limits.hintsQueued + 2).count { _ in wakes() }
    #expect(woken == Limits.hintsQueued && radio.hints.count == Limits.hintsQueued)
  }
  @Test("an end, and a change of what is permitted, wake the radio's thread; the same permission again does not") func orders() {
    var arena = Arena.taken(bytes: Radio.bytes)
    let radio = Radio(name: Name("test"), listener: Doorbell(), echoes: false, in: &arena)
    func wakes(_ order: (Radio) -> Void) -> Bool {
      radio.bell.willSleep()
      order(radio)
      defer { radio.bell.didWake() }
      return wait(radio.bell.descriptor, Awaited(radio.bell.descriptor), forAtMost: .zero).toRead
    }
    #expect(!wakes { $0.permit(true) } && radio.isPermitted)
    #expect(wakes { $0.permit(false) } && !radio.isPermitted && !wakes { $0.permit(false) })
    #expect(wakes { $0.permit(true) } && radio.isPermitted && !radio.isStopping)
    #expect(wakes { $0.stop() } && radio.isStopping)
  }
}
