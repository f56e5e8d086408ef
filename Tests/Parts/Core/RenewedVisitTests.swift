import Testing

@testable import Core

/// Visits of a phone that renews its address and whose id is read, at two places.
@Suite("One visitor under several names") struct RenewedVisitTests {
  private func rig(refractory: Double = 30) -> Rig {
    Rig {
      $0.calibrateEverybody()
      $0.addRadios(2)
      $0.addTrigger("one", radio: 0) { $0.refractory = .seconds(refractory) }
      $0.addTrigger("two", radio: 1)
      $0.peer.identify = true
      _ = $0.services.append(PeerSettings().service)
    }
  }

  private func hear(
    _ rig: inout Rig, _ number: UInt8, from start: Double, to end: Double, level: Double, becoming last: Double? = nil, radio: Int = 0
  ) {
    var time = start
    while time < end {
      let heard = Int8((level + ((last ?? level) - level) * (time - start) / (end - start)).rounded())
      let packet = advert([number, 0, 0, 0, 0, 0x40], level: heard, data: SuccessionTests.adverts[0])
      rig.gateway.receive(packet.span.bytes, radio: radio, at: Instant(microseconds: Int64(time * 1e6)))
      time += 0.1
    }
    #expect(rig.gateway.tableFaults == [])
  }

  private func address(_ number: UInt8) -> Address { Address(0x4000_0000_0000 + UInt64(number), type: 1) }

  private func identify(_ rig: inout Rig, _ number: UInt8, at seconds: Double) {
    rig.gateway.receive(peer: KnownPeer(address: address(number), id: 5), at: Instant(microseconds: Int64(seconds * 1e6)))
    #expect(rig.gateway.tableFaults == [])
  }

  private func approach(_ rig: inout Rig, _ number: UInt8, at start: Double, until end: Double, radio: Int = 0) {
    hear(&rig, number, from: start, to: start + 8, level: -84, becoming: -60, radio: radio)
    hear(&rig, number, from: start + 8, to: end, level: -60, radio: radio)
  }

  private func names(_ rig: borrowing Rig) -> [String] {
    rig.told().filter { ["fire", "manual", "leave"].contains($0.event) }.map { "\($0.event) \($0.trigger) \($0.id.suffix(2))" }
  }

  @Test("served at one place and read at the other, where it is still remembered, it is served once at each and leaves each once")
  func elsewhere() {
    var rig = rig(refractory: 300)
    hear(&rig, 1, from: 10, to: 12, level: -84)
    identify(&rig, 1, at: 12)
    approach(&rig, 1, at: 12, until: 30)
    hear(&rig, 1, from: 30, to: 40, level: -60, becoming: -98)
    #expect(names(rig) == ["fire one 05", "leave one 05"])
    // The first place still remembers it: `refractory_s` is not over.
    approach(&rig, 3, at: 44, until: 60, radio: 1)
    identify(&rig, 3, at: 60)
    hear(&rig, 3, from: 60.1, to: 90, level: -60, radio: 1)
    rig.wait(until: 400)
    #expect(names(rig) == ["fire two 03", "leave two 03"])
  }

  @Test("the next visit is told under the name that it has then") func secondVisit() {
    var rig = rig(refractory: 60)
    approach(&rig, 1, at: 10, until: 30)
    hear(&rig, 2, from: 30, to: 40, level: -60)
    hear(&rig, 2, from: 40, to: 48, level: -60, becoming: -98)
    hear(&rig, 2, from: 48, to: 70, level: -98)
    // `refractory_s` is over.
    approach(&rig, 2, at: 120, until: 150)
    rig.wait(until: 400)
    #expect(names(rig) == ["fire one 01", "leave one 01", "fire one 02", "leave one 02"])
  }

  @Test("a visit that began under a new address goes on under the id, and its leave has the name of its fire") func handedBack() {
    var rig = rig()
    hear(&rig, 1, from: 10, to: 12, level: -84, becoming: -78)
    identify(&rig, 1, at: 12)
    hear(&rig, 1, from: 12, to: 17, level: -78, becoming: -63)
    hear(&rig, 2, from: 17, to: 30, level: -60)
    #expect(names(rig) == ["fire one 02"])
    identify(&rig, 2, at: 30)
    hear(&rig, 2, from: 30.1, to: 50, level: -60)
    rig.wait(until: 400)
    #expect(names(rig) == ["leave one 02"])
  }

  @Test("a visit that ended under the new address ended for the id as well: it is served again") func endedForBoth() {
    var rig = rig(refractory: 300)
    hear(&rig, 1, from: 10, to: 12, level: -84)
    identify(&rig, 1, at: 12)
    approach(&rig, 1, at: 12, until: 30)
    hear(&rig, 2, from: 30, to: 40, level: -60)
    hear(&rig, 2, from: 40, to: 48, level: -60, becoming: -98)
    hear(&rig, 2, from: 48, to: 60, level: -98)
    #expect(names(rig) == ["fire one 05", "leave one 05"])
    hear(&rig, 3, from: 340, to: 342, level: -84)
    identify(&rig, 3, at: 342)
    approach(&rig, 3, at: 342, until: 360)
    hear(&rig, 3, from: 360, to: 368, level: -60, becoming: -98)
    rig.wait(until: 400)
    #expect(names(rig) == ["fire one 05", "leave one 05"])
  }

  @Test("whose visit ended under the new address has no visit under the old one, when that is heard again") func oldAgain() {
    var rig = rig(refractory: 300)
    approach(&rig, 1, at: 10, until: 20)
    for second in 20..<40 { hear(&rig, 1, from: Double(second), to: Double(second) + 0.05, level: -60) }
    hear(&rig, 2, from: 39.5, to: 46.5, level: -60)
    hear(&rig, 2, from: 46.5, to: 50.9, level: -98)
    #expect(names(rig) == ["fire one 01", "leave one 01"])
    hear(&rig, 1, from: 50.9, to: 60, level: -60)
    rig.wait(until: 400)
    #expect(names(rig) == [])
  }

  @Test("a command for the old address starts no second visit") func oldAddress() {
    var rig = rig()
    hear(&rig, 1, from: 10, to: 17, level: -84, becoming: -66)
    hear(&rig, 2, from: 17, to: 19.5, level: -66, becoming: -62)
    let first = (0..<64).first { rig.gateway.devices.isUsed($0) }.map { rig.gateway.devices[$0].identity }
    let answer = first.map { rig.gateway.fireManually(0, for: $0, at: Instant(microseconds: 19_500_000)) }
    #expect(answer == .unheard)
    hear(&rig, 2, from: 19.5, to: 40, level: -60)
    #expect(names(rig) == ["fire one 02"])
  }
}
