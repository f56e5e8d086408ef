import Testing

@testable import Core

@Suite("Whom to ask, and who has answered") struct PeerTableTests {
  private static func at(_ microseconds: Int64) -> Instant { Instant(microseconds: microseconds) }
  private static func sender(_ number: Int) -> Address { Address(0xC000_0000_0000 + UInt64(number), type: 1) }

  @Test(
    "an id is valid for 16 minutes from its reading; of 1,025 addresses the first that was learnt is forgotten",
    arguments: 0..<4 as Range<UInt64>)
  func installations(seed: UInt64) {
    var random = Seeded(seed)
    let loan = Loan(bytes: KnownPeers.bytes)
    var arena = loan.arena
    var known = KnownPeers(in: &arena)
    var order: [Int] = []
    var model: [Int: (id: UInt32, learnt: Int64)] = [:]
    var now: Int64 = 2_000_000_000
    func id(_ sender: Address, _ microseconds: Int64) -> UInt32? { known.id(behind: sender, at: Self.at(microseconds)) }
    for _ in 0..<4_000 {
      now += .random(in: 0..<2_000_000, using: &random)
      let number = Int.random(in: 0..<1_300, using: &random)
      var peer = KnownPeer(address: Self.sender(number), id: .random(in: 0...100, using: &random))
      peer.age = Interval(microseconds: .random(in: 0..<900_000_000, using: &random))
      known.learn(peer, at: Self.at(now))
      if model[number] == nil { order.append(number) }
      model[number] = (peer.id, now - peer.age.microseconds)
      if order.count > 1_024 { model[order.removeFirst()] = nil }
      for probe in [number, order[0], Int.random(in: 0..<1_300, using: &random)] {
        let wanted = model[probe].flatMap { now - $0.learnt <= 960_000_000 ? $0.id : nil }
        #expect(id(Self.sender(probe), now) == wanted)
        guard let learnt = model[probe]?.learnt else { continue }
        #expect(id(Self.sender(probe), learnt + 960_000_000) != nil && id(Self.sender(probe), learnt + 960_000_001) == nil)
      }
      #expect(id(Address(Self.sender(number).word & 0xFFFF_FFFF_FFFF, type: 0), now) == nil, "another kind")
    }
  }

  /// What the test knows of one device.
  private struct Known {
    var heard: Int64
    var rhythm: AdvertRhythm
    var level = Int8.min
    /// When it may be asked.
    var open: Int64
    var failures: Int?
    var levelAtFailure = Int8.min

    mutating func hear(_ level: Int8, at now: Int64) {
      self.level = level
      if failures != nil, Int(level) - Int(levelAtFailure) >= 10 { open = min(open, now) }
    }
  }

  @Test(
    "the strongest, or the longest waiting, is asked of those just heard, neither known nor banned; a full table forgets the longest silent",
    arguments: 0..<12 as Range<UInt64>)
  func candidates(seed: UInt64) throws {
    var random = Seeded(seed)
    let loan = Loan(bytes: Candidates.bytes)
    var arena = loan.arena
    let service = ServiceUUID(short: 0xFEAA)
    let stagger = Int64([0, 7, 299][Int(seed) % 3])
    var table = Candidates(service, courtesy: .seconds(1), salt: UInt32(300 + stagger), in: &arena)
    var model: [Int: Known] = [:]
    var now: Int64 = 10_000_000
    // After every other failure.
    var asksOldest = false
    func add(_ number: Int, heard: Int64) {
      guard model[number] == nil else { return model[number]!.heard = max(heard, model[number]!.heard) }
      if model.count == 512 { model[model.min { $0.value.heard < $1.value.heard }!.key] = nil }
      model[number] = Known(heard: heard, rhythm: AdvertRhythm(at: Self.at(now)), open: now + 1_000_000 + stagger * 1_000)
    }
    func hear(_ number: Int, _ level: Int8) throws {
      now += .random(in: 1..<4_000, using: &random)
      try forEachReport(in: advert(bytes("0303AAFE"), from: Self.sender(number), at: level)) { table.observe($0, at: Self.at(now)) }
      add(number, heard: now)
      model[number]!.rhythm.hear(at: Self.at(now))
      if level <= 20 { model[number]!.hear(level, at: now) }
    }
    for step in 0..<1_500 {
      switch Int.random(in: 0..<20, using: &random) {
      case 0 where step % 5 == 0: for number in 0..<520 { try hear(100 + step * 1_000 + number, -100) }
      case 0...12: try hear(.random(in: 0..<8, using: &random), [-95, -80, -60, -40, 127].randomElement(using: &random)!)
      case 13:
        let number = Int.random(in: 0..<10, using: &random)
        table.markKnown(Self.sender(number), at: Self.at(now))
        if model[number] == nil { add(number, heard: now - 4_000_000) }
        (model[number]!.open, model[number]!.failures) = (now + 960_000_000, nil)
        asksOldest = false
      case 14, 15: now += .random(in: 0..<70_000_000, using: &random)
      default:
        let found = table.next(at: Self.at(now))
        let open = model.filter { _, known in
          let silence = max(2_000_000, (known.rhythm.interval?.microseconds ?? 0) * 5 / 4)
          return now - known.heard <= silence && now >= known.open && known.rhythm.isDue(at: Self.at(now))
        }
        guard let found else {
          #expect(open.isEmpty, "seed \(seed), step \(step)")
          continue
        }
        let number = try #require(open.keys.first { Self.sender($0) == found }, "seed \(seed), step \(step): \(found)")
        if asksOldest {
          #expect(open[number]?.open == open.values.map(\.open).min(), "seed \(seed), step \(step)")
        } else {
          #expect(open[number]?.level == open.values.map(\.level).max(), "seed \(seed), step \(step)")
        }
        guard Int.random(in: 0..<3, using: &random) > 0 else { continue }
        table.failed(found, at: Self.at(now))
        asksOldest.toggle()
        let failures = min((model[number]!.failures ?? -1) + 1, 7)
        let ban = failures == 0 ? 4_000_000 + stagger * 13_000 : min((15_000_000 + stagger * 50_000) << Int64(failures - 1), 960_000_000)
        (model[number]!.failures, model[number]!.open) = (failures, now + ban)
        model[number]!.levelAtFailure = model[number]!.level
      }
    }
  }
}
