import Core
import Glibc
import Seeds

typealias Seeded = Seeds.Seeded

/// Memory for one test's tables, given back when the test lets go of it.
final class Loan: @unchecked Sendable {
  private let block: UnsafeMutableRawPointer
  private let memory: UnsafeMutableRawBufferPointer

  /// The kernel's zeros, as in the product: to write them would touch every page, which under a sanitizer takes longer than most tests.
  init(bytes: Int = 1 << 20) {
    block = calloc(1, bytes + 63)
    memory = UnsafeMutableRawBufferPointer(start: block.alignedUp(toMultipleOf: 64), count: bytes)
  }

  deinit { free(block) }

  var arena: Arena { Arena(lending: memory) }
}

extension Membership {
  init(on loan: Loan) {
    var arena = loan.arena
    self.init(in: &arena)
  }
}
