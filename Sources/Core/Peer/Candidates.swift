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
    var levelAtFailure = Int8.min
    var rhythm = AdvertRhythm(at: .zero)
    /// Calls in a row that ended before it had to advertise, or met one advert only.
    var briefCalls: UInt8 = 0
    var state = State.unasked(since: .zero)
  }

  /// A resolvable address lives 15 minutes.
  package static let lifetime = Interval.seconds(16 * 60)
  /// After the first failure, so that a phone that renews its address in mid-visit is asked twice before its old address counts as silent.
  private static let firstBan = Interval.seconds(4)
  private static let ban = Interval.seconds(15)
  /// In dB.
  private static let rise = 10
  /// A device that has been silent for longer may be gone.
  private static let freshness = Interval.seconds(2)
  /// What a call needs that must last until an advert comes, nobody knows when.
  private static let leastUnaimed = Interval.milliseconds(1_500)
  /// After so many brief calls it is the device's own fault.
  private static let mostBriefCalls: UInt8 = 3

  private let uuid: ServiceUUID
  private let byte: Int
  private let mask: UInt8
  /// A gateway's second radio leaves the first one a moment to ask, and each gateway leaves the others one.
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
    list[place].rhythm.hear(at: now)
    guard report.isAudible else { return }
    list[place].level = report.level
    endBan(place, at: now)
  }

  /// It failed far away, and has come nearer.
  private mutating func endBan(_ place: Int, at now: Instant) {
    guard case .banned(let until, let failures) = list[place].state, until > now else { return }
    if Int(list[place].level) - Int(list[place].levelAtFailure) >= Self.rise { list[place].state = .banned(until: now, failures: failures) }
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
    candidate.rhythm = AdvertRhythm(at: now)
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

  /// The strongest of all that may be asked now, and will advertise soon; after every other failure the one that has waited longest: strangers
  /// that never answer, and change their addresses, would take all the time that there is.
  func next(at now: Instant, within allowance: Interval = .seconds(2)) -> Address? {
    var best: Int?
    for index in 0..<count where isFresh(index, at: now) && opens(list[index].state) <= now {
      guard list[index].rhythm.isDue(at: now), isAffordable(index, allowance) else { continue }
      if let best, !isBefore(index, best) { continue }
      best = index
    }
    return best.map { list[$0].address }
  }

  /// When the next device may be asked that may not be asked now; its advert may come first.
  func nextCall(after now: Instant) -> Instant {
    var next = Instant.never
    for index in 0..<count where isFresh(index, at: now) {
      let opening = opens(list[index].state)
      next = min(next, opening > now ? opening : list[index].rhythm.nextCall(after: now))
    }
    return next
  }

  /// For its advert only.
  func isAnybodyWaiting(at now: Instant) -> Bool {
    for index in 0..<count where isFresh(index, at: now) && opens(list[index].state) <= now { return true }
    return false
  }

  /// How long to wait for a connection.
  func patience(with address: Address) -> Interval { find(address).map { list[$0].rhythm.patience } ?? Self.freshness }

  private func isFresh(_ index: Int, at now: Instant) -> Bool {
    let interval = list[index].rhythm.interval ?? .zero
    let silence = max(Self.freshness, Interval(microseconds: interval.microseconds * 5 / 4))
    return now - list[index].heard <= silence
  }

  /// Without a rhythm it is called once.
  private func isAffordable(_ index: Int, _ allowance: Interval) -> Bool {
    list[index].rhythm.interval != nil || list[index].briefCalls == 0 && allowance >= Self.leastUnaimed
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
    list[place].briefCalls = 0
    asksOldest = false
  }

  mutating func askAgain(_ address: Address, at now: Instant) {
    if let place = find(address) { list[place].state = .unasked(since: now) }
  }

  /// Backs off for 4 s, then for 15 s, up to twice that where two gateways might collide, and twice as long after each failure. A device that
  /// advertises seldom may have missed our call: it is called again at its next advert, twice.
  mutating func failed(_ address: Address, _ failure: PeerFailure = .silent, at now: Instant) {
    let place = place(of: address, at: now)
    // A neighbour has asked it meanwhile, perhaps while it could not answer us for that very reason.
    if case .known(let until) = list[place].state, until > now { return }
    asksOldest.toggle()
    if failure == .unreachable && !list[place].rhythm.isFast {
      list[place].briefCalls += 1
      if list[place].briefCalls < Self.mostBriefCalls { return wait(place, at: now) }
    }
    (list[place].briefCalls, list[place].levelAtFailure) = (0, list[place].level)
    var failures: UInt8 = 0
    if case .banned(_, let before) = list[place].state { failures = min(before + 1, 7) }
    let ban = failures == 0 ? Self.firstBan + stagger * 13 : (Self.ban + stagger * 50) * (1 << Int64(failures - 1))
    list[place].state = .banned(until: now + min(ban, Self.lifetime), failures: failures)
  }

  /// To the end of the queue. Who was banned before is banned for longer if it fails once more.
  private mutating func wait(_ place: Int, at now: Instant) {
    if case .banned(_, let failures) = list[place].state {
      list[place].state = .banned(until: now, failures: failures)
    } else {
      list[place].state = .unasked(since: now)
    }
  }
}
