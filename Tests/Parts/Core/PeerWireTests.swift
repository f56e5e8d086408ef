import Testing

@testable import Core

@Suite("What a peer may send, and what we send it") struct PeerWireTests {
  private func at(_ seconds: Double) -> Instant { Instant(microseconds: Int64((seconds * 1e6).rounded())) }

  private func table(_ name: Name = "gate") -> AttributeTable {
    var settings = PeerSettings()
    settings.ownID = 0xBC00_BD17
    return AttributeTable(settings, name: name)
  }

  private func answer(_ request: [UInt8], mtu: Int = 23, _ name: Name = "gate") -> [UInt8] {
    let answer = table(name).answer(request.span.bytes, mtu: mtu)
    return (0..<answer.count).map { answer[$0] }
  }

  /// Of a connection of which we are the central, or that came to us.
  private func connection(_ handle: UInt16 = 0x40, isCentral: Bool = true) throws -> Connection {
    let packet: [UInt8] =
      [4, 0x3E, 19, 1, 0] + little(Int(handle)) + [isCentral ? 0 : 1, 1, 1, 0, 0, 0, 0, 0x4A, 12, 0, 0, 0, 200, 0, 0]
    guard case .connected(let connection) = try HCIEvent(packet.span.bytes) else { throw Malformed.impossible }
    return connection
  }

  @Test("a request of any other length than its kind has is no request") func lengths() {
    let lengths: [UInt8: (Int) -> Bool] = [
      0x02: { $0 == 3 }, 0x04: { $0 == 5 }, 0x06: { $0 >= 7 }, 0x08: { $0 == 7 || $0 == 21 }, 0x0A: { $0 == 3 }, 0x0C: { $0 == 5 },
      0x10: { $0 == 7 || $0 == 21 }, 0x12: { $0 >= 3 },
    ]
    for (opcode, isWhole) in lengths {
      for length in 1...30 {
        let request = Array(([opcode, 1, 0, 1] + [UInt8](repeating: 0, count: 30)).prefix(length))
        let answer = answer(request)
        let isRefused = answer.starts(with: [1, opcode]) && answer.last == 4
        #expect(isRefused == !isWhole(length), "\(opcode), \(length): \(answer)")
      }
    }
    #expect(answer([0x16, 1, 0]) == [1, 0x16, 0, 0, 6] && answer([0x0E]) == [1, 0x0E, 0, 0, 6])
  }

  @Test("no answer exceeds what both sides take, and in pieces a long value is read whole") func sizes() {
    let name: Name = "a pump of thirty-two bytes, whole"
    #expect(name.count == 32)
    for mtu in [23, 24, 40, 63, 64, 65, 247] {
      for request in [
        [4, 1, 0, 0xFF, 0xFF], [0x10, 1, 0, 0xFF, 0xFF, 0, 0x28], [0x10, 6, 0, 0xFF, 0xFF, 0, 0x28], [8, 1, 0, 0xFF, 0xFF, 0, 0x2A],
        [8, 1, 0, 0xFF, 0xFF, 3, 0x28], [0x0A, 3, 0], [0x0C, 3, 0, 1, 0],
      ] as [[UInt8]] {
        #expect(answer(request, mtu: mtu, name).count <= min(mtu, 64), "\(request) \(mtu)")
      }
      var read = Array(answer([0x0A, 3, 0], mtu: mtu, name).dropFirst())
      #expect(read.count == min(32, mtu - 1))
      while case let piece = answer([0x0C, 3, 0, UInt8(read.count), 0], mtu: mtu, name), piece.count > 1 { read += piece.dropFirst() }
      #expect(String(decoding: read, as: UTF8.self) == String(name))
      let found = answer([4, 1, 0, 0xFF, 0xFF], mtu: mtu)
      #expect(found.count == min(2 + 7 * 4, 2 + (mtu - 2) / 4 * 4), "as many as fit")
    }
    #expect(answer([0x0C, 3, 0, 32, 0], 23, name) == [13] && answer([0x0C, 3, 0, 33, 0], 23, name) == [1, 0x0C, 3, 0, 7])
  }

  private func answer(_ request: [UInt8], _ mtu: Int, _ name: Name) -> [UInt8] { answer(request, mtu: mtu, name) }

  @Test("a link cuts frames to the buffer, keeps four of them, and counts what is under way") func link() throws {
    var link = ACLLink(try connection())
    #expect(!link.hasUnsent)
    for number in 0..<6 as Range<UInt8> { link.send(Text<8>([number, 7, 7].span.bytes)) }
    var sent: [[UInt8]] = []
    while link.hasUnsent {
      let piece = link.piece(upTo: 4)
      sent.append((0..<piece.count).map { piece[$0] })
      link.pieceWent(upTo: 4)
    }
    let wanted = (0..<4 as Range<UInt8>).flatMap { [[2, 0x40, 0, 4, 0, 3, 0, 4, 0], [2, 0x40, 0x10, 3, 0, $0, 7, 7]] as [[UInt8]] }
    #expect(sent == wanted && link.inFlight == 8)
    link.completed(5)
    #expect(link.inFlight == 3)
    link.completed(9)
    #expect(link.inFlight == 0, "a controller may count wrongly")
    link.send(Text<8>([9].span.bytes))
    link.disconnect()
    #expect(!link.hasUnsent && link.wantsToDisconnect && link.isDisconnecting && link.deadline == .never)
    link.disconnectSent(at: at(10))
    link.disconnect()
    #expect(!link.wantsToDisconnect && link.isDisconnecting && link.deadline == at(13), "2 s of supervision, and one more")
  }

  @Test("frames are put together from any pieces; what is too long, or goes on where nothing began, is dropped once") func frames() throws {
    var frames = Reassembly()
    func take(_ data: [UInt8], goesOn: Bool = false) -> String {
      let packet = [2, 0x40, goesOn ? 0x10 : 0x20] + little(data.count) + data
      do throws(Malformed) {
        let piece = try AclPacket(packet.span.bytes)
        guard try frames.take(piece) else { return "more" }
        return "\(frames.channel) \(frames.payload.byteCount)"
      } catch { return "broken" }
    }
    #expect(take([1, 0, 4, 0, 9]) == "4 1" && take([0, 0, 0x45, 1]) == "325 0" && take([9], goesOn: true) == "broken")
    #expect(take([2]) == "more" && take([0, 6], goesOn: true) == "more" && take([0, 1], goesOn: true) == "more")
    #expect(take([2], goesOn: true) == "6 2" && take([3], goesOn: true) == "broken")
    #expect(take([2, 0, 4, 0, 1]) == "more" && take([1, 0, 4, 0, 7]) == "4 1", "a new frame ends the old one")
    #expect(take([1, 0, 4, 0, 7, 7]) == "broken", "more than it says")
    for (length, said) in [(247, "4 247"), (248, "broken")] {
      #expect(take(little(length) + [4, 0] + [UInt8](repeating: 1, count: 100)) == "more")
      #expect(take([UInt8](repeating: 1, count: 100), goesOn: true) == "more")
      #expect(take([UInt8](repeating: 1, count: length - 200), goesOn: true) == said)
      #expect(take([1], goesOn: true) == "broken", "it is over")
    }
  }

  private func client(hold: Bool = false) -> GATTClient {
    var settings = PeerSettings()
    settings.hold = hold
    return GATTClient(settings)
  }

  private func asking() throws -> GATTClient {
    var client = client()
    client.connect(to: Address(0x4A00_0000_0001, type: 1), for: .seconds(3), isThorough: false)
    client.connectSent(at: at(10))
    client.connected(try connection(), at: at(11))
    return client
  }

  private func outcome(_ client: inout GATTClient) -> String? {
    switch client.takeOutcome() {
    case .identified(let id)?: "id \(id)"
    case .stranger?: "stranger"
    case .failed(let failure)?: "\(failure)"
    case nil: nil
    }
  }

  @Test("an attempt has its time, a cancelled one two seconds, and nothing is asked twice") func attempts() throws {
    var client = client()
    #expect(client.isIdle && !client.wantsToConnect && client.deadline == .never)
    client.connect(to: Address(0x4A00_0000_0001, type: 1), for: .seconds(3), isThorough: false)
    #expect(client.wantsToConnect && !client.expectsConnection && client.deadline == .never)
    client.connectSent(at: at(10))
    #expect(!client.wantsToConnect && client.expectsConnection && client.deadline == at(13))
    let early = client.tick(at: at(12.999))
    #expect(early && !client.wantsToCancel)
    let isWell = client.tick(at: at(13))
    #expect(isWell && client.wantsToCancel && client.expectsConnection && client.deadline == at(15))
    client.cancelSent()
    #expect(!client.wantsToCancel && client.deadline == at(15))
    let isStuck = !client.tick(at: at(15))
    #expect(isStuck)
    client.connectFailed(.unreachable)
    #expect(client.isIdle)
    let (told, again) = (outcome(&client), outcome(&client))
    #expect(told == "unreachable" && again == nil)
  }

  @Test("each answer has a second and a half, all of them four seconds; two hundred frames are a flood") func answers() throws {
    var client = try asking()
    #expect(client.deadline == at(12.5))
    let mtu: [UInt8] = [3, 23, 0]
    client.receive(mtu.span.bytes, at: at(12))
    #expect(client.deadline == at(13.5))
    func services(_ first: Int) -> [UInt8] { [0x11, 6] + little(first) + little(first) + [0, 0x18] }
    client.receive(services(1).span.bytes, at: at(13.4))
    #expect(client.deadline == at(14.9))
    client.receive(services(2).span.bytes, at: at(14.8))
    #expect(client.deadline == at(15), "four seconds after the connection")
    let isWell = client.tick(at: at(15))
    let told = outcome(&client)
    #expect(isWell && told == "silent" && client.link?.wantsToDisconnect == true && client.deadline == .never)
    client.disconnected()
    let nothing = outcome(&client)
    #expect(client.isIdle && client.link == nil && nothing == nil)
    client = try asking()
    let noise: [UInt8] = [0x1B, 3, 0, 1]
    for _ in 0..<200 { client.receive(noise.span.bytes, at: at(11)) }
    let before = outcome(&client)
    client.receive(noise.span.bytes, at: at(11))
    let after = outcome(&client)
    #expect(before == nil && after == "flooded")
    client = try asking()
    client.disconnected()
    let hungUp = outcome(&client)
    #expect(hungUp == "hungUp" && client.isIdle && client.link == nil)
    client = try asking()
    client.interrupted()
    let interrupted = outcome(&client)
    #expect(interrupted == "interrupted" && client.isIdle && client.link == nil)
  }

  @Test(
    "the end of a peer's services makes it a stranger, it may want to be paired; any other refusal, or an answer to what nobody asked, is nonsense",
    arguments: [
      ([1, 0x10, 1, 0, 0x0A], "stranger"), ([1, 0x10, 1, 0, 0x05], "wantsPairing"), ([1, 0x10, 1, 0, 6], "garbled"),
      ([1, 0x08, 1, 0, 0x0A], "garbled"),
      ([1, 0x10, 1, 0], "garbled"), ([0x11, 6, 1, 0, 0xFF, 0xFF, 0, 0x18], "stranger"), ([0x11, 6, 0, 0, 5, 0, 0, 0x18], "garbled"),
      ([0x11, 6, 3, 0, 2, 0, 0, 0x18], "garbled"), ([0x11, 7, 1, 0, 2, 0, 0, 0x18, 0], "garbled"), ([0x11, 6], "garbled"),
      ([0x0B, 1], "garbled"), ([0x1D, 1, 0], nil), ([0x52, 1], nil), ([0x0A, 1, 0], nil),
    ] as [([UInt8], String?)]) func ends(answer: [UInt8], told: String?) throws
  {
    var client = try asking()
    let mtu: [UInt8] = [1, 2, 0, 0, 6]
    client.receive(mtu.span.bytes, at: at(11.1))
    client.receive(answer.span.bytes, at: at(11.2))
    let found = outcome(&client)
    #expect(found == told)
  }

  @Test("a command that the controller does not answer is noticed after two seconds, not before") func unanswered() {
    var line = PeerLine([], duties: nil) { ($0.serve, $0.identify) = (true, false) }
    line.phones = [ModelPhone(address: 0x4A00_0000_0009)]
    line.run(for: .seconds(1))
    line.visit(handle: 0x77)
    line.run(for: .milliseconds(100))
    line.model.swallowed = [0x201B]
    line.say([4, 0x3E, 13, 5, 0x77, 0] + [UInt8](repeating: 0, count: 10))
    line.run(for: .milliseconds(1_900))
    #expect(line.opcodes.last == 0x201B && line.controller.recoveries.resets == 0)
    line.run(for: .milliseconds(400))
    #expect(line.controller.recoveries.resets == 1)
  }
}
