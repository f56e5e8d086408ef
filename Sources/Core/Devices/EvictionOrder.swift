/// The slots of a table in the order in which they were last heard, in two lists: matched by the configuration, and unmatched, which are
/// evicted first. A third list holds the free slots.
package struct EvictionOrder: ~Copyable {
  package enum List: UInt8, BitwiseCopyable { case free, unmatched, matched }

  private struct Place: BitwiseCopyable {
    var older: Int32 = -1
    var newer: Int32 = -1
    var list = List.free
  }

  private struct Ends: BitwiseCopyable {
    var oldest: Int32 = -1
    var newest: Int32 = -1
    var count: Int32 = 0
  }

  private var links: Lent<Place>
  private var ends = InlineArray<3, Ends>(repeating: Ends())

  package init(slots: Int, in arena: inout Arena) {
    links = arena.take(slots, filledWith: Place())
    for slot in 0..<slots { append(Int32(slot), to: .free) }
  }

  package static func bytes(for slots: Int) -> Int { Arena.bytes(for: slots, of: Place.self) }

  package func count(of list: List) -> Int { Int(ends[Int(list.rawValue)].count) }

  package func oldest(of list: List) -> Int? {
    let slot = ends[Int(list.rawValue)].oldest
    return slot < 0 ? nil : Int(slot)
  }

  /// The next one of its list.
  package func newer(than slot: Int) -> Int? { links[slot].newer < 0 ? nil : Int(links[slot].newer) }

  package func list(of slot: Int) -> List { links[slot].list }

  /// The slot to use next: a free one, else the longest unheard unmatched one, else the longest unheard of all.
  package func slotToReuse() -> Int {
    guard let slot = oldest(of: .free) ?? oldest(of: .unmatched) ?? oldest(of: .matched) else {
      preconditionFailure("a table has at least one slot")
    }
    return slot
  }

  /// The slot becomes the newest of this list.
  package mutating func touch(_ slot: Int, in list: List) {
    guard links[slot].list == list else {
      unlink(Int32(slot))
      return append(Int32(slot), to: list)
    }
    touch(slot)
  }

  /// The slot becomes the newest of its own list. Every report comes this way.
  package mutating func touch(_ slot: Int) {
    let link = links[slot]
    if link.newer < 0 { return }
    let which = Int(link.list.rawValue)
    links[Int(link.newer)].older = link.older
    if link.older < 0 { ends[which].oldest = link.newer } else { links[Int(link.older)].newer = link.newer }
    links[Int(ends[which].newest)].newer = Int32(slot)
    links[slot] = Place(older: ends[which].newest, newer: -1, list: link.list)
    ends[which].newest = Int32(slot)
  }

  private mutating func append(_ slot: Int32, to list: List) {
    let which = Int(list.rawValue)
    let newest = ends[which].newest
    links[Int(slot)] = Place(older: newest, newer: -1, list: list)
    if newest < 0 { ends[which].oldest = slot } else { links[Int(newest)].newer = slot }
    ends[which].newest = slot
    ends[which].count += 1
  }

  private mutating func unlink(_ slot: Int32) {
    let link = links[Int(slot)]
    let which = Int(link.list.rawValue)
    if link.older < 0 { ends[which].oldest = link.newer } else { links[Int(link.older)].newer = link.newer }
    if link.newer < 0 { ends[which].newest = link.older } else { links[Int(link.newer)].older = link.older }
    ends[which].count -= 1
  }
}
