import Foundation
import Testing

@testable import Core

/// A neighbour refuses a claim that goes beyond what it reads (`SiteMemberTests`), and then waits for an answer for ever.
@Suite("What a claim says stays within what a neighbour reads") struct ClaimLimitTests {
  private func rig(offset: Float = 0) -> Rig {
    var rig = Rig {
      $0.calibrateEverybody()
      $0.addRadios(1)
      $0.radios[0].receiveOffset = Decibels(offset)
      $0.addTrigger("pump", group: "pumps") { $0.refractory = .hours(20) }
    }
    rig.gateway.connected(true, at: .zero)
    rig.wait(until: 5)
    return rig
  }

  /// The neighbour asks about the device that `Rig.hear` calls 1.
  private func answer(_ rig: inout Rig, at seconds: Double, _ sequence: UInt32) throws -> [String: Any] {
    let now = Instant(microseconds: Int64(seconds * 1e6))
    var neighbour = Neighbour()
    (neighbour.name, neighbour.boot, neighbour.isOnline) = ("other", "run", true)
    neighbour.groups.append("pumps")
    rig.gateway.receive(status: neighbour, at: now)
    _ = rig.said()
    var claim = Claim()
    (claim.gateway, claim.trigger, claim.group, claim.boot) = ("other", "theirs", "pumps", "run")
    claim.identity = rig.gateway.devices[0].identity
    (claim.standing, claim.sequence, claim.level) = (.holding, sequence, Decibels(-50))
    rig.gateway.receive(claim: claim, at: now)
    let said = try #require(rig.said().last { $0.topic.contains("claim/") })
    return try #require(try JSONSerialization.jsonObject(with: Data(said.payload.utf8)) as? [String: Any])
  }

  private func expectReadable(_ claim: [String: Any]) {
    #expect((0...3_600_000).contains(claim["age_ms"] as? Int ?? -1), "\(claim)")
    #expect((0...86_400_000).contains(claim["dwell_ms"] as? Int ?? -1), "\(claim)")
    for level in ["level_db", "steady_db"] {
      if let value = claim[level] as? Double { #expect((-127...20).contains(value), "\(claim)") }
    }
  }

  @Test("of a device that was last heard hours ago", arguments: [10, 3_500, 3_700, 100_000] as [Double])
  func old(later: Double) throws {
    var rig = rig()
    rig.hear(1, at: 6, level: -75)
    let claim = try answer(&rig, at: 6 + later, 1)
    expectReadable(claim)
    #expect(claim["age_ms"] as? Int == Int(min(later, 3_600) * 1_000))
  }

  private func serve(_ rig: inout Rig) {
    for step in 0..<100 { rig.hear(1, at: 5 + Double(step) * 0.1, level: -50) }
    let identity = rig.gateway.devices[0].identity
    let refusal = rig.gateway.fireManually(0, for: identity, at: Instant(microseconds: 15_000_000))
    #expect(refusal == nil)
  }

  @Test("of a device that was served hours ago, and may not be served again yet") func rests() throws {
    var rig = rig()
    serve(&rig)
    for (number, seconds) in [1_000, 5_000, 60_000].enumerated() {
      expectReadable(try answer(&rig, at: Double(seconds), UInt32(number) + 1))
    }
  }

  @Test("of a device that has stood there for more than a day") func stands() throws {
    var rig = rig()
    serve(&rig)
    for step in 0..<31_000 { rig.hear(1, at: 15 + Double(step) * 3, level: -50) }
    let claim = try answer(&rig, at: 93_013, 1)
    expectReadable(claim)
    #expect(claim["state"] as? String == "fired")
  }

  @Test("whatever antenna was configured", arguments: [(-40, -5), (-40, -127), (40, -5), (40, -100)] as [(Float, Int8)])
  func offsets(offset: Float, level: Int8) throws {
    var rig = rig(offset: offset)
    for step in 0..<20 { rig.hear(1, at: 6 + Double(step) * 0.1, level: level) }
    let claim = try answer(&rig, at: 8.1, 1)
    expectReadable(claim)
    #expect(claim["level_db"] is Double, "\(claim)")
  }

  @Test("an id that is not believed keeps no radio from asking the phone itself") func unbelieved() {
    for (identifies, isSigned, isBelieved) in [(true, false, true), (true, true, false), (false, false, false)] {
      var rig = Rig {
        $0.peer.identify = identifies
        $0.site.isAuthenticated = isSigned
      }
      let isTaken = rig.gateway.receive(peer: KnownPeer(address: Address(word: 7), id: 8), at: .zero)
      #expect(isTaken == isBelieved)
    }
  }

  @Test("an echo is read up to the greatest number that is ever written") func echoes() {
    for number in [1, 999_999_999, 1_000_000_000, 4_000_000_000, UInt32.max] {
      var list = HeardList(room: 600)
      _ = list.append(number, of: "we", "0123456789")
      #expect(Claim.echo(to: "we", "0123456789", in: list.numbers.bytes, runs: list.runs.bytes, mustName: true) == number)
    }
  }
}
