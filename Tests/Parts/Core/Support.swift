import Core
import Seeds

typealias Seeded = Seeds.Seeded

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
