import Core
import Testing

private let period: Int64 = 1_024

/// An address book that has the key of one such beacon, `eid:van`.
private func desk(hasKey: Bool = true) -> AddressDesk {
  var key = KeySettings()
  (key.alias, key.kind) = ("van", .eid(exponent: 10, clock: 0))
  let desk = AddressDesk(keys: hasKey ? [key] : [], cipher: mixed)
  desk.hasTime = true
  return desk
}

/// No cipher; but what it makes depends on the time.
private func mixed(_ key: Block, _ plain: Block) -> Block {
  var mixed = key
  for index in 0..<16 { mixed[index] ^= plain[15 - index] }
  return mixed
}

/// What the beacon sends at this second: both steps of the computation with that cipher and a key of zeros.
private func frame(at second: Int64) -> [UInt8] {
  let time = UInt32(second / period * period)
  func byte(_ index: UInt32) -> UInt8 { UInt8(truncatingIfNeeded: time >> (8 * index)) }
  return advert(bytes("0D16AAFE30EE") + [byte(0) ^ byte(2), byte(1) ^ byte(3), byte(2), byte(3), 0xFF ^ 10, 0, 0, 0])
}

@Suite("A beacon with ephemeral ids") struct EphemeralIdTests {
  private static let start = 100_000 * period
  private static let telemetry = advert(bytes("1116AAFE20000BB81900000000010000000A"))
  private static let address = "address:c1:22:33:44:55:66"

  @Test("the beacon is known through all its ids, also while it sends other frames") func rotates() throws {
    let desk = desk()
    for second in stride(from: Self.start, to: Self.start + 5 * period, by: 20) {
      #expect(try desk.hear(frame(at: second), at: second) == "eid:van")
      for _ in 0..<3 { #expect(try desk.hear(Self.telemetry, at: second + 10) == "eid:van") }
    }
  }

  @Test("a copy of an old id is believed for its own and the next period, and two minutes more") func copied() throws {
    let desk = desk()
    let copy = frame(at: Self.start)
    for second in stride(from: Self.start, to: Self.start + 2 * period + 120, by: 10) {
      #expect(try desk.hear(copy, at: second) == "eid:van")
    }
    for second in stride(from: Self.start + 2 * period + 130, to: Self.start + 4 * period, by: 10) {
      #expect(try desk.hear(copy, at: second) == Self.address)
    }
    #expect(try desk.hear(frame(at: Self.start + 4 * period), at: Self.start + 4 * period) == "eid:van")
  }

  @Test(
    "other frames from an address whose id is long gone are somebody else's",
    arguments: [121, 100_000, 65_536 * 60, 1 << 31] as [Int64])
  func other(silence: Int64) throws {
    let desk = desk()
    for _ in 0..<2 {
      try desk.hear(Self.telemetry, at: Self.start)
      try desk.hear(frame(at: Self.start), at: Self.start)
    }
    #expect(try desk.hear(Self.telemetry, at: Self.start + 119) == "eid:van")
    #expect(try desk.hear(Self.telemetry, at: Self.start + silence) == Self.address)
  }

  @Test("a beacon that was heard before the clock was set is known as soon as it is") func late() throws {
    let desk = desk()
    desk.hasTime = false
    for _ in 0..<3 { #expect(try desk.hear(frame(at: Self.start), at: Self.start) == Self.address) }
    desk.hasTime = true
    #expect(try desk.hear(frame(at: Self.start), at: Self.start) == "eid:van")
  }

  @Test("where no key is configured such an advert is decoded once, like any other") func foreign() throws {
    let desk = desk(hasKey: false)
    for _ in 0..<3 { #expect(try desk.hear(frame(at: Self.start), at: Self.start) == Self.address) }
    #expect(desk.readings == 1)
  }
}
