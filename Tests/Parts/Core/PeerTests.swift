import Testing

@testable import Core

@Suite("A device is identified over GATT") struct PeerTests {
  static let phone = ModelPhone(address: 0x4A00_0000_0001)

  @Test(
    "a phone is asked once, within half a second, and listening goes on", arguments: [true, false], [27, 251])
  func once(isExtended: Bool, aclLength: Int) {
    var phone = Self.phone
    phone.isInBackground = isExtended
    var line = PeerLine([phone])
    line.model.isExtended = isExtended
    line.aclLength = aclLength
    line.run(for: .milliseconds(500))
    #expect(line.identified == [0xBC00_BD17])
    line.advertInterval = .milliseconds(500)
    line.run(for: .seconds(900))
    #expect(line.identified.count == 1 && line.failures.isEmpty)
    #expect(line.isScanning && line.connections.isEmpty && line.model.mixed == 0)
    #expect(line.longestDeafness < .milliseconds(100))
    line.run(for: .seconds(100))
    #expect(line.identified.count == 2, "after sixteen minutes it may be somebody else")
  }

  @Test("while an answer or a phone is expected, no packet waits for others; at rest they may") func patience() {
    var line = PeerLine([Self.phone])
    #expect(!line.controller.isAtRest)
    line.run(for: .seconds(2))
    #expect(line.identified.count == 1 && line.surprises == 0)
    #expect(line.controller.isAtRest && line.peers.isAtRest)
    line.ignored = [0x2043]
    line.phones[0].address += 1
    line.run(for: .milliseconds(100))
    #expect(!(line.controller.isAtRest && line.peers.isAtRest), "a connection is on its way")
  }

  @Test("a phone without an id is a stranger, and is left alone") func stranger() {
    var phone = Self.phone
    phone.installation = nil
    var line = PeerLine([phone])
    line.run(for: .seconds(60))
    #expect(line.news.count == 1 && line.opcodes.filter { $0 == 0x2043 }.count == 1)
    if case .stranger(let address) = line.news.first { #expect(address.word & 0xFFFF_FFFF_FFFF == phone.address) } else { Issue.record() }
  }

  @Test("services arrive in whatever pieces the MTU allows", arguments: [23, 40, 64, 185, 247]) func pieces(mtu: Int) {
    var phone = Self.phone
    phone.mtu = mtu
    phone.others = (0..<9).map { ServiceUUID(UInt64($0) << 40, 0xA) } + [ServiceUUID(short: 0x180A)]
    var line = PeerLine([phone])
    line.run(for: .seconds(2))
    #expect(line.identified == [0xBC00_BD17])
  }

  @Test("a silent device is asked again after 4 s, 15 s, 30 s") func bans() {
    var phone = Self.phone
    (phone.deed, phone.step) = (.silence, .mtu)
    var line = PeerLine([phone])
    line.run(for: .seconds(5))
    #expect(line.failures == [.silent])
    line.run(for: .seconds(4))
    #expect(line.failures.count == 2)
    line.run(for: .seconds(12))
    #expect(line.failures.count == 2)
    line.run(for: .seconds(6))
    #expect(line.failures.count == 3)
    line.phones[0].deed = .nothing
    line.run(for: .seconds(40))
    #expect(line.identified.count == 1)
  }

  @Test("the strongest device is asked first, one at a time") func order() {
    let phones = (0..<5).map { index in
      var phone = ModelPhone(address: 0x4A00_0000_0100 + UInt64(index), installation: UInt32(index))
      phone.level = [-70, -50, -80, -60, -90][index]
      return phone
    }
    var line = PeerLine(phones) { $0.identify = true }
    line.opening = .milliseconds(1_500)
    line.run(for: .seconds(5))
    #expect(line.identified == [1, 3, 0, 2, 4])
  }

  @Test("a phone is found wherever its report stands in an event") func gathered() {
    let phones = (0..<3).map { ModelPhone(address: 0x4A00_0000_0100 + UInt64($0), installation: UInt32($0)) }
    var line = PeerLine(phones)
    line.isGathering = true
    line.run(for: .seconds(8))
    #expect(Set(line.identified) == [0, 1, 2])
  }

  @Test("a device that a neighbour has asked is not asked again") func shared() {
    var line = PeerLine([Self.phone])
    line.peers.markKnown(Address(Self.phone.address, type: 1), at: Instant(microseconds: 1_000_000))
    line.advertInterval = .milliseconds(500)
    line.run(for: .seconds(600))
    #expect(line.news.isEmpty)
  }

  @Test("a phone may ask us meanwhile, and gets the answer that there is nothing") func questions() {
    var phone = Self.phone
    phone.questions = [[0x10, 1, 0, 0xFF, 0xFF, 0, 0x28], [0x1D, 3, 0, 1], [0x0A, 3, 0], [0x52, 3, 0, 1]]
    var line = PeerLine([phone])
    line.run(for: .seconds(1))
    #expect(line.identified.count == 1)
    let answers = line.phones[0].answers.filter { $0[0] != 0x02 && $0[0] != 0x10 }
    #expect(answers == [[1, 0x10, 1, 0, 0x0A], [0x1E], [1, 0x0A, 3, 0, 1]])
  }

  @Test("an unexpected connection is ended") func stray() {
    var line = PeerLine([Self.phone])
    line.run(for: .seconds(1))
    line.visit(handle: 0x77)
    line.run(for: .seconds(1))
    #expect(line.connections.isEmpty && line.isScanning)
  }

  @Test("`identify` finds one address, reports all of its services, and asks no other device") func errand() {
    var line = PeerLine(
      [Self.phone, ModelPhone(address: 0x4A00_0000_0002)],
      duties: PeerDuties(PeerSettings(), name: Name("gate"), errand: 0x4A00_0000_0002))
    line.run(for: .seconds(2))
    let offers = line.news.compactMap { if case .offers(_, let group) = $0 { group.first } else { nil } }
    #expect(offers == [1, 4, 7, 10] && line.identified == [0xBC00_BD17])
    line.run(for: .seconds(100))
    #expect(line.news.count == 5)
  }

  @Test("the id of somebody whom nothing here names is told to no one, unless everything is", arguments: [0, 1, 2], [false, true])
  func strangers(unknown: UInt8, isNamed: Bool) throws {
    var rig = Rig {
      $0.publish.unknown = PublishSettings.Unknown(rawValue: unknown)!
      $0.peer.identify = true
      if isNamed { $0.addRegion("door", matching: try! Selector(written: Text<16>("peer:*").bytes)) }
    }
    rig.hear(1, at: 0, data: Self.phone.advert)
    let known = KnownPeer(address: Address(0xC000_0000_0001, type: 1), id: 0xBC00_BD17)
    rig.gateway.receive(PeerNews.identified(known).packet.bytes, radio: 0, at: Instant(microseconds: 1_000_000))
    #expect(rig.said().contains { $0.topic.contains("/peer/") } == (isNamed || unknown == PublishSettings.Unknown.publish.rawValue))
  }

  @Test("an identified device is published by its id, keeps its average, and neighbours learn the id") func identity() throws {
    var rig = Rig {
      $0.publish.unknown = .publish
      $0.peer.identify = true
      _ = $0.services.append(PeerSettings().service)
    }
    for index in 0..<10 { rig.hear(1, at: Double(index) * 0.1, data: Self.phone.advert) }
    #expect(rig.said().last?.topic.contains("service:2f234454") == true)
    let known = KnownPeer(address: Address(0xC000_0000_0001, type: 1), id: 0xBC00_BD17)
    let packet = PeerNews.identified(known).packet
    rig.gateway.receive(packet.bytes, radio: 0, at: Instant(microseconds: 1_000_000))
    let former = rig.messages.pop()
    #expect(former.map { String($0.topic).contains("proximity/service:") && String($0.payload).contains(#""zone":"unknown""#) } == true)
    let shared = rig.messages.pop()
    #expect(shared.map { String($0.topic) } == "forecourt/site/peer/c0:00:00:00:00:01/gateway")
    let words = #"{"v":1,"random":true,"id":"BC00BD17","boot":"test","uptime_s":1}"#
    #expect(shared.map { String($0.payload) } == words && shared?.isRetained == true && shared?.isForSite == true)
    #expect(shared.map { $0.expires - $0.at } == .seconds(960))
    for index in 10..<140 { rig.hear(1, at: Double(index) * 0.1, data: Self.phone.advert) }
    let said = rig.said()
    #expect(!said.isEmpty && said.allSatisfy { $0.topic.hasPrefix("proximity/peer:BC00BD17") }, "\(said)")
    let found = rig.gateway.devices.find(Identity(installation: 0xBC00_BD17))
    let slot = try #require(found)
    let level = PeerNews.level(known.address, -40).packet
    rig.gateway.receive(level.bytes, radio: 0, at: Instant(microseconds: 14_000_000))
    #expect(rig.gateway.devices[slot].level == -40, "a held connection's level counts as an advert's")
    #expect(rig.gateway.devices.count == 1)
  }

  @Test("a phone that was heard under its address before its id was read again is one device, and what began under the address ends")
  func again() {
    var rig = Rig {
      $0.addRegion("door")
      $0.peer.identify = true
    }
    for index in 1...2 as ClosedRange<UInt8> {
      let peer = KnownPeer(address: Address(0xC000_0000_0000 + UInt64(index), type: 1), id: 5)
      for step in 0..<3 { rig.hear(index, at: Double(index) * 10 + Double(step), data: Self.phone.advert) }
      rig.gateway.receive(peer: peer, at: Instant(microseconds: Int64(index) * 10_000_000 + 4_000_000))
      for step in 5..<8 { rig.hear(index, at: Double(index) * 10 + Double(step), data: Self.phone.advert) }
      #expect(rig.gateway.devices.count == 1 && rig.gateway.tableFaults == [])
    }
    let events = rig.said().filter { $0.topic == "region/door/event" }.map(\.payload)
    #expect(events.count == 5 && events.filter { $0.contains(#""event":"exit","reason":"identified""#) }.count == 2, "\(events)")
    #expect(events.filter { $0.contains(#""id":"peer:00000005""#) }.count == 1 && events[2].contains("peer:00000005"), "\(events)")
  }

  @Test("what the advert of another address says of its power counts for the installation") func power() throws {
    var rig = Rig {
      $0.publish.unknown = .publish
      $0.peer.identify = true
    }
    for (device, power) in [(1, []), (2, [2, 0x0A, 4])] as [(UInt8, [UInt8])] {
      let second = Double(device) * 10
      rig.hear(device, at: second, data: power)
      let address = Address(0xC000_0000_0000 + UInt64(device), type: 1)
      rig.gateway.receive(peer: KnownPeer(address: address, id: 5), at: .zero + .seconds(second + 1))
      let found = rig.gateway.devices.find(Identity(installation: 5))
      let slot = try #require(found)
      let isStated = if case .transmitted = rig.gateway.devices[slot].power { true } else { false }
      #expect(isStated == (device == 2))
    }
  }

  @Test("an id read by a neighbour is valid for a quarter of an hour, also for a device heard later") func told() {
    var rig = Rig {
      $0.publish.unknown = .publish
      $0.peer.identify = true
    }
    rig.gateway.receive(peer: KnownPeer(address: Address(0xC000_0000_0001, type: 1), id: 5), at: Instant(microseconds: 1_000_000))
    rig.gateway.receive(peer: KnownPeer(address: Address(0xC000_0000_0002, type: 1), id: 6), at: Instant(microseconds: 1_000_000))
    #expect(rig.said().isEmpty)
    rig.hear(1, at: 2, data: Self.phone.advert)
    rig.hear(2, at: 1_000, data: Self.phone.advert)
    let topics = rig.said().map { $0.topic }
    #expect(topics.first == "proximity/peer:00000005" && topics.last?.contains("address:") == true, "\(topics)")
  }

  @Test("whom a key identifies no id renames") func known() {
    var rig = Rig {
      $0.publish.unknown = .publish
      $0.peer.identify = true
      var key = KeySettings()
      key.alias = "phone"
      _ = $0.keys.append(key)
    }
    // The cipher of these tests makes of an address's upper half and a key of zeros its lower half.
    let packet = advert([0x33, 0x22, 0x41, 0x33, 0x22, 0x41], level: -60, data: Self.phone.advert)
    for second in 1...6 {
      rig.gateway.receive(packet.span.bytes, radio: 0, at: Instant(microseconds: Int64(second) * 1_000_000))
      let now = Instant(microseconds: Int64(second) * 1_000_000 + 500_000)
      rig.gateway.receive(peer: KnownPeer(address: Address(0x4122_3341_2233, type: 1), id: 5), at: now)
    }
    let topics = Set(rig.said().map { $0.topic })
    #expect(topics == ["proximity/irk:phone"], "\(topics)")
  }

  @Test("an old id is valid for the rest of its quarter of an hour") func old() {
    var rig = Rig {
      $0.publish.unknown = .publish
      $0.peer.identify = true
    }
    for index in 1...2 {
      var peer = KnownPeer(address: Address(0xC000_0000_0000 + UInt64(index), type: 1), id: UInt32(index))
      peer.age = .seconds(900)
      rig.gateway.receive(peer: peer, at: Instant(microseconds: 1_000_000))
    }
    rig.hear(1, at: 60, data: Self.phone.advert)
    rig.hear(2, at: 62, data: Self.phone.advert)
    let topics = rig.said().map { $0.topic }
    #expect(topics.first == "proximity/peer:00000001" && topics.last?.contains("address:") == true, "\(topics)")
    var line = PeerLine([Self.phone])
    line.peers.markKnown(Address(Self.phone.address, type: 1), at: Instant(microseconds: 1_000_000) - .seconds(900))
    line.run(for: .seconds(59))
    #expect(line.news.isEmpty)
    line.run(for: .seconds(3))
    #expect(line.identified.count == 1, "asked as soon as the neighbour's word has ended")
  }

  @Test("news of a peer is encoded as a packet and decodes to the same") func news() throws {
    let address = Address(0x4A00_0000_0001, type: 1)
    let all: [PeerNews] = [
      .identified(KnownPeer(address: address, id: 0xBC00_BD17)), .stranger(address), .failed(address, .silent), .level(address, -77),
      .offers(address, ServiceGroup(first: 1, last: 0xFFFF, uuid: PeerSettings().service)), .sends(transmission: 7, power: -20),
      .sends(transmission: 1, power: nil), .withheld(transmission: 3, status: 0x12, isPower: true),
    ]
    for item in all {
      let packet = item.packet
      let back = PeerNews(packet: packet.bytes)
      #expect(back.map { "\($0)" } == "\(item)")
      let event = try HCIEvent(packet.bytes)
      if case .other = event {} else { Issue.record("a vendor's event") }
    }
  }

  @Test("once the controller is to be reset, nothing is due and nothing is sent") func reset() {
    var line = PeerLine([Self.phone])
    line.run(for: .milliseconds(50))
    #expect(line.peers.nextDeadline < .never)
    line.peers.turnedAway()
    #expect(line.peers.nextDeadline == .never)
  }
}
