import Testing

@testable import Core

/// Each parameter as Core 6.0, Vol 4, Part E, 7.8 has it.
@Suite("The bytes of what we ask a controller to send") struct PeerCommandTests {
  private func given(_ line: borrowing PeerLine, _ opcode: UInt16) -> [UInt8]? { line.given.first { $0.opcode == opcode }?.parameters }

  @Test("by legacy commands: parameters, data of 31 bytes, on", arguments: [true, false]) func legacy(serves: Bool) {
    var duties = AdvertisingTests.duties(serves ? 0 : 1, serve: serves)
    if !serves { duties.transmissions[0].interval = .milliseconds(250) }
    var line = AdvertisingTests.line(duties, extended: false)
    line.run(for: .seconds(1))
    let interval: [UInt8] = little(serves ? 160 : 400)
    let rest: [UInt8] = [serves ? 0 : 3, 0] + [UInt8](repeating: 0, count: 7) + [7, 0]
    #expect(given(line, 0x2006) == interval + interval + rest)
    let data = given(line, 0x2008) ?? []
    #expect(data.count == 32 && data[0] == (serves ? 21 : 30) && data[1...3] == [2, 1, 6])
    #expect(data.dropFirst(1 + Int(data[0])).allSatisfy { $0 == 0 } && given(line, 0x200A) == [1])
    #expect(line.onAir.count == 1 && line.news.count == 1)
  }

  @Test("by extended commands: one set each, legacy adverts on three channels, and a random address where there is no other")
  func extended() {
    var duties = AdvertisingTests.duties(2)
    duties.transmissions[1].interval = .milliseconds(10)
    var line = AdvertisingTests.line(duties, extended: true)
    line.model.address = 0
    line.run(for: .seconds(1))
    for set in 0..<2 as Range<UInt8> {
      let interval: [UInt8] = set == 0 ? [0xA0, 0, 0] : [0x20, 0, 0]
      let parameters = line.given.filter { $0.opcode == 0x2036 && $0.parameters[0] == set }.map(\.parameters)
      let rest: [UInt8] = [7, 1] + [UInt8](repeating: 0, count: 7) + [0, 127, 1, 0, 1, set, 0]
      #expect(parameters == [[set, 0x10, 0] + interval + interval + rest])
      let address: [UInt8] = [set, 0xBC, 0x9A, 0x78, 0x56, 0x34, 0xD2]
      #expect(line.given.filter { $0.opcode == 0x2035 && $0.parameters[0] == set }.map(\.parameters) == [address])
      let data = line.given.filter { $0.opcode == 0x2037 && $0.parameters[0] == set }.map(\.parameters)
      #expect(data.count == 1 && data[0].prefix(7) == [set, 3, 1, 30, 2, 1, 6] && data[0].count == 34)
      let on = line.given.filter { $0.opcode == 0x2039 && $0.parameters[2] == set }.map(\.parameters)
      #expect(on == [[1, 1, set, 0, 0, 0]])
    }
    line = AdvertisingTests.line(AdvertisingTests.duties(0, serve: true), extended: true)
    line.run(for: .seconds(1))
    #expect(given(line, 0x2036)?.prefix(3) == [0, 0x13, 0] && given(line, 0x2035) == nil, "connectable; with a public address")
    #expect(given(line, 0x2037)?.prefix(7) == [0, 3, 1, 21, 2, 1, 6])
  }

  @Test("a connection is asked for on 1M, with an interval of 15 to 30 ms and two seconds of patience", arguments: [true, false])
  func connects(isExtended: Bool) {
    var line = PeerLine([ModelPhone(address: 0x4A01_0203_0405)])
    line.model.isExtended = isExtended
    line.run(for: .seconds(1))
    let peer: [UInt8] = [1, 5, 4, 3, 2, 1, 0x4A]
    let scan: [UInt8] = [96, 0, 96, 0]
    let rest: [UInt8] = [12, 0, 24, 0, 0, 0, 200, 0, 0, 0, 0, 0]
    let wanted = isExtended ? [0, 0] + peer + [1] + scan + rest : scan + [0] + peer + [0] + rest
    #expect(given(line, isExtended ? 0x2043 : 0x200D) == wanted)
    #expect(line.identified.count == 1)
  }

  @Test("a held connection that the controller knows no longer is over") func heldAndGone() {
    var line = PeerLine([ModelPhone(address: 0x4A01_0203_0405)]) { $0.hold = true }
    line.run(for: .seconds(5))
    #expect(line.peers.client.isHolding)
    line.statuses[0x1405] = [0x02]
    line.run(for: .seconds(2))
    let asked = line.opcodes.count { $0 == 0x1405 }
    line.run(for: .seconds(5))
    #expect(!line.peers.client.isHolding && line.opcodes.count { $0 == 0x1405 } == asked)
  }

  @Test("a set that the controller ends by itself is on again five seconds later") func terminated() {
    var line = AdvertisingTests.line(AdvertisingTests.duties(1), extended: true)
    line.run(for: .seconds(1))
    let enabled = line.opcodes.count { $0 == 0x2039 }
    line.say([4, 0x3E, 6, 0x12, 0x43, 0, 0, 0, 0])
    line.run(for: .seconds(4))
    #expect(line.opcodes.count { $0 == 0x2039 } == enabled)
    line.run(for: .seconds(2))
    #expect(line.opcodes.count { $0 == 0x2039 } > enabled)
  }
}
