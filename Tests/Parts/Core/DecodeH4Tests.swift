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
}
