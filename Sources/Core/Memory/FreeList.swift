/// The free places of a table: those given back, then those never used, whose memory is untouched.
package struct FreeList: ~Copyable {
  /// Links each returned place to the one returned before it.
  private var links: Lent<Int32>
  private var last: Int32 = -1
  /// Places from here on have never been used.
  package private(set) var fresh = 0
  private(set) var taken = 0

  package init(capacity: Int, in arena: inout Arena) { links = arena.take(capacity, of: Int32.self) }

  package static func bytes(for capacity: Int) -> Int { Arena.bytes(for: capacity, of: Int32.self) }

  package var isEmpty: Bool { taken == links.count }

  /// -1 when there is none.
  package mutating func take() -> Int32 {
    guard !isEmpty else { return -1 }
    taken += 1
    guard last < 0 else {
      defer { last = links[Int(last)] }
      return last
    }
    fresh += 1
    return Int32(fresh - 1)
  }

  package mutating func giveBack(_ place: Int32) {
    links[Int(place)] = last
    last = place
    taken -= 1
  }
}
