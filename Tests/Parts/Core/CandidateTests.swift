import Testing

@testable import Core

/// Which bit of Apple's overflow area a service sets, as others have published it: the candidates follow from the bytes on the air.
@Suite("An app in the background is found by its bit") struct CandidateTests {
  private static let published: [(service: ServiceUUID, position: Int)] =
    [
      (ServiceUUID(0x2F23_4454_CF6D_4A0F, 0xADF2_F491_1BA9_FFA6), 84),
      (ServiceUUID(0x5403_C8A7_5C96_47E9, 0x9AB8_59E3_73D8_75A7), 27),
      (ServiceUUID(0x4281_32AF_4746_42D3, 0x801E_4572_D65B_FD9B), 82),
      (ServiceUUID(0xC1F5_983C_FA94_4AC8, 0x8E2E_BB86_D6DE_9B21), 73),
    ]
    + [0x7C, 0x37, 0x6E, 0x25, 0x59, 0x12, 0x4B, 0x00].enumerated().map { (ServiceUUID(0, $1), $0) }
    + [0xB0E4, 0x14C5, 0xF0AF, 0xBF02, 0x4382, 0xC1CA, 0x61A0, 0x9167].enumerated().map { (ServiceUUID(short: $1), $0) }

  /// An iPhone's advert without a name: flags, and the 128 bits.
  private static func overflow(_ positions: some Sequence<Int>) -> [UInt8] {
    var mask = [UInt8](repeating: 0, count: 16)
    for position in positions { mask[position / 8] |= 0x80 >> UInt8(position % 8) }
    return [0x02, 0x01, 0x1A, 0x14, 0xFF, 0x4C, 0x00, 0x01] + mask
  }

  private static func advert(_ data: [UInt8], kind: UInt8 = 0) -> [UInt8] {
    let address: [UInt8] = [0x80, 0xCA, 0x37, 0x83, 0x5B, 0x4A]
    return [0x04, 0x3E, UInt8(data.count + 12), 0x02, 1, kind, 1] + address + [UInt8(data.count)] + data + [0xC4]
  }

  /// Whether a gateway that looks for `service` asks the sender of this; `kind` is the legacy report's, 0 for ADV_IND.
  private static func asks(_ service: ServiceUUID, _ data: [UInt8], kind: UInt8 = 0) throws -> Bool {
    let loan = Loan(bytes: Candidates.bytes)
    var arena = loan.arena
    var candidates = Candidates(service, courtesy: .zero, salt: 0, in: &arena)
    let packet = advert(data, kind: kind)
    guard case .reports(var reports) = try HCIEvent(packet.span.bytes) else { return false }
    let now = Instant(microseconds: 1_000_000)
    while let report = try reports.next() { candidates.observe(report, at: now) }
    return candidates.next(at: now) == Address(0x4A5B_8337_CA80, type: 1)
  }

  @Test("each published service by its own bit, alone and among all others, and never without it") func published() throws {
    #expect(Self.published.count == 20)
    for (service, position) in Self.published {
      #expect(try Self.asks(service, Self.overflow([position])), "\(position) alone")
      #expect(try Self.asks(service, Self.overflow(0..<128)), "\(position) among all")
      #expect(try !Self.asks(service, Self.overflow((0..<128).filter { $0 != position })), "all but \(position)")
      for other in 0..<128 where other != position { #expect(try !Self.asks(service, Self.overflow([other]))) }
    }
  }

  @Test("the bit is found in the scan response and behind Apple's other data; not from a device that is not connectable")
  func places() throws {
    let (service, position) = Self.published[0]
    let data = Self.overflow([position])
    #expect(try Self.asks(service, data, kind: 4), "a scan response")
    #expect(try !Self.asks(service, data, kind: 3), "not connectable")
    #expect(try Self.asks(service, [0x07, 0xFF, 0x4C, 0x00, 0x10, 0x02, 0x01, 0x18] + data.dropFirst(3)), "behind a Nearby message")
    // Of another company, cut short, or one byte longer.
    #expect(try !Self.asks(service, data.enumerated().map { $0 == 5 ? 0x4D : $1 }))
    #expect(try !Self.asks(service, [0x02, 0x01, 0x1A, 0x13] + data[4..<23]))
    #expect(try !Self.asks(service, [0x02, 0x01, 0x1A, 0x15] + data[4...] + [0]))
  }

  @Test("the same services spelt out, in a whole or a shortened list") func spelt() throws {
    for (service, _) in Self.published {
      let uuid = (0..<16).map { service.byte(15 - $0) }
      for kind: UInt8 in [0x06, 0x07] {
        #expect(try Self.asks(service, [0x02, 0x01, 0x06, 0x11, kind] + uuid))
        #expect(try !Self.asks(service, [0x02, 0x01, 0x06, 0x11, kind] + uuid.map { ~$0 }))
      }
    }
  }

  @Test("two gateways that called each other at once, both in vain, do not repeat it") func collision() throws {
    let loan = Loan(bytes: 2 * Candidates.bytes)
    var arena = loan.arena
    var one = Candidates(Self.published[0].0, courtesy: .zero, salt: 7, in: &arena)
    var other = Candidates(Self.published[0].0, courtesy: .zero, salt: 222, in: &arena)
    let packet = Self.advert(Self.overflow([Self.published[0].1]))
    var calls: [(Int64, Int)] = []
    // Every 10 ms both hear the other; each connection fails.
    for moment in stride(from: Int64(0), to: 200_000, by: 10) {
      let now = Instant(microseconds: moment * 1_000)
      guard case .reports(var reports) = try HCIEvent(packet.span.bytes), let report = try reports.next() else {
        throw Malformed.impossible
      }
      one.observe(report, at: now)
      other.observe(report, at: now)
      if let address = one.next(at: now) {
        calls.append((moment, 0))
        one.failed(address, at: now)
      }
      if let address = other.next(at: now) {
        calls.append((moment, 1))
        other.failed(address, at: now)
      }
    }
    #expect(calls.count >= 6)
    for (first, second) in zip(calls, calls.dropFirst()) where first.1 != second.1 { #expect(second.0 - first.0 >= 20) }
  }

  /// Whether a phone is asked at its advert in the background.
  private static func isAsked(_ candidates: inout Candidates, _ level: Int8 = -60, at now: Instant) throws -> Bool {
    var packet = advert(overflow([published[0].1]))
    packet[packet.count - 1] = UInt8(bitPattern: level)
    try forEachReport(in: packet) { candidates.observe($0, at: now) }
    return candidates.next(at: now) != nil
  }

  @Test("a device that failed is asked again after 4 and 15 s, then twice as long each time, up to 16 minutes, and at that very moment")
  func banned() throws {
    let loan = Loan(bytes: Candidates.bytes)
    var arena = loan.arena
    var candidates = Candidates(Self.published[0].0, courtesy: .zero, salt: 0, in: &arena)
    func isAsked(at now: Instant) throws -> Bool { try Self.isAsked(&candidates, at: now) }
    var now = Instant(microseconds: 1_000_000)
    #expect(try isAsked(at: now))
    for wait in [4, 15, 30, 60, 120, 240, 480, 960, 960] as [Double] {
      candidates.failed(Address(0x4A5B_8337_CA80, type: 1), at: now)
      // An advert each 0.1 s meanwhile: it need not be aimed at.
      for step in 1..<30 { _ = try isAsked(at: now + .seconds(Double(step) / 10)) }
      now = now + .seconds(wait)
      #expect(try !isAsked(at: Instant(microseconds: now.microseconds - 1)), "\(wait)")
      #expect(try isAsked(at: now), "\(wait)")
    }
  }

  @Test("who failed far away is asked again once it is heard 10 dB louder, and then backs off for longer") func nearer() throws {
    let loan = Loan(bytes: Candidates.bytes)
    var arena = loan.arena
    var candidates = Candidates(Self.published[0].0, courtesy: .zero, salt: 0, in: &arena)
    func isAsked(_ level: Int8, at second: Double) throws -> Bool { try Self.isAsked(&candidates, level, at: .zero + .seconds(second)) }
    let phone = Address(0x4A5B_8337_CA80, type: 1)
    #expect(try isAsked(-92, at: 1))
    candidates.failed(phone, at: .zero + .seconds(1))
    #expect(try !isAsked(-83, at: 4.8))
    #expect(try isAsked(-82, at: 4.9))
    candidates.failed(phone, at: .zero + .seconds(4.9))
    #expect(try !isAsked(-80, at: 19.8))
    #expect(try isAsked(-80, at: 19.9))
  }

  @Test("a failure of ours does not outweigh what a neighbour has told meanwhile") func told() throws {
    let loan = Loan(bytes: Candidates.bytes)
    var arena = loan.arena
    var candidates = Candidates(Self.published[0].0, courtesy: .zero, salt: 0, in: &arena)
    func isAsked(at now: Instant) throws -> Bool { try Self.isAsked(&candidates, at: now) }
    let began = Instant(microseconds: 1_000_000)
    let phone = Address(0x4A5B_8337_CA80, type: 1)
    #expect(try isAsked(at: began))
    candidates.markKnown(phone, at: began + .seconds(1))
    candidates.failed(phone, at: began + .seconds(2))
    #expect(try !isAsked(at: began + .seconds(100)))
    #expect(try isAsked(at: began + .seconds(1) + Candidates.lifetime))
  }

  @Test("strangers that never answer, under new addresses all the time, do not keep the phone from its turn") func strangers() throws {
    let loan = Loan(bytes: Candidates.bytes)
    var arena = loan.arena
    var candidates = Candidates(Self.published[0].0, courtesy: .zero, salt: 0, in: &arena)
    let phone = Self.advert(Self.overflow([Self.published[0].1]))
    var asked: [Address] = []
    // So seldom that no call can be timed by the phone's adverts.
    for turn in 0..<4 {
      let now = Instant(microseconds: 1_000_000 + Int64(turn) * 13_000_000)
      for stranger in 0..<3 as Range<UInt8> {
        var packet = phone
        // Another address, and 20 dB stronger.
        (packet[7], packet[8], packet[packet.count - 1]) = (UInt8(turn), stranger, 0xD8)
        guard case .reports(var reports) = try HCIEvent(packet.span.bytes), let report = try reports.next() else { continue }
        candidates.observe(report, at: now)
      }
      guard case .reports(var reports) = try HCIEvent(phone.span.bytes), let report = try reports.next() else { continue }
      candidates.observe(report, at: now)
      if let next = candidates.next(at: now) {
        asked.append(next)
        candidates.failed(next, at: now)
      }
    }
    #expect(asked.count == 4 && asked[0] != asked[1] && asked[1] == Address(0x4A5B_8337_CA80, type: 1), "\(asked)")
  }
}
