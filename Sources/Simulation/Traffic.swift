/// How many adverts a second reach one gateway at which level: what a packet may collide with. Two buckets of half a second.
struct Traffic: BitwiseCopyable, Sendable {
  private var counts = InlineArray<24, UInt32>(repeating: 0)
  private var bucket: Int64 = 0

  private static let steps = 12
  private static let bucketSeconds = 0.5
  /// A legacy PDU with 31 bytes of data at 1 Mbit/s: Core 6.0, Vol 6, Part B, 2.1. A PDU that starts within one length before or after
  /// hits it.
  private static let airSeconds = 376e-6
  /// A receiver keeps a packet that is so much stronger than the other.
  private static let capture = 6.0

  mutating func record(_ level: Double, at time: Double) {
    let now = Int64(time / Self.bucketSeconds)
    if now != bucket {
      let keepsOld = now == bucket + 1
      for step in 0..<Self.steps {
        counts[old(now) + step] = keepsOld ? counts[old(now) + step] : 0
        counts[young(now) + step] = 0
      }
      bucket = now
    }
    counts[young(now) + Self.step(of: level)] += 1
  }

  /// The probability that a packet of this level meets another that is not much weaker.
  func collision(of level: Double) -> Double {
    var count = 0.0
    for step in Self.step(of: level - Self.capture)..<Self.steps { count += Double(counts[old(bucket) + step]) }
    return 1 - Arithmetic.exp(-2 * Self.airSeconds * count / Self.bucketSeconds)
  }

  private func young(_ bucket: Int64) -> Int { bucket & 1 == 0 ? 0 : Self.steps }
  private func old(_ bucket: Int64) -> Int { bucket & 1 == 0 ? Self.steps : 0 }

  private static func step(of level: Double) -> Int { Int(min(max((level + 100) / 6, 0), Double(steps - 1))) }
}
