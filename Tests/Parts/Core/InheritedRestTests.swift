import Testing

@testable import Core

/// A phone that is served, or whose group rests, and then renews its address.
@Suite("What a phone owes its group under its next address") struct InheritedRestTests {
  private func at(_ seconds: Double) -> Instant { .zero + .seconds(seconds) }

  private func hear(_ rig: inout Rig, _ number: UInt8, from start: Double, to end: Double, level: Int8, radio: Int = 0) {
    for step in 0..<Int((end - start) * 10) {
      let packet = advert([number, 0, 0, 0, 0, 0x40], level: level, data: SuccessionTests.adverts[2])
      rig.gateway.receive(packet.span.bytes, radio: radio, at: at(start + Double(step) / 10))
    }
  }

  private func pair(rest: Double) -> Rig {
    Rig {
      $0.calibrateEverybody()
      $0.addRadios(2)
      for (radio, name) in ["one", "two"].enumerated() {
        $0.addTrigger(Name(Array(name.utf8).span.bytes), group: "pumps", radio: Int8(radio)) {
          ($0.refractory, $0.groupRefractory) = (.seconds(600), .seconds(rest))
        }
      }
    }
  }

  @Test("the next address, heard at the other trigger alone, is not served there while the group rests", arguments: [0.0, 600])
  func another(rest: Double) {
    var rig = pair(rest: rest)
    for step in 0..<100 {
      let time = 11 + Double(step) / 10
      hear(&rig, 1, from: time, to: time + 0.11, level: step < 30 ? -84 : -58)
      hear(&rig, 1, from: time + 0.01, to: time + 0.12, level: step < 30 ? -84 : -74, radio: 1)
    }
    #expect(rig.told().filter { $0.event == "fire" }.map(\.trigger) == ["one"])
    hear(&rig, 2, from: 21.2, to: 34, level: -64, radio: 1)
    #expect(!rig.told().contains { $0.event == "fire" }, "its visit at the other one may go on")
    hear(&rig, 2, from: 34, to: 60, level: -58, radio: 1)
    #expect(rig.told().contains { $0.event == "fire" } == (rest == 0))
  }

  @Test("nor while the radio of its visit hears nothing: nobody knows that it has ended", arguments: [true, false])
  func deaf(isDeaf: Bool) {
    var rig = pair(rest: 20)
    for step in 0..<400 {
      let time = 11 + Double(step) / 10
      hear(&rig, 1, from: time, to: time + 0.11, level: step < 30 ? -84 : -58)
      hear(&rig, 1, from: time + 0.01, to: time + 0.12, level: step < 30 ? -84 : -74, radio: 1)
    }
    if isDeaf { rig.gateway.radio(0, isDeaf: true, at: at(51)) }
    hear(&rig, 2, from: 51.2, to: 64, level: -64, radio: 1)
    hear(&rig, 2, from: 64, to: 110, level: -58, radio: 1)
    #expect(rig.told().filter { $0.event == "fire" }.map(\.trigger) == (isDeaf ? ["one"] : ["one", "two"]))
  }

  /// A gateway beside another one; the run before has served address 1, and its group rests.
  private func beside() -> Rig {
    var rig = Rig {
      $0.calibrateEverybody()
      $0.addTrigger("pump", group: "pumps") { $0.groupRefractory = .seconds(600) }
    }
    rig.gateway.connected(true, at: .zero)
    var neighbour = Neighbour()
    (neighbour.name, neighbour.boot, neighbour.isOnline) = ("other", "b", true)
    neighbour.groups.append("pumps")
    rig.gateway.receive(status: neighbour, at: .zero)
    return rig
  }

  private func served(_ id: String) -> Unfinished {
    Unfinished(
      topic: Topic(Array("forecourt/site/gateway/trigger/pump".utf8).span.bytes), id: Text(Array(id.utf8).span.bytes), since: at(-10))
  }

  private func answer(_ rig: inout Rig, about id: String, at seconds: Double) throws -> Substring? {
    try rig.answer(about: id, at: at(seconds))?.firstMatch(of: /"state":"(\w+)"/)?.1
  }

  @Test("until it is known who a newcomer is, a neighbour is told that the phone is served", arguments: [false, true])
  func unresolved(isAnother: Bool) throws {
    var rig = beside()
    rig.gateway.recall(served("address:40:00:00:00:00:01"), at: .zero)
    rig.gateway.caughtUp(at: .zero)
    hear(&rig, 1, from: 5, to: 20, level: -60)
    hear(&rig, 2, from: 20.2, to: 20.9, level: -60)
    let second = "address:40:00:00:00:00:02"
    #expect(try answer(&rig, about: second, at: 20.9) == "fired")
    if isAnother { hear(&rig, 1, from: 21, to: 21.2, level: -60) }
    hear(&rig, 2, from: 21.2, to: 26, level: -60)
    if isAnother { hear(&rig, 1, from: 26, to: 26.1, level: -60) }
    #expect(try answer(&rig, about: second, at: 26.2) == (isAnother ? "holding" : "fired"))
  }

  @Test("a neighbour that knows the phone by another id gets no consent while its group rests here", arguments: [false, true])
  func otherName(rests: Bool) throws {
    var rig = beside()
    if rests { rig.gateway.recall(served("address:c0:00:00:00:00:01"), at: .zero) }
    rig.gateway.caughtUp(at: .zero)
    rig.hear(from: 5, to: 12, level: -78)
    #expect(try answer(&rig, about: "name:ab@c0:00:00:00:00:01", at: 12) == (rests ? nil : "withdrawn"))
  }

  @Test("a rehearsal under a neighbour's name is no goodbye of that neighbour") func rehearsal() {
    var rig = beside()
    var word = Neighbour()
    (word.name, word.boot, word.isOnline, word.simulated) = ("other", "c", true, true)
    word.groups.append("pumps")
    rig.gateway.receive(status: word, at: at(1))
    let isAwaited = rig.gateway.triggers.membership.hasCompetitor(in: "pumps", at: at(2))
    #expect(isAwaited)
  }
}
