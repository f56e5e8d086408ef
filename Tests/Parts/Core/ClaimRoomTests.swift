import Testing

@testable import Core

@Suite("A full table of claims") struct ClaimRoomTests {
  private static let neighbours = 63

  private func name(_ neighbour: Int) -> Name { Name(Array("n\(neighbour)".utf8).span.bytes) }

  private func claim(_ neighbour: Int, _ device: UInt8, _ sequence: UInt32) -> Claim {
    var claim = Claim()
    (claim.gateway, claim.group, claim.boot, claim.sequence) = (name(neighbour), "pumps", "b", sequence)
    (claim.level, claim.standing) = (Decibels(-90), .candidate)
    claim.identity = Identity(.address, Address(word: 1 << 48 | 0xC000_0000_0000 | UInt64(device)))
    return claim
  }

  @Test("has room for whoever stands here: what was said of those who are only near comes again") func room() {
    var rig = Rig(devices: 128) {
      $0.calibrateEverybody()
      $0.addTrigger("one", group: "pumps")
    }
    for neighbour in 0..<Self.neighbours {
      var status = Neighbour()
      (status.name, status.boot, status.isOnline) = (name(neighbour), "b", true)
      status.groups.append("pumps")
      rig.gateway.receive(status: status, at: .zero)
    }
    var moment = 5.0
    func hear(_ device: UInt8, _ level: Int8, _ rig: inout Rig) {
      rig.hear(device, at: moment, level: level)
      moment += 0.001
    }
    for _ in 0..<20 {
      for device in 101...165 as ClosedRange<UInt8> { hear(device, -72, &rig) }
      moment += 0.05
    }
    for device in 101...165 as ClosedRange<UInt8> {
      for neighbour in 0..<Self.neighbours {
        rig.gateway.receive(claim: claim(neighbour, device, UInt32(device)), at: .zero + .seconds(moment))
      }
    }
    #expect(rig.gateway.triggers.claims.free.taken == Limits.claims)
    for step in 0..<60 {
      hear(50, Int8(min(-82 + step, -60)), &rig)
      // Silent, they would end, and make room.
      for device in 101...165 as ClosedRange<UInt8> { hear(device, -72, &rig) }
      moment += 0.05
    }
    for neighbour in 0..<Self.neighbours { rig.gateway.receive(claim: claim(neighbour, 50, 100), at: .zero + .seconds(moment)) }
    var said = 0
    let slot = rig.gateway.devices.find(claim(0, 50, 0).identity)
    let place = slot.map { rig.gateway.triggers.encounters.find(trigger: 0, from: rig.gateway.devices[$0].encounters) } ?? -1
    #expect(place >= 0 && rig.gateway.triggers.encounters[place].stage.isDecisive)
    var word = rig.gateway.triggers.encounters[place].claims
    while word >= 0 {
      said += 1
      word = rig.gateway.triggers.claims.next(after: word)
    }
    #expect(said == Self.neighbours && rig.gateway.encountersRefused == 0)
  }
}
