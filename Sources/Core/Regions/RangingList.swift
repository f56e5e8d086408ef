/// The devices of one ranging round, nearest first, unknown last; as many as fit into a message.
package struct RangingList: ~Copyable {
  private struct Row: BitwiseCopyable {
    var slot: Int
    var estimate: Estimate?

    /// Equal distances by slot, so that the order is the same on every machine.
    func precedes(_ other: Row) -> Bool {
      switch (estimate, other.estimate) {
      case (let mine?, let theirs?): mine.distance == theirs.distance ? slot < other.slot : mine.distance < theirs.distance
      case (.some, nil): true
      case (nil, .some): false
      case (nil, nil): slot < other.slot
      }
    }
  }

  private var rows = Bounded<8, Row>(filledWith: Row(slot: 0, estimate: nil))
  private var count = 0

  package init() {}

  package mutating func insert(_ slot: Int, _ estimate: Estimate?) {
    count += 1
    var row = Row(slot: slot, estimate: estimate)
    for index in rows.indices where row.precedes(rows[index]) {
      let displaced = rows[index]
      rows[index] = row
      row = displaced
    }
    // Full: the farthest is left out.
    _ = rows.append(row)
  }
}

extension RangingList {
  /// Room for what follows the list: the count, the time, a rehearsal's mark.
  private static let tail = 96

  /// Writes the members of a ranging message. Rows that do not fit are left out; `count` includes them.
  package func write(
    to publisher: inout Publisher, of devices: borrowing Devices, _ settings: borrowing Settings, at now: Instant
  ) {
    publisher.json.array("devices")
    for index in rows.indices {
      let before = publisher.json.count
      let row = rows[index]
      publisher.json.openObject()
      publisher.json.members(of: devices[row.slot].identity, settings)
      publisher.compose(devices[row.slot], row.estimate)
      publisher.json.closeObject()
      guard publisher.json.free < Self.tail else { continue }
      publisher.json.truncate(to: before)
      break
    }
    publisher.json.closeArray()
    publisher.json.member("count", Int64(count))
    publisher.stamp("at", now)
  }
}
