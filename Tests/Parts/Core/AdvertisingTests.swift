import Testing

@testable import Core

@Suite("This gateway advertises while it listens") struct AdvertisingTests {
  static func duties(_ count: Int, serve: Bool = false, power: Int8? = nil) -> PeerDuties {
    var settings = PeerSettings()
    settings.serve = serve
    var duties = PeerDuties(settings, name: Name("gate"))
    for index in 0..<count {
      var transmission = TransmitSettings()
      for byte in 0..<16 { transmission.content.append(byte: UInt8(byte)) }
      transmission.content.append(little: 0x0100, bytes: 2)
      transmission.content.append(byte: 0)
      transmission.content.append(byte: UInt8(index))
      transmission.txPower = power
      transmission.measuredPower = Decibels(-63)
      _ = duties.transmissions.append(transmission)
    }
    return duties
  }

  static func line(_ duties: PeerDuties, extended: Bool, manufacturer: UInt16 = 0x5D) -> PeerLine {
    var line = PeerLine([ModelPhone(address: 1)], duties: duties)
    line.model.isExtended = extended
    line.model.manufacturer = manufacturer
    return line
  }

  @Test("the adverts are what their specifications say") func bytes() {
    let duties = Self.duties(1)
    let beacon = duties.transmissions[0].advert
    #expect((0..<beacon.count).map { beacon[$0] } == [2, 1, 6, 26, 0xFF, 0x4C, 0, 2, 21] + Array(0..<16) + [0, 1, 0, 0, 0xC1])
    var other = TransmitSettings()
    other.kind = .altBeacon
    for byte in 0..<20 { other.content.append(byte: UInt8(byte)) }
    let alt = other.advert
    #expect((0..<alt.count).map { alt[$0] } == [2, 1, 6, 27, 0xFF, 0x18, 1, 0xBE, 0xAC] + Array(0..<20) + [0xC5, 0])
    other.kind = .eddystoneURL
    other.content = Text("\u{3}a\u{7}")
    let url = other.advert
    #expect((0..<url.count).map { url[$0] } == [2, 1, 6, 3, 3, 0xAA, 0xFE, 8, 0x16, 0xAA, 0xFE, 0x10, 0xEE, 3, 0x61, 7])
    other.kind = .eddystoneUID
    other.content = Text("0123456789abcdef")
    let uid = other.advert
    #expect(
      (0..<uid.count).map { uid[$0] } == [2, 1, 6, 3, 3, 0xAA, 0xFE, 23, 0x16, 0xAA, 0xFE, 0, 0xEE] + Array("0123456789abcdef".utf8) + [
        0, 0,
      ])
  }

  @Test("as many adverts go out at once as there are sets; the others share the last set in turn") func sets() {
    var line = Self.line(Self.duties(6, serve: true), extended: true)
    line.setsThereAre = 3
    var seen: Set<[UInt8]> = []
    for _ in 0..<80 {
      line.run(for: .milliseconds(100))
      for data in line.onAir.values { seen.insert(data) }
    }
    #expect(seen.count == 7 && line.onAir.count >= 2 && line.onAir[0]?[3] == 17, "our services have a set of their own")
    #expect(line.isScanning && line.model.mixed == 0 && line.controller.recoveries == Recoveries())
    #expect(line.given.allSatisfy { $0.opcode >= 0x2035 })
    line.setsThereAre = 8
    line.say([4, 0x10, 1, 0])
    line.run(for: .seconds(1))
    #expect(line.onAir.count == 7, "after a reset everything is on the air again")
  }

  @Test("a controller that restarts without a word: once its silence is noticed everything is on the air again", arguments: [true, false])
  func restarts(extended: Bool) {
    var line = Self.line(Self.duties(extended ? 2 : 1), extended: extended)
    line.run(for: .seconds(2))
    for _ in 0..<2 {
      let before = line.onAir
      #expect(before.count == (extended ? 2 : 1))
      line.restart()
      line.run(for: .seconds(2))
      #expect(line.onAir.isEmpty && !line.isScanning)
      line.run(for: .seconds(2))
      #expect(line.onAir == before && line.isScanning)
    }
    #expect(line.controller.recoveries.resets == 0 && line.controller.recoveries.rescans == 2)
  }

  @Test("a legacy controller's one advertiser takes the adverts in turn") func legacy() {
    var line = Self.line(Self.duties(2, serve: true), extended: false)
    var seen: [[UInt8]: Int] = [:]
    for _ in 0..<90 {
      line.run(for: .milliseconds(100))
      if let data = line.onAir[0] { seen[data, default: 0] += 1 }
    }
    #expect(seen.count == 3 && seen.values.allSatisfy { $0 > 20 })
    #expect(line.given.allSatisfy { $0.opcode < 0x2035 } && line.isScanning && line.model.mixed == 0)
    line.visit(handle: 0x77)
    seen = [:]
    for _ in 0..<50 {
      line.run(for: .milliseconds(100))
      if let data = line.onAir[0] { seen[data, default: 0] += 1 }
    }
    #expect(seen.count == 2, "while somebody visits, the beacons have it")
  }

  @Test("the power is requested as the standard defines it, and the chosen one is reported") func power() {
    var line = Self.line(Self.duties(1, power: -12), extended: true)
    line.run(for: .seconds(1))
    #expect(line.given.first { $0.opcode == 0x2036 }?.parameters[19] == 0xF4)
    #expect(line.news.map { "\($0)" } == ["\(PeerNews.sends(transmission: 0, power: -12))"])
  }

  @Test("Broadcom's and Zephyr's legacy controllers get their vendor commands, and their power is read back") func vendors() {
    var line = Self.line(Self.duties(1, power: -12), extended: false, manufacturer: 0x0131)
    line.statuses[0x2007] = [0, UInt8(bitPattern: -10)]
    line.run(for: .seconds(1))
    #expect(line.given.first { $0.opcode == 0xFC26 }?.parameters == [0xFE, 0, 0xF4])
    #expect(line.news.map { "\($0)" } == ["\(PeerNews.sends(transmission: 0, power: -10))"])
    line = Self.line(Self.duties(1, power: -12), extended: false, manufacturer: 0x05F1)
    line.statuses[0xFC0E] = [0, 0, 0, 0, UInt8(bitPattern: -8)]
    line.run(for: .seconds(1))
    #expect(line.given.first { $0.opcode == 0xFC0E }?.parameters == [0, 0, 0, 0xF4])
    #expect(line.news.map { "\($0)" } == ["\(PeerNews.sends(transmission: 0, power: -8))"])
    // Extended, but the standard's parameter is refused: the vendor's way.
    line = Self.line(Self.duties(1, power: -12), extended: true, manufacturer: 0x05F1)
    line.statuses[0x2036] = [0x12]
    line.run(for: .seconds(1))
    #expect(line.given.filter { $0.opcode == 0x2036 }.map { $0.parameters[19] } == [0xF4, 127])
  }

  @Test("a power that cannot be set stops the transmission, and that is reported once") func refused() {
    var line = Self.line(Self.duties(1, power: -12), extended: false)
    line.run(for: .seconds(60))
    #expect(line.onAir.isEmpty && !line.given.contains { $0.opcode == 0x200A })
    #expect(line.news.map { "\($0)" } == ["\(PeerNews.withheld(transmission: 0, status: 0x11, isPower: true))"])
    line = Self.line(Self.duties(2), extended: true)
    line.statuses[0x2037] = [0x07]
    line.run(for: .seconds(20))
    #expect(line.news.count == 2 && line.onAir.isEmpty && line.isScanning)
    line.statuses = [:]
    line.run(for: .seconds(30))
    #expect(line.onAir.count == 2 && line.news.count == 4)
  }
}
