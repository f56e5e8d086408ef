import Foundation
import Testing

@testable import Core

/// Gateways of one site and a broker that loses, delays, doubles and reorders what they claim.
final class Island {
  private var rigs: [GatewayBox] = []
  private var letters: [Letter] = []
  /// Every message ever published, for replays.
  private var archive: [Letter] = []

  private enum Word {
    case claim(Claim)
    case hello(Neighbour)
  }

  private struct Letter {
    var due: Double
    var to: Int
    var word: Word
    var heard: Text<520>
    var runs: Text<200>
  }
  private var chance: Seeded
  private let loss: Double
  private let delay: Double
  /// From now on every message takes so long, in order.
  var lag: Double?
  private let isPlaced: Bool
  private let groupRefractory: Interval
  /// Whose line to the broker is down.
  private var cut: Set<Int> = []
  /// What becomes known later: a gateway's last will, its return, its own loss.
  private var news: [(due: Double, tell: () -> Void)] = []
  /// When each gateway fired and left, in order.
  private(set) var told: [(gateway: Int, event: String, time: Double)] = []
  /// What each event was based on.
  private(set) var evidence: [(event: String, members: [String: Any])] = []
  private var now = 0.0
  /// Monotonic clocks that disagree by minutes.
  private let offsets: [Double]

  private var boots: [Text<16>] = []
  private var restarts = 0

  final class GatewayBox {
    var rig: Rig
    init(_ rig: consuming Rig) { self.rig = rig }
  }

  /// Placed: the gateways know where they stand, and no power is measured, so the pattern of all decides.
  init(
    _ count: Int, seed: UInt64, loss: Double, delay: Double, isConnected: Bool = true, isPlaced: Bool = false,
    groupRefractory: Interval = .zero
  ) {
    (self.isPlaced, self.groupRefractory) = (isPlaced, groupRefractory)
    chance = Seeded(seed)
    self.loss = loss
    self.delay = delay
    offsets = (0..<count).map { Double($0) * 137.5 }
    for index in 0..<count {
      boots.append("test")
      rigs.append(Self.gateway(index, "test", isPlaced, groupRefractory))
      rigs[index].rig.gateway.connected(isConnected, at: moment(0, index))
      for other in 0..<count where other != index { meet(other, at: index, isOnline: true, 0) }
    }
    idle(from: 0, until: 4.9)
  }

  /// Time passes as at a gateway that wakes when something falls due.
  private func idle(from start: Double, until end: Double) {
    for step in 0...Int((end - start) / 0.1) {
      let time = start + Double(step) * 0.1
      deliver(until: time)
      for index in rigs.indices {
        rigs[index].rig.wait(until: time + offsets[index])
        collect(index, time)
      }
    }
  }

  private static func gateway(_ index: Int, _ boot: Text<16>, _ isPlaced: Bool, _ groupRefractory: Interval) -> GatewayBox {
    GatewayBox(
      Rig(boot: boot) {
        if isPlaced {
          $0.addRadios(1)
          $0.radios[0].point = PlanPoint(x: 8 * Float(index % 2), y: 9 * Float(index / 2))
        } else {
          $0.calibrateEverybody()
        }
        $0.gateway.name = Self.name(index)
        $0.addTrigger("pump", group: "pumps") { ($0.groupRefractory, $0.minimumRate) = (groupRefractory, 1.4) }
      })
  }

  /// Its power fails and comes back: another run, which knows nothing.
  func restart(_ index: Int, at time: Double) {
    restarts += 1
    var boot = Text<16>("run ")
    boot.append(decimal: UInt64(restarts))
    boots[index] = boot
    rigs[index] = Self.gateway(index, boot, isPlaced, groupRefractory)
    rigs[index].rig.gateway.connected(true, at: moment(time, index))
  }

  /// Replays an old message, of this run or another.
  func replay(at time: Double) {
    guard !archive.isEmpty else { return }
    var letter = archive[Int(chance.next() % UInt64(archive.count))]
    letter.due = time
    letters.append(letter)
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
    neighbour.groups.append("pumps")
    rigs[index].rig.gateway.receive(status: neighbour, at: moment(time, index))
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
    now = time
    deliver(until: time)
    rigs[index].rig.hear(1, at: time + offsets[index], level: Int8(max(min(level, -20), -110).rounded()))
    collect(index, time)
  }

  func end(at time: Double) {
    idle(from: now, until: now + 5)
    deliver(until: time)
    for index in rigs.indices {
      rigs[index].rig.wait(until: time + offsets[index])
      collect(index, time)
    }
  }

  /// What is wrong with the gateways' tables.
  var tableFaults: [String] { rigs.flatMap { $0.rig.gateway.tableFaults } }

  /// Rows of the gateways' tables that are still in use.
  var rowsInUse: [Int] { rigs.map { $0.rig.gateway.rowsInUse } }

  /// Whether it has fired, and not left.
  func holds(_ index: Int) -> Bool { told.last { $0.gateway == index && ["fire", "leave"].contains($0.event) }?.event == "fire" }

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
      let echo = Claim.echo(to: Self.name(letter.to), boots[letter.to], in: letter.heard.bytes, runs: letter.runs.bytes, mustName: true)
      switch letter.word {
      case .claim(var claim):
        claim.echo = echo
        rigs[letter.to].rig.gateway.receive(claim: claim, at: moment(letter.due, letter.to))
      case .hello(var hello):
        hello.echo = echo
        rigs[letter.to].rig.gateway.receive(hello: hello, at: moment(letter.due, letter.to))
      }
      collect(letter.to, letter.due)
    }
  }

  private func collect(_ index: Int, _ time: Double) {
    for (topic, payload) in rigs[index].rig.said() {
      guard topic.contains("claim/") || topic.contains("trigger/"),
        let json = try? JSONSerialization.jsonObject(with: Data(payload.utf8)) as? [String: Any]
      else { continue }
      if topic.contains("/hello/") {
        greet(json, from: index, at: time)
      } else if topic.contains("claim/") {
        post(json, from: index, at: time)
      } else {
        told.append((index, json["event"] as! String, time))
        evidence.append((told[told.count - 1].event, json["evidence"] as? [String: Any] ?? [:]))
      }
    }
  }

  private func greet(_ json: [String: Any], from sender: Int, at time: Double) {
    var hello = Neighbour()
    hello.name = Self.name(sender)
    hello.boot = boots[sender]
    hello.sequence = UInt32(json["seq"] as! Int)
    hello.groups.append("pumps")
    hello.isOnline = true
    for index in rigs.indices where !cut.contains(sender) { send(.hello(hello), json, to: index, at: time) }
  }

  private func send(_ word: Word, _ json: [String: Any], to index: Int, at time: Double) {
    let (heard, runs) = (Text<520>(json["heard"] as! String), Text<200>(json["runs"] as! String))
    let letter = Letter(due: time + (lag ?? 0.002 + delay * fraction() * fraction()), to: index, word: word, heard: heard, runs: runs)
    archive.append(letter)
    if fraction() >= loss { letters.append(letter) }
  }

  private func post(_ json: [String: Any], from sender: Int, at time: Double) {
    var claim = Claim()
    claim.gateway = Self.name(sender)
    claim.group = "pumps"
    claim.boot = boots[sender]
    claim.identity = try! Identity(written: Text<40>(json["id"] as! String).bytes)
    claim.sequence = UInt32(json["seq"] as! Int)
    claim.standing = ["withdrawn": .withdrawn, "candidate": .candidate, "holding": .holding, "fired": .fired][json["state"] as! String]!
    claim.level = (json["level_db"] as? Double).map { Decibels(Float($0)) }
    claim.steady = (json["steady_db"] as? Double).map { Decibels(Float($0)) }
    claim.isListening = json["listens"] as? Bool ?? false
    claim.rate = Float(json["rate_hz"] as? Double ?? 0)
    if let x = json["x_m"] as? Double, let y = json["y_m"] as? Double { claim.point = PlanPoint(x: Float(x), y: Float(y)) }
    for index in rigs.indices where index != sender && !cut.contains(sender) {
      for _ in 0..<(fraction() < 0.1 ? 2 : 1) { send(.claim(claim), json, to: index, at: time) }
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

/// Levels that swing as no body could, so that each gateway is the best in turn and sometimes all are.
func storm(
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
    if tick % 10 == 0 { #expect(island.tableFaults == [], "seed \(seed)") }
  }
  island.end(at: 400)
  #expect(island.tableFaults == [], "seed \(seed)")
  #expect(island.rowsInUse.allSatisfy { $0 == 0 }, "seed \(seed): rows are left in use: \(island.rowsInUse)")
}
