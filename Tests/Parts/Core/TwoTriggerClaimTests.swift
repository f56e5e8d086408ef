import Foundation
import Testing

@testable import Core

@Suite("Two triggers of one gateway in a group") struct TwoTriggerClaimTests {
  private static let visitor = Identity(.address, Address(word: 1 << 48 | 0xC000_0000_0001))

  private func configure(_ settings: inout Settings, refractory: Double = 5, isPlaced: Bool = false) {
    settings.calibrateEverybody()
    settings.addRadios(2)
    for radio in 0..<2 {
      if isPlaced { settings.radios[radio].point = PlanPoint(x: Float(radio) * 8, y: 0) }
      settings.addTrigger(radio == 0 ? "one" : "two", group: "pumps", radio: Int8(radio)) { $0.refractory = .seconds(refractory) }
    }
  }

  private func rig(refractory: Double = 5, isPlaced: Bool = false, _ change: (inout Settings) -> Void = { _ in }) -> Rig {
    var rig = Rig {
      configure(&$0, refractory: refractory, isPlaced: isPlaced)
      change(&$0)
    }
    rig.gateway.connected(true, at: .zero)
    var other = Neighbour()
    (other.name, other.boot, other.isOnline) = ("other", "run", true)
    other.groups.append("pumps")
    rig.gateway.receive(status: other, at: .zero)
    return rig
  }

  private func claim(_ sequence: UInt32, _ standing: Claim.Standing) -> Claim {
    var claim = Claim()
    (claim.gateway, claim.trigger, claim.group, claim.boot) = ("other", "theirs", "pumps", "run")
    (claim.identity, claim.standing, claim.sequence, claim.level) = (Self.visitor, standing, sequence, Decibels(-80))
    return claim
  }

  @Test("whichever of them speaks, the claim says that somebody was served, and the highest level") func strongest() throws {
    for served in 0..<2 {
      var rig = rig()
      func hear(_ step: Int) {
        rig.hear(1, at: 10 + Double(step) / 10, level: -60, radio: 0)
        rig.hear(1, at: 10.05 + Double(step) / 10, level: -75, radio: 1)
      }
      for step in 0..<30 { hear(step) }
      let refusal = rig.gateway.fireManually(served, for: Self.visitor, at: Instant(microseconds: 13_000_000))
      #expect(refusal == nil)
      _ = rig.said()
      for step in 30..<100 {
        hear(step)
        // A neighbour that asks is answered.
        if step % 10 == 0 {
          rig.gateway.receive(claim: claim(UInt32(step), .holding), at: Instant(microseconds: Int64(step + 101) * 100_000))
        }
      }
      let claims = rig.said().filter { $0.topic.contains("claim/") && $0.payload.contains("c0:00:00:00:00:01") }.map(\.payload)
      #expect(Set(claims.compactMap { $0.firstMatch(of: /"trigger":"(\w+)"/)?.1 }).count == 2, "both speak: \(claims)")
      for claim in claims {
        let json = try #require(JSONSerialization.jsonObject(with: Data(claim.utf8)) as? [String: Any])
        let level = try #require(json["level_db"] as? Double)
        #expect(json["state"] as? String == "fired" && (level + 60).magnitude < 1, "\(claim)")
      }
    }
  }

  @Test("a claim without a steady level, as older versions send it, is steady at its level, whatever was said before") func oldClaim()
    throws
  {
    var rig = rig()
    for step in 0..<30 { rig.hear(1, at: 10 + Double(step) / 10, level: -75) }
    for (sequence, steady) in [(1, -70), (2, nil)] as [(UInt32, Float?)] {
      var heard = claim(sequence, .candidate)
      heard.steady = steady.map { Decibels($0) }
      rig.gateway.receive(claim: heard, at: Instant(microseconds: 12_900_000 + Int64(sequence)))
      let slot = rig.gateway.devices.find(Self.visitor)!
      let word = rig.gateway.triggers.encounters[rig.gateway.devices[slot].encounters].claims
      try #require(word >= 0)
      #expect(rig.gateway.triggers.claims[word].steady == Decibels(steady ?? -80))
    }
  }

  @Test("a claim from before new settings, by a receiver that the plan has no more, is a rival whose place nobody knows") func otherPlan() {
    var rig = rig(isPlaced: true)
    for step in 0..<30 {
      let at = 10 + Double(step) / 10
      rig.hear(1, at: at, level: -75)
      rig.hear(1, at: at + 0.02, level: -85, radio: 1)
      guard step == 20 else { continue }
      var louder = claim(1, .candidate)
      (louder.level, louder.steady, louder.isListening, louder.point) = (Decibels(-50), Decibels(-50), true, PlanPoint(x: 0, y: 9))
      rig.gateway.receive(claim: louder, at: Instant(microseconds: 12_050_000))
      #expect(rig.gateway.triggers.plan.receivers.count == 3)
      var settings = Settings()
      settings.gateway.devices = 64
      configure(&settings, isPlaced: true)
      rig.gateway.reload(settings, at: Instant(microseconds: 12_060_000))
      #expect(rig.gateway.triggers.plan.receivers.count == 2)
    }
    let told = rig.told().map(\.event)
    #expect(!told.contains("fire"))
  }

  @Test("a fire by command is told to the neighbours at once, whenever the last claim was", arguments: 30..<42) func byCommand(steps: Int) {
    var rig = rig()
    for step in 0..<steps { rig.hear(1, at: 10 + Double(step) / 10, level: -60) }
    _ = rig.said()
    let refusal = rig.gateway.fireManually(0, for: Self.visitor, at: Instant(microseconds: 9_901_000 + Int64(steps) * 100_000))
    let claims = rig.said().filter { $0.topic.contains("claim/") && $0.payload.contains("c0:00:00:00:00:01") }.map(\.payload)
    #expect(refusal == nil && claims.count == 1 && claims[0].contains(#""state":"fired""#), "\(claims)")
  }

  @Test("of a neighbour's claims the latest by its own number counts, whatever comes after it", arguments: [4, 5, 6] as [UInt32])
  func latest(number: UInt32) throws {
    var rig = rig()
    for step in 0..<30 { rig.hear(1, at: 10 + Double(step) / 10, level: -60) }
    rig.gateway.receive(claim: claim(5, .fired), at: Instant(microseconds: 13_000_000))
    rig.gateway.receive(claim: claim(number, .withdrawn), at: Instant(microseconds: 13_100_000))
    let places = (0..<Int32(rig.gateway.triggers.encounters.used)).map { rig.gateway.triggers.encounters[$0].claims }.filter { $0 >= 0 }
    #expect(!places.isEmpty)
    for place in places {
      let standing = rig.gateway.triggers.claims[place].standing
      #expect(standing == (number > 5 ? .withdrawn : .fired))
    }
  }

  @Test("what neighbours said of a visitor is forgotten when it has gone, however long refractory_s is") func forgotten() {
    var rig = rig(refractory: 3_600)
    for step in 0..<100 { rig.hear(1, at: 10 + Double(step) / 10, level: -60) }
    let refusal = rig.gateway.fireManually(0, for: Self.visitor, at: Instant(microseconds: 20_000_000))
    rig.gateway.receive(claim: claim(1, .candidate), at: Instant(microseconds: 20_100_000))
    var kept = rig.gateway.triggers.claims.free.taken
    #expect(refusal == nil && kept > 0)
    rig.wait(until: 90)
    kept = rig.gateway.triggers.claims.free.taken
    #expect(kept == 0 && rig.told().map(\.event).suffix(1) == ["leave"])
  }

  @Test("while a visit goes on its claims say that the group rests from now on, for the gateway may be gone when it ends") func restsOn() {
    var rig = rig { $0.triggers[0].groupRefractory = .seconds(25) }
    for step in 0..<30 { rig.hear(1, at: 10 + Double(step) / 10, level: -60, radio: 0) }
    #expect(rig.gateway.fireManually(0, for: Self.visitor, at: Instant(microseconds: 13_000_000)) == nil)
    for step in 30..<400 { rig.hear(1, at: 10 + Double(step) / 10, level: -60, radio: 0) }
    let rests = rig.said().compactMap { $0.payload.firstMatch(of: /"state":"fired",.*"rest_ms":(\d+)/)?.1 }
    #expect(rests.count > 20 && Set(rests) == ["25000"], "\(rests)")
  }
}
