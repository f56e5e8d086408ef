/// A block of memory that the caller took once at start and lends to Core piece by piece. Core never allocates.
@safe package struct Arena: ~Copyable {
  private let memory: UnsafeMutableRawBufferPointer
  private var taken = 0
  /// A table starts at a cache line.
  private static let line = 64

  /// `memory` must be zeroed, aligned to a cache line, and outlive every table taken from it.
  package init(lending memory: UnsafeMutableRawBufferPointer) {
    // SAFETY: only kept; `reserve` guards every use.
    unsafe self.memory = memory
  }

  package mutating func take<Element: BitwiseCopyable>(_ count: Int, filledWith element: Element) -> Lent<Element> {
    // SAFETY: `reserve` keeps the block inside the lent memory; the elements hold plain bytes.
    let start = unsafe reserve(MemoryLayout<Element>.stride * count, alignment: Self.line)
    let elements = unsafe start.bindMemory(to: Element.self, capacity: count)
    unsafe elements.initialize(repeating: element, count: count)
    return unsafe Lent(start: elements, count: count)
  }

  /// Zeroed and untouched: pages that are never written cost nothing. For tables whose rows are written whole before they are read.
  package mutating func take<Element: BitwiseCopyable>(_ count: Int, of type: Element.Type) -> Lent<Element> {
    // SAFETY: as above.
    let start = unsafe reserve(MemoryLayout<Element>.stride * count, alignment: Self.line)
    return unsafe Lent(start: start.bindMemory(to: Element.self, capacity: count), count: count)
  }

  /// Puts a value that must not move, such as a pair of atomics, into lent memory. It stays for ever.
  mutating func place<Value: ~Copyable>(_ value: consuming Value) -> UnsafeMutablePointer<Value> {
    // SAFETY: as in `take`.
    let start = unsafe reserve(MemoryLayout<Value>.size, alignment: MemoryLayout<Value>.alignment)
    let place = unsafe start.bindMemory(to: Value.self, capacity: 1)
    unsafe place.initialize(to: value)
    return unsafe place
  }

  private mutating func reserve(_ bytes: Int, alignment: Int) -> UnsafeMutableRawPointer {
    let start = (taken + alignment - 1) & ~(alignment - 1)
    // SAFETY: the precondition keeps the block inside the lent memory.
    precondition(unsafe start + bytes <= memory.count, "the arena was lent too little memory")
    taken = start + bytes
    return unsafe memory.baseAddress! + start
  }

  /// What `take` costs at most, padding included.
  package static func bytes<Element: BitwiseCopyable>(for count: Int, of type: Element.Type) -> Int {
    count * MemoryLayout<Element>.stride + line
  }
}

/// A table of plain elements in lent memory. Indices are checked; the size is fixed.
@safe package struct Lent<Element: BitwiseCopyable>: ~Copyable {
  private let start: UnsafeMutablePointer<Element>
  package let count: Int
  private let pin = Pin()

  fileprivate init(start: UnsafeMutablePointer<Element>, count: Int) {
    // SAFETY: only kept; `checked` guards every use.
    unsafe self.start = start
    self.count = count
  }

  package subscript(index: Int) -> Element {
    // SAFETY: `checked` keeps the index inside the lent table.
    unsafeAddress { unsafe UnsafePointer(place(of: index)) }
    unsafeMutableAddress { unsafe place(of: index) }
  }

  /// An element's address, for types that lend their rows. Others return a row; they must not yield it to be read, for Swift 6.3.1 then lends
  /// a copy of a large one, and in debug builds reads it when it is gone.
  func place(of index: Int) -> UnsafeMutablePointer<Element> {
    // SAFETY: the precondition keeps the index inside the lent table.
    precondition(UInt(bitPattern: index) < UInt(bitPattern: count), "index outside a lent table")
    return unsafe start + index
  }

  /// Hands the memory to a type with its own checks; the table is gone afterwards.
  consuming func relinquished() -> UnsafeMutablePointer<Element> {
    // SAFETY: the taker's guard replaces `checked`.
    unsafe start
  }
}

extension Lent: @unchecked Sendable where Element: Sendable {}
