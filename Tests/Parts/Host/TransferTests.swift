import Core
import Glibc
import Testing

@testable import Host

@Suite("packets over a line") struct TransferTests {
  /// A line, and what is read from it after these pieces were written.
  private func read(_ kind: HCITransport.Kind, _ pieces: [[UInt8]]) throws -> (packets: [[UInt8]], discarded: UInt64) {
    var ends: [CInt] = [-1, -1]
    let type = kind == .packets ? SOCK_SEQPACKET : SOCK_STREAM
    #expect(socketpair(AF_UNIX, Int32(type.rawValue), 0, &ends) == 0)
    defer { close(ends[1]) }
    let line = HCITransport(ends[0], kind)
    var transfer = HCITransfer()
    var packets: [[UInt8]] = []
    for piece in pieces {
      #expect(write(ends[1], piece, piece.count) == piece.count)
      try transfer.fill(from: line, at: Instant(microseconds: 7))
      while transfer.next() {
        packets.append((0..<transfer.packet.byteCount).map { transfer.packet[$0] })
        #expect(transfer.stamp == Instant(microseconds: 7))
      }
    }
    return (packets, transfer.discarded)
  }

  private let event: [UInt8] = [4, 0x0E, 4, 1, 3, 0x0C, 0]

  @Test("a kernel's socket gives one packet at a time, whole, and one that is too long is counted and left out") func packets() throws {
    let long = [UInt8](repeating: 4, count: 5_000)
    let found = try read(.packets, [event, long, event + [9]])
    #expect(found.packets == [event, event + [9]] && found.discarded == 1)
  }

  @Test("a serial line's packets are cut out of its bytes, wherever these were cut") func stream() throws {
    let found = try read(.stream, [Array(event[..<3]), Array(event[3...]) + event + [4], Array(event[1...])])
    #expect(found.packets == [event, event, event] && found.discarded == 0)
  }

  @Test("a packet is gone with the line that brought it") func gone() async {
    await #expect(processExitsWith: .failure) {
      var ends: [CInt] = [-1, -1]
      guard socketpair(AF_UNIX, Int32(SOCK_SEQPACKET.rawValue), 0, &ends) == 0 else { return }
      let line = HCITransport(ends[0], .packets)
      var transfer = HCITransfer()
      guard write(ends[1], [4, 0x10, 1, 0] as [UInt8], 4) == 4 else { return }
      do { try transfer.fill(from: line, at: .zero) } catch { return }
      guard transfer.next(), transfer.packet.byteCount == 4 else { return }
      transfer.restart()
      _ = transfer.packet.byteCount
    }
  }

  private func line(_ type: __socket_type) -> (ours: CInt, theirs: CInt) {
    var ends: [CInt] = [-1, -1]
    #expect(socketpair(AF_UNIX, Int32(type.rawValue), 0, &ends) == 0)
    return (ends[0], ends[1])
  }

  @Test("packets have the moments at which the kernel had them, unless its clock was set meanwhile") func stamps() throws {
    let (ours, theirs) = line(SOCK_DGRAM)
    defer { close(theirs) }
    var on: CInt = 1
    #expect(setsockopt(ours, SOL_SOCKET, SO_TIMESTAMP, &on, 4) == 0)
    let transport = HCITransport(ours, .packets)
    var transfer = HCITransfer()
    for byte in 1...3 as ClosedRange<UInt8> {
      #expect(write(theirs, [4, byte], 2) == 2)
      usleep(20_000)
    }
    let now = Instant.zero + .seconds(100)
    try transfer.fill(from: transport, at: now)
    var ages: [Int64] = []
    while transfer.next() {
      #expect(transfer.packet.byteCount == 2 && transfer.packet[1] == UInt8(ages.count + 1))
      ages.append((now - transfer.stamp).microseconds)
    }
    let isFull = transfer.isFull
    #expect(ages.count == 3 && !isFull)
    // On a machine that was away for a second the moment is that of the reading.
    if ages[0] > 0 {
      #expect(ages[2] >= 20_000 && ages[1] >= ages[2] + 20_000 && ages[0] >= ages[1] + 20_000 && ages[0] <= 1_000_000, "\(ages)")
    }
  }

  @Test("what waited for a second and more while nobody read is old, else nothing", arguments: [0.5, 1.1]) func old(pause: Double) throws {
    let advert: [UInt8] = [4, 0x3E, 40, 2, 1, 3, 1, 1, 0, 0, 0, 0, 0xC0, 28] + [UInt8](repeating: 0, count: 28) + [0xC4]
    /// Whether each is old that a second reading brings, `pause` after the first.
    func areOld(_ type: __socket_type, _ kind: HCITransport.Kind, _ waiting: [[UInt8]]) throws -> [Bool] {
      let (ours, theirs) = line(type)
      defer { close(theirs) }
      var on: CInt = 1
      if kind == .packets { #expect(setsockopt(ours, SOL_SOCKET, SO_TIMESTAMP, &on, 4) == 0) }
      let transport = HCITransport(ours, kind)
      var transfer = HCITransfer()
      let began = Clock.now()
      _ = write(theirs, advert, advert.count)
      try transfer.fill(from: transport, at: began)
      while transfer.next() {}
      for piece in waiting { #expect(write(theirs, piece, piece.count) == piece.count) }
      usleep(UInt32(pause * 1e6))
      _ = write(theirs, advert, advert.count)
      try transfer.fill(from: transport, at: Clock.now())
      var found: [Bool] = []
      while transfer.next() { found.append(transfer.isOld) }
      // The next reading is in time.
      _ = write(theirs, advert, advert.count)
      try transfer.fill(from: transport, at: Clock.now())
      while transfer.next() { found.append(transfer.isOld) }
      return found
    }
    let hasWaited = pause > 1
    let packets = try areOld(SOCK_DGRAM, .packets, [advert, advert])
    #expect(packets == [hasWaited, hasWaited, false, false])
    let stream = try areOld(SOCK_STREAM, .stream, [advert, advert])
    #expect(stream == [hasWaited, hasWaited, hasWaited, false])
    // Two at once come about, and answers of the controller are short.
    let (two, answers) = (try areOld(SOCK_STREAM, .stream, [advert]), try areOld(SOCK_STREAM, .stream, [event, event, event]))
    #expect(two == [false, false, false] && answers == [false, false, false, false, false])
  }

  @Test("adverts that come in bursts are heard: of two within a minute only the first may have waited") func bursts() throws {
    let (ours, theirs) = line(SOCK_STREAM)
    defer { close(theirs) }
    let advert: [UInt8] = [4, 0x3E, 40, 2, 1, 3, 1, 1, 0, 0, 0, 0, 0xC0, 28] + [UInt8](repeating: 0, count: 28) + [0xC4]
    let transport = HCITransport(ours, .stream)
    var transfer = HCITransfer()
    let found = try (0..<60).map { number in
      for _ in 0..<3 { _ = write(theirs, advert, advert.count) }
      try transfer.fill(from: transport, at: .zero + .seconds(100 + 1.3 * Double(number)))
      var count = 0
      while transfer.next() { count += transfer.isOld ? 1 : 0 }
      return count == 3
    }
    #expect(found.indices.filter { found[$0] } == [0, 47], "\(found)")
  }

  @Test("a batch is so long; the rest comes with the next") func batches() throws {
    let (ours, theirs) = line(SOCK_DGRAM)
    defer { close(theirs) }
    let transport = HCITransport(ours, .packets)
    var transfer = HCITransfer()
    var read: [UInt8] = []
    // A queue holds ten datagrams.
    for number in 0..<80 as Range<UInt8> {
      #expect(write(theirs, [4, number], 2) == 2)
      guard number % 8 == 7 else { continue }
      try transfer.fill(from: transport, at: .zero)
      let isFull = transfer.isFull
      #expect(!isFull)
      while transfer.next() { read.append(transfer.packet[1]) }
    }
    try transfer.fill(from: transport, at: .zero)
    let isMore = transfer.next()
    #expect(read == Array(0..<80) && !isMore)
    let (raw, air) = line(SOCK_STREAM)
    defer { close(air) }
    let stream = HCITransport(raw, .stream)
    let all = (0..<3_000).flatMap { _ in event }
    #expect(write(air, all, all.count) == all.count)
    var (fills, count) = (0, 0)
    repeat {
      try transfer.fill(from: stream, at: .zero)
      fills += 1
      while transfer.next() { count += 1 }
    } while transfer.isFull
    #expect(count == 3_000 && fills == 2)
  }

  @Test("what a line does not take at once waits, whole packets only, and goes in order") func unsent() throws {
    let (ours, theirs) = line(SOCK_STREAM)
    defer { close(theirs) }
    #expect(fcntl(ours, F_SETFL, O_NONBLOCK) == 0)
    var filler: Int = 0
    while case let count = write(ours, [UInt8](repeating: 0, count: 4_096), 4_096), count > 0 { filler += count }
    let transport = HCITransport(ours, .stream)
    var transfer = HCITransfer()
    let packet = [UInt8](repeating: 7, count: 300)
    for number in 0..<4 as Range<UInt8> { try transfer.send(([number] + packet).span.bytes, over: transport) }
    let waits = transfer.hasUnsent
    #expect(waits)
    var got: [UInt8] = []
    func drain() {
      var piece = [UInt8](repeating: 0, count: 1 << 20)
      let count = recv(theirs, &piece, piece.count, 0x40)
      if count > 0 { got += piece[..<count] }
    }
    for _ in 0..<100 where transfer.hasUnsent {
      drain()
      try transfer.flush(transport)
    }
    while case let before = got.count,
      {
        drain(); return got.count > before
      }()
    {}
    // The fourth had no room.
    let isLeft = transfer.hasUnsent
    #expect(!isLeft && got.count == filler + 3 * 301)
    #expect((0..<3).map { got[filler + 301 * $0] } == [0, 1, 2])
    try transfer.send([9].span.bytes, over: transport)
    transfer.restart()
    let isForgotten = !transfer.hasUnsent
    #expect(isForgotten)
  }

  @Test("a line that ends is lost; one that waits is not") func ended() {
    var ends: [CInt] = [-1, -1]
    #expect(socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue | SOCK_NONBLOCK.rawValue), 0, &ends) == 0)
    let line = HCITransport(ends[0], .stream)
    var transfer = HCITransfer()
    func trouble(_ transfer: inout HCITransfer) -> Trouble? {
      do throws(HCITransport.Refusal) { try transfer.fill(from: line, at: .zero) } catch { return error.trouble }
      return nil
    }
    #expect(trouble(&transfer) == nil && !transfer.next())
    close(ends[1])
    #expect(trouble(&transfer) == .lineLost)
  }
}
