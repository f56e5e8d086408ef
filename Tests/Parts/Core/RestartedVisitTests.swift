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

  @Test("a visit that is open at a trigger whose radio is not back is served nowhere else in its group", arguments: [true, false])
  func elsewhere(isGrouped: Bool) throws {
    let group: Name = isGrouped ? "pumps" : ""
    var rig = Rig {
      $0.calibrateEverybody()
      $0.addRadios(2)
      for (radio, name) in ["pump", "next"].enumerated() {
        $0.addTrigger(Name(Array(name.utf8).span.bytes), group: group, radio: Int8(radio)) { $0.groupRefractory = .seconds(20) }
      }
    }
    rig.gateway.radio(0, isDeaf: true, at: .zero)
    rig.gateway.restore(open("trigger/pump", since: -300), at: .zero)
    rig.gateway.caughtUp(at: .zero)
    for second in 1...60 { rig.gateway.expireLeftovers(at: Instant(microseconds: Int64(second) * 1_000_000)) }
    rig.hear(from: 60, to: 65, level: -98, becoming: -60, radio: 1)
    rig.hear(from: 65, to: 80, level: -60, radio: 1)
    #expect(rig.told().contains { $0.event == "fire" } == !isGrouped)
    guard isGrouped else { return }
    meet(&rig, at: 80)
    let answer = try rig.answer(about: "address:c0:00:00:00:00:01", at: Instant(microseconds: 80_000_000))
    #expect(answer?.contains(#""state":"fired""#) == true, "\(answer ?? "no answer")")
  }

  @Test("while the outbox has not said whom the run before has served no neighbour is told that it may serve", arguments: [true, false])
  func forgetful(isKnown: Bool) throws {
    var rig = Rig {
      $0.calibrateEverybody()
      $0.addTrigger("pump", group: "pumps") { $0.groupRefractory = .seconds(60) }
    }
    meet(&rig, at: 0)
    rig.gateway.caughtUp(isKnown: isKnown, at: .zero)
    for (seconds, isServed) in [(20.0, !isKnown), (61, false)] {
      rig.hear(2, from: seconds - 5, to: seconds, level: -98)
      let answer = try rig.answer(about: "address:c0:00:00:00:00:01", at: Instant(microseconds: Int64(seconds * 1e6)))
      #expect(answer?.firstMatch(of: /"state":"(\w+)"/)?.1 == (isServed ? "fired" : "withdrawn"), "\(seconds)")
    }
  }

  private func meet(_ rig: inout Rig, at seconds: Int64) {
    let moment = Instant(microseconds: seconds * 1_000_000)
    rig.gateway.connected(true, at: moment)
    var neighbour = Neighbour()
    (neighbour.name, neighbour.boot, neighbour.isOnline) = ("other", "b", true)
    neighbour.groups.append("pumps")
    rig.gateway.receive(status: neighbour, at: moment)
  }
}
