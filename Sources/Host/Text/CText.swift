package import Core

/// A path in the file system.
package typealias Path = Text<255>

extension Text {
  /// Lends the text to C: a copy that ends with a zero. A zero inside ends it early.
  package func withCString<Result: ~Copyable, Failure: Error>(
    _ body: (UnsafePointer<CChar>) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    // SAFETY: the block has room for every byte and the zero, and lives until `body` returns.
    try unsafe withUnsafeTemporaryAllocation(of: CChar.self, capacity: count + 1) { (block) throws(Failure) -> Result in
      for index in 0..<count { unsafe block[index] = CChar(bitPattern: self[index]) }
      unsafe block[count] = 0
      return try unsafe body(UnsafePointer(block.baseAddress!))
    }
  }

  package mutating func append(cString: UnsafePointer<CChar>?) {
    // SAFETY: C promises a zero at the end.
    guard var next = unsafe cString else { return }
    while unsafe next.pointee != 0 {
      unsafe append(byte: UInt8(bitPattern: next.pointee))
      unsafe next += 1
    }
  }
}
