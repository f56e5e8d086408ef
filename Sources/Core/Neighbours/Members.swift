/// The other gateways of the site, in lent memory. Their places never move: claims refer to them.
package struct Members: ~Copyable {
  private var table: Lent<Member>
  package private(set) var count = 0

  private static let most = 64
  package static let bytes = Arena.bytes(for: most, of: Member.self)

  init(in arena: inout Arena) { table = arena.take(Self.most, of: Member.self) }

  package var isFull: Bool { count == table.count }
  package var indices: Range<Int> { 0..<count }

  package subscript(index: Int) -> Member {
    get {
      precondition(index < count, "nobody has this place")
      return table[index]
    }
    _modify {
      precondition(index < count, "nobody has this place")
      yield &table[index]
    }
  }

  /// The place that it gets, if there is one.
  mutating func append(_ member: Member) -> Int? {
    guard !isFull else { return nil }
    table[count] = member
    count += 1
    return count - 1
  }
}
