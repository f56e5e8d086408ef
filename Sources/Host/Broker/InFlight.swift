import Core

/// What an acknowledgement will be for.
enum Publication: BitwiseCopyable {
  /// `file` tells the rows of one outbox file from those of the next.
  case event(row: Int64, file: UInt32, isUrgent: Bool)
  /// An event that only memory holds, because the disk does not.
  case held(number: UInt64)
  case state(slot: Int, version: UInt32)
  case reply(number: UInt64)
}

/// Publications the broker has not acknowledged yet. Few at a time, so that little is sent twice after a loss.
struct InFlight {
  static let capacity = 128

  private struct Entry: BitwiseCopyable {
    var identifier: Int32 = 0
    var publication = Publication.reply(number: 0)
    var since = Instant.zero
    var isInDoubt = false
  }

  private var entries = Bounded<128, Entry>(filledWith: Entry())

  var isEmpty: Bool { entries.isEmpty }
  var room: Int { Self.capacity - entries.count }

  mutating func removeAll() { entries.removeAll() }

  func holds(_ identifier: Int32) -> Bool { index(of: identifier) != nil }

  func holds(row: Int64, file: UInt32) -> Bool {
    for index in entries.indices { if case .event(row, file, _) = entries[index].publication { return true } }
    return false
  }

  /// Since when the one that waits longest has waited.
  var oldest: Instant? {
    var oldest: Instant?
    for index in entries.indices { oldest = min(oldest ?? .never, entries[index].since) }
    return oldest
  }

  mutating func add(_ identifier: Int32, _ publication: Publication, at now: Instant) {
    doubt(identifier)
    let refused = entries.append(Entry(identifier: identifier, publication: publication, since: now, isInDoubt: holds(identifier)))
    precondition(refused == nil, "the courier looks for room before it publishes")
  }

  /// libmosquitto counts packets in 16 bits and looks for no vacancy: the identifier was just given out again.
  mutating func doubt(_ identifier: Int32) {
    for index in entries.indices where entries[index].identifier == identifier { entries[index].isInDoubt = true }
  }

  /// What was acknowledged; `isCertain` unless the identifier had been given out twice meanwhile.
  mutating func take(_ identifier: Int32) -> (publication: Publication, isCertain: Bool)? {
    guard let index = index(of: identifier) else { return nil }
    let entry = entries[index]
    entries.remove(at: index)
    return (entry.publication, !entry.isInDoubt)
  }

  private func index(of identifier: Int32) -> Int? {
    for index in entries.indices where entries[index].identifier == identifier { return index }
    return nil
  }
}
