import Testing

@testable import Core

@Suite("A connection that is held") struct HeldConnectionTests {
  @Test("it is sampled every second, ends when another device needs asking, and comes back when that one has gone")
  func hold() {
    var line = PeerLine([PeerTests.phone]) { $0.hold = true }
    line.run(for: .seconds(10))
    #expect(line.identified.count == 1 && (9...11).contains(line.levels.count) && line.levels.allSatisfy { $0 == -47 })
    #expect(line.connections.count == 1 && line.isScanning)
    line.phones.append(ModelPhone(address: 0x4A00_0000_0002, installation: 7))
    line.run(for: .seconds(1))
    #expect(line.identified == [0xBC00_BD17, 7] && line.connections.count == 1)
    // It goes away by itself.
    line.phones.removeLast()
    line.end(line.central!, 0x08)
    line.run(for: .seconds(5))
    #expect(line.connections.count == 1 && line.identified == [0xBC00_BD17, 7, 0xBC00_BD17] && line.isScanning)
    line.end(line.central!, 0x08)
    line.run(for: .seconds(5))
    #expect(line.connections.isEmpty && line.identified.count == 3, "whoever ends it himself is left alone")
  }

  @Test("of two phones that advertise seldom each is read once, and one is held: they do not take turns") func seldom() {
    var line = PeerLine([PeerTests.phone, ModelPhone(address: 0x4A00_0000_0002, installation: 7)]) { $0.hold = true }
    line.period = .milliseconds(760)
    line.run(for: .seconds(120))
    #expect(Set(line.identified) == [0xBC00_BD17, 7] && line.identified.count == 2 && line.connections.count == 1, "\(line.news)")
  }

  @Test("a controller that was reset holds it again") func reset() {
    var line = PeerLine([PeerTests.phone]) { $0.hold = true }
    line.run(for: .seconds(3))
    line.say([4, 0x10, 1, 0])
    line.run(for: .seconds(10))
    #expect(line.identified.count == 2 && line.connections.count == 1 && line.isScanning)
  }
}
