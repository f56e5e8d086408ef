/// Borrowed bytes, read in order: each read advances or throws. All input from outside goes through it.
package struct Cursor: ~Escapable, BitwiseCopyable {
  private var rest: RawSpan

  @_lifetime(copy bytes)
  package init(_ bytes: RawSpan) { rest = bytes }

  package var remaining: Int { rest.byteCount }

  /// The rest.
  package var unread: RawSpan {
    @_lifetime(copy self)
    get { rest }
  }

  @_lifetime(copy self)
  @_lifetime(self: copy self)
  package mutating func take(_ count: Int) throws(Malformed) -> RawSpan {
    guard UInt(bitPattern: count) <= UInt(bitPattern: remaining) else { throw .truncated }
    // SAFETY: the guard keeps both parts inside the span.
    let taken = unsafe rest.extracting(unchecked: 0..<count)
    unsafe rest = rest.extracting(unchecked: count..<remaining)
    return taken
  }

  @_lifetime(self: copy self)
  package mutating func skip(_ count: Int) throws(Malformed) { _ = try take(count) }

  @_lifetime(self: copy self)
  package mutating func byte() throws(Malformed) -> UInt8 { try take(1)[0] }
}

/// Reads at fixed places of a span whose length was checked before: then the compiler drops the check made here.
extension RawSpan {
  package func signed(at offset: Int) -> Int8 { Int8(bitPattern: self[offset]) }
  package func little16(at offset: Int) -> UInt16 { UInt16(littleEndian: load(offset)) }
  package func little32(at offset: Int) -> UInt32 { UInt32(littleEndian: load(offset)) }
  package func little48(at offset: Int) -> UInt64 { UInt64(little32(at: offset)) | UInt64(little16(at: offset + 4)) << 32 }
  package func little64(at offset: Int) -> UInt64 { UInt64(littleEndian: load(offset)) }
  package func big16(at offset: Int) -> UInt16 { UInt16(bigEndian: load(offset)) }
  package func big32(at offset: Int) -> UInt32 { UInt32(bigEndian: load(offset)) }
  package func big64(at offset: Int) -> UInt64 { UInt64(bigEndian: load(offset)) }

  /// The bytes between the first `head` and the last `tail`.
  @inline(__always) @_lifetime(copy self)
  func inner(from head: Int, leavingOut tail: Int) -> RawSpan {
    precondition(byteCount >= head &+ tail, "a span shorter than what is left out of it")
    // SAFETY: checked just above.
    return unsafe extracting(unchecked: head..<byteCount &- tail)
  }

  /// The first and the last sixteen bytes, which may overlap: together all of 16 to 32 bytes.
  @inline(__always) func outer16() -> (UInt64, UInt64, UInt64, UInt64) {
    precondition(byteCount >= 16, "sixteen bytes of a shorter span")
    // SAFETY: checked just above; any bytes are a number.
    return unsafe (
      unsafeLoadUnaligned(fromByteOffset: 0, as: UInt64.self), unsafeLoadUnaligned(fromByteOffset: 8, as: UInt64.self),
      unsafeLoadUnaligned(fromByteOffset: byteCount &- 16, as: UInt64.self),
      unsafeLoadUnaligned(fromByteOffset: byteCount &- 8, as: UInt64.self)
    )
  }

  private func load<Number: FixedWidthInteger & BitwiseCopyable>(_ offset: Int) -> Number {
    precondition(offset >= 0 && offset <= byteCount - MemoryLayout<Number>.size, "index outside a span")
    // SAFETY: checked just above; any bytes are a number.
    return unsafe unsafeLoadUnaligned(fromByteOffset: offset, as: Number.self)
  }
}
