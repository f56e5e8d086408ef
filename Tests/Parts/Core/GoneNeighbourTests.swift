import Testing

@testable import Core

/// Whom a neighbour that has said goodbye may have served.
extension CompetenceTests {
  @Test(
    "the rest of a neighbour's group outlives its goodbye, whether the device was heard here or not", arguments: [false, true], [0.0, 60])
  func rest(isHeard: Bool, seconds: Double) throws {
    var rig = beside()
    rig.gateway.caughtUp(at: .zero)
    if isHeard { rig.hear(from: 4, to: 5, level: -84) }
    var fired = claim(Self.somebody, .fired, at: 5)
    fired.rest = .seconds(seconds)
    rig.gateway.receive(claim: fired, at: at(5))
    var gone = claim(Self.somebody, .withdrawn, at: 6)
    gone.level = nil
    if seconds == 0 { rig.gateway.receive(claim: gone, at: at(6)) }
    rig.gateway.receive(status: other(isOnline: false), at: at(7))
    rig.wait(until: 30)
    rig.hear(from: 30, to: 38, level: -84, becoming: -60)
    rig.hear(from: 38, to: 60, level: -60)
    #expect(rig.told().contains { $0.event == "fire" } == (seconds == 0))
    rig.hear(from: 60, to: 75, level: -60)
    #expect(seconds == 0 || rig.told().contains { $0.event == "fire" })
  }

  @Test("one of an older version, which does not say how long it rests, rests as we would, from its last word") func olderVersion() {
    var rig = beside { $0.triggers[0].groupRefractory = .seconds(60) }
    rig.gateway.caughtUp(at: .zero)
    rig.gateway.receive(claim: claim(Self.somebody, .fired, at: 5), at: at(5))
    rig.gateway.receive(status: other(isOnline: false), at: at(7))
    rig.wait(until: 40)
    rig.hear(from: 40, to: 48, level: -84, becoming: -60)
    rig.hear(from: 48, to: 60, level: -60)
    #expect(rig.told().contains { $0.event == "fire" } == false)
    rig.hear(from: 60, to: 75, level: -60)
    #expect(rig.told().contains { $0.event == "fire" })
  }

  @Test("who comes within two minutes after the start may have been served by a neighbour that went before", arguments: [30, 130])
  func wentBefore(comes: Int) {
    var rig = Rig {
      $0.calibrateEverybody()
      $0.addTrigger("one", group: "pumps")
    }
    rig.gateway.restore(neighbour: "other", other().groups)
    rig.gateway.caughtUp(at: .zero)
    rig.gateway.connected(true, at: at(1))
    var events: [String] = []
    for second in 1..<comes + 20 {
      if second < comes {
        rig.wait(until: Double(second))
      } else {
        rig.hear(from: Double(second), to: Double(second + 1), level: Double(min(-84 + 3 * (second - comes), -60)))
      }
      for (topic, payload) in rig.said() {
        if let told = Told(topic: topic, payload: payload), told.event != "" { events.append(told.event) }
        guard topic.contains("/hello/"), let number = payload.firstMatch(of: /"seq":(\d+)/).flatMap({ UInt32($0.1) }) else { continue }
        rig.gateway.triggers.membership.receiveOwnHello(number, at: at(Double(second)))
      }
      if second == 1 { rig.gateway.receive(status: other(isOnline: false), at: at(1)) }
    }
    #expect(events.contains("fire") == (comes > 120) && events.contains("undecided") == (comes < 120), "\(events)")
  }

  @Test("a neighbour's rest is not told as ours: it would never end") func hearsay() {
    var rig = beside()
    var fired = claim(Self.somebody, .fired, at: 5)
    fired.rest = .seconds(60)
    rig.gateway.receive(claim: fired, at: at(5))
    #expect(answer(&rig, at: 6) == "withdrawn")
  }
}
