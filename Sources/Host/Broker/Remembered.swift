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
