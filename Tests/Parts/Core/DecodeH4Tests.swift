import Core
import Testing

@Suite("H4: packets out of a stream of bytes") struct DecodeH4Tests {
  /// Command Complete of Reset, an advertising report, Number Of Completed Packets, a disconnection, ACL data.
  static let packets = [
    "04 0E 04 01 030C 00", "04 3E 0C 02 01 03 01 665544332211 00 C4", "04 13 05 01 4000 0100", "04 05 04 00 4000 13",
    "02 4020 0700 0300 0400 020002",
  ].map(bytes)

  func cut(_ chunks: [[UInt8]], with stream: inout PacketStream) -> [[UInt8]] {
    var found: [[UInt8]] = []
    for chunk in chunks {
      let span = chunk.span
      var cursor = Cursor(span.bytes)
      while stream.advance(through: &cursor) { found.append(bytes(hex(stream.packet))) }
    }
    return found
  }

  @Test("packets come out whole, however the bytes arrive", arguments: 1...17) func pieces(size: Int) {
    let all = Array(Self.packets.joined())
    let chunks = stride(from: 0, to: all.count, by: size).map { Array(all[$0..<min($0 + size, all.count)]) }
    var stream = PacketStream()
    #expect(cut(chunks, with: &stream) == Self.packets)
    #expect(stream.discarded == 0)
  }

  @Test("noise between packets is discarded and counted") func noise() {
    let noise = bytes("00 FF 04 99 00 17")
    var stream = PacketStream()
    #expect(cut([noise + Self.packets[0] + noise + Self.packets[1]], with: &stream) == Array(Self.packets[0...1]))
    #expect(stream.discarded == UInt64(2 * noise.count))
  }

  @Test("after damage, data is believed again only after an event") func dataAfterDamage() {
    var stream = PacketStream()
    let found = cut([[0] + Self.packets[4] + Self.packets[0] + Self.packets[4]], with: &stream)
    #expect(found == [Self.packets[0], Self.packets[4]])
    #expect(stream.discarded == UInt64(1 + Self.packets[4].count))
  }

  @Test("a packet longer than any that is handled is noise, and the next is found") func oversized() {
    var stream = PacketStream()
    let long: [UInt8] = [2, 0x40, 0x20, 0x00, 0x04] + [UInt8](repeating: 4, count: 1_024)
    #expect(cut([long + Self.packets[1]], with: &stream) == [Self.packets[1]])
    #expect(stream.discarded == UInt64(long.count))
  }

  @Test("a lost byte costs a bounded number of packets", arguments: 0..<200 as Range<UInt64>) func losses(seed: UInt64) {
    var random = Seeded(seed)
    var sent = (0..<200).map { _ in Self.packets[Int.random(in: 0..<4, using: &random)] }
    // What one wrong length can swallow, twice: 255 bytes each.
    sent += Array(repeating: Self.packets[1], count: 40)
    var all = Array(sent.joined())
    all.remove(at: Int.random(in: 0..<all.count - 40 * Self.packets[1].count, using: &random))
    var stream = PacketStream()
    let found = cut([all], with: &stream)
    #expect(found.suffix(5).allSatisfy { $0 == Self.packets[1] })
    #expect(found.count > 200)
  }

  /// Which lengths an event may have after damage, by its code, and, for LE events, by its subevent. Core 6.0, Vol 4, Part E, 7.7.
  private static let codes: [UInt8: ClosedRange<Int>] = [
    0x05: 4...4, 0x0E: 3...255, 0x0F: 4...4, 0x10: 1...1, 0x13: 5...255,
  ]
  private static let subevents: [UInt8: Int] = [
    0x01: 19, 0x03: 10, 0x04: 12, 0x05: 13, 0x06: 11, 0x07: 11, 0x08: 66, 0x09: 34, 0x0A: 31, 0x0C: 6, 0x0E: 16, 0x10: 3, 0x11: 1, 0x12: 6,
    0x13: 9, 0x14: 4,
  ]

  /// Whether a stream takes this for a packet, at once or after a byte that is none.
  private func isTaken(_ code: UInt8, _ length: Int, first: UInt8 = 0, isAligned: Bool) -> Bool {
    let event = [4, code, UInt8(length)] + (0..<length).map { $0 == 0 ? first : 0 }
    var stream = PacketStream()
    return cut([(isAligned ? [] : [0]) + event], with: &stream).first == event
  }

  @Test("an event is believed at the lengths that its kind may have, and at no other") func lengths() {
    for code in UInt8.min ... .max where code != 0x3E {
      let isKnown = 0x01...0x58 ~= code || code == 0xFF
      for length in [0, 1, 2, 3, 4, 5, 6, 254, 255] {
        let fits = Self.codes[code]?.contains(length)
        #expect(isTaken(code, length, isAligned: true) == fits ?? isKnown, "\(code), \(length) bytes")
        #expect(isTaken(code, length, isAligned: false) == fits ?? false, "\(code), \(length) bytes, after damage")
      }
    }
    for subevent in 0...0x20 as ClosedRange<UInt8> {
      for length in 1...80 {
        let fits = Self.subevents[subevent].map { $0 == length } ?? (subevent > 0 && length > 1)
        for isAligned in [true, false] {
          #expect(isTaken(0x3E, length, first: subevent, isAligned: isAligned) == fits, "subevent \(subevent), \(length) bytes")
        }
      }
    }
  }
}
