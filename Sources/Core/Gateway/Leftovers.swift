/// Visits that the run before left open: devices inside a region, or served at a trigger. Each waits here until its device is heard again,
/// or has been silent for too long.
package struct Leftovers: ~Copyable {
  package struct Entry: BitwiseCopyable {
    package var identity = Identity(.address)
    package var place: UInt8 = 0
    package var since = Instant.zero
    /// The level at the driver's word, if that began the visit.
    package var vouchedLevel: Decibels?
    /// Without an advert by then, the device has gone.
    package var due = Instant.never
    /// Its end is published. If the device comes back soon, it was only slow: it did not arrive anew.
    package var isOver = false

    func mayEnd(by now: Instant) -> Bool { due <= now && !isOver }
  }

  private var table: Lent<Entry>
  package private(set) var count = 0
  package private(set) var next = Instant.never

  /// Some times as many as a site has places. A visit that finds no room ends at once.
  private static let most = 512

  package init(in arena: inout Arena) { table = arena.take(Self.most, of: Entry.self) }

  package static var bytes: Int { Arena.bytes(for: most, of: Entry.self) }

  package subscript(index: Int) -> Entry { table[index] }

  /// False when there is no room.
  package mutating func add(_ entry: Entry) -> Bool {
    if find(entry.identity, Int(entry.place)) != nil { return true }
    guard count < Self.most else { return false }
    table[count] = entry
    count += 1
    next = min(next, entry.due)
    return true
  }

  private func find(_ identity: Identity, _ place: Int) -> Int? {
    for index in 0..<count where Int(table[index].place) == place && table[index].identity == identity { return index }
    return nil
  }

  /// The device is heard again: this run goes on with its visit.
  package mutating func take(_ identity: Identity, at place: Int) -> Entry? {
    guard count > 0, let index = find(identity, place) else { return nil }
    return remove(index)
  }

  /// Whether it waits there: its visit is not over.
  func isOpen(_ identity: Identity, at place: Int) -> Bool {
    guard count > 0, let index = find(identity, place) else { return false }
    return !table[index].isOver
  }

  /// How many wait at a place.
  func open(at place: Int) -> Int {
    var open = 0
    for index in 0..<count where Int(table[index].place) == place && !table[index].isOver { open += 1 }
    return open
  }

  /// Whether one of them may be the same phone under another address.
  package func mayHold(_ identity: Identity, at place: Int) -> Bool {
    for index in 0..<count where Int(table[index].place) == place && identity.mayBeSamePhone(to: table[index].identity) { return true }
    return false
  }

  /// The next visit whose time is over. Its end must be published. It stays for a while as one that may only be slow, and then vanishes
  /// silently.
  package mutating func takeExpired(by now: Instant) -> Entry? {
    var index = 0
    while index < count {
      guard table[index].due <= now else {
        index += 1
        continue
      }
      if table[index].isOver {
        _ = remove(index)
        continue
      }
      table[index].isOver = true
      table[index].due = now + Limits.longestSilence
      return table[index]
    }
    findNext()
    return nil
  }

  mutating func postpone(_ index: Int, until moment: Instant) { table[index].due = max(table[index].due, moment) }

  /// Any visit at a place that does not stay and whose end must be published, until none is left. The others there are discarded.
  package mutating func take(unless staying: Renumbering) -> Entry? {
    for index in stride(from: count - 1, through: 0, by: -1) where staying[Int(table[index].place)] == nil {
      let entry = remove(index)
      if !entry.isOver { return entry }
    }
    findNext()
    return nil
  }

  package mutating func renumber(_ numbers: Renumbering) {
    for index in 0..<count { table[index].place = UInt8(numbers[Int(table[index].place)] ?? 0) }
  }

  private mutating func remove(_ index: Int) -> Entry {
    let entry = table[index]
    count -= 1
    table[index] = table[count]
    return entry
  }

  private mutating func findNext() {
    next = .never
    for index in 0..<count { next = min(next, table[index].due) }
  }
}
