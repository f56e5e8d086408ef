import Testing

@testable import Core

@Suite("What must make no difference") struct RelationTests {
  private typealias Said = (topic: String, payload: String)

  /// Without what counts messages; with `isTimeless` without what tells the time.
  private func plain(_ said: [Said], isTimeless: Bool = false) -> [String] {
    let keys = ["event_id", "seq"] + (isTimeless ? ["at", "since", "expires", "uptime_s"] : [])
    return said.filter { !$0.topic.contains("claim/site/hello") }.map { "\($0.topic) \(inOrder($0.payload.without(keys)))" }
  }

  /// A state lists devices as they lie in the tables.
  private func inOrder(_ payload: String) -> String {
    guard payload.contains("}],\"near\"") || payload.contains("},{") else { return payload }
    return payload.split(separator: "{").flatMap { $0.split(separator: "}") }.sorted().joined(separator: " ")
  }

  /// What happens to devices; without states, which a reload publishes again.
  private func events(_ said: [Said]) -> [Said] {
    said.filter { $0.topic.hasSuffix("/event") || $0.topic.hasPrefix("trigger/") && !$0.topic.hasSuffix("/state") }
  }

  /// Each topic's last state. A reload says of a region that is empty since when we know it.
  private func states(_ said: [Said]) -> [String: String] {
    let states = said.filter { $0.topic.hasPrefix("region/") && !$0.topic.hasSuffix("/event") || $0.topic.hasSuffix("/state") }
    return Dictionary(states.map { ($0.topic, inOrder($0.payload.without(["since"]))) }) { $1 }
  }

  /// The first line in which they differ.
  private func expectSame(_ found: [String], _ wanted: [String], _ words: String) {
    let place = zip(found, wanted).first { $0 != $1 }
    #expect(place == nil, "\(words): \(place?.0 ?? "") and not \(place?.1 ?? "")")
    #expect(found.count == wanted.count, "\(words): \(found.dropFirst(wanted.count).first ?? wanted.dropFirst(found.count).first ?? "")")
  }

  @Test("what a gateway went through before: once everybody has gone it is as good as new", arguments: 0..<12 as Range<UInt64>)
  func past(seed: UInt64) {
    let yard = Yard(seed)
    func told(hasPast: Bool) -> (lines: [String], states: [String: String]) {
      var rig = Rig(yard, devices: 32)
      if hasPast {
        rig.hear(yard.steps(from: 10, other: 1, strangers: 40))
        rig.reload(yard, devices: 32, at: 60)
        rig.wait(until: 600)
        #expect(rig.gateway.rowsInUse == 0 && rig.gateway.tableFaults == [], "seed \(seed)")
      }
      rig.wait(until: 1_024)
      _ = rig.said()
      rig.hear(yard.steps(from: 1_030, strangers: 1))
      rig.wait(until: 1_600)
      let said = rig.said()
      // What falls due at one moment goes in the order of the tables, and so do the states between.
      return (plain(said.filter { !$0.topic.hasSuffix("/state") }).sorted(), states(said))
    }
    let (found, wanted) = (told(hasPast: true), told(hasPast: false))
    expectSame(found.lines, wanted.lines, "seed \(seed)")
    #expect(found.states == wanted.states, "seed \(seed)")
  }

  @Test("the order of triggers and regions in the configuration", arguments: 0..<16 as Range<UInt64>)
  func order(seed: UInt64) {
    let yard = Yard(seed)
    func told(_ order: [Int]) -> [String]? {
      var rig = Rig(yard, order: order)
      rig.hear(yard.steps(from: 10))
      rig.wait(until: 600)
      // Which events are too many depends on which come first.
      return rig.gateway.publisher.eventsLeftOut == 0 ? plain(rig.said()).sorted() : nil
    }
    guard let wanted = told([0, 1, 2, 3]) else { return }
    for order in [[3, 2, 1, 0], [1, 3, 2, 0]] { expectSame(told(order) ?? [], wanted, "seed \(seed), order \(order)") }
  }

  @Test("a reload of the same settings, in whatever order, while visits are under way", arguments: 0..<16 as Range<UInt64>)
  func reload(seed: UInt64) {
    let yard = Yard(seed)
    func told(reloading: Bool) -> (events: [String], states: [String: String])? {
      var rig = Rig(yard)
      var next = 20.0
      rig.hear(yard.steps(from: 10)) { rig, time in
        guard time >= next else { return }
        next += 7
        if reloading { rig.reload(yard, order: [[0, 1, 2, 3], [2, 0, 3, 1], [3, 1, 0, 2]][Int(next) % 3], at: time) }
        #expect(rig.gateway.tableFaults == [], "seed \(seed)")
      }
      rig.wait(until: 600)
      let said = rig.said()
      return rig.gateway.publisher.eventsLeftOut == 0 ? (plain(events(said)).sorted(), states(said)) : nil
    }
    guard let wanted = told(reloading: false), let found = told(reloading: true) else { return }
    expectSame(found.events, wanted.events, "seed \(seed)")
    #expect(found.states == wanted.states, "seed \(seed)")
  }

  @Test("how long the gateway has been running", arguments: 0..<6 as Range<UInt64>)
  func shift(seed: UInt64) {
    let yard = Yard(seed)
    func told(later: Double) -> [String] {
      var rig = Rig(yard)
      rig.wait(until: later)
      _ = rig.said()
      rig.hear(yard.steps(from: 10), later: later)
      rig.wait(until: later + 600)
      return plain(rig.said(), isTimeless: true)
    }
    // Rounds and hellos keep their places in it: a whole number of each.
    for later in [1_000_000.0, 5_000_000] { expectSame(told(later: later), told(later: 0), "seed \(seed), \(later) s later") }
  }

  @Test("when a tick comes: time that passes in steps says the same as time that passes at once", arguments: 0..<6 as Range<UInt64>)
  func ticks(seed: UInt64) {
    let yard = Yard(seed)
    func told(every step: Double?) -> [String] {
      var rig = Rig(yard)
      var passed = 0.0
      rig.hear(yard.steps(from: 10)) { rig, time in
        while let step, passed + step < time {
          passed += step
          rig.wait(until: passed)
        }
      }
      rig.wait(until: 600)
      return plain(rig.said())
    }
    expectSame(told(every: 0.046875), told(every: nil), "seed \(seed)")
  }
}

extension String {
  /// JSON without these members, none of which is the first.
  fileprivate func without(_ keys: [String]) -> String {
    var bytes = Array(utf8)
    for key in keys {
      let member = Array(",\"\(key)\":".utf8)
      var start = 0
      while start + member.count < bytes.count {
        guard bytes[start] == member[0], bytes[start + 2] == member[2], bytes[start...].starts(with: member) else {
          start += 1
          continue
        }
        let value = start + member.count
        let quote = UInt8(ascii: "\"")
        let isText = bytes[value] == quote
        let length = bytes[(value + 1)...].prefix { isText ? $0 != quote : !",]}".utf8.contains($0) }.count
        bytes.removeSubrange(start..<value + 1 + length + (isText ? 1 : 0))
      }
    }
    return String(decoding: bytes, as: UTF8.self)
  }
}
