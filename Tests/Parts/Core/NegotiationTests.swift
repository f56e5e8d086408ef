import Testing

@testable import Core

@Suite("Arbitration between gateways") struct NegotiationTests {
  private let loan = Loan()

  @Test("two gateways never hold one device at once, whatever the broker loses, delays or doubles", arguments: 0..<150 as Range<UInt64>)
  func exclusive(seed: UInt64) {
    let gateways = 2 + Int(seed % 3)
    let island = Island(gateways, seed: seed, loss: Double(seed % 10) / 10, delay: [0.02, 0.5, 5][Int(seed % 3)])
    storm(island, gateways: gateways, seed: seed)
    #expect(island.doubles == 0, "seed \(seed): \(island.told)")
  }

  @Test("two gateways never hold one device at once while connections drop and return, noticed late", arguments: 40..<80 as Range<UInt64>)
  func outages(seed: UInt64) {
    let gateways = 2 + Int(seed % 3)
    let island = Island(gateways, seed: seed, loss: Double(seed % 4) / 10, delay: [0.02, 0.5][Int(seed % 2)])
    var chance = Seeded(seed ^ 0x5678)
    var down: [(gateway: Int, until: Double)] = []
    storm(island, gateways: gateways, seed: seed, spread: 18) { time in
      while let back = down.firstIndex(where: { $0.until <= time }) { island.restore(down.remove(at: back).gateway, at: time) }
      let index = Int(chance.next() % UInt64(gateways))
      guard chance.next() % 40 == 0, !down.contains(where: { $0.gateway == index }) else { return }
      island.fail(index, at: time)
      down.append((index, time + 7 + Double(chance.next() % 10)))
    }
    #expect(island.doubles == 0, "seed \(seed): \(island.told)")
  }

  @Test("two gateways that know where they stand never hold one device at once", arguments: 0..<60 as Range<UInt64>)
  func placed(seed: UInt64) {
    let gateways = 2 + Int(seed % 4)
    let island = Island(gateways, seed: seed, loss: Double(seed % 5) / 10, delay: [0.02, 0.5, 2][Int(seed % 3)], isPlaced: true)
    storm(island, gateways: gateways, seed: seed)
    #expect(island.doubles == 0, "seed \(seed): \(island.told)")
  }

  @Test(
    "with group_refractory_s a device that was served at one gateway is served at no other for so long", arguments: 0..<60 as Range<UInt64>)
  func once(seed: UInt64) {
    let gateways = 2 + Int(seed % 3)
    let island = Island(
      gateways, seed: seed, loss: Double(seed % 8) / 10, delay: [0.02, 0.5, 2][Int(seed % 3)], groupRefractory: .seconds(20))
    storm(island, gateways: gateways, seed: seed)
    let fires = island.told.filter { $0.event == "fire" }.map(\.time)
    #expect(zip(fires, fires.dropFirst()).allSatisfy { $1 - $0 >= 19.9 }, "seed \(seed): \(island.told)")
  }

  @Test("gateways that know where they stand serve a phone that is 15 dB weaker than assumed")
  func weak() {
    let island = Island(3, seed: 1, loss: 0.1, delay: 0.05, isPlaced: true)
    for tick in 0..<150 {
      let time = 5 + Double(tick) * 0.1
      island.hear(0, at: time, level: -76)
      for other in 1...2 where tick % 3 == 0 { island.hear(other, at: time + 0.02 * Double(other), level: -92) }
    }
    island.end(at: 400)
    #expect(island.told.filter { $0.event != "arm" }.map { "\($0.gateway) \($0.event)" } == ["0 fire", "0 leave"])
  }

  @Test(
    "an intent asks for two seconds: answers that are later tell nothing of the present, and nobody fires",
    arguments: [(0.2, true), (0.7, true), (1.0, true), (1.2, false), (1.4, false), (1.8, false)])
  func late(lag: Double, isInTime: Bool) {
    let island = Island(2, seed: 7, loss: 0, delay: 0.05)
    island.lag = lag
    #expect(visit(island).contains("0 fire") == isInTime)
  }

  private func visit(_ island: Island, best: Double = -60, other: Double = -76) -> [String] {
    for tick in 0..<150 {
      let time = 5 + Double(tick) * 0.1
      island.hear(0, at: time, level: best - max(0, 20 - Double(tick)))
      island.hear(1, at: time + 0.03, level: other)
    }
    island.end(at: 400)
    return island.told.filter { $0.event != "arm" }.map { "\($0.gateway) \($0.event)" }
  }

  @Test("with clocks minutes apart the better gateway fires once")
  func better() { #expect(visit(Island(2, seed: 1, loss: 0, delay: 0.05)) == ["0 fire", "0 leave"]) }

  @Test("half of the claims lost costs time, not the fire")
  func lossy() { #expect(visit(Island(2, seed: 2, loss: 0.5, delay: 0.05)) == ["0 fire", "0 leave"]) }

  @Test("when no claim arrives, nobody fires, and the reason is published")
  func deaf() { #expect(visit(Island(2, seed: 3, loss: 1, delay: 0.05)) == ["0 undecided"]) }

  @Test("without the broker no gateway of a group fires")
  func gone() { #expect(visit(Island(2, seed: 4, loss: 0, delay: 0.05, isConnected: false)) == ["0 undecided"]) }

  @Test("a neighbour that is offline is not waited for")
  func offline() {
    let island = Island(2, seed: 5, loss: 0, delay: 0.05)
    island.fail(1, at: 0)
    #expect(visit(island, other: -85) == ["0 fire", "0 leave"])
  }

  @Test("equal levels leave both gateways undecided until one is clearly better")
  func close() {
    let island = Island(2, seed: 6, loss: 0, delay: 0.05)
    for tick in 0..<300 {
      let time = 5 + Double(tick) * 0.1
      island.hear(0, at: time, level: tick < 150 ? -62 : -60)
      island.hear(1, at: time + 0.03, level: tick < 150 ? -61 : -75)
    }
    #expect(island.told.filter { $0.event != "arm" }.map(\.event).sorted() == ["fire", "undecided", "undecided"])
    #expect(island.told.last?.gateway == 0)
    let reasons = island.evidence.filter { $0.event == "undecided" }.map { $0.members["reason"] as? String }
    #expect(reasons == ["rival", "rival"], "each knows what the other hears")
    let fire = island.evidence.last?.members ?? [:]
    let (level, margin) = (fire["runner_up"] as? Double ?? 0, fire["margin_db"] as? Double ?? 0)
    #expect((-75.5 ... -62).contains(level) && (2...15.5).contains(margin), "\(fire)")
  }

  @Test("claims that make no sense are refused and counted")
  func nonsense() throws {
    var membership = Membership(on: loan)
    var neighbour = Neighbour()
    neighbour.name = "other"
    neighbour.boot = "run"
    neighbour.isOnline = true
    membership.receive(status: neighbour, at: .zero)
    var claim = Claim()
    claim.gateway = "other"
    claim.boot = "run"
    claim.sequence = 1
    claim.group = "pumps"
    claim.identity.append(1)
    func admits(_ change: (inout Claim) -> Void) -> Bool {
      var changed = claim
      change(&changed)
      return membership.admit(changed, from: "we", simulated: false, at: .zero) != nil
    }
    #expect(admits { _ in })
    #expect(!admits { $0.gateway = Name() })
    #expect(!admits { $0.group = Name() })
    #expect(!admits { $0.level = Decibels(300) })
    #expect(!admits { $0.level = Decibels(.nan) })
    #expect(!admits { $0.simulated = true })
    #expect(!admits { $0.boot = "another run" })
    #expect(!admits { $0.gateway = "nobody" })
    #expect(membership.refused.claims == 7)
    #expect(!admits { $0.gateway = "we" })
    for _ in 0..<2_000 { _ = admits { _ in } }
    #expect(membership.refused.claims > 1_000)
  }
}
