import Core
import Foundation
import Testing

@testable import Host

@Suite("the file of learnt powers")
struct LearntFileTests {
  @Test("learnt powers are read back, readable by the owner only; a damaged line is skipped and counted") func roundTrip() throws {
    let scratch = Scratch()
    let path = scratch.path + "/learnt"
    var arena = Arena.taken(bytes: 2 * LearntPowers.bytes + SitePlan.bytes)
    let plan = SitePlan(in: &arena)
    var powers = LearntPowers(seed: 1, in: &arena)
    let identities = ["peer:0000BEEF", "name:Rita's \"phone\"@aa:bb:cc:dd:ee:ff", "irk:anna"].map { Text<128>($0) }
    for (index, text) in identities.enumerated() {
      powers.keep(LearntPowers.Record(try Identity(written: text.bytes), power: Decibels(-50.5 - Float(index)), visits: UInt8(index + 1)))
    }
    try NewFile.write(LearntFile.text(powers, plan, UnplacedSite()), to: path)
    #expect(try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int == 0o600)

    let damage = ["half a line", "{\"id\":\"peer:1\"}", "{\"id\":\"peer:0000BEEF\",\"power_dbm\":900,\"visits\":1}", "{\"id\":7}"]
    let text = try String(contentsOfFile: path, encoding: .utf8) + damage.joined(separator: "\n")
    try text.write(toFile: path, atomically: true, encoding: .utf8)
    var again = LearntPowers(seed: 2, in: &arena)
    let strange = try LearntFile.read(path) { if case .power(let record) = $0 { again.keep(record) } }
    #expect(strange == damage.count)
    #expect(again.count == identities.count)
    for (index, text) in identities.enumerated() {
      let identity = try Identity(written: text.bytes)
      #expect(again.power(of: identity, assumed: Decibels(-90))?.value == -50.5 - Float(index))
    }
  }

  @Test("what is known of receivers is read back, beside powers") func receivers() throws {
    let scratch = Scratch()
    let path = scratch.path + "/learnt"
    var settings = Settings()
    settings.gateway.name = Name("pump-\"1\"")
    for x in [0, 8.25] as [Float] {
      var radio = RadioSettings()
      radio.point = PlanPoint(x: x, y: -3)
      _ = settings.radios.append(radio)
    }
    var arena = Arena.taken(bytes: LearntPowers.bytes + SitePlan.bytes)
    let powers = LearntPowers(seed: 1, in: &arena)
    var plan = SitePlan(in: &arena)
    plan.reload(settings)
    var known = ReceiverRecord()
    (known.gateway, known.point) = (settings.gateway.name, PlanPoint(x: 8.25, y: -3))
    (known.offset, known.doubt, known.visits) = (Decibels(-8.5), Decibels(1.5), 300)
    (known.radio, known.setting) = (1, Decibels(0))
    plan.restore(known)
    try NewFile.write(LearntFile.text(powers, plan, UnplacedSite(), radios: [Name("left"), Name("right")]), to: path)
    let damage = ["{\"gateway\":\"a\",\"x_m\":1}", "{\"gateway\":\"a\",\"x_m\":1,\"y_m\":2,\"offset_db\":99,\"doubt_db\":1,\"visits\":2}"]
    let text = try String(contentsOfFile: path, encoding: .utf8) + damage.joined(separator: "\n")
    try text.write(toFile: path, atomically: true, encoding: .utf8)
    var records: [ReceiverRecord] = []
    #expect(
      try LearntFile.read(path, radios: [Name("right")]) { if case .receiver(let record) = $0 { records.append(record) } } == damage.count)
    #expect(records.first?.radio == 0 && records.first?.setting == Decibels(0))
    records = []
    _ = try LearntFile.read(path, radios: [Name("right"), Name("middle")]) { if case .receiver(let record) = $0 { records.append(record) } }
    #expect(records.first?.radio == 0)
    records = []
    _ = try LearntFile.read(path, radios: [Name("middle"), Name("left")]) { if case .receiver(let record) = $0 { records.append(record) } }
    #expect(records.first?.radio == -1, "whichever stands there")
    let record = try #require(records.first)
    #expect(records.count == 1 && record.gateway == known.gateway && record.point == known.point)
    #expect(record.offset == known.offset && record.doubt == known.doubt && record.visits == 300)
  }

  @Test("how much less each receiver hears of another one's visitors is read back, and a damaged line is counted") func places() throws {
    let scratch = Scratch()
    let path = scratch.path + "/learnt"
    var settings = Settings()
    settings.gateway.name = Name("pump-1")
    var arena = Arena.taken(bytes: LearntPowers.bytes + SitePlan.bytes + 1_000)
    var site = UnplacedSite()
    var again = UnplacedSite()
    site.reload(settings)
    again.reload(settings)
    var known: [PlaceRecord] = []
    let (one, two, three) = (Name("pump-1"), Name("pump-2"), Name("pump-3"))
    for (place, receiver, loss) in [(one, two, 12.5), (two, one, 30), (two, three, 25)] as [(Name, Name, Float)] {
      var record = PlaceRecord()
      (record.place, record.receiver, record.loss, record.doubt, record.visits) = (place, receiver, Decibels(loss), Decibels(3), 9)
      if place == one { record.placeRadio = 0 }
      if receiver == one { record.receiverRadio = 0 }
      site.restore(record, at: .zero)
      known.append(record)
    }
    try NewFile.write(LearntFile.text(LearntPowers(seed: 1, in: &arena), SitePlan(in: &arena), site), to: path)
    let pair = "{\"place\":\"a\",\"heard_by\":\"b\""
    let damage = [pair + "}", pair + ",\"loss_db\":-1,\"doubt_db\":1,\"visits\":2}"]
    let text = try String(contentsOfFile: path, encoding: .utf8) + damage.joined(separator: "\n")
    try text.write(toFile: path, atomically: true, encoding: .utf8)
    #expect(try LearntFile.read(path) { if case .place(let record) = $0 { again.restore(record, at: .zero) } } == damage.count)
    var found: [PlaceRecord] = []
    again.forEachRecord { found.append($0) }
    #expect(found.count == known.count)
    for (record, expected) in zip(found, known) {
      #expect(record.place == expected.place && record.receiver == expected.receiver && record.loss == expected.loss)
      #expect(record.doubt == expected.doubt && record.visits == 9 && record.placeRadio == expected.placeRadio)
    }
  }

  @Test("a missing file counts as empty; a folder in its place is an error") func missing() throws {
    let scratch = Scratch()
    #expect(try LearntFile.read(scratch.path + "/learnt") { _ in } == 0)
    #expect(throws: FileRefusal.self) { try LearntFile.read(scratch.path) { _ in } }
  }
}
