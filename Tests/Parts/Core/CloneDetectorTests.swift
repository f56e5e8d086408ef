import Testing

@testable import Core

/// A driver of -59 dBm at 1 m, by the pump.
private let near: Int8 = -60

@Suite("One identity from two transmitters") struct CloneDetectorTests {
  private static let beacon: [UInt8] =
    [2, 1, 6, 0x1A, 0xFF, 0x4C, 0, 2, 0x15] + [UInt8](repeating: 0x2F, count: 16) + [0, 7, 0, 1, 0xC5]

  private func rig() -> Rig {
    Rig {
      $0.calibrateEverybody()
      $0.addTrigger("pump")
    }
  }

  /// Ten adverts a second, each from the address that `address` names for its number.
  private func hear(
    _ rig: inout Rig, from start: Double, to end: Double, level: Int8 = near, data: [UInt8] = beacon, _ address: (Int) -> UInt8
  ) {
    var number = 0
    while start + Double(number) / 10 < end {
      rig.hear(address(number), at: start + Double(number) / 10, level: level, data: data)
      number += 1
    }
  }

  private func anomalies(_ rig: inout Rig) -> [String?] { rig.told().filter { $0.event == "anomaly" }.map(\.reason) }

  @Test("a beacon from two alternating addresses is in two places at once: published once, and again at its next visit")
  func cloned() {
    var rig = rig()
    hear(&rig, from: 10, to: 60) { UInt8($0 % 2) }
    #expect(anomalies(&rig) == ["two places at once"])
    rig.wait(until: 200)
    hear(&rig, from: 200, to: 220) { $0 % 5 < 3 ? 1 : 2 }
    #expect(anomalies(&rig) == ["two places at once"])
  }

  @Test("the two need not take turns often: who comes back within ten seconds each time is another one", arguments: [1, 3, 9])
  func slowTurns(seconds: Int) {
    var rig = rig()
    hear(&rig, from: 10, to: 10 + 12 * Double(seconds)) { UInt8($0 / (10 * seconds) % 2) }
    #expect(anomalies(&rig) == ["two places at once"])
  }

  @Test("one transmitter that renews its address, even every second, or goes back to it once in a while, is one transmitter")
  func honest() {
    var rig = rig()
    hear(&rig, from: 10, to: 60) { UInt8($0 / 10) }
    #expect(anomalies(&rig).isEmpty)
    hear(&rig, from: 60, to: 240) { UInt8($0 / 110 % 2) }
    #expect(anomalies(&rig).isEmpty)
  }

  @Test("devices known by their address are as many as their addresses") func strangers() {
    var rig = rig()
    hear(&rig, from: 10, to: 60, data: [2, 1, 6]) { UInt8($0 % 2) }
    #expect(anomalies(&rig).isEmpty)
  }

  @Test("a phone that is known by its id may send from several addresses, one for each of its apps") func apps() {
    var rig = Rig {
      $0.calibrateEverybody()
      $0.addTrigger("pump")
      $0.peer.identify = true
    }
    for address in 0..<2 as Range<UInt64> {
      let peer = KnownPeer(address: Address(0xC000_0000_0000 + address, type: 1), id: 5)
      rig.gateway.receive(peer: peer, at: Instant(microseconds: 1_000_000))
    }
    hear(&rig, from: 10, to: 20, data: [2, 1, 6]) { UInt8($0 % 2) }
    let told = rig.told()
    #expect(!told.isEmpty && told.allSatisfy { $0.id == "peer:00000005" && $0.event != "anomaly" }, "\(told)")
  }

  @Test("a far copy that advertises three times as often as the driver is published, and the driver is served") func drowned() {
    var rig = rig()
    for step in 0..<1_200 {
      let time = 10 + Double(step) * 0.025
      let way = min(time - 10, 8) / 8
      let isCopy = step % 4 != 0
      rig.hear(isCopy ? 2 : 1, at: time, level: isCopy ? -88 : Int8(-84 + 24 * way), data: Self.beacon)
    }
    let told = rig.told().map(\.event)
    #expect(told.count { $0 == "anomaly" } == 1 && told.count { $0 == "fire" } == 1)
  }

  @Test("two transmitters that approach no trigger are no anomaly") func elsewhere() {
    var rig = rig()
    hear(&rig, from: 10, to: 60, level: -90) { UInt8($0 % 2) }
    #expect(anomalies(&rig).isEmpty)
  }
}
