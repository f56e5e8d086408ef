import Core

/// The input is what the other sides say: a caller that visits us, a device that is asked. Whatever they say, what we send fits the
/// controller's buffers, time passes, and the end of a connection is the end of it.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzz(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
  let script = Array(UnsafeBufferPointer(start: start, count: count))
  guard let first = script.first else { return 0 }
  var scene = Scene(isVisit: first & 1 == 1, holds: first & 2 == 2)
  scene.play(Array(script.dropFirst()))
  _ = PeerNews(packet: script.span.bytes)
  return 0
}

private struct Scene: ~Copyable {
  private let memory: UnsafeMutableRawBufferPointer
  private var peers: Peers
  private var profile = Profile()
  private var now = Instant(microseconds: 1_000_000)
  private let isVisit: Bool

  init(isVisit: Bool, holds: Bool) {
    self.isVisit = isVisit
    var settings = Settings().peer
    (settings.identify, settings.serve, settings.hold) = (!isVisit, isVisit, holds)
    memory = UnsafeMutableRawBufferPointer.allocate(byteCount: Peers.bytes, alignment: 64)
    memory.initializeMemory(as: UInt8.self, repeating: 0)
    var arena = Arena(lending: memory)
    peers = Peers(PeerDuties(settings, name: Name("gate")), in: &arena)
    (profile.isWhole, profile.generation, profile.aclLength, profile.aclCount) = (true, 1, 27, 4)
  }

  deinit { memory.deallocate() }

  mutating func play(_ script: [UInt8]) {
    work()
    if isVisit {
      hear([4, 0x3E, 19, 1, 0, 0x40, 0, 1, 1, 1, 2, 3, 4, 5, 0x4A, 12, 0, 0, 0, 200, 0, 0])
    } else {
      let service = Settings().peer.service
      let data: [UInt8] = [2, 1, 6, 17, 7] + (0..<16).map { service.byte(15 - $0) }
      hear([4, 0x3E, UInt8(12 + data.count), 2, 1, 0, 1, 1, 2, 3, 4, 5, 0x4A, UInt8(data.count)] + data + [0xC4])
      hear([4, 0x0F, 4, 0, 1, 0x0D, 0x20])
      hear([4, 0x3E, 19, 1, 0, 0x40, 0, 0, 1, 1, 2, 3, 4, 5, 0x4A, 12, 0, 0, 0, 200, 0, 0])
    }
    var rest = script[...]
    while let operation = rest.popFirst() {
      let length = min(Int(rest.popFirst() ?? 0), rest.count)
      let bytes = Array(rest.prefix(length))
      rest = rest.dropFirst(length)
      switch operation & 7 {
      // A piece of data: a beginning, or what follows.
      case 0, 1, 2: hear([2, 0x40, operation & 8 == 0 ? 0x20 : 0x10, UInt8(length), 0] + bytes)
      // A whole attribute PDU.
      case 3, 4: hear([2, 0x40, 0x20, UInt8(truncatingIfNeeded: length + 4), length > 251 ? 1 : 0, UInt8(length), 0, 4, 0] + bytes)
      // Signals and pairing.
      case 5:
        hear(
          [2, 0x40, 0x20, UInt8(truncatingIfNeeded: length + 4), length > 251 ? 1 : 0, UInt8(length), 0, operation & 8 == 0 ? 5 : 6, 0]
            + bytes)
      case 6: hear([4, UInt8(truncatingIfNeeded: operation), UInt8(length)] + bytes)
      default:
        now = now + .milliseconds(Int64(operation) * 8)
        work()
      }
    }
    hear([4, 0x05, 4, 0, 0x40, 0, 0x13])
    now = now + .seconds(1)
    work()
  }

  private mutating func hear(_ packet: [UInt8]) {
    peers.receive(packet.span.bytes, at: now)
    work()
  }

  /// Every packet is taken at once and has left at once.
  private mutating func work() {
    for _ in 0..<64 {
      peers.tick(profile, at: now)
      if peers.takeStuck() { profile.generation += 1 }
      guard let packet = peers.next() else { break }
      precondition(packet.count <= (packet[0] == 2 ? 32 : 44), "no packet is longer than the controller takes")
      peers.sent(at: now)
      if packet[0] == 2 {
        peers.receive(([4, 0x13, 5, 1, 0x40, 0, 1, 0] as [UInt8]).span.bytes, at: now)
      } else if packet[1] != 0x0D || packet[2] != 0x20 {
        peers.receive(([4, 0x0E, 4, 1, packet[1], packet[2], 0] as [UInt8]).span.bytes, at: now)
      }
    }
    while peers.nextNews() != nil {}
    precondition(peers.nextDeadline > now - .seconds(1), "nothing waits for ever in the past")
  }
}
