import Foundation
import Testing

@testable import Core

/// One gateway with four radios, and visitors who come one after the other.
@Suite("What visits teach about receivers") struct LearntSiteTests {
  private func site(learns: Bool = true) -> Rig { Rig { configure(&$0, learns: learns) } }

  private func configure(_ settings: inout Settings, second: PlanPoint = FourPumps.places[1], learns: Bool = true) {
    FourPumps.configure(&settings, isPlaced: true)
    settings.calibration.learns = learns
    settings.radios[1].point = second
  }

  private func reload(_ rig: inout Rig, at seconds: Int64, second: PlanPoint = FourPumps.places[1]) {
    var settings = Settings()
    settings.gateway.devices = 64
    configure(&settings, second: second)
    rig.gateway.reload(settings, at: Instant(microseconds: seconds * 1_000_000))
  }

  /// Twenty seconds of a new phone beside a pump; shadows of 2 dB, and what each radio hears more than it should.
  private func visit(_ number: Int, at pump: Int, _ rig: inout Rig, offsets: [Float], loudness: Float = -62) {
    var chance = Seeded(UInt64(number))
    let place = FourPumps.beside(pump)
    let shadows = (0..<4).map { _ in Float(chance.next() % 41) / 10 - 2 }
    for step in 0..<200 {
      for radio in 0..<4 {
        let loss = Float(20 * Core.log10(Double(place.distance(to: FourPumps.places[radio]))))
        let level = loudness - loss + offsets[radio] + shadows[radio]
        guard level > -95 else { continue }
        rig.hear(
          UInt8(number), at: Double(number) * 100 + Double(step) * 0.1 + Double(radio) * 0.01, level: Int8(level.rounded()), radio: radio)
      }
    }
  }

  /// So many visits, at one pump after the other.
  private func day(_ visits: Range<Int>, _ rig: inout Rig, offsets: [Float], loudness: Float = -62) {
    for number in visits { visit(number, at: number % 4, &rig, offsets: offsets, loudness: loudness) }
  }

  private func hasMoved(_ rig: inout Rig) -> Bool { rig.gateway.takeMoved() != nil }

  @Test("a receiver with a bad antenna is found, and the others are not blamed") func found() {
    var rig = site()
    day(1..<41, &rig, offsets: [0, -9, 0, 1])
    let (records, changes) = (rig.gateway.triggers.plan.records, rig.gateway.triggers.plan.changes)
    #expect(records.count == 4 && changes >= UInt64(records[0].visits), "each visit is to be kept")
    for (index, offset) in ([2, -7, 2, 3] as [Float]).enumerated() {
      // The mean of all is laid to the phones.
      #expect((records[index].offset.value - offset).magnitude < 2.5, "receiver \(index): \(records[index].offset.value)")
      #expect(records[index].visits >= 15 && records[index].doubt.value < 2)
    }
    let moves = hasMoved(&rig)
    #expect(!moves)
  }

  @Test("nobody can shift a receiver by more than 6 dB, and what antennas differ by is not taken out") func bounded() {
    var site = LearntSite()
    for (known, taken) in [(2.9, 0), (-3, 0), (5, 2), (-5, -2), (30, 6), (-30, -6)] as [(Float, Float)] {
      site.restore(3, offset: Decibels(known), doubt: Decibels(1), visits: 20)
      #expect(site.offset(of: 3) == taken)
    }
  }

  @Test("what receive_offset_db takes out is no longer there to be taken out: what was learnt before it shifts, also from run to run")
  func setting() {
    func settings(_ offset: Float) -> Settings {
      var settings = Settings()
      settings.gateway.devices = 64
      configure(&settings)
      settings.radios[1].receiveOffset = Decibels(offset)
      return settings
    }
    func known(_ rig: borrowing Rig) -> ReceiverRecord { rig.gateway.triggers.plan.records[1] }
    var rig = site()
    day(1..<41, &rig, offsets: [0, -9, 0, 1])
    let before = known(rig)
    #expect(before.offset.value < -5 && before.setting == Decibels(0))
    rig.gateway.reload(settings(before.offset.value), at: Instant(microseconds: 4_200_000_000))
    #expect(known(rig).offset.value.magnitude < 0.01 && known(rig).visits == before.visits && known(rig).doubt == before.doubt)
    #expect(rig.gateway.triggers.plan.offset(of: 1) == 0 && known(rig).setting == before.offset)
    // Neither the same setting again nor another receiver's changes it.
    let once = known(rig)
    rig.gateway.reload(settings(before.offset.value), at: Instant(microseconds: 4_201_000_000))
    #expect(known(rig).offset == once.offset)
    rig.gateway.reload(settings(0), at: Instant(microseconds: 4_202_000_000))
    #expect((known(rig).offset - before.offset).value.magnitude < 0.01, "taken back")
    // Between two runs.
    for (wasSet, isSet, offset) in [(0, -8, 0), (-8, -8, -8), (3, -2, -3), (nil, -8, -8)] as [(Float?, Float, Float)] {
      var next = Rig { $0 = settings(isSet) }
      var record = ReceiverRecord()
      (record.gateway, record.point, record.visits) = ("gateway", FourPumps.places[1], 30)
      (record.offset, record.doubt, record.setting) = (Decibels(-8), Decibels(1), wasSet.map { Decibels($0) })
      next.gateway.restore(record)
      #expect(known(next).offset == Decibels(offset) && known(next).setting == Decibels(isSet), "\(String(describing: wasSet)) \(isSet)")
    }
  }

  @Test("two radios of ours at one place are two receivers; what is known of the place alone counts for either") func antennas() {
    var rig = Rig { configure(&$0, second: FourPumps.places[0]) }
    var record = ReceiverRecord()
    (record.gateway, record.point, record.visits, record.doubt) = ("gateway", FourPumps.places[0], 30, Decibels(1))
    for (radio, offset) in [(1, -8), (0, 4)] as [(Int8, Float)] {
      (record.radio, record.offset) = (radio, Decibels(offset))
      rig.gateway.restore(record)
    }
    let offsets = rig.gateway.triggers.plan.records
    #expect(offsets[0].offset == Decibels(4) && offsets[1].offset == Decibels(-8))
    var settings = Settings()
    settings.gateway.devices = 64
    configure(&settings, second: FourPumps.places[0])
    rig.gateway.reload(settings, at: Instant(microseconds: 1_000_000))
    let again = rig.gateway.triggers.plan.records
    #expect(again[0].offset == Decibels(4) && again[1].offset == Decibels(-8))
    (record.radio, record.offset) = (-1, Decibels(-5))
    var other = site()
    other.gateway.restore(record)
    let old = other.gateway.triggers.plan.records[0]
    #expect(old.offset == Decibels(-5) && old.radio == 0, "an old file's")
  }

  @Test("the last of eight receivers is learnt like any other", arguments: 0..<8) func eight(deaf: Int) {
    var site = LearntSite()
    for visit in 0..<40 {
      var losses = PerReceiver()
      for receiver in 0..<8 { losses[receiver] = Float(20 + (visit + receiver) % 8 * 2) }
      var levels = PerReceiver(repeating: 0) - losses
      levels[deaf] -= 12
      _ = site.learn(levels: levels, losses: losses, heardBy: PerReceiver(repeating: 1) .> 0, .unknown)
    }
    for receiver in 0..<8 { #expect((site.offset(of: receiver) < -3) == (receiver == deaf)) }
  }

  @Test("a receiver that takes another's place is not blamed for the surprises of that one") func takesOver() {
    var learnt = LearntSite()
    let losses = PerReceiver(repeating: 12)
    func visit(_ second: Float) {
      var levels = PerReceiver(repeating: -12)
      levels[1] = second
      _ = learnt.learn(levels: levels, losses: losses, heardBy: losses .> 0, .known)
    }
    for _ in 0..<14 { visit(-12) }
    #expect(!learnt.isMoved(1))
    for _ in 0..<6 { visit(-50) }
    #expect(learnt.isMoved(1))
    learnt.restore(1, offset: Decibels(0), doubt: Decibels(1), visits: 20)
    #expect(!learnt.isMoved(1))
  }

  @Test("a receiver that suddenly hears less was moved: it is reported once, and learnt anew") func moved() throws {
    var rig = site()
    day(1..<41, &rig, offsets: [0, 0, 0, 0])
    let moves = hasMoved(&rig)
    #expect(!moves)
    day(41..<61, &rig, offsets: [0, 0, -14, 0])
    let moved = rig.gateway.takeMoved()
    let record = try #require(moved)
    #expect(record.point == FourPumps.places[2])
    let again = hasMoved(&rig)
    #expect(!again)
    #expect(rig.gateway.triggers.plan.records[2].visits < 20)
  }

  @Test("without learn nothing is learnt, and a reload that switches it off stops using it") func off() {
    var rig = site(learns: false)
    day(1..<9, &rig, offsets: [0, -9, 0, 0])
    #expect(rig.gateway.learntChanges == 0)
    #expect(rig.gateway.triggers.plan.records[1].visits == 0)
    var record = ReceiverRecord()
    (record.gateway, record.point, record.offset, record.visits) = (
      rig.gateway.settings.gateway.name, FourPumps.places[1], Decibels(-9), 30
    )
    rig.gateway.restore(record)
    #expect(rig.gateway.triggers.plan.offset(of: 1) == 0)
  }

  @Test("what a run has learnt of a receiver is used by the next, and survives a reload; another place is another receiver") func kept() {
    var rig = site()
    var record = ReceiverRecord()
    (record.gateway, record.point) = (rig.gateway.settings.gateway.name, FourPumps.places[1])
    (record.offset, record.doubt, record.visits) = (Decibels(-9), Decibels(1), 30)
    rig.gateway.restore(record)
    #expect(rig.gateway.triggers.plan.offset(of: 1) == -6)
    reload(&rig, at: 5)
    #expect(rig.gateway.triggers.plan.offset(of: 1) == -6)
    reload(&rig, at: 6, second: PlanPoint(x: 8, y: 1))
    #expect(rig.gateway.triggers.plan.offset(of: 1) == 0)
    reload(&rig, at: 7)
    #expect(rig.gateway.triggers.plan.offset(of: 1) == -6)
  }

  @Test("who is served teaches from where all together hear it best: at the trigger or around it, or close beside a neighbour's receiver")
  func likeliest() {
    func wide(_ settings: inout Settings) {
      configure(&settings)
      for trigger in settings.triggers.indices { settings.triggers[trigger].fire = Meters(3) }
    }
    let usual = LevelPattern.Loudness.unknown.mean
    /// What is found of a phone that is as loud as most are, and how far off the receivers are taken to be.
    func taught(_ place: PlanPoint, by receiver: Int? = nil) -> (loudness: Float, offset: Float) {
      var rig = Rig { wide(&$0) }
      let losses = rig.gateway.triggers.plan.losses(at: place)
      var loudness = Float.nan
      for _ in 0..<30 {
        var pattern = LevelPattern()
        for receiver in 0..<4 { pattern.hear(receiver, usual - losses[receiver]) }
        pattern.close(.unknown, floor: -60)
        let found =
          if let receiver {
            rig.gateway.triggers.plan.learn(pattern, atReceiver: receiver)
          } else {
            rig.gateway.triggers.plan.learn(pattern, at: 3)
          }
        loudness = found ?? .nan
      }
      let records = rig.gateway.triggers.plan.records
      return (loudness, records.indices.map { records[$0].offset.value.magnitude }.max() ?? .nan)
    }
    let there = FourPumps.places[3]
    let around = (0..<6).map { step in
      let angle = Double(step) * .pi / 3
      return PlanPoint(x: there.x + Float(2.4 * cos(angle)), y: there.y + Float(2.4 * sin(angle)))
    }
    for place in [there] + around {
      let (loudness, offset) = taught(place)
      #expect((loudness - usual).magnitude < 0.01 && offset < 0.01, "at \(place): \(loudness), \(offset)")
    }
    // Three metres off it would not be served.
    let near: [(Float, Float)] = [(0, 0), (0, 1.2), (1.04, -0.6), (-1.04, -0.6)]
    for (index, (x, y)) in (near + [(3, 0), (0, 3), (-3, 0), (0, -3)]).enumerated() {
      let (loudness, offset) = taught(PlanPoint(x: there.x + x, y: there.y + y), by: 3)
      let isRight = (loudness - usual).magnitude < 0.01 && offset < 0.01
      #expect(isRight == (index < near.count), "beside it at \(x), \(y): \(loudness), \(offset)")
    }
  }

  /// Whose records there are, without ours that know nothing.
  private func known(_ rig: borrowing Rig) -> [String] {
    let records = rig.gateway.triggers.plan.records
    return records.indices.filter { records[$0].visits > 0 }.map { String(records[$0].gateway) + " \(records[$0].visits)" }
  }

  @Test("of more receivers than are remembered the one goes that was set aside first, and what is known anew counts as the last")
  func remembered() {
    func record(_ gateway: String, _ visits: UInt16) -> ReceiverRecord {
      var record = ReceiverRecord()
      record.gateway = Name(Array(gateway.utf8).span.bytes)
      (record.point, record.visits, record.doubt) = (FourPumps.places[1], visits, Decibels(1))
      return record
    }
    var rig = site()
    for number in 1...17 { rig.gateway.restore(record("other-\(number)", 1)) }
    #expect(known(rig) == (2...17).map { "other-\($0) 1" })
    rig.gateway.restore(record("other-5", 2))
    rig.gateway.restore(record("other-18", 1))
    let left = [3, 4] + Array(6...17)
    #expect(known(rig) == left.map { "other-\($0) 1" } + ["other-5 2", "other-18 1"])
    // One of ours is learnt, and then stands elsewhere.
    rig = site()
    rig.gateway.restore(record("gateway", 7))
    for number in 1...16 { rig.gateway.restore(record("other-\(number)", 1)) }
    #expect(known(rig) == (1...16).map { "other-\($0) 1" } + ["gateway 7"])
    reload(&rig, at: 6, second: PlanPoint(x: 8, y: 1))
    #expect(known(rig) == (2...16).map { "other-\($0) 1" } + ["gateway 7"])
  }

  @Test("a visit teaches how loud a phone is, its pocket included, beyond what a level rule may believe") func loudness() throws {
    var rig = site()
    visit(1, at: 0, &rig, offsets: [0, 0, 0, 0], loudness: -76)
    let record = rig.gateway.triggers.learnt[0]
    #expect((record.power.value + 76).magnitude < 4, "\(record.power.value)")
    #expect(rig.gateway.triggers.learnt.power(of: record.identity, assumed: Decibels(-59)) == nil)
    #expect(rig.gateway.triggers.learnt.record(of: record.identity) != nil)
  }
}
