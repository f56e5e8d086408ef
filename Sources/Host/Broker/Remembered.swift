import Core

/// The last requests that carried an id, and what they were answered: asked again, nothing is done again.
struct Remembered {
  enum Found {
    case unknown
    case pending
    case answered(Message)
  }

  private struct Entry {
    var ticket: Ticket
    var reply: Message?
  }

  /// At the pace commands are let in, a minute's worth after a burst; 48 KB.
  private static let most = 32

  private var entries: [Entry] = []

  func find(_ ticket: Ticket) -> Found {
    for entry in entries where entry.ticket.command == ticket.command && entry.ticket.request == ticket.request {
      return entry.reply.map { .answered($0) } ?? .pending
    }
    return .unknown
  }

  mutating func begin(_ ticket: Ticket) {
    if entries.count == Self.most { entries.removeFirst() }
    entries.append(Entry(ticket: ticket, reply: nil))
  }

  /// It was not taken on: asked again, it is a new one.
  mutating func forget(_ ticket: Ticket) { entries.removeAll { $0.ticket.number == ticket.number } }

  mutating func answer(_ reply: borrowing Message) {
    for index in entries.indices where entries[index].ticket.number == reply.sequence { entries[index].reply = copy reply }
  }
}

/// How much each neighbour may say: a busy forecourt's claims, but no flood.
struct Neighbours {
  private struct Neighbour {
    var name: Name
    var pace = TokenBucket(burst: 100, pace: .milliseconds(10))
    var heard: Instant
  }

  /// The gateways of the largest site; a 65th takes the place of the one silent longest, if that is a minute.
  private static let most = 64

  private var neighbours: [Neighbour] = []

  mutating func mayTalk(_ name: RawSpan, at now: Instant) -> Bool {
    guard name.byteCount > 0, name.byteCount <= Name.capacity else { return false }
    var oldest = 0
    for index in neighbours.indices {
      if neighbours[index].name.bytes.equals(name) {
        neighbours[index].heard = now
        return neighbours[index].pace.take(at: now)
      }
      if neighbours[index].heard < neighbours[oldest].heard { oldest = index }
    }
    let newcomer = Neighbour(name: Name(name), heard: now)
    if neighbours.count < Self.most {
      oldest = neighbours.count
      neighbours.append(newcomer)
    } else if now - neighbours[oldest].heard > .seconds(60) {
      neighbours[oldest] = newcomer
    } else {
      return false
    }
    return neighbours[oldest].pace.take(at: now)
  }
}
