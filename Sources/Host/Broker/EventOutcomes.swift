import Core

/// What became of events, by row, until it stands in the file. While the file takes nothing these can be many, and each event that goes next
/// is looked for among them.
struct EventOutcomes {
  /// In the order of the rows: nearly always the newest is the last.
  private(set) var all: [(row: Int64, state: Outbox.State)] = []

  var count: Int { all.count }

  mutating func append(_ row: Int64, _ state: Outbox.State) {
    let place = place(of: row)
    if place < all.count, all[place].row == row { return }
    all.insert((row, state), at: place)
  }

  func contains(_ row: Int64) -> Bool {
    let place = place(of: row)
    return place < all.count && all[place].row == row
  }

  /// As often as the file takes some, more follow: the memory is kept.
  mutating func removeAll() { all.removeAll(keepingCapacity: true) }

  /// Of the row, or of the first after it.
  private func place(of row: Int64) -> Int {
    if let last = all.last, last.row < row { return all.count }
    var (low, high) = (0, all.count)
    while low < high {
      let middle = (low + high) / 2
      if all[middle].row < row { low = middle + 1 } else { high = middle }
    }
    return low
  }
}
