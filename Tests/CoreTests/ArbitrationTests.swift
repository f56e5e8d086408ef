import Foundation
import Testing

@testable import Core

/// Gateways of one site and a broker that loses, delays, doubles and reorders what they claim.
private final class Island {
  private var rigs: [GatewayBox] = []
  private var letters: [(due: Double, to: Int, claim: Claim)] = []
  private var chance: Seeded
  private let loss: Double
  private let delay: Double
  /// Whose line to the broker is down.
  private var cut: Set<Int> = []
  /// What becomes known later: a gateway's last will, its return, its own loss.
  private var news: [(due: Double, tell: () -> Void)] = []
  /// When each gateway fired and left, in order.
  private(set) var told: [(gateway: Int, event: String, time: Double)] = []
  /// Monotonic clocks that disagree by minutes.
  private let offsets: [Double]

  final class GatewayBox {
    var rig: Rig
    init(_ rig: consuming Rig) { self.rig = rig }
  }

  init(_ count: Int, seed: UInt64, loss: Double, delay: Double, isConnected: Bool = true) {
    chance = Seeded(seed)
    self.loss = loss
    self.delay = delay
    offsets = (0..<count).map { Double($0) * 137.5 }
    for index in 0..<count {
      rigs.append(
        GatewayBox(
          Rig {
            $0.calibrateEverybody()
            $0.gateway.name = Self.name(index)
            $0.addTrigger("pump", group: "pumps")
          }))
      rigs[index].rig.gateway.connected(isConnected, at: moment(0, index))
      for other in 0..<count where other != index { meet(other, at: index, isOnline: true, 0) }
    }
  }

  static func name(_ index: Int) -> Name {
    var name = Name("gate")
    name.append(byte: UInt8(ascii: "a") + UInt8(index))
    return name
  }

  func meet(_ other: Int, at index: Int, isOnline: Bool, _ time: Double) {
    var neighbour = Neighbour()
    neighbour.name = Self.name(other)
    neighbour.boot = "test"
    neighbour.isOnline = isOnline
    _ = neighbour.groups.append("pumps")
    rigs[index].rig.gateway.met(neighbour, at: moment(time, index))
  }

  /// The line goes down; the gateway and its neighbours notice at times of their own.
  func fail(_ index: Int, at time: Double) {
    cut.insert(index)
    learn(after: time + 3 * fraction()) { self.rigs[index].rig.gateway.connected(false, at: self.moment($0, index)) }
    for other in rigs.indices where other != index {
      learn(after: time + 6 * fraction()) { self.meet(index, at: other, isOnline: false, $0) }
    }
  }

  func restore(_ index: Int, at time: Double) {
    cut.remove(index)
    rigs[index].rig.gateway.connected(true, at: moment(time, index))
    for other in rigs.indices where other != index {
      learn(after: time + fraction()) { self.meet(index, at: other, isOnline: true, $0) }
      if !cut.contains(other) { learn(after: time + fraction()) { self.meet(other, at: index, isOnline: true, $0) } }
    }
  }

  private func learn(after time: Double, _ tell: @escaping (Double) -> Void) { news.append((time, { tell(time) })) }

  func hear(_ index: Int, at time: Double, level: Double) {
    deliver(until: time)
    rigs[index].rig.hear(1, at: time + offsets[index], level: Int8(max(min(level, -20), -110).rounded()))
    collect(index, time)
  }

  func end(at time: Double) {
    deliver(until: time)
    for index in rigs.indices {
      rigs[index].rig.wait(until: time + offsets[index])
      collect(index, time)
    }
  }

  /// Whether two gateways ever held the device at once.
  var doubles: Int {
    var holders: Set<Int> = []
    var doubles = 0
    for (gateway, event, _) in told {
      if event == "fire" { holders.insert(gateway) }
      if event == "leave" { holders.remove(gateway) }
      if holders.count > 1 { doubles += 1 }
    }
    return doubles
  }

  private func moment(_ time: Double, _ index: Int) -> Instant { Instant(microseconds: Int64((time + offsets[index]) * 1e6)) }

  private func deliver(until time: Double) {
    while let next = news.indices.min(by: { news[$0].due < news[$1].due }), news[next].due <= time {
      let item = news.remove(at: next)
      carry(until: item.due)
      item.tell()
    }
    carry(until: time)
  }

  private func carry(until time: Double) {
    while let next = letters.indices.min(by: { letters[$0].due < letters[$1].due }), letters[next].due <= time {
      let letter = letters.remove(at: next)
      guard !cut.contains(letter.to) else { continue }
      rigs[letter.to].rig.gateway.claimed(letter.claim, at: moment(letter.due, letter.to))
      collect(letter.to, letter.due)
    }
  }

  private func collect(_ index: Int, _ time: Double) {
    for (topic, payload) in rigs[index].rig.said() {
      guard topic.contains("claim/") || topic.contains("trigger/"),
        let json = try? JSONSerialization.jsonObject(with: Data(payload.utf8)) as? [String: Any]
      else { continue }
      if topic.contains("claim/") { post(json, from: index, at: time) } else { told.append((index, json["event"] as! String, time)) }
    }
  }

  private func post(_ json: [String: Any], from sender: Int, at time: Double) {
    var claim = Claim()
    claim.gateway = Self.name(sender)
    claim.group = "pumps"
    claim.boot = "test"
    claim.identity = try! Identity(written: Text<40>(json["id"] as! String).bytes)
    claim.sequence = UInt32(json["seq"] as! Int)
    claim.standing = ["withdrawn": .withdrawn, "candidate": .candidate, "holding": .holding, "fired": .fired][json["state"] as! String]!
    claim.level = (json["level_db"] as? Double).map { Decibels(Float($0)) }
    let heard = Text<400>(json["heard"] as! String)
    for index in rigs.indices where index != sender && !cut.contains(sender) {
      claim.echo = Claim.echo(to: Self.name(index), in: heard.bytes)
      var copies = fraction() < 0.1 ? 2 : 1
      while copies > 0 {
        copies -= 1
        guard fraction() >= loss else { continue }
        letters.append((time + 0.002 + delay * fraction() * fraction(), index, claim))
      }
    }
  }

  private func fraction() -> Double { Double(chance.next() >> 11) * 0x1p-53 }
}

extension Text {
  fileprivate init(_ words: String) {
    self.init()
    for byte in words.utf8 { append(byte: byte) }
  }
}

@Suite("Arbitration between gateways") struct ArbitrationTests {
  /// Levels that swing as no body could, so that each gateway is the best in turn and sometimes all are.
  private func storm(
    _ island: Island, gateways: Int, seed: UInt64, spread: UInt64 = 30, _ observe: (Double) -> Void = { _ in }
  ) {
    var chance = Seeded(seed ^ 0xABCD)
    var levels = Array(repeating: -70.0, count: gateways)
    var targets = levels
    for tick in 0..<500 {
      let time = 5 + Double(tick) * 0.1
      observe(time)
      for index in 0..<gateways {
        if chance.next() % 40 == 0 { targets[index] = -58 - Double(chance.next() % spread) }
        levels[index] += (targets[index] - levels[index]) * 0.15
        island.hear(index, at: time + Double(index) * 0.01, level: levels[index])
      }
    }
    island.end(at: 400)
  }

  @Test("two gateways never hold one device at once, whatever the broker loses, delays or doubles", arguments: 0..<150 as Range<UInt64>)
  func exclusive(seed: UInt64) {
    let gateways = 2 + Int(seed % 3)
    let island = Island(gateways, seed: seed, loss: Double(seed % 10) / 10, delay: [0.02, 0.5, 5][Int(seed % 3)])
    storm(island, gateways: gateways, seed: seed)
    #expect(island.doubles == 0, "seed \(seed): \(island.told)")
  }

  @Test("nor while lines go down and come back, noticed late", arguments: 40..<80 as Range<UInt64>)
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

  private func visit(_ island: Island, best: Double = -60, other: Double = -76) -> [String] {
    for tick in 0..<150 {
      let time = 5 + Double(tick) * 0.1
      island.hear(0, at: time, level: best - max(0, 20 - Double(tick)))
      island.hear(1, at: time + 0.03, level: other)
    }
    island.end(at: 400)
    return island.told.filter { $0.event != "arm" }.map { "\($0.gateway) \($0.event)" }
  }

  @Test("with clocks minutes apart the better gateway fires, once")
  func better() { #expect(visit(Island(2, seed: 1, loss: 0, delay: 0.05)) == ["0 fire", "0 leave"]) }

  @Test("half of the claims lost costs time, not the fire")
  func lossy() { #expect(visit(Island(2, seed: 2, loss: 0.5, delay: 0.05)) == ["0 fire", "0 leave"]) }

  @Test("when nothing comes through, nobody fires and it is said why")
  func deaf() { #expect(visit(Island(2, seed: 3, loss: 1, delay: 0.05)) == ["0 undecided"]) }

  @Test("without the broker nobody in a group fires")
  func gone() { #expect(visit(Island(2, seed: 4, loss: 0, delay: 0.05, isConnected: false)) == ["0 undecided"]) }

  @Test("a neighbour that is offline is not waited for")
  func offline() {
    let island = Island(2, seed: 5, loss: 1, delay: 0.05)
    island.meet(1, at: 0, isOnline: false, 1)
    island.meet(0, at: 1, isOnline: false, 1)
    #expect(visit(island, other: -85) == ["0 fire", "0 leave"])
  }

  @Test("too close to call is undecided at both, and fires when one of them becomes clear")
  func close() {
    let island = Island(2, seed: 6, loss: 0, delay: 0.05)
    for tick in 0..<300 {
      let time = 5 + Double(tick) * 0.1
      island.hear(0, at: time, level: tick < 150 ? -62 : -60)
      island.hear(1, at: time + 0.03, level: tick < 150 ? -61 : -75)
    }
    #expect(island.told.filter { $0.event != "arm" }.map(\.event).sorted() == ["fire", "undecided", "undecided"])
    #expect(island.told.last?.gateway == 0)
  }

  @Test("claims that make no sense are refused and counted")
  func nonsense() throws {
    var arbitration = Arbitration()
    var claim = Claim()
    claim.gateway = "other"
    claim.group = "pumps"
    claim.identity.append(1)
    func admits(_ change: (inout Claim) -> Void) -> Bool {
      var changed = claim
      change(&changed)
      return arbitration.admits(changed, from: "we", simulated: false, at: .zero)
    }
    #expect(admits { _ in })
    #expect(!admits { $0.gateway = Name() })
    #expect(!admits { $0.group = Name() })
    #expect(!admits { $0.level = Decibels(300) })
    #expect(!admits { $0.level = Decibels(.nan) })
    #expect(!admits { $0.simulated = true })
    #expect(arbitration.claimsRefused == 5)
    #expect(!admits { $0.gateway = "we" })
    for _ in 0..<1_000 { _ = admits { _ in } }
    #expect(arbitration.claimsRefused > 500)
  }
}
