import Core

/// SplitMix64: a test's randomness has a seed.
struct Seeded: RandomNumberGenerator {
  private var state: UInt64

  init(_ seed: UInt64) { state = seed }

  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var z = state
    z = (z ^ (z >> 30)) &* 0xBF58_476D_1CE4_E5B9
    z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
    return z ^ (z >> 31)
  }
}

/// Memory for one test's tables, given back when the test lets go of it.
final class Loan: @unchecked Sendable {
  private let memory: UnsafeMutableRawBufferPointer

  init(bytes: Int = 1 << 20) {
    memory = .allocate(byteCount: bytes, alignment: 64)
    memory.initializeMemory(as: UInt8.self, repeating: 0)
  }

  deinit { memory.deallocate() }

  var arena: Arena { Arena(lending: memory) }
}
