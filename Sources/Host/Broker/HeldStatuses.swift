import Core

/// The statuses of neighbours that found the core's ring full: the latest of each, handed over before anything else as soon as there is room.
///
/// The broker says only once that a gateway has gone, or come: a flood of other messages must not swallow it.
struct HeldStatuses {
  private var statuses: [Neighbour] = []

  var isEmpty: Bool { statuses.isEmpty }

  /// False if there are too many.
  mutating func put(_ status: Neighbour) -> Bool {
    if let place = statuses.firstIndex(where: { $0.name == status.name }) {
      statuses[place] = status
      return true
    }
    guard statuses.count < Roster.capacity else { return false }
    statuses.append(status)
    return true
  }

  mutating func hand(to requests: Ring<Request>) {
    while let first = statuses.first, requests.push(.neighbour(first)) == nil { statuses.removeFirst() }
  }
}
