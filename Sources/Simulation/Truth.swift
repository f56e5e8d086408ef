package import Core

/// A traveller stood at a pump: only that justifies a `fire`.
package struct Stay: BitwiseCopyable, Sendable {
  package var traveller = 0
  package var pump = 0
  /// When it came within the pump's radius, and when it left.
  package var entered = 0.0
  package var left = 0.0
  /// From the first moment of standing to the last.
  package var stood = 0.0
  package var moved = 0.0

  private static let step = 0.1

  /// All stays of all travellers at their nearest pumps, sampled ten times a second.
  static func all(in scenario: Scenario, _ journeys: [Journey]) -> [Stay] {
    var visits: [Stay] = []
    for traveller in scenario.travellers.indices {
      var journey = journeys[traveller]
      var open: Stay?
      for tick in 0...Int(scenario.seconds / step) {
        let time = Double(tick) * step
        let posture = journey.posture(at: time)
        let pump = scenario.pump(around: posture.place)
        if let visit = open, visit.pump != pump {
          visits.append(ifStood: visit)
          open = nil
        }
        guard let pump else { continue }
        var visit = open ?? Stay(traveller: traveller, pump: pump, entered: time, stood: -1)
        visit.left = time + step
        if !posture.isMoving {
          if visit.stood < 0 { visit.stood = time }
          visit.moved = time + step
        }
        open = visit
      }
      if let open { visits.append(ifStood: open) }
    }
    return visits
  }
}

extension [Stay] {
  fileprivate mutating func append(ifStood visit: Stay) { if visit.stood >= 0 { append(visit) } }
}

extension Scenario {
  /// The nearest pump, if one stands within its radius.
  package func pump(around place: Point) -> Int? {
    var best: Int?
    for index in pumps.indices where pumps[index].place.distance(to: place) <= pumps[index].radius {
      if let known = best, pumps[known].place.distance(to: place) <= pumps[index].place.distance(to: place) { continue }
      best = index
    }
    return best
  }
}

/// The truth as JSON lines: where every named phone is, twice a second, and at the end every stay. The longest has the distances to 64 pumps,
/// whose names are 32 quotation marks.
package typealias TruthLine = Text<5400>

extension World {
  /// The phones with a truth: nothing must happen for bystanders.
  package var witnessed: Int { scenario.phones.count - scenario.bystanders.count }

  package mutating func compose(phone: Int, at time: Double, into line: inout TruthLine) {
    let carrier = scenario.phones[phone]
    let posture = posture(of: carrier.bearer, at: time)
    let here = scenario.pump(around: posture.place)
    line = TruthLine()
    line.openObject()
    line.member("t_s", seconds: time)
    line.member("phone", text: carrier.name.bytes)
    line.member("who", text: scenario.travellers[carrier.bearer].name.bytes)
    line.member("x_m", Float(posture.place.x), places: 2)
    line.member("y_m", Float(posture.place.y), places: 2)
    line.member("moving", posture.isMoving)
    line.key("inside")
    if let here { line.append(quoted: scenario.pumps[here].name) } else { line.append("null") }
    line.object("distance_m")
    for index in scenario.pumps.indices {
      line.append(byte: UInt8(ascii: index == 0 ? "\"" : ","))
      if index > 0 { line.append(byte: UInt8(ascii: "\"")) }
      line.append(escaping: scenario.pumps[index].name.bytes)
      line.append("\":")
      line.append(number: Float(scenario.pumps[index].place.distance(to: posture.place)), places: 2)
    }
    line.closeObject()
    line.closeObject()
  }

  package func compose(_ visit: Stay, into line: inout TruthLine) {
    line = TruthLine()
    line.openObject()
    line.member("visit", text: scenario.pumps[visit.pump].name.bytes)
    line.member("who", text: scenario.travellers[visit.traveller].name.bytes)
    line.member("entered_s", seconds: visit.entered)
    line.member("stood_s", seconds: visit.stood)
    line.member("moved_s", seconds: visit.moved)
    line.member("left_s", seconds: visit.left)
    line.closeObject()
  }
}

extension Text {
  fileprivate mutating func member(_ key: StaticString, seconds: Double) { member(key, Float(seconds), places: 1) }

  fileprivate mutating func append(quoted name: Name) {
    append(byte: UInt8(ascii: "\""))
    append(escaping: name.bytes)
    append(byte: UInt8(ascii: "\""))
  }
}
