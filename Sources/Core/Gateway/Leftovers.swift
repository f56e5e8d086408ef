/// Who was inside a region, or served at a trigger, when the run before ended: until they are heard again, or have been silent for so
/// long that they are gone.
package struct Leftovers: ~Copyable {
  package struct Entry: BitwiseCopyable {
    package var identity = Identity(.address)
    package var place: UInt8 = 0
    package var since = Instant.zero
    /// Who is not heard until then has gone.
    package var due = Instant.never
    /// That it has gone was told. If it comes so soon, it was slow: nobody saw it arrive.
    package var isOver = false
  }

  private var table: Lent<Entry>
  package private(set) var count = 0
  package private(set) var next = Instant.never

  /// As many as a site has places for, some times over; whoever finds no room is told to have gone at once.
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

  /// It is heard again: whatever is told of it from now on is this run's.
  package mutating func take(_ identity: Identity, at place: Int) -> Entry? {
    guard count > 0, let index = find(identity, place) else { return nil }
    return remove(index)
  }

  /// One whose time is over: to be told, and kept for a while as one that may only be slow; then to be forgotten, which nobody is told.
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

  /// All that are to be told, one after another: their places are not what they were.
  package mutating func takeAny() -> Entry? {
    while count > 0 {
      let entry = remove(count - 1)
      if !entry.isOver { return entry }
    }
    next = .never
    return nil
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
