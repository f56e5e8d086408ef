import Core

/// The last requests with an id, and their replies: a repeated request is answered again, not carried out again.
struct RecentRequests {
  enum Found {
    case unknown
    case pending
    case answered(Message)
  }

  private struct Entry {
    var ticket: Ticket
    var reply: Message?
  }

  /// A few seconds of commands at the highest rate, after a burst; 48 KB.
  private static let most = 32

  private var entries: [Entry] = []

  func find(_ ticket: Ticket) -> Found {
    for entry in entries where entry.ticket.command == ticket.command && entry.ticket.request == ticket.request {
      return entry.reply.map { .answered($0) } ?? .pending
    }
    return .unknown
  }

  mutating func record(_ ticket: Ticket) {
    if entries.count == Self.most { entries.removeFirst() }
    entries.append(Entry(ticket: ticket, reply: nil))
  }

  /// It was not accepted: if repeated, it counts as new.
  mutating func remove(_ ticket: Ticket) { entries.removeAll { $0.ticket.number == ticket.number } }

  mutating func record(_ reply: borrowing Message) {
    for index in entries.indices where entries[index].ticket.number == reply.sequence { entries[index].reply = copy reply }
  }
}
