import Foundation
import Testing

@testable import Core

@Suite("A state says what the events before it say") struct StateProperties {
  private func object(_ payload: String) throws -> [String: Any] {
    try #require(try JSONSerialization.jsonObject(with: Data(payload.utf8)) as? [String: Any])
  }

  private func expectEvent(_ json: [String: Any], of trigger: String, _ served: inout [String: [String: String]]) throws {
    let id = try #require(json["id"] as? String)
    #expect(json["trigger"] as? String == trigger)
    switch json["event"] as? String {
    case "fire":
      #expect(served[trigger]?[id] == nil, "\(id) fires twice at \(trigger)")
      served[trigger, default: [:]][id] = json["at"] as? String
    case "leave": #expect(served[trigger]?.removeValue(forKey: id) != nil, "\(id) leaves \(trigger) where it was not served")
    case "arm", "undecided": #expect(served[trigger]?[id] == nil, "\(id) is served at \(trigger) already")
    case "anomaly": break
    default: Issue.record("unknown: \(json)")
    }
  }

  private func expectServed(_ json: [String: Any], at trigger: String, _ served: [String: [String: String]]) throws {
    let list = try #require(json["served"] as? [[String: Any]])
    let near = try #require(json["near"] as? [[String: Any]])
    let known = served[trigger] ?? [:]
    #expect(json["served_count"] as? Int == known.count && list.count == known.count, "\(trigger): \(json) after \(known)")
    #expect(json["near_count"] as? Int == near.count && json["left_out"] == nil)
    for one in list {
      let id = try #require(one["id"] as? String)
      #expect(known[id] != nil && one["since"] as? String == known[id] && one["undecided"] == nil, "\(trigger): \(one) after \(known)")
    }
    #expect(near.allSatisfy { known[$0["id"] as? String ?? ""] == nil && $0["since"] is String })
  }

  @Test("whom a trigger serves and since when, and how many are in a region, follow from the events", arguments: 0..<16 as Range<UInt64>)
  func consistent(seed: UInt64) throws {
    let yard = Yard(seed)
    var rig = Rig(yard, devices: seed % 4 == 0 ? 4 : 64)
    var served: [String: [String: String]] = [:]
    var inside: [String: [String: String]] = [:]
    var number = 0
    rig.hear(yard.steps(from: 10, strangers: 12)) { rig, _ in
      number += 1
      if number % 64 == 0 { #expect(rig.gateway.tableFaults == []) }
    }
    rig.wait(until: 600)
    #expect(rig.gateway.rowsInUse == 0 && rig.gateway.tableFaults == [])
    // A device that is evicted again and again has more to tell than may be published.
    let isComplete = rig.gateway.publisher.eventsLeftOut == 0
    for (topic, payload) in rig.said() {
      let levels = topic.split(separator: "/").map(String.init)
      guard ["trigger", "region"].contains(levels[0]) else { continue }
      let json = try object(payload)
      switch (levels[0], levels.count) {
      case ("trigger", 2): try expectEvent(json, of: levels[1], &served)
      case ("trigger", 3): try expectServed(json, at: levels[1], served)
      case ("region", 3):
        let id = try #require(json["id"] as? String)
        let isKnown = inside[levels[1]]?[id] != nil
        #expect(isKnown == (json["event"] as? String == "exit"), "\(topic) \(payload)")
        inside[levels[1], default: [:]][id] = isKnown ? nil : json["at"] as? String
      case ("region", 2) where isComplete:
        let known = inside[levels[1]] ?? [:]
        #expect(json["count"] as? Int == known.count, "\(topic) \(payload) after \(known)")
        #expect(json["state"] as? String == (known.isEmpty ? "outside" : "inside"))
        if known.count == 1, let only = known.values.first { #expect((json["since"] as? String ?? "") <= only) }
      default: break
      }
    }
    #expect(served.values.allSatisfy(\.isEmpty) && inside.values.allSatisfy(\.isEmpty), "in the end everybody has gone")
  }
}
