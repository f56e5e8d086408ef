/// A list with a bound, in place. `append` returns what it refused.
package struct Bounded<let capacity: Int, Element: BitwiseCopyable>: BitwiseCopyable {
  private var elements: InlineArray<capacity, Element>
  package private(set) var count = 0

  /// `filler` only fills the free places; nobody sees it.
  package init(filledWith filler: Element) { elements = InlineArray(repeating: filler) }

  package var isEmpty: Bool { count == 0 }
  package var isFull: Bool { count == capacity }
  package var indices: Range<Int> { 0..<count }

  package subscript(index: Int) -> Element {
    _read {
      precondition(index < count, "index outside a bounded list")
      yield elements[index]
    }
    _modify {
      precondition(index < count, "index outside a bounded list")
      yield &elements[index]
    }
  }

  package mutating func append(_ element: Element) -> Element? {
    guard count < capacity else { return element }
    elements[count] = element
    count += 1
    return nil
  }

  package mutating func removeAll() { count = 0 }

  /// Those behind move up.
  package mutating func remove(at index: Int) {
    precondition(index < count, "index outside a bounded list")
    for place in index..<count - 1 { elements[place] = elements[place + 1] }
    count -= 1
  }
}

extension Bounded: Sendable where Element: Sendable {}
