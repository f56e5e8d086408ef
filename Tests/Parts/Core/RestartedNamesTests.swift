import Testing

@testable import Core

/// Whom the run before served, and who is heard under another name after the restart.
@Suite("One visitor, two runs, two names") struct RestartedNamesTests {
  private func rig(_ change: (inout Settings) -> Void = { _ in }) -> Rig {
    var rig = Rig {
      $0.calibrateEverybody()
      $0.addTrigger("pump")
      $0.peer.identify = true
      _ = $0.services.append(PeerSettings().service)
      change(&$0)
    }
    rig.gateway.caughtUp(at: .zero)
    return rig
  }

  private func hear(_ rig: inout Rig, _ number: UInt8, from start: Double, to end: Double, level: Double, becoming last: Double? = nil) {
    var time = start
    while time < end {
      let heard = Int8((level + ((last ?? level) - level) * (time - start) / (end - start)).rounded())
      let packet = advert([number, 0, 0, 0, 0, 0x40], level: heard, data: SuccessionTests.adverts[0])
      rig.gateway.expireLeftovers(at: Instant(microseconds: Int64(time * 1e6)))
      rig.gateway.receive(packet.span.bytes, radio: 0, at: Instant(microseconds: Int64(time * 1e6)))
      time += 0.1
    }
    #expect(rig.gateway.tableFaults == [])
  }

  private func open(_ identity: String) -> Unfinished {
    Unfinished(topic: "forecourt/site/gateway/trigger/pump", id: Text(Array(identity.utf8).span.bytes), since: .zero)
  }

  private func names(_ told: [Told]) -> [String] {
    told.filter { ["fire", "leave"].contains($0.event) }.map { $0.event + " " + $0.id.suffix(2) }
  }

  private static let service = "service:2f234454-cf6d-4a0f-adf2-f4911ba9ffa6@40:00:00:00:00:01"

  @Test(
    "a phone that renewed its address after its fire is not served again after a restart, however late it is heard", arguments: [1, 4, 10])
  func renewed(first: Double) {
    var rig = rig()
    rig.gateway.restore(open(Self.service), at: .zero)
    hear(&rig, 2, from: first, to: 60, level: -60)
    #expect(names(rig.told()) == ["leave 01"])
    // Another one that drives up is served.
    hear(&rig, 3, from: 60, to: 68, level: -84, becoming: -60)
    hear(&rig, 3, from: 68, to: 75, level: -60)
    #expect(names(rig.told()) == ["fire 03"])
  }

  @Test("whoever drives up while such a visit is open is served") func another() {
    var rig = rig()
    rig.gateway.restore(open(Self.service), at: .zero)
    hear(&rig, 2, from: 4, to: 12, level: -84, becoming: -60)
    hear(&rig, 2, from: 12, to: 20, level: -60)
    #expect(names(rig.told()).contains("fire 02"))
  }

  @Test("a phone that has renewed its address before the outbox says that it is being served leaves once, as who it was")
  func renewedFirst() {
    var rig = rig()
    hear(&rig, 1, from: 1, to: 5, level: -60)
    hear(&rig, 2, from: 5, to: 9, level: -60)
    rig.gateway.restore(open(Self.service), at: Instant(microseconds: 9_000_000))
    rig.gateway.caughtUp(at: Instant(microseconds: 9_000_000))
    let state = rig.said().last { $0.topic == "trigger/pump/state" }?.payload ?? ""
    #expect(state.contains(#""served_count":1,"near_count":0"#) && state.contains("40:00:00:00:00:01"), "\(state)")
    hear(&rig, 2, from: 9.1, to: 60, level: -60)
    #expect(names(rig.told()) == [])
    rig.wait(until: 400)
    #expect(names(rig.told()) == ["leave 01"] && rig.gateway.rowsInUse == 0)
  }

  @Test("a phone that was served by its id, and is heard by its service before the id is read again, goes on being served")
  func identified() {
    var rig = rig()
    rig.gateway.restore(open("peer:00000005"), at: .zero)
    hear(&rig, 1, from: 1, to: 4, level: -60)
    rig.gateway.receive(
      peer: KnownPeer(address: Address(0x4000_0000_0001, type: 1), id: 5), at: Instant(microseconds: 4_000_000))
    hear(&rig, 1, from: 4.1, to: 40, level: -60)
    #expect(names(rig.told()) == [])
    rig.wait(until: 200)
    #expect(names(rig.told()) == ["leave 05"])
  }
}
