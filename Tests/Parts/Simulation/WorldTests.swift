import Core
import Testing

@testable import Simulation

@Suite("The world") struct WorldTests {
  private func busy(_ change: (inout Scenario) -> Void = { _ in }) -> Scenario {
    Scenario.standing(at: 3, seconds: 20) {
      $0.gateways.append($0.gateways[0])
      $0.gateways[1].place = Point(8, 0)
      $0.gateways[1].extended = false
      $0.gateways[1].clock = 1_000
      $0.bystanders.count = 20
      change(&$0)
    }
  }

  private func digest(_ scenario: Scenario, seed: UInt64) -> UInt64 {
    var world = World(scenario, seed: seed)
    var packet = Packet()
    var hash: UInt64 = 0xCBF2_9CE4_8422_2325
    func add(_ byte: UInt64) { hash = (hash ^ byte) &* 0x0000_0100_0000_01B3 }
    while let gateway = world.next(into: &packet) {
      add(UInt64(gateway))
      add(UInt64(bitPattern: packet.at.microseconds))
      for index in 0..<packet.bytes.count { add(UInt64(packet.bytes[index])) }
    }
    return hash
  }

  @Test("the same scenario and seed give the same packets, and another seed others")
  func repeats() {
    #expect(digest(busy(), seed: 1) == digest(busy(), seed: 1))
    #expect(digest(busy(), seed: 1) != digest(busy(), seed: 2))
  }

  @Test("each gateway's packets come in the order of its own clock")
  func order() {
    for seed in 0..<10 as Range<UInt64> {
      var latest = [Instant.zero, Instant.zero]
      for heard in World.receptions(busy(), seed: seed) {
        #expect(heard.at >= latest[heard.gateway])
        latest[heard.gateway] = heard.at
      }
      #expect(latest[1].seconds - latest[0].seconds > 999)
    }
  }

  @Test("adverts come every interval and up to 10 ms later, and a sixth of the window hears a sixth of them")
  func rate() {
    let open = World.receptions(.standing(at: 1) { $0.air.interference = 0 }, seed: 4).count
    #expect(abs(Double(open) - 60 / 0.105) < 15)
    let sixth = World.receptions(
      .standing(at: 1) {
        $0.air.interference = 0; $0.gateways[0].window = 0.010
      }, seed: 4
    ).count
    #expect(abs(Double(sixth) - 60 / 0.105 / 6) < 30)
  }

  @Test("interference of 40 % loses 40 % of the packets")
  func interference() {
    let heard = World.receptions(.standing(at: 1, seconds: 300) { $0.air.interference = 0.4 }, seed: 4).count
    #expect(abs(Double(heard) / (300 / 0.105) - 0.6) < 0.03)
  }

  @Test("a dead radio hears nothing while it is dead")
  func silence() {
    let scenario = Scenario.standing(at: 1) {
      $0.gateways[0].silentFrom = 20
      $0.gateways[0].silentTo = 40
    }
    let times = World.receptions(scenario, seed: 1).map(\.at.seconds)
    #expect(!times.contains { $0 > 20.01 && $0 < 40 })
    #expect(times.contains { $0 < 20 } && times.contains { $0 > 40 })
  }

  @Test("one more bystander changes nothing between the others and the first gateway")
  func independence() {
    func levels(_ count: Int) -> [Int] {
      let scenario = Scenario.standing(at: 2) { $0.bystanders.count = count }
      var world = World(scenario, seed: 6)
      var packet = Packet()
      var levels: [Int] = []
      while world.next(into: &packet) != nil {
        // A beacon's report is 52 bytes long, a plain phone's is shorter.
        if packet.bytes.count > 55 { levels.append(Int(Int8(bitPattern: packet.bytes[18]))) }
      }
      return levels
    }
    #expect(levels(0).prefix(100) == levels(1).prefix(100))
  }

  @Test("a rotating address changes when its time is over and not before")
  func rotation() {
    let scenario = Scenario.standing(at: 1, seconds: 100) {
      $0.phones[0].says = .nearby
      $0.phones[0].address = .rotating(seconds: 20)
    }
    var world = World(scenario, seed: 8)
    var packet = Packet()
    var changes: [Double] = []
    var address: [UInt8] = []
    while world.next(into: &packet) != nil {
      let now = (8..<14).map { packet.bytes[$0] }
      if now != address { changes.append(packet.at.seconds) }
      address = now
      #expect(now[5] >> 6 == 0b01)
    }
    #expect(changes.count == 6)
    for (earlier, later) in zip(changes.dropFirst(), changes.dropFirst(2)) { #expect(abs(later - earlier - 20) < 0.5) }
  }

  @Test("a key resolves its phone's addresses: the vector of the Core specification")
  func resolvable() {
    // Core 6.0, Vol 3, Part H, D.7: this key and 708194 give 0dfbaa. The cipher here knows just that block.
    let key = Block(0xec, 0x02, 0x34, 0xa3, 0x57, 0xc8, 0xad, 0x05, 0x34, 0x10, 0x10, 0xa6, 0x0a, 0x39, 0x7d, 0x9b)
    let cipher: Cipher = { given, plain in
      #expect(given == key)
      #expect(plain[13] >> 6 == 0b01 && plain[12] == 0)
      return Block(0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0x0d, 0xfb, 0xaa)
    }
    let scenario = Scenario.standing(at: 1, seconds: 5) { $0.phones[0].address = .resolvable(key: key, seconds: 900) }
    var world = World(scenario, seed: 8, cipher: cipher)
    var packet = Packet()
    #expect(world.next(into: &packet) != nil)
    #expect((8..<11).map { packet.bytes[$0] } == [0xaa, 0xfb, 0x0d])
  }
}

extension Instant {
  var seconds: Double { Double(microseconds) * 1e-6 }
}
