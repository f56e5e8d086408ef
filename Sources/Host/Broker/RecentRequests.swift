import Core

/// The last requests with an id, and their replies: a repeated request is answered again, not carried out again. Another command with the
/// same id is not a repetition, nor is one that comes much later, or that another has undone: a till may give all its requests one id.
struct RecentRequests {
  enum Found {
    case unknown
    case pending
    case answered(Message)
  }

  private struct Entry {
    let ticket: Ticket
    let command: RemoteCommand
    let at: Instant
    var reply: Message?
  }

  /// The manual says so; 190 KB, where there are so many.
  private static let most = 128
  /// A broker repeats what was under way when the line broke.
  private static let memory = Interval.seconds(600)

  private var entries: [Entry] = []

  func find(_ command: RemoteCommand, _ request: Text<64>, at now: Instant) -> Found {
    for entry in entries where entry.ticket.request == request && entry.command == command && now - entry.at < Self.memory {
      return entry.reply.map { .answered($0) } ?? .pending
    }
    return .unknown
  }

  mutating func record(_ command: RemoteCommand, _ ticket: Ticket, at now: Instant) {
    entries.removeAll { $0.ticket.request == ticket.request && $0.command == command }
    if entries.count == Self.most { entries.removeFirst() }
    entries.append(Entry(ticket: ticket, command: command, at: now, reply: nil))
  }

  /// What a new command undoes is no repetition when it comes again. The broker repeats in order: in the end the last one holds.
  mutating func forget(supersededBy command: RemoteCommand) { entries.removeAll { command.supersedes($0.command) } }

  /// It was not accepted: if repeated, it counts as new.
  mutating func remove(_ ticket: Ticket) { entries.removeAll { $0.ticket.number == ticket.number } }

  mutating func record(_ reply: borrowing Message) {
    for index in entries.indices where entries[index].ticket.number == reply.sequence { entries[index].reply = copy reply }
  }
}
