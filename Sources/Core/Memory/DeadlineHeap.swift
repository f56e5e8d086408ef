/// What is due next: a heap of slots by deadline, at most one entry a slot.
///
/// A packet mostly moves deadlines later, and the heap ignores that: when an entry falls due, its owner checks and, if there is time left,
/// enters again. So a packet costs nothing, and a tick costs what is due, whatever the table's size.
package struct DeadlineHeap: ~Copyable {
  private struct Entry: BitwiseCopyable {
    var due: Instant
    var slot: Int32

    /// Ties go by slot, so that the order is the same on every machine.
    func isBefore(_ other: Entry) -> Bool { due == other.due ? slot < other.slot : due < other.due }
  }

  private var heap: Lent<Entry>
  private var places: Lent<Int32>
  private var count = 0
  /// The first deadline, at hand: every packet needs it.
  package private(set) var next = Instant.never

  package init(slots: Int, in arena: inout Arena) {
    heap = arena.take(slots, filledWith: Entry(due: .never, slot: -1))
    places = arena.take(slots, filledWith: -1)
  }

  package static func bytes(for slots: Int) -> Int {
    Arena.bytes(for: slots, of: Entry.self) + Arena.bytes(for: slots, of: Int32.self)
  }

  /// Takes the first slot that is due by `now`, with its deadline.
  package mutating func takeDue(by now: Instant) -> (slot: Int, due: Instant)? {
    guard count > 0, next <= now else { return nil }
    let first = heap[0]
    cancel(Int(first.slot))
    return (Int(first.slot), first.due)
  }

  /// The slot must be checked by `due`. An earlier deadline stays.
  package mutating func enter(_ slot: Int, due: Instant) {
    let place = Int(places[slot])
    if place < 0 {
      guard due < .never else { return }
      count += 1
      sift(Entry(due: due, slot: Int32(slot)), from: count - 1)
    } else if due < heap[place].due {
      sift(Entry(due: due, slot: Int32(slot)), from: place)
    }
  }

  package mutating func cancel(_ slot: Int) {
    let place = Int(places[slot])
    guard place >= 0 else { return }
    places[slot] = -1
    count -= 1
    if place < count { sift(heap[count], from: place) }
    if count == 0 { next = .never }
  }

  /// Puts an entry into the gap at `place`, then moves it up or down.
  private mutating func sift(_ entry: Entry, from place: Int) {
    var gap = place
    while gap > 0, entry.isBefore(heap[(gap - 1) / 2]) { gap = move((gap - 1) / 2, to: gap) }
    while true {
      var child = 2 * gap + 1
      guard child < count else { break }
      if child + 1 < count, heap[child + 1].isBefore(heap[child]) { child += 1 }
      guard heap[child].isBefore(entry) else { break }
      gap = move(child, to: gap)
    }
    heap[gap] = entry
    places[Int(entry.slot)] = Int32(gap)
    next = heap[0].due
  }

  private mutating func move(_ from: Int, to gap: Int) -> Int {
    heap[gap] = heap[from]
    places[Int(heap[gap].slot)] = Int32(gap)
    return from
  }
}
