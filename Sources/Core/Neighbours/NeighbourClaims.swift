/// What neighbours have said of the devices that we have encounters with. Each word is kept until the encounter ends.
package struct NeighbourClaims: ~Copyable {
  package struct Entry: BitwiseCopyable {
    fileprivate(set) var next: Int32
    package let neighbour: UInt8
    /// Which of its runs: numbers of one mean nothing in another.
    package private(set) var run: UInt8
    package var standing = Claim.Standing.withdrawn
    /// An earlier run of it has fired, and what became of that nobody knows.
    package private(set) var hadFired = false
    package var level: Decibels?
    package var sequence: UInt32 = 0
    /// The highest claim of ours that it had seen when it spoke.
    package var echo: UInt32 = 0
    package var arrived = Instant.zero

    fileprivate init(next: Int32, neighbour: UInt8, run: UInt8) { (self.next, self.neighbour, self.run) = (next, neighbour, run) }

    package var hasFired: Bool { standing == .fired || hadFired }

    /// Its gateway has started anew.
    mutating func follow(_ run: UInt8) {
      guard run != self.run else { return }
      hadFired = hasFired
      (self.run, sequence, echo, standing, level) = (run, 0, 0, .withdrawn, nil)
    }
  }

  private var table: Lent<Entry>
  private var free: FreeList

  package init(capacity: Int, in arena: inout Arena) {
    table = arena.take(capacity, of: Entry.self)
    free = FreeList(capacity: capacity, in: &arena)
  }

  package static func bytes(for capacity: Int) -> Int { Arena.bytes(for: capacity, of: Entry.self) + FreeList.bytes(for: capacity) }

  package subscript(place: Int32) -> Entry {
    _read { yield table[Int(place)] }
    _modify { yield &table[Int(place)] }
  }

  package func next(after place: Int32) -> Int32 { table[Int(place)].next }

  package func find(_ neighbour: Int, from head: Int32) -> Int32 {
    var place = head
    while place >= 0, Int(table[Int(place)].neighbour) != neighbour { place = table[Int(place)].next }
    return place
  }

  /// The neighbour's place in the list, made if need be; -1 when there is no room. Then nobody answers for it, and nothing fires.
  package mutating func place(for neighbour: Int, run: UInt8, head: inout Int32) -> Int32 {
    let known = find(neighbour, from: head)
    if known >= 0 { return known }
    let place = free.take()
    guard place >= 0 else { return -1 }
    table[Int(place)] = Entry(next: head, neighbour: UInt8(neighbour), run: run)
    head = place
    return place
  }

  package mutating func forget(_ head: inout Int32) {
    while head >= 0 {
      let next = table[Int(head)].next
      free.giveBack(head)
      head = next
    }
  }
}
