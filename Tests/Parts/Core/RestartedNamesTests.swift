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

  private func hear(
    _ rig: inout Rig, _ number: UInt8, from start: Double, to end: Double, level: Double, becoming last: Double? = nil,
    saying data: [[UInt8]] = [SuccessionTests.adverts[0]]
  ) {
    var (time, turn) = (start, 0)
    while time < end {
      let heard = Int8((level + ((last ?? level) - level) * (time - start) / (end - start)).rounded())
      let packet = advert([number, 0, 0, 0, 0, 0x40], level: heard, data: data[turn % data.count])
      turn += 1
      rig.gateway.expireLeftovers(at: Instant(microseconds: Int64(time * 1e6)))
      rig.gateway.receive(packet.span.bytes, radio: 0, at: Instant(microseconds: Int64(time * 1e6)))
      time += 0.1
    }
    #expect(rig.gateway.tableFaults == [])
  }

  private func open(_ identity: String, since moment: Instant = .zero) -> Unfinished {
    Unfinished(topic: "forecourt/site/gateway/trigger/pump", id: Text(Array(identity.utf8).span.bytes), since: moment)
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

  private static let beacon = bytes("02011A 1AFF4C000215 2F234454CF6D4A0FADF2F4911BA9FFA6 0007 0001 C5")
  private static let beaconName = "ibeacon:2f234454-cf6d-4a0f-adf2-f4911ba9ffa6:7:1"

  private func text(_ identity: Identity?) -> String? {
    guard let identity else { return nil }
    var text = Text<128>()
    text.append(identity)
    return String(text)
  }

  /// What the outbox records of each fire and end: the published id, and the other name.
  private func recorded(_ rig: borrowing Rig) -> [String] {
    var all: [String] = []
    while let message = rig.messages.pop() {
      guard message.visit != .none else { continue }
      let isFire = String(message.payload).contains(#""event":"fire""#)
      all.append((isFire ? "fire " : "leave ") + (text(message.otherName) ?? "alone"))
    }
    return all
  }

  private func identify(_ rig: inout Rig, at second: Int64) {
    rig.gateway.receive(
      peer: KnownPeer(address: Address(0x4000_0000_0001, type: 1), id: 5), at: Instant(microseconds: second * 1_000_000))
  }

  @Test("whoever is served by its id and sends a beacon, too, is recorded under both, and rests under either", arguments: [true, false])
  func twoNames(isRecorded: Bool) {
    var before = rig()
    identify(&before, at: 1)
    hear(&before, 1, from: 2, to: 10, level: -84, becoming: -60, saying: [SuccessionTests.adverts[0], Self.beacon])
    hear(&before, 1, from: 10, to: 20, level: -60, saying: [SuccessionTests.adverts[0], Self.beacon])
    before.wait(until: 300)
    #expect(recorded(before) == ["fire " + Self.beaconName, "leave " + Self.beaconName])

    var rig = rig { $0.triggers[0].refractory = .seconds(600) }
    let served = Instant.zero - .seconds(60)
    rig.gateway.recall(open("peer:00000005", since: served), at: .zero)
    if isRecorded { rig.gateway.recall(open(Self.beaconName, since: served), at: .zero) }
    hear(&rig, 1, from: 20, to: 28, level: -84, becoming: -60, saying: [Self.beacon])
    hear(&rig, 1, from: 28, to: 40, level: -60, saying: [Self.beacon])
    #expect(names(rig.told()).isEmpty == isRecorded)
  }

  @Test("a beacon that no trigger looks for is not recorded: all phones with the app may send it") func beaconOfAll() throws {
    let peers = try Selector(written: Array("peer:*".utf8).span.bytes)
    var rig = rig { $0.selectors[Int($0.triggers[0].match.start)] = peers }
    identify(&rig, at: 1)
    hear(&rig, 1, from: 2, to: 10, level: -84, becoming: -60, saying: [SuccessionTests.adverts[0], Self.beacon])
    hear(&rig, 1, from: 10, to: 20, level: -60, saying: [SuccessionTests.adverts[0], Self.beacon])
    rig.wait(until: 300)
    #expect(recorded(rig) == ["fire alone", "leave alone"])
  }

  @Test("a visit that began under the beacon is recorded under the id, too, as it ends") func readDuringVisit() {
    var rig = rig()
    hear(&rig, 1, from: 2, to: 10, level: -84, becoming: -60, saying: [Self.beacon])
    hear(&rig, 1, from: 10, to: 20, level: -60, saying: [Self.beacon])
    identify(&rig, at: 20)
    hear(&rig, 1, from: 20, to: 30, level: -60, saying: [Self.beacon])
    rig.wait(until: 300)
    #expect(recorded(rig) == ["fire alone", "leave peer:00000005"])
  }

  @Test("an address, or the service that says it, is no name that lasts") func bound() {
    var rig = rig()
    hear(&rig, 1, from: 2, to: 10, level: -84, becoming: -60)
    hear(&rig, 1, from: 10, to: 20, level: -60)
    rig.wait(until: 300)
    #expect(recorded(rig) == ["fire alone", "leave alone"])
  }
}
