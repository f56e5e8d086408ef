import Core

/// What a row's content adds up to (FNV-1a, 64 bits): a bit that a worn card has turned must not reach a pump.
struct Sum {
  private(set) var value: Int64 = 0

  init(_ topic: Topic, _ payload: Payload, _ numbers: [Int64?]) {
    var hash: UInt64 = 0xCBF2_9CE4_8422_2325
    for index in 0..<topic.count { hash = (hash ^ UInt64(topic[index])) &* 0x0000_0100_0000_01B3 }
    // Where the one ends and the other begins.
    hash = (hash ^ 0x100) &* 0x0000_0100_0000_01B3
    for index in 0..<payload.count { hash = (hash ^ UInt64(payload[index])) &* 0x0000_0100_0000_01B3 }
    for number in numbers {
      let word = UInt64(bitPattern: number ?? -1)
      for byte in 0..<8 { hash = (hash ^ word >> UInt64(byte * 8) & 0xFF) &* 0x0000_0100_0000_01B3 }
    }
    value = Int64(bitPattern: hash)
  }
}

/// How SQLite's file and its log lie in the file system: which they are, how long, and when they were written to last.
struct Fingerprint: Equatable {
  private let file: Files.Imprint?
  private let log: Files.Imprint?

  init(_ path: Path) {
    file = Files.imprint(of: path)
    var name = path
    name.append("-wal")
    log = Files.imprint(of: name)
  }

  /// There is no such file any more.
  var isGone: Bool { file == nil }
}
