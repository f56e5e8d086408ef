/// Which devices to ask, and when: those that offer our service, openly or in Apple's overflow area, once for each address.
package struct Candidates: ~Copyable {
  private enum State: BitwiseCopyable, Sendable {
    case unasked(since: Instant)
    /// After so many failures in a row; not before `until`.
    case banned(until: Instant, failures: UInt8)
    /// Identified, or known to have no id.
    case known(until: Instant)
  }

  private struct Candidate: BitwiseCopyable, Sendable {
    var address = Address(word: 0)
    var heard = Instant.zero
    /// Nobody knows it yet: it is asked last.
    var level = Int8.min
    var state = State.unasked(since: .zero)
  }

  /// A resolvable address lives 15 minutes.
  package static let lifetime = Interval.seconds(16 * 60)
  private static let ban = Interval.seconds(15)
  /// A device that has been silent for longer may be gone.
  private static let freshness = Interval.seconds(2)

  private let uuid: ServiceUUID
  private let byte: Int
  private let mask: UInt8
  /// A gateway's second radio leaves the first one a moment to ask.
  private let courtesy: Interval
  /// Two gateways that both offer and look for the service would connect to each other at the same moment, and fail for ever: each waits a
  /// time of its own.
  private let stagger: Interval
  private var list: Lent<Candidate>
  private var count = 0
  private var asksOldest = false

  /// `salt` is the gateway's own number, where it offers the service itself.
  init(_ service: ServiceUUID, courtesy: Interval, salt: UInt32, in arena: inout Arena) {
    list = arena.take(Limits.candidates, of: Candidate.self)
    uuid = service
    let position = service.overflowPosition
    byte = Int(position >> 3)
    mask = 0x80 >> (position & 7)
    self.courtesy = courtesy
    stagger = .milliseconds(Int64(salt % 300))
  }

  static var bytes: Int { Arena.bytes(for: Limits.candidates, of: Candidate.self) }

  // MARK: What is heard

  mutating func observe(_ report: Report, at now: Instant) {
    // A phone that also sends something else puts its overflow area into the scan response.
    guard report.traits.contains(.connectable) || report.isScanResponse else { return }
    guard report.address.kind == .public || report.address.kind == .random, isOffered(in: report.data) else { return }
    let place = place(of: report.address, at: now)
    list[place].heard = now
    if report.isAudible { list[place].level = report.level }
  }

  func isOffered(in data: RawSpan) -> Bool {
    var fields = Fields(data)
    while let field = fields.next() {
      switch field {
      case .services(var offered): while let service = offered.next() { if service == uuid { return true } }
      case .manufacturer(AppleMessages.company, let data): if isHinted(in: data) { return true }
      default: break
      }
    }
    return false
  }

  private func isHinted(in data: RawSpan) -> Bool {
    var messages = AppleMessages(data)
    while let message = messages.next() {
      if message.kind == AppleMessages.Kind.overflow && message.content[byte] & mask != 0 { return true }
    }
    return false
  }

  private func find(_ address: Address) -> Int? {
    for index in 0..<count where list[index].address == address { return index }
    return nil
  }

  /// A new address evicts the longest silent one.
  private mutating func place(of address: Address, at now: Instant) -> Int {
    if let place = find(address) { return place }
    var candidate = Candidate()
    (candidate.address, candidate.heard, candidate.state) = (address, now, .unasked(since: now))
    if count < list.count {
      list[count] = candidate
      count += 1
      return count - 1
    }
    var oldest = 0
    for index in 0..<count where list[index].heard < list[oldest].heard { oldest = index }
    list[oldest] = candidate
    return oldest
  }

  // MARK: Whose turn it is

  /// The strongest of all that may be asked now; after every other failure the one that has waited longest: strangers that never answer, and
  /// change their addresses, would take all the time that there is.
  func next(at now: Instant) -> Address? {
    var best: Int?
    for index in 0..<count where now - list[index].heard <= Self.freshness && opens(list[index].state) <= now {
      if let best, !isBefore(index, best) { continue }
      best = index
    }
    return best.map { list[$0].address }
  }

  private func isBefore(_ one: Int, _ other: Int) -> Bool {
    asksOldest ? opens(list[one].state) < opens(list[other].state) : list[one].level > list[other].level
  }

  private func opens(_ state: State) -> Instant {
    switch state {
    case .unasked(let since): since + courtesy + stagger
    case .banned(let until, _), .known(let until): until
    }
  }

  /// It is known: it answered, or a neighbour asked it.
  mutating func markKnown(_ address: Address, at now: Instant) {
    let isNew = find(address) == nil
    let place = place(of: address, at: now)
    // We have not heard it: it must not count as near.
    if isNew { list[place].heard = now - Self.freshness - Self.freshness }
    list[place].state = .known(until: now + Self.lifetime)
    asksOldest = false
  }

  /// Backs off for 15 s, up to twice that where two gateways might collide, and twice as long after each failure.
  mutating func failed(_ address: Address, at now: Instant) {
    asksOldest.toggle()
    let place = place(of: address, at: now)
    var failures: UInt8 = 0
    if case .banned(_, let before) = list[place].state { failures = min(before + 1, 6) }
    list[place].state = .banned(until: now + min((Self.ban + stagger * 50) * (1 << Int64(failures)), Self.lifetime), failures: failures)
  }
}

/// How long connecting may keep a radio from scanning: 5 % of the time, and 2 s at once. No minute loses more than 5 s.
struct Deafness: BitwiseCopyable, Sendable {
  private var left = Self.most
  private var counted = Instant.zero

  private static let most = Interval.milliseconds(2_000)
  private static let share: Int64 = 20
  /// Less is not worth an attempt: many phones advertise four times a second.
  private static let least = Interval.milliseconds(400)

  /// How long a connection attempt may take now.
  mutating func allowance(at now: Instant) -> Interval? {
    left = min(left + Interval(microseconds: max((now - counted).microseconds, 0) / Self.share), Self.most)
    counted = now
    return left >= Self.least ? left : nil
  }

  mutating func spend(_ interval: Interval) { left = left - interval }

  /// An attempt that ended with the radio: once it is tried again at once, but a radio that fails each time is not always asked.
  mutating func spendFailure(of interval: Interval) { spend(max(Self.least, min(interval, .milliseconds(1_500)))) }
}
