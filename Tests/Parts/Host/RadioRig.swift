import Glibc

@testable import Core
@testable import Host

/// The simplest controller, on a unix socket: it accepts every command and reports what the test gives it.
final class YesController: @unchecked Sendable {
  let path: String
  private let door: CInt
  private var line: CInt = -1
  private var buffer: [UInt8] = []
  private(set) var opcodes: [UInt16] = []
  /// Command packets get no answer.
  var isMute = false

  init(_ name: String) {
    path = "/tmp/forecourt-\(name)-\(getpid()).sock"
    unlink(path)
    door = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
    var address = sockaddr_un()
    address.sun_family = UInt16(AF_UNIX)
    withUnsafeMutableBytes(of: &address.sun_path) { place in
      for (index, byte) in path.utf8.enumerated() { place[index] = byte }
    }
    let bound = withUnsafePointer(to: &address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { bind(door, $0, socklen_t(MemoryLayout<sockaddr_un>.size)) }
    }
    precondition(bound == 0 && listen(door, 1) == 0)
  }

  deinit {
    hangUp()
    close(door)
    unlink(path)
  }

  func answer() {
    hangUp()
    line = accept(door, nil, nil)
    buffer = []
  }

  func hangUp() {
    if line >= 0 { close(line) }
    line = -1
  }

  /// Answers commands until scanning has been switched on.
  func serveUntilScanning() {
    while true {
      guard let packet = command() else { return }
      let opcode = UInt16(packet[1]) | UInt16(packet[2]) << 8
      opcodes.append(opcode)
      if isMute { continue }
      send([4, 0x0E, 68, 1, packet[1], packet[2]] + [UInt8](repeating: 0, count: 65))
      if opcode == 0x200C && packet[4] == 1 { return }
    }
  }

  func command() -> [UInt8]? {
    while buffer.count < 4 || buffer.count < 4 + Int(buffer[3]) {
      var piece = [UInt8](repeating: 0, count: 512)
      let count = read(line, &piece, 512)
      guard count > 0 else { return nil }
      buffer += piece[0..<count]
    }
    let packet = Array(buffer[0..<4 + Int(buffer[3])])
    buffer.removeFirst(packet.count)
    return packet
  }

  func send(_ bytes: [UInt8]) {
    var rest = bytes[...]
    while !rest.isEmpty {
      let count = rest.withUnsafeBytes { write(line, $0.baseAddress, $0.count) }
      guard count > 0 else { return }
      rest = rest.dropFirst(count)
    }
  }

  /// A report whose address carries a number.
  static func report(_ number: UInt32) -> [UInt8] {
    let octets = (0..<4).map { UInt8(truncatingIfNeeded: number >> UInt32(8 * $0)) }
    return [4, 0x3E, 15, 0x02, 1, 3, 1] + octets + [0, 0xC0, 3, 2, 1, 6, 0xC4]
  }
}

/// A radio whose thread runs, and memory for it.
final class RunningRadio: @unchecked Sendable {
  let bell = Doorbell()
  let radio: Radio
  private let thread: Thread

  init(_ adapter: Adapter, _ duties: PeerDuties = .none) {
    var arena = Arena.taken(bytes: Radio.bytes + 4_096)
    radio = Radio(name: Name("test"), listener: bell, echoes: false, in: &arena)
    thread = RadioThread.start(radio, adapter, RadioSettings(), duties)
  }

  deinit {
    radio.stop()
    thread.join()
  }

  /// The next packet, within five seconds.
  func packet() -> Packet? { waited { radio.packets.pop() } }
  func report() -> Radio.Status? { waited { radio.statuses.pop() } }

  /// The packets that are reports, as numbers.
  func number() -> UInt32? {
    while let packet = packet() {
      if packet.bytes.count == 18, packet.bytes[1] == 0x3E { return packet.bytes.bytes.little32(at: 7) }
    }
    return nil
  }

  /// Waits for a condition, at most five seconds.
  func reaches(_ condition: Condition) -> Bool {
    while let report = report() {
      if report.condition == condition { return true }
    }
    return false
  }

  private func waited<Found>(_ find: () -> Found?) -> Found? {
    let end = Clock.now() + .seconds(5)
    while Clock.now() < end {
      if let found = find() { return found }
      bell.willSleep()
      if let found = find() {
        bell.didWake()
        return found
      }
      // No glances: who has something for the listener rings.
      wait(bell.descriptor, nil, forAtMost: end - Clock.now())
      bell.didWake()
    }
    return nil
  }
}
