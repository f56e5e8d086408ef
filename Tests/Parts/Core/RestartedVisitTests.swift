import Testing

@testable import Core

@Suite("How a visit of the run before ends") struct RestartedVisitTests {
  private func rig(_ change: (inout Settings) -> Void) -> Rig {
    Rig {
      $0.calibrateEverybody()
      $0.addTrigger("pump")
      $0.addRegion("door", exit: .after(.seconds(7)))
      change(&$0)
    }
  }

  private func open(_ place: String, since seconds: Double = -30) -> Unfinished {
    Unfinished(
      topic: Topic(Array("forecourt/site/gateway/\(place)".utf8).span.bytes), id: Text("address:c0:00:00:00:00:01"),
      since: Instant(microseconds: Int64(seconds * 1e6)))
  }

  @Test("after the end of a visit of the run before its trigger rests as after any, though it began long ago", arguments: [60.0, 200])
  func rest(refractory: Double) {
    var rig = rig { $0.triggers[0].refractory = .seconds(refractory) }
    rig.gateway.restore(open("trigger/pump", since: -300), at: .zero)
    rig.gateway.caughtUp(at: .zero)
    rig.gateway.expireLeftovers(at: Instant(microseconds: 15_000_000))
    rig.wait(until: 143)
    rig.hear(from: 143, to: 150, level: -98, becoming: -60)
    rig.hear(from: 150, to: 160, level: -60)
    #expect(rig.told().contains { $0.event == "fire" } == (refractory < 100))
  }

  @Test("while its radio does not listen nobody has gone; without a group for two minutes at most", arguments: ["", "pumps"] as [Name])
  func lateRadio(group: Name) {
    for isBack in [true, false] {
      var rig = rig { $0.triggers[0].group = group }
      rig.gateway.radio(0, isDeaf: true, at: .zero)
      for place in ["trigger/pump", "region/door/event"] { rig.gateway.restore(open(place), at: .zero) }
      rig.gateway.caughtUp(at: .zero)
      for second in 1...110 { rig.gateway.expireLeftovers(at: Instant(microseconds: Int64(second) * 1_000_000)) }
      #expect(!rig.said().contains { $0.payload.contains("restart") })
      if isBack {
        rig.gateway.radio(0, isDeaf: false, at: Instant(microseconds: 110_000_000))
        rig.hear(from: 111, to: 150, level: -60)
      }
      for second in stride(from: 150, to: 300, by: 5) {
        if isBack { rig.hear(from: Double(second), to: Double(second) + 5, level: -60) }
        rig.gateway.expireLeftovers(at: Instant(microseconds: Int64(second + 5) * 1_000_000))
      }
      let ends = rig.said().filter { $0.payload.contains(#""reason":"restart""#) }.map(\.topic)
      #expect(ends == (isBack ? [] : group.isEmpty ? ["trigger/pump", "region/door/event"] : ["region/door/event"]), "\(isBack)")
    }
  }
}
