import Core
import Foundation
import Testing

@testable import Host

@Suite("what a file of learnt things may say") struct LearntRangeTests {
  private func read(_ lines: [String], radios: [String] = ["r0", "r1", "r2", "r3"]) throws -> (records: [String], strange: Int) {
    let scratch = Scratch()
    scratch.write("learnt", Array(lines.joined(separator: "\n").utf8))
    var records: [String] = []
    let strange = try LearntFile.read(scratch.path + "/learnt", radios: radios.map { Name($0) }) {
      switch $0 {
      case .power(let record): records.append("power \(record.power.value) \(record.visits)")
      case .receiver(let one):
        records.append("receiver \(String(one.gateway)) \(one.point.x) \(one.point.y) \(one.offset.value) \(one.doubt.value) \(one.visits)")
      case .place(let one):
        let (place, receiver) = ("\(String(one.place)) \(one.placeRadio)", "\(String(one.receiver)) \(one.receiverRadio)")
        records.append("place \(place) \(receiver) \(one.loss.value) \(one.doubt.value) \(one.visits)")
      }
    }
    return (records, strange)
  }

  /// A line that is right, and for each number its range.
  private static let kinds: [(line: String, ranges: [(key: String, range: ClosedRange<Int>)])] = [
    (#"{"id":"irk:anna","power_dbm":-50,"visits":3}"#, [("power_dbm", -127...40), ("visits", 1...255)]),
    (
      #"{"gateway":"a","x_m":1,"y_m":2,"offset_db":3,"doubt_db":4,"visits":5}"#,
      [("x_m", -10_000...10_000), ("y_m", -10_000...10_000), ("offset_db", -60...60), ("doubt_db", 0...60), ("visits", 1...65_535)]
    ),
    (
      #"{"place":"a","place_radio":"r1","heard_by":"b","heard_by_radio":"r2","loss_db":20,"doubt_db":3,"visits":4}"#,
      [("loss_db", 0...60), ("doubt_db", 0...60), ("visits", 1...65_535)]
    ),
  ]

  @Test("each number may have both ends of its range, and is refused one beyond, or as a word, or missing") func ranges() throws {
    for (line, ranges) in Self.kinds {
      #expect(try read([line]).records.count == 1)
      for (key, range) in ranges {
        let pattern = try Regex("\"\(key)\":-?\\d+")
        func with(_ value: String) -> String { line.replacing(pattern, with: "\"\(key)\":\(value)") }
        for end in [range.lowerBound, range.upperBound] {
          let (records, strange) = try read([with("\(end)")])
          #expect(strange == 0 && records.first?.contains(" \(end)") == true, "\(key) \(end): \(records)")
        }
        for wrong in ["\(range.lowerBound - 1)", "\(range.upperBound + 1)", "\"7\"", "null"] {
          let (records, strange) = try read([with(wrong)])
          #expect(strange == 1 && records.isEmpty, "\(key) \(wrong)")
        }
      }
    }
  }

  @Test("what a line says goes where it belongs, and without a radio a place is a neighbour's") func members() throws {
    let place = Self.kinds[2].line
    let (records, strange) = try read([
      Self.kinds[0].line, Self.kinds[1].line, place, place.replacing(#""place_radio":"r1","#, with: ""),
      place.replacing(#""heard_by_radio":"r2","#, with: ""), place.replacing(#""r2""#, with: #""r0""#),
      place.replacing(#""r1""#, with: #""r3""#), "", place.replacing(#""heard_by":"b","#, with: ""),
      #"{"id":"nonsense","power_dbm":-50,"visits":3}"#, String(repeating: " ", count: 513) + Self.kinds[0].line,
    ])
    #expect(
      records == [
        "power -50.0 3", "receiver a 1.0 2.0 3.0 4.0 5", "place a 1 b 2 20.0 3.0 4", "place a -1 b 2 20.0 3.0 4",
        "place a 1 b -1 20.0 3.0 4", "place a 1 b 0 20.0 3.0 4", "place a 3 b 2 20.0 3.0 4",
      ])
    #expect(strange == 3)
  }

  @Test("a place is its radio's by name, wherever the configuration has it; of a radio that is gone, or a number of old, it is dropped")
  func radios() throws {
    let place = Self.kinds[2].line
    let old = place.replacing(#""r1""#, with: "1").replacing(#""r2""#, with: "2")
    #expect(try read([place], radios: ["r2", "r1"]).records == ["place a 1 b 0 20.0 3.0 4"])
    #expect(try read([place], radios: ["r1", "r3"]) == ([], 0))
    #expect(try read([old]) == ([], 0))
    // Where there is only one, it is that one's.
    for line in [place, old] { #expect(try read([line], radios: ["r9"]).records == ["place a 0 b 0 20.0 3.0 4"]) }
  }

  @Test("what a radio learnt is its own again when the configuration has the radios in another order, and under another offset")
  func reordered() throws {
    func settings(_ names: [(name: String, offset: Float)]) -> Settings {
      var settings = Settings()
      for (index, one) in names.enumerated() {
        var (radio, trigger) = (RadioSettings(), TriggerSettings())
        (radio.name, radio.receiveOffset) = (Name(one.name), Decibels(one.offset))
        (trigger.name, trigger.group, trigger.radio) = (radio.name, Name("pumps"), Int8(index))
        _ = settings.radios.append(radio)
        _ = settings.triggers.append(trigger)
      }
      return settings
    }
    var arena = Arena.taken(bytes: LearntPowers.bytes + SitePlan.bytes + 1_000)
    let powers = LearntPowers(seed: 1, in: &arena)
    let plan = SitePlan(in: &arena)
    var site = UnplacedSite()
    site.reload(settings([("left", 0), ("right", -3)]))
    var record = PlaceRecord()
    (record.place, record.placeRadio, record.receiver, record.receiverRadio) = (Name("gateway"), 0, Name("gateway"), 1)
    (record.loss, record.doubt, record.visits) = (Decibels(30), Decibels(3), 7)
    site.restore(record, at: .zero)
    let scratch = Scratch()
    scratch.write("learnt", LearntFile.text(powers, plan, site, radios: [Name("left"), Name("right")]))
    let next = settings([("right", -5), ("left", 0)])
    var again = UnplacedSite()
    again.reload(next)
    let path = scratch.path + "/learnt"
    #expect(try LearntFile.read(path, radios: next.radioNames) { if case .place(let one) = $0 { again.restore(one, at: .zero) } } == 0)
    var found: [PlaceRecord] = []
    again.forEachRecord { found.append($0) }
    let one = try #require(found.first)
    // It hears 2 dB more now.
    #expect(found.count == 1 && one.placeRadio == 1 && one.receiverRadio == 0 && one.loss == Decibels(28) && one.visits == 7)
  }

  @Test("what nothing is known of is not written; the longest names are read back") func written() throws {
    let name = Name(String(repeating: "\"", count: 32))
    var settings = Settings()
    settings.gateway.name = name
    var arena = Arena.taken(bytes: LearntPowers.bytes + SitePlan.bytes + 1_000)
    var powers = LearntPowers(seed: 1, in: &arena)
    powers.keep(LearntPowers.Record(Identity(installation: 1), power: Decibels(-50), visits: 0))
    powers.keep(LearntPowers.Record(Identity(installation: 2), power: Decibels(-50), visits: 1))
    var site = UnplacedSite()
    var plan = SitePlan(in: &arena)
    site.reload(settings)
    plan.reload(settings)
    for visits in 0...1 as ClosedRange<UInt16> {
      var record = ReceiverRecord()
      (record.gateway, record.point, record.visits) = (name, PlanPoint(x: Float(visits), y: 0), visits)
      plan.restore(record)
    }
    var place = PlaceRecord()
    (place.place, place.placeRadio, place.receiver) = (name, 0, Name(String(repeating: "\\", count: 32)))
    (place.loss, place.doubt, place.visits) = (Decibels(44.25), Decibels(3.75), 65_535)
    site.restore(place, at: .zero)
    let scratch = Scratch()
    scratch.write("learnt", LearntFile.text(powers, plan, site))
    var found: [PlaceRecord] = []
    var others = 0
    #expect(try LearntFile.read(scratch.path + "/learnt") { if case .place(let one) = $0 { found.append(one) } else { others += 1 } } == 0)
    let one = try #require(found.first)
    #expect(found.count == 1 && others == 2 && one.place == place.place && one.receiver == place.receiver && one.visits == 65_535)
    #expect(one.placeRadio == 0 && one.receiverRadio == -1 && abs(one.loss.value - 44.25) < 0.06 && abs(one.doubt.value - 3.75) < 0.06)
  }
}
