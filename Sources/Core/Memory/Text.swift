/// UTF-8 in place: names, topics, whole payloads. What does not fit is cut, and `overflowed` is set.
package struct Text<let capacity: Int>: BitwiseCopyable, Sendable {
  private var storage = InlineArray<capacity, UInt8>(repeating: 0)
  package private(set) var count = 0
  /// Something did not fit: the text is a prefix of what was meant.
  package private(set) var overflowed = false

  package init() {}
  package init(_ literal: StaticString) { append(literal) }
  package init(_ bytes: RawSpan) { append(bytes) }

  package var isEmpty: Bool { count == 0 }
  package var free: Int { capacity - count }

  /// Addressable: without this, Swift 6.3.1 lends the bytes of a dead copy when it optimises Embedded code across modules. Every function
  /// that passes these bytes on as its own needs it too.
  package var bytes: RawSpan {
    @_addressableSelf
    @_lifetime(borrow self)
    get {
      // SAFETY: the elements are bytes; none is padding.
      unsafe storage.span.extracting(first: count).bytes
    }
  }

  package subscript(index: Int) -> UInt8 {
    _read {
      precondition(index < count, "index outside a text")
      yield storage[index]
    }
  }

  /// The comma that JSON needs before a value, unless a bracket or key has just been written.
  package mutating func separate() {
    // Reads the byte in place: `self[…]` would copy the whole text.
    guard count > 0 else { return }
    switch storage[count - 1] {
    case UInt8(ascii: "{"), UInt8(ascii: "["), UInt8(ascii: ":"): break
    default: append(byte: UInt8(ascii: ","))
    }
  }

  package mutating func append(byte: UInt8) {
    guard count < capacity else { return overflowed = true }
    storage[count] = byte
    count += 1
  }

  package mutating func append(_ bytes: RawSpan) {
    let fitting = min(bytes.byteCount, free)
    if fitting < bytes.byteCount { overflowed = true }
    var target = storage.mutableSpan
    for index in 0..<fitting {
      // SAFETY: `fitting` is at most `bytes.byteCount`.
      unsafe target[count + index] = bytes.unsafeLoad(fromByteOffset: index, as: UInt8.self)
    }
    count += fitting
  }

  package mutating func append(_ literal: StaticString) {
    // SAFETY: a StaticString's bytes live for ever, `utf8CodeUnitCount` of them; none of ours is a single scalar without storage.
    append(unsafe RawSpan(_unsafeStart: literal.utf8Start, byteCount: literal.utf8CodeUnitCount))
  }

  package mutating func append<let other: Int>(_ text: Text<other>) {
    // Byte by byte, in place: a span of a text passed by value outlived the value in optimised builds.
    for index in 0..<text.count { append(byte: text.storage[index]) }
  }

  package mutating func truncate(to length: Int) {
    precondition(length <= count, "a text is only ever cut shorter")
    count = length
    overflowed = false
  }
}

extension Text: Equatable {
  package static func == (a: Self, b: Self) -> Bool {
    guard a.count == b.count else { return false }
    for index in 0..<a.count where a.storage[index] != b.storage[index] { return false }
    return true
  }
}

extension RawSpan {
  package func equals(_ other: RawSpan) -> Bool {
    guard byteCount == other.byteCount else { return false }
    for index in 0..<byteCount where self[index] != other[index] { return false }
    return true
  }

  package subscript(index: Int) -> UInt8 {
    precondition(UInt(bitPattern: index) < UInt(bitPattern: byteCount), "index outside a span")
    // SAFETY: checked just above.
    return unsafe unsafeLoad(fromByteOffset: index, as: UInt8.self)
  }
}
