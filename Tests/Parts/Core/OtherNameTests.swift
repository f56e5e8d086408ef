import Testing

@testable import Core

private let service = SuccessionTests.adverts[0]
private let beacon = bytes("02011A 1AFF4C000215 2F234454CF6D4A0FADF2F4911BA9FFA6 0007 0001 C5")
private let beaconName = "ibeacon:2f234454-cf6d-4a0f-adf2-f4911ba9ffa6:7:1"

/// A neighbour that cannot read a phone's id, or lacks its key, asks about the phone by another of its names.
@Suite("Whom we know by a better name than a neighbour does is one visitor") struct OtherNameTests {
  private func rig(_ change: (inout Settings) -> Void = { _ in }) -> Rig {
    var rig = Rig {
      $0.calibrateEverybody()
      $0.addTrigger("one", group: "pumps")
      $0.triggers[0].groupRefractory = .seconds(300)
      $0.peer.identify = true
      _ = $0.services.append(PeerSettings().service)
      change(&$0)
    }
    rig.gateway.receive(status: other(), at: .zero)
    rig.gateway.caughtUp(at: .zero)
    return rig
  }

  private func at(_ seconds: Double) -> Instant { .zero + .seconds(seconds) }

  private func other() -> Neighbour {
    var neighbour = Neighbour()
    (neighbour.name, neighbour.boot, neighbour.isOnline) = ("other", "b", true)
    neighbour.groups.append("pumps")
    return neighbour
  }

  /// `key`: from an address that a key of zeros resolves, by the cipher of these tests.
  private func hear(
    _ rig: inout Rig, _ number: UInt8 = 1, from start: Double, to end: Double, level: Int8, _ data: [UInt8]..., key: Bool = false
  ) {
    var (time, count) = (start, 0)
    while time < end {
      let address: [UInt8] = key ? [number, 0x22, 0x41, number, 0x22, 0x41] : [number, 0, 0, 0, 0, 0x40]
      let packet = advert(address, level: level, data: data[count % data.count])
      rig.gateway.receive(packet.span.bytes, radio: 0, at: at(time))
      (time, count) = (time + 0.1, count + 1)
    }
    #expect(rig.gateway.tableFaults == [])
  }

  private func identify(_ rig: inout Rig, _ number: UInt64 = 1, at seconds: Double, key: Bool = false) {
    let address = key ? Address(0x4122_0041_2200 | number << 24 | number, type: 1) : Address(0x4000_0000_0000 + number, type: 1)
    rig.gateway.receive(peer: KnownPeer(address: address, id: 5), at: at(seconds))
  }

  @Test("a phone whose id was read, and which sends a beacon, has no second pump by the beacon", arguments: ["first", "later", "between"])
  func beaconOfThePhone(read: String) throws {
    var rig = rig()
    if read == "first" { identify(&rig, at: 1) }
    hear(&rig, from: 2, to: 4, level: -60, beacon)
    if read == "later" { identify(&rig, at: 4) }
    hear(&rig, from: 4, to: 5, level: -60, service)
    if read == "between" { identify(&rig, at: 5) }
    hear(&rig, from: 5, to: 20, level: -60, service, beacon)
    #expect(rig.told().filter { $0.event == "fire" }.count == 0, "the neighbour is not asked in this test")
    #expect(try rig.answer(about: beaconName, at: at(20)) == nil, "it is being decided about")
    #expect(try rig.answer(about: "ibeacon:2f234454-cf6d-4a0f-adf2-f4911ba9ffa6:7:2", at: at(20)) != nil, "another beacon")
  }

  @Test("one that is only heard is no silence: the neighbour learns how loud it is", arguments: [false, true]) func heard(reads: Bool)
    throws
  {
    var rig = rig()
    if reads { identify(&rig, at: 1) }
    hear(&rig, from: 2, to: 20, level: -88, beacon, service)
    let told = try rig.answer(about: beaconName, at: at(20))
    #expect(told?.contains("\"level_db\":-88") ?? false, "\(told ?? "nothing")")
  }

  @Test("nor has one that our key resolves a second pump by its id", arguments: [5.0, 15, 26]) func keyed(read: Double) throws {
    var rig = rig {
      var key = KeySettings()
      key.alias = "phone"
      _ = $0.keys.append(key)
    }
    if read == 5 { identify(&rig, 0x33, at: 1, key: true) }
    hear(&rig, 0x33, from: 5, to: 15, level: -60, service, key: true)
    if read == 15 { identify(&rig, 0x33, at: 15, key: true) }
    hear(&rig, 0x33, from: 15, to: 25, level: -60, service, key: true)
    if read == 26 {
      hear(&rig, 0x34, from: 25, to: 26, level: -60, service, key: true)
      identify(&rig, 0x34, at: 26, key: true)
    }
    #expect(try rig.answer(about: "peer:00000005", at: at(26.1)) == nil)
    #expect(try rig.answer(about: "peer:00000006", at: at(26.1)) != nil)
  }

  @Test(
    "what a gateway read before its run was proven is believed then, and no word of another run; what is old, or said again, takes no room",
    arguments: ["alone", "after old ones", "after one said 64 times"])
  func proven(comes: String) throws {
    var rig = rig { $0.site.isAuthenticated = true }
    rig.gateway.connected(true, at: .zero)
    for number in 0..<64 as Range<UInt64> where comes != "alone" {
      let isOld = comes == "after old ones"
      var peer = KnownPeer(address: Address(0x4000_0000_1000 + (isOld ? number : 0), type: 1), id: 9)
      (peer.gateway, peer.boot, peer.age) = ("gone", "b", isOld ? Candidates.lifetime : .zero)
      rig.gateway.receive(peer: peer, at: at(0.5))
    }
    for (number, boot) in [(1, "b"), (2, "a")] as [(UInt64, Text<16>)] {
      var peer = KnownPeer(address: Address(0x4000_0000_0000 + number, type: 1), id: UInt32(4 + number))
      (peer.gateway, peer.boot, peer.uptime) = ("other", boot, .seconds(90))
      let isBelieved = rig.gateway.receive(peer: peer, at: at(1))
      #expect(!isBelieved)
    }
    hear(&rig, 1, from: 2, to: 3, level: -60, service)
    hear(&rig, 2, from: 2, to: 3, level: -60, service)
    #expect(rig.gateway.devices.find(Identity(installation: 5)) == nil)
    for echo in [0, rig.gateway.triggers.membership.sequence] {
      var hello = other()
      (hello.sequence, hello.echo, hello.uptime) = (echo + 1, echo, .seconds(100))
      rig.gateway.receive(hello: hello, at: at(3))
      let isKnown = rig.gateway.devices.find(Identity(installation: 5)) != nil
      #expect(isKnown == (echo > 0))
    }
    hear(&rig, 2, from: 4, to: 5, level: -60, service)
    #expect(rig.gateway.devices.find(Identity(installation: 6)) == nil)
  }
}
