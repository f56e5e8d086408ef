import Core

/// Limits what each gateway says, one kind of message apart from the others: however many devices it claims, its hello comes through, and
/// the broker's word that it has gone.
struct SitePaces {
  enum Kind { case claim, hello, status, peer }

  private var claims = RateLimiter(TokenBucket(burst: Limits.claimsPerSecond, pace: Self.claimPace))
  private var hellos = RateLimiter()
  private var statuses = RateLimiter()
  private var peers = RateLimiter()

  private static let claimPace = Interval(microseconds: 1_000_000 / Int64(Limits.claimsPerSecond))

  mutating func allows(_ kind: Kind, of gateway: RawSpan, at now: Instant) -> Bool {
    switch kind {
    case .claim: return claims.allows(gateway, at: now)
    case .hello: return hellos.allows(gateway, at: now)
    case .status: return statuses.allows(gateway, at: now)
    case .peer: return peers.allows(gateway, at: now)
    }
  }
}

/// Limits the messages in each gateway's name: room for what it has to say, but not for a flood.
struct RateLimiter {
  private struct Sender {
    var name: Name
    var pace: TokenBucket
    let since: Instant
    var heard: Instant

    func isSettled(at now: Instant) -> Bool { heard - since >= RateLimiter.settled && now - heard <= RateLimiter.patience }
  }

  /// The gateways of the largest site.
  private static let most = 64
  /// A sender that has been active for so long keeps its place; a newer one may be evicted.
  private static let settled = Interval.seconds(10)
  private static let patience = Interval.seconds(60)

  /// A new sender's.
  private let pace: TokenBucket
  private var senders: [Sender] = []

  init(_ pace: TokenBucket = TokenBucket(burst: 100, pace: .milliseconds(10))) { self.pace = pace }

  mutating func allows(_ name: RawSpan, at now: Instant) -> Bool {
    guard name.byteCount > 0, name.byteCount <= Name.capacity else { return false }
    guard let place = place(of: name, at: now) else { return false }
    senders[place].heard = now
    return senders[place].pace.take(at: now)
  }

  private mutating func place(of name: RawSpan, at now: Instant) -> Int? {
    for index in senders.indices where senders[index].name.bytes.equals(name) { return index }
    let newcomer = Sender(name: Name(name), pace: pace, since: now, heard: now)
    guard senders.count == Self.most else {
      senders.append(newcomer)
      return senders.count - 1
    }
    var oldest: Int?
    for index in senders.indices where !senders[index].isSettled(at: now) {
      if oldest.map({ senders[index].heard < senders[$0].heard }) ?? true { oldest = index }
    }
    if let oldest { senders[oldest] = newcomer }
    return oldest
  }
}

/// Limits the commands, and what is said to those that come too fast. What may repeat, such as a monitor's pings, has its own turns: it
/// takes none from a till.
struct CommandPaces {
  private struct Pace {
    /// People and scripts type no faster.
    var commands = TokenBucket(burst: 10, pace: .milliseconds(200))
    var complaints = TokenBucket(burst: 2, pace: .seconds(1))
  }

  private var repeating = Pace()
  private var others = Pace()

  mutating func allows(_ kind: RemoteCommand.Kind, at now: Instant) -> Bool {
    kind.mayRepeat ? repeating.commands.take(at: now) : others.commands.take(at: now)
  }

  mutating func allowsComplaint(about kind: RemoteCommand.Kind, at now: Instant) -> Bool {
    kind.mayRepeat ? repeating.complaints.take(at: now) : others.complaints.take(at: now)
  }
}
