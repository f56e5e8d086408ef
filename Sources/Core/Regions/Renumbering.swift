/// The numbers of a configuration's rows in the next one: a reload keeps what it does not concern.
package struct Renumbering: BitwiseCopyable, Sendable {
  private var numbers = InlineArray<64, Int8>(repeating: -1)

  package init() {}

  package subscript(old: Int) -> Int? {
    get { numbers[old] < 0 ? nil : Int(numbers[old]) }
    set { numbers[old] = newValue.map { Int8($0) } ?? -1 }
  }

  /// The same values, each at its row's new number.
  package func moved<Value: BitwiseCopyable>(_ values: InlineArray<64, Value>, fresh: Value) -> InlineArray<64, Value> {
    var moved = InlineArray<64, Value>(repeating: fresh)
    for old in 0..<64 where numbers[old] >= 0 { moved[Int(numbers[old])] = values[old] }
    return moved
  }
}

extension Settings {
  /// Where the regions of these names are.
  func regionsByName(in next: borrowing Settings) -> Renumbering {
    var numbers = Renumbering()
    for old in regions.indices { numbers[old] = next.region(named: regions[old].name) }
    return numbers
  }

  /// A region remains the same while its name stays and its `match` loses nothing, or the new `match` is among those in `matching`.
  package func renumberedRegions(in next: borrowing Settings, matching: UInt64 = 0) -> Renumbering {
    var numbers = regionsByName(in: next)
    for old in regions.indices {
      guard let new = numbers[old], matching & 1 << UInt64(new) == 0 else { continue }
      if !matchesStill(regions[old].match, next, next.regions[new].match) { numbers[old] = nil }
    }
    return numbers
  }

  /// Whether every device has the same identity as before.
  func identifiesAlike(_ next: borrowing Settings) -> Bool {
    guard keys.count == next.keys.count, services.count == next.services.count else { return false }
    for index in keys.indices where keys[index] != next.keys[index] { return false }
    for index in services.indices where services[index] != next.services[index] { return false }
    return true
  }

  package func matchesAlike(_ match: Slice, _ other: borrowing Settings, _ otherMatch: Slice) -> Bool {
    match.count == otherMatch.count && matchesStill(match, other, otherMatch)
  }

  /// Whether the other `match` has all selectors of this one: then it matches all devices that this one matches, by whichever of their names.
  @inline(never) @_optimize(size)
  func matchesStill(_ match: Slice, _ other: borrowing Settings, _ otherMatch: Slice) -> Bool {
    for mine in match.range {
      var isThere = false
      for index in otherMatch.range where selectors[mine] == other.selectors[index] { isThere = true }
      guard isThere else { return false }
    }
    return true
  }
}
