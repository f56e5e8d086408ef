import Core

/// What an acknowledgement acknowledges.
enum Publication: BitwiseCopyable, Equatable {
  /// `file` distinguishes the rows of successive outbox files.
  case event(row: Int64, file: UInt32, isUrgent: Bool)
  /// An event that is only in memory, because the disk fails.
  case held(number: UInt64)
  case state(slot: Int, version: UInt64)
  case reply(number: UInt64)

  var isUrgent: Bool { if case .event(_, _, true) = self { true } else { false } }
}

/// Publications that the broker has not acknowledged yet. Few at a time, so that little goes twice after a lost connection.
struct InFlight {
  static let capacity = 128

  /// What the broker takes at once (MQTT 5, 3.2.2.3.3): the rest would queue up in libmosquitto, and a fire behind it.
  var most = capacity { didSet { most = min(max(most, 1), Self.capacity) } }

  private struct Entry: BitwiseCopyable {
    var identifier: Int32 = 0
    var publication = Publication.reply(number: 0)
    var since = Instant.zero
    var isInDoubt = false
  }

  /// When the last one was sent of those that are acknowledged: a broker acknowledges in order.
  private(set) var acknowledged = Instant.zero
  private var entries = Bounded<128, Entry>(filledWith: Entry())

  var isEmpty: Bool { entries.isEmpty }
  var publications: [Publication] { entries.indices.map { entries[$0].publication } }
  var room: Int { most - entries.count }
  /// What stays free for the last status, whatever else is in flight.
  var roomForFarewell: Int { min(most - 1, 1) }
  /// What ordinary events leave free for states and replies, and what they leave besides for urgent ones.
  var reserve: Int { most / 16 }
  var urgentReserve: Int { most * 3 / 16 }

  mutating func removeAll() {
    entries.removeAll()
    most = Self.capacity
  }

  func holds(_ identifier: Int32) -> Bool { index(of: identifier) != nil }

  func holds(row: Int64, file: UInt32) -> Bool {
    for index in entries.indices { if case .event(row, file, _) = entries[index].publication { return true } }
    return false
  }

  /// When the oldest was sent, or the oldest urgent event.
  func oldest(isUrgent: Bool = false) -> Instant? {
    var oldest: Instant?
    for index in entries.indices where !isUrgent || entries[index].publication.isUrgent {
      oldest = min(oldest ?? .never, entries[index].since)
    }
    return oldest
  }

  mutating func add(_ identifier: Int32, _ publication: Publication, at now: Instant) {
    doubt(identifier)
    let refused = entries.append(Entry(identifier: identifier, publication: publication, since: now, isInDoubt: holds(identifier)))
    precondition(refused == nil, "the courier looks for room before it publishes")
  }

  /// The identifier has just been used again: libmosquitto counts packets in 16 bits without checking which are in use.
  mutating func doubt(_ identifier: Int32) {
    for index in entries.indices where entries[index].identifier == identifier { entries[index].isInDoubt = true }
  }

  /// What was acknowledged; not `isCertain` if the identifier was in use twice.
  mutating func take(_ identifier: Int32) -> (publication: Publication, isCertain: Bool)? {
    guard let index = index(of: identifier) else { return nil }
    let entry = entries[index]
    entries.remove(at: index)
    acknowledged = max(acknowledged, entry.since)
    return (entry.publication, !entry.isInDoubt)
  }

  private func index(of identifier: Int32) -> Int? {
    for index in entries.indices where entries[index].identifier == identifier { return index }
    return nil
  }
}
