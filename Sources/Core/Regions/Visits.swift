/// One device inside one region.
package struct RegionVisit: BitwiseCopyable {
  package var device: Int32 = -1
  package var region: UInt8 = 0
  /// Its `enter` was published, so its `exit` will be.
  package var isPublished = false
  /// The last sample that counted.
  package var counted = Instant.zero
  /// The device's next visit.
  fileprivate var nextOfDevice: Int32 = -1
  fileprivate var nextOfRegion: Int32 = -1
  fileprivate var previousOfRegion: Int32 = -1
}

/// All open visits, each in two lists: its device's and its region's.
package struct Visits: ~Copyable {
  private var table: Lent<RegionVisit>
  private(set) var free: FreeList
  private var heads = InlineArray<64, Int32>(repeating: -1)

  package init(capacity: Int, in arena: inout Arena) {
    table = arena.take(capacity, of: RegionVisit.self)
    free = FreeList(capacity: capacity, in: &arena)
  }

  package static func bytes(for capacity: Int) -> Int { Arena.bytes(for: capacity, of: RegionVisit.self) + FreeList.bytes(for: capacity) }

  package subscript(place: Int32) -> RegionVisit {
    get { table[Int(place)] }
    _modify { yield &table[Int(place)] }
  }

  package func first(in region: Int) -> Int32 { heads[region] }
  package func nextInRegion(after place: Int32) -> Int32 { table[Int(place)].nextOfRegion }
  package func nextOfDevice(after place: Int32) -> Int32 { table[Int(place)].nextOfDevice }

  /// The place of the device's visit to a region, -1 if it is not there.
  package func find(region: Int, from head: Int32) -> Int32 {
    var place = head
    while place >= 0, Int(table[Int(place)].region) != region { place = table[Int(place)].nextOfDevice }
    return place
  }

  /// Starts a visit at the head of both lists; -1 when there is no room.
  package mutating func start(device: Int, region: Int, at now: Instant, head: inout Int32) -> Int32 {
    let place = free.take()
    guard place >= 0 else { return -1 }
    let next = heads[region]
    table[Int(place)] = RegionVisit(device: Int32(device), region: UInt8(region), counted: now, nextOfDevice: head, nextOfRegion: next)
    if next >= 0 { table[Int(next)].previousOfRegion = place }
    heads[region] = place
    head = place
    return place
  }

  /// The regions have new numbers. Visits to a region without one have ended before.
  package mutating func renumber(_ numbers: Renumbering) {
    var moved = InlineArray<64, Int32>(repeating: -1)
    for region in 0..<heads.count where heads[region] >= 0 {
      guard let number = numbers[region] else { preconditionFailure("the visits to a region that is gone have ended") }
      moved[number] = heads[region]
      var place = heads[region]
      while place >= 0 {
        table[Int(place)].region = UInt8(number)
        place = table[Int(place)].nextOfRegion
      }
    }
    heads = moved
  }

  package mutating func end(_ place: Int32, head: inout Int32) {
    let visit = table[Int(place)]
    if head == place {
      head = visit.nextOfDevice
    } else {
      var before = head
      while table[Int(before)].nextOfDevice != place { before = table[Int(before)].nextOfDevice }
      table[Int(before)].nextOfDevice = visit.nextOfDevice
    }
    if visit.previousOfRegion >= 0 {
      table[Int(visit.previousOfRegion)].nextOfRegion = visit.nextOfRegion
    } else {
      heads[Int(visit.region)] = visit.nextOfRegion
    }
    if visit.nextOfRegion >= 0 { table[Int(visit.nextOfRegion)].previousOfRegion = visit.previousOfRegion }
    table[Int(place)] = RegionVisit()
    free.giveBack(place)
  }
}
