/// The neighbours' latest claims for our encounters. A claim is kept until its encounter ends.
package struct NeighbourClaims: ~Copyable {
  package struct Entry: BitwiseCopyable {
    fileprivate(set) var next: Int32
    package let neighbour: UInt8
    /// Which of its runs: numbers of different runs do not compare.
    package private(set) var run: UInt8
    package private(set) var standing = Claim.Standing.withdrawn
    /// An earlier run of it has fired, and how that visit ended is unknown.
    package private(set) var hadFired = false
    package var level: Decibels?
    package var steady: Decibels?
    package var rate: Float = 0
    /// How old the level was when it arrived.
    package var age = Interval.zero
    /// Its place among the site's receivers (`SitePlan` or `UnplacedSite`), -1 when it has none; and their edition.
    package var receiver: Int8 = -1
    package var edition: UInt8 = 0
    package var sequence: UInt32 = 0
    /// Our highest claim that it had received.
    package var echo: UInt32 = 0
    package var arrived = Instant.zero

    fileprivate init(next: Int32, neighbour: UInt8, run: UInt8) { (self.next, self.neighbour, self.run) = (next, neighbour, run) }

    package var hasFired: Bool { standing == .fired || hadFired }

    /// A run that says `fired` itself answers from then on for what the earlier one left open; and so does one that says something else
    /// after it has continued or ended all that.
    mutating func record(_ standing: Claim.Standing, isSettled: Bool) {
      self.standing = standing
      if standing == .fired || isSettled { hadFired = false }
    }

    /// Its gateway has restarted.
    mutating func follow(_ run: UInt8) {
      guard run != self.run else { return }
      hadFired = hasFired
      (self.run, sequence, echo, standing, level, steady) = (run, 0, 0, .withdrawn, nil, nil)
    }
  }

  private var table: Lent<Entry>
  private(set) var free: FreeList

  package init(capacity: Int, in arena: inout Arena) {
    table = arena.take(capacity, of: Entry.self)
    free = FreeList(capacity: capacity, in: &arena)
  }

  package static func bytes(for capacity: Int) -> Int { Arena.bytes(for: capacity, of: Entry.self) + FreeList.bytes(for: capacity) }

  package subscript(place: Int32) -> Entry {
    get { table[Int(place)] }
    _modify { yield &table[Int(place)] }
  }

  package func next(after place: Int32) -> Int32 { table[Int(place)].next }

  package func find(_ neighbour: Int, from head: Int32) -> Int32 {
    var place = head
    while place >= 0, Int(table[Int(place)].neighbour) != neighbour { place = table[Int(place)].next }
    return place
  }

  /// The neighbour's place in the list, added if need be. -1 when there is no room: then the neighbour counts as silent, and nothing fires.
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
