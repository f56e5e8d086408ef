import Core
import Testing

private let period: Int64 = 1_024

/// An address book that has the key of one Eddystone-EID beacon, `eid:van`.
private final class Desk {
  private let loan = Loan(bytes: 4 << 20)
  private var book: AddressBook
  private var keys: IdentityKeys
  private let services: WatchedServices
  private var devices: Devices
  private let settings = Settings()
  /// Whether the system's clock is set.
  var hasTime = true
  /// How often an advert's fields were read.
  private(set) var readings = 0

  init(hasKey: Bool = true) {
    var arena = loan.arena
    book = AddressBook(capacity: 8, seed: 7, in: &arena)
    var key = KeySettings()
    (key.alias, key.kind) = ("van", .eid(exponent: 10, clock: 0))
    var list = KeyList(filledWith: KeySettings())
    if hasKey { _ = list.append(key) }
    keys = IdentityKeys(list, cipher: mixed, in: &arena)
    services = WatchedServices(ServiceList(filledWith: ServiceUUID()), in: &arena)
    devices = Devices(capacity: 16, radios: 1, seed: 7, in: &arena)
  }

  /// Hears this at a second of the clock; the identity of whoever sent it.
  @discardableResult func hear(_ data: [UInt8], at second: Int64) throws -> String? {
    var heard: String?
    try forEachReport(in: advert(data)) { report in
      let now = Instant(microseconds: second * 1_000_000)
      let (slot, device, isRepeated, _) = book.resolve(report, at: now, keys)
      if !isRepeated || !devices.isHere(device) {
        readings += 1
        let recognition = services.recognise(report)
        let time = hasTime ? second : nil
        if let identity = book.learn(recognition, from: report, in: slot, at: now, services, &keys, unixTime: time) {
          book.assign(slot, to: devices.reference(to: devices.find(identity) ?? devices.insert(identity, settings)), isMatched: false)
        }
      }
      heard = devices.slot(of: book[slot].device).map { written(devices[$0].identity) }
    }
    return heard
  }
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
  return bytes("0D16AAFE30EE") + [byte(0) ^ byte(2), byte(1) ^ byte(3), byte(2), byte(3), 0xFF ^ 10, 0, 0, 0]
}

@Suite("A beacon with ephemeral ids") struct EphemeralIdTests {
  private static let start = 100_000 * period
  private static let telemetry = bytes("1116AAFE20000BB81900000000010000000A")
  private static let address = "address:c1:22:33:44:55:66"

  @Test("the beacon is known through all its ids, also while it sends other frames") func rotates() throws {
    let desk = Desk()
    for second in stride(from: Self.start, to: Self.start + 5 * period, by: 20) {
      #expect(try desk.hear(frame(at: second), at: second) == "eid:van")
      for _ in 0..<3 { #expect(try desk.hear(Self.telemetry, at: second + 10) == "eid:van") }
    }
  }

  @Test("a copy of an old id is believed for its own and the next period, and two minutes more") func copied() throws {
    let desk = Desk()
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
    let desk = Desk()
    for _ in 0..<2 {
      try desk.hear(Self.telemetry, at: Self.start)
      try desk.hear(frame(at: Self.start), at: Self.start)
    }
    #expect(try desk.hear(Self.telemetry, at: Self.start + 119) == "eid:van")
    #expect(try desk.hear(Self.telemetry, at: Self.start + silence) == Self.address)
  }

  @Test("a beacon that was heard before the clock was set is known as soon as it is") func late() throws {
    let desk = Desk()
    desk.hasTime = false
    for _ in 0..<3 { #expect(try desk.hear(frame(at: Self.start), at: Self.start) == Self.address) }
    desk.hasTime = true
    #expect(try desk.hear(frame(at: Self.start), at: Self.start) == "eid:van")
  }

  @Test("where no key is configured such an advert is decoded once, like any other") func foreign() throws {
    let desk = Desk(hasKey: false)
    for _ in 0..<3 { #expect(try desk.hear(frame(at: Self.start), at: Self.start) == Self.address) }
    #expect(desk.readings == 1)
  }
}
