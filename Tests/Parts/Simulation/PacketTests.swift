import Core
import Testing

@testable import Simulation

@Suite("What the world's phones send") struct PacketTests {
  private func first(extended: Bool, _ phone: (inout Phone) -> Void) -> [UInt8] {
    let scenario = Scenario.standing(at: 1, seconds: 5) {
      $0.gateways[0].extended = extended
      phone(&$0.phones[0])
    }
    var world = World(scenario, seed: 1)
    var packet = Packet()
    #expect(world.next(into: &packet) == 0)
    return (0..<packet.bytes.count).map { packet.bytes[$0] }
  }

  private func hex(_ bytes: some Sequence<UInt8>) -> String {
    bytes.map { String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }.joined()
  }

  @Test("legacy and extended events have the right lengths")
  func lengths() {
    for extended in [false, true] {
      let bytes = first(extended: extended) { _ in }
      #expect(bytes[0] == 0x04 && bytes[1] == 0x3E)
      #expect(Int(bytes[2]) == bytes.count - 3)
      #expect(bytes[3] == (extended ? 0x0D : 0x02) && bytes[4] == 1)
    }
  }

  @Test("an iBeacon, an AltBeacon and an Eddystone have the bytes that their specifications publish")
  func beacons() {
    let iBeacon = first(extended: true) { _ in }
    #expect(hex(iBeacon[29...]) == "0201061aff4c0002150102030405060708090a0b0c0d0e0f1000070001c5")
    let altBeacon = first(extended: true) { phone in
      var identity = Identity(.altBeacon)
      for byte: UInt8 in 1...20 { identity.append(byte) }
      phone.says = .beacon(identity)
    }
    #expect(hex(altBeacon[29...]) == "0201061bff1801beac0102030405060708090a0b0c0d0e0f1011121314c500")
    let eddystone = first(extended: true) { phone in
      var identity = Identity(.eddystone)
      for byte: UInt8 in 1...16 { identity.append(byte) }
      phone.says = .beacon(identity)
    }
    #expect(hex(eddystone[29...]) == "0201060303aafe1716aafe00ee0102030405060708090a0b0c0d0e0f100000")
  }

  @Test("an app in the background is one bit in the scan response")
  func background() {
    let uuid = ServiceUUID(0x2F23_4454_CF6D_4A0F, 0xADF2_F491_1BA9_FFA6)
    let scenario = Scenario.standing(at: 1, seconds: 5) { $0.phones[0].says = .background(uuid) }
    var world = World(scenario, seed: 1)
    var packet = Packet()
    var responses: Set<String> = []
    while world.next(into: &packet) != nil {
      if packet.bytes[5] == 0x1B { responses.insert(hex((29..<packet.bytes.count).map { packet.bytes[$0] })) }
    }
    #expect(responses == ["14ff4c000100000000000000000000080000000000"])
  }

  @Test("older controllers put an advert and its response into one event now and then")
  func several() {
    let scenario = Scenario.standing(at: 1, seconds: 20) {
      $0.gateways[0].extended = false
      $0.phones[0].says = .named(Name("Bus 7"))
    }
    var world = World(scenario, seed: 1)
    var packet = Packet()
    var counts: [UInt8: Int] = [:]
    while world.next(into: &packet) != nil {
      counts[packet.bytes[4], default: 0] += 1
      #expect(Int(packet.bytes[2]) == packet.bytes.count - 3)
    }
    #expect(counts[1, default: 0] > 50 && counts[2, default: 0] > 50)
    #expect(counts.count == 2)
  }
}
