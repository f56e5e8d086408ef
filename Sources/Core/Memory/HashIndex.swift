/// Finds a table's slot by its key's hash: open addressing, linear probing; a removal closes the gap in its chain.
///
/// An entry keeps the hash beside the slot: it rules out nearly every foreign key, and finds an entry's home, without touching the table.
package struct HashIndex: ~Copyable {
  private var entries: Lent<UInt64>
  private let mask: Int

  private static let vacant = UInt64.max

  /// Twice as many entries as the table has slots: chains stay short however full the table is.
  private static func entries(for slots: Int) -> Int {
    var count = 16
    while count < slots * 2 { count *= 2 }
    return count
  }

  package init(slots: Int, in arena: inout Arena) {
    entries = arena.take(Self.entries(for: slots), filledWith: Self.vacant)
    mask = entries.count - 1
  }

  package static func bytes(for slots: Int) -> Int { Arena.bytes(for: entries(for: slots), of: UInt64.self) }

  package func find(_ hash: UInt32, where isMatch: (Int) -> Bool) -> Int? {
    var place = Int(truncatingIfNeeded: hash) & mask
    while entries[place] != Self.vacant {
      let entry = entries[place]
      if UInt32(truncatingIfNeeded: entry >> 32) == hash {
        let slot = Int(truncatingIfNeeded: entry & 0xFFFF_FFFF)
        if isMatch(slot) { return slot }
      }
      place = (place &+ 1) & mask
    }
    return nil
  }

  /// The key must be new, and the table not full.
  package mutating func insert(_ hash: UInt32, slot: Int) {
    var place = Int(truncatingIfNeeded: hash) & mask
    while entries[place] != Self.vacant { place = (place + 1) & mask }
    entries[place] = Self.entry(hash, slot)
  }

  package mutating func remove(_ hash: UInt32, slot: Int) {
    var gap = Int(truncatingIfNeeded: hash) & mask
    while entries[gap] != Self.entry(hash, slot) {
      precondition(entries[gap] != Self.vacant, "a slot is removed only while it is in the index")
      gap = (gap + 1) & mask
    }
    var next = (gap + 1) & mask
    while entries[next] != Self.vacant {
      let home = Int(truncatingIfNeeded: entries[next] >> 32) & mask
      if (next - home) & mask >= (next - gap) & mask {
        entries[gap] = entries[next]
        gap = next
      }
      next = (next + 1) & mask
    }
    entries[gap] = Self.vacant
  }

  private static func entry(_ hash: UInt32, _ slot: Int) -> UInt64 { UInt64(hash) << 32 | UInt64(slot) }
}
