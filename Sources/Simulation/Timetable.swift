/// Which phone sends next: a heap of transmitters by due time.
struct Timetable: Sendable {
  private struct Entry: BitwiseCopyable, Sendable {
    var due: Int64
    var transmitter: Int

    /// Ties go by number, so that the order is the same on every machine.
    func isBefore(_ other: Entry) -> Bool { due == other.due ? transmitter < other.transmitter : due < other.due }
  }

  private var heap: [Entry] = []

  init(_ transmitters: [Transmitter]) {
    heap.reserveCapacity(transmitters.count)
    for index in transmitters.indices { heap.append(Entry(due: transmitters[index].due, transmitter: index)) }
    for place in heap.indices.reversed() { sink(from: place) }
  }

  var first: (due: Int64, transmitter: Int)? { heap.first.map { ($0.due, $0.transmitter) } }

  mutating func postponeFirst(to due: Int64) {
    heap[0].due = due
    sink(from: 0)
  }

  private mutating func sink(from place: Int) {
    var place = place
    while true {
      var child = 2 * place + 1
      guard child < heap.count else { return }
      if child + 1 < heap.count, heap[child + 1].isBefore(heap[child]) { child += 1 }
      guard heap[child].isBefore(heap[place]) else { return }
      heap.swapAt(place, child)
      place = child
    }
  }
}
