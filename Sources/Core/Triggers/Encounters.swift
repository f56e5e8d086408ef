/// All encounters under way, each in its device's list, in lent memory.
package struct Encounters: ~Copyable {
  private var table: Lent<Encounter>
  /// What few encounters have, and few questions need.
  private var successions: Lent<Succession>
  /// Apart, too: only triggers of a group have them.
  private var judgements: Lent<PatternJudgement>
  private(set) var free: FreeList
  /// Where the search for an absent one continues.
  private var hand = 0

  package init(capacity: Int, in arena: inout Arena) {
    table = arena.take(capacity, of: Encounter.self)
    successions = arena.take(capacity, of: Succession.self)
    judgements = arena.take(capacity, of: PatternJudgement.self)
    free = FreeList(capacity: capacity, in: &arena)
  }

  package static func bytes(for capacity: Int) -> Int {
    Arena.bytes(for: capacity, of: Encounter.self) + Arena.bytes(for: capacity, of: Succession.self)
      + Arena.bytes(for: capacity, of: PatternJudgement.self) + FreeList.bytes(for: capacity)
  }

  package var isFull: Bool { free.isEmpty }
  /// All places that were ever used; some are free.
  var places: Range<Int32> { 0..<Int32(free.fresh) }
  func isUsed(_ place: Int32) -> Bool { table[Int(place)].device >= 0 }
  /// Places from here on have never been used.
  var used: Int { free.fresh }

  package subscript(place: Int32) -> Encounter {
    get { table[Int(place)] }
    _modify { yield &table[Int(place)] }
  }

  subscript(successionOf place: Int32) -> Succession {
    get { successions[Int(place)].isKnown ? successions[Int(place)] : Succession() }
    set {
      successions[Int(place)] = newValue
      successions[Int(place)].isKnown = true
    }
  }

  /// When a newcomer was first heard. The subscript above copies a whole identity, and this is asked for each pair.
  @inline(__always)
  func firstHeard(_ newcomer: Int32) -> Instant { successions[Int(newcomer)].first }

  subscript(judgementOf place: Int32) -> PatternJudgement {
    get { judgements[Int(place)] }
    _modify { yield &judgements[Int(place)] }
  }

  /// The place of the device's encounter with a trigger, -1 when there is none.
  package func find(trigger: Int, from head: Int32) -> Int32 {
    var place = head
    while place >= 0, Int(table[Int(place)].trigger) != trigger { place = table[Int(place)].nextOfDevice }
    return place
  }

  /// -1 when there is no room.
  package mutating func start(device: Int, trigger: Int, radio: Int, head: inout Int32) -> Int32 {
    let place = free.take()
    guard place >= 0 else { return -1 }
    table[Int(place)] = Encounter()
    table[Int(place)].device = Int32(device)
    table[Int(place)].trigger = UInt8(trigger)
    table[Int(place)].radio = Int8(radio)
    table[Int(place)].nextOfDevice = head
    head = place
    return place
  }

  /// The encounter to evict: absent, owed nothing, and the longest unheard among the few examined. -1 when there is none. Whoever was just
  /// heard for the first times may arrive: newcomers that evict one another would all stay unserved.
  package mutating func dispensable(at now: Instant) -> Int32 {
    var oldest = -1
    for _ in 0..<min(Self.lookedAt, free.fresh) {
      hand = hand + 1 < free.fresh ? hand + 1 : 0
      guard table[hand].device >= 0, !table[hand].isPresent, table[hand].isOwedUntil <= now else { continue }
      let approach = table[hand].approach
      guard approach.samples >= Self.arrived || approach.heard + Self.arriving <= now else { continue }
      if oldest < 0 || table[hand].approach.heard < table[oldest].approach.heard { oldest = hand }
    }
    return Int32(oldest)
  }

  /// A flood of newcomers must not search the whole table for each.
  private static let lookedAt = 64
  private static let arriving = Interval.seconds(4)
  private static let arrived = 8

  /// The broker is away.
  package mutating func cutOff() { for place in 0..<free.fresh { table[place].wasCutOff = true } }

  mutating func wereHereAtStart(of radio: Int) {
    for place in 0..<free.fresh where table[place].device >= 0 && Int(table[place].radio) == radio && !table[place].hasFired {
      table[place].wasHereAtStart = true
    }
  }

  mutating func wereUnheard(on radio: Int, until now: Instant) {
    for place in 0..<free.fresh where table[place].device >= 0 && Int(table[place].radio) == radio { table[place].wasUnheard(until: now) }
  }

  package mutating func end(_ place: Int32, head: inout Int32) {
    if successions[Int(place)].isKnown {
      unlink(place)
      successions[Int(place)].isKnown = false
    }
    if head == place {
      head = table[Int(place)].nextOfDevice
    } else {
      var before = head
      while table[Int(before)].nextOfDevice != place { before = table[Int(before)].nextOfDevice }
      table[Int(before)].nextOfDevice = table[Int(place)].nextOfDevice
    }
    table[Int(place)] = Encounter()
    if judgements[Int(place)].at != .zero { judgements[Int(place)] = PatternJudgement() }
    free.giveBack(place)
  }
}
