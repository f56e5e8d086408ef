import Core
import Foundation
import Seeds

/// What Core writes for seeded inputs, beside the inputs: a line each, for Python to judge. See Tests/Delivery/json_text.py.
struct Writing {
  private var random: Seeded

  init(seed: UInt64) { random = Seeded(seed) }

  mutating func write(_ count: Int) {
    for _ in 0..<count {
      let (bytes, bits, places, whole) = (text(), float(), Int(random.next() % 9), integer())
      var payload = Payload()
      payload.openObject()
      payload.member("text", text: bytes.span.bytes)
      payload.member("number", Float(bitPattern: bits), places: places)
      payload.member("whole", whole)
      payload.array("list")
      payload.openObject()
      payload.member("cut", text: bytes.span.bytes, upTo: 20)
      payload.closeObject()
      payload.closeArray()
      payload.memberNull("nothing")
      payload.member("yes", whole > 0)
      payload.closeObject()
      var level = Topic()
      level.append(level: bytes.span.bytes)
      let input = bytes.map { String(format: "%02x", $0) }.joined()
      print("\(input)\t\(bits)\t\(places)\t\(whole)\t\(payload.string)\t\(level.string)")
    }
  }

  /// Bytes as the air may send them: any, mostly text, or nearly well-formed UTF-8.
  private mutating func text() -> [UInt8] {
    let kind = random.next() % 4
    var bytes: [UInt8] = []
    for _ in 0..<random.next() % 30 {
      switch kind {
      case 0: bytes.append(UInt8(truncatingIfNeeded: random.next()))
      case 1: bytes.append(UInt8(0x20 + random.next() % 0x60))
      case 2: bytes += Array(String(Unicode.Scalar(UInt32(random.next() % 0x11_0000)) ?? "\u{FFFF}").utf8)
      default: bytes += [UInt8(0xC0 + random.next() % 0x40), UInt8(0x80 + random.next() % 0x40), UInt8(0x70 + random.next() % 0x20)]
      }
    }
    return bytes
  }

  /// Levels and distances, exact halves, and any pattern of bits.
  private mutating func float() -> UInt32 {
    switch random.next() % 4 {
    case 0: UInt32(truncatingIfNeeded: random.next())
    case 1: (Float(Int64(bitPattern: random.next()) % 100_000) / 1_000).bitPattern
    case 2: (Float(Int64(bitPattern: random.next()) % 100_000) / 16).bitPattern
    default: (Float(random.next() % 1_000_000) * 1e-9).bitPattern
    }
  }

  private mutating func integer() -> Int64 {
    let word = Int64(bitPattern: random.next())
    return random.next() % 2 == 0 ? word : word % 1_000
  }
}

extension Text {
  fileprivate var string: String { String(decoding: (0..<count).map { self[$0] }, as: UTF8.self) }
}
