/// Who of several gateways may fire, settled by claims that may come late, twice or never.
///
/// A gateway that wants to fire says so (`intent`) and fires only when every neighbour that competes has answered *that* claim or
/// a later one without wanting to fire itself. Answers are told by the number of the claim they echo, so neither clocks nor
/// delays matter. Of two that want it at once the one with the lower level gives way. A neighbour that does not answer keeps it
/// from firing: if in doubt, nobody fires, and the driver can still ask for the pump by its number.
package struct Arbitration: BitwiseCopyable {
  /// Ours, in the order in which they were made.
  package private(set) var sequence: UInt32 = 0
  package private(set) var neighbours = Bounded<32, Neighbour>(filledWith: Neighbour())
  /// nil: nobody has told of a broker, as in a replay; then there are no neighbours either.
  private var connectedSince: Instant?
  package private(set) var isConnected = true
  package private(set) var claimsRefused: UInt64 = 0
  private var budget = Self.claimsPerSecond
  private var budgetSince = Instant.zero

  /// The neighbours' retained statuses arrive within this time after a connection.
  private static let acquaintance = Interval.seconds(2)
  /// A neighbour answers a dozen encounters twice a second, and bursts.
  private static let claimsPerSecond = 400

  package init() {}

  package mutating func connected(_ isConnected: Bool, at now: Instant) {
    if !isConnected || !self.isConnected || connectedSince == nil { connectedSince = now }
    self.isConnected = isConnected
  }

  /// Whether we know who else is there.
  package func isAcquainted(at now: Instant) -> Bool {
    guard let connectedSince else { return true }
    return isConnected && now - connectedSince >= Self.acquaintance
  }

  package mutating func met(_ neighbour: Neighbour) {
    for index in neighbours.indices where neighbours[index].name == neighbour.name {
      // A last will says no more than that.
      if neighbour.isOnline { neighbours[index] = neighbour } else { neighbours[index].isOnline = false }
      return
    }
    if neighbours.append(neighbour) != nil { claimsRefused += 1 }
  }

  package func find(_ name: Name) -> Int? {
    for index in neighbours.indices where neighbours[index].name == name { return index }
    return nil
  }

  /// Whether this run of it has just come, and will be remembered: two that greet each other must not go on for ever.
  package func isNews(_ neighbour: Neighbour) -> Bool {
    guard neighbour.isOnline else { return false }
    guard let known = find(neighbour.name) else { return !neighbours.isFull }
    return !neighbours[known].isOnline || neighbours[known].boot != neighbour.boot
  }

  package func hasCompetitor(in group: Name) -> Bool {
    for index in neighbours.indices where neighbours[index].competes(in: group) { return true }
    return false
  }

  package func isAnybodyAway(from group: Name) -> Bool {
    for index in neighbours.indices where neighbours[index].isAway(from: group) { return true }
    return false
  }

  package mutating func nextSequence() -> UInt32 {
    sequence &+= 1
    return sequence
  }

  /// Claims are strangers' words: what makes no sense or comes too often is refused and counted.
  package mutating func admits(_ claim: Claim, from us: Name, simulated: Bool, at now: Instant) -> Bool {
    if now - budgetSince >= .seconds(1) { (budget, budgetSince) = (Self.claimsPerSecond, now) }
    guard claim.isPlausible, claim.simulated == simulated, claim.gateway != us, budget > 0 else {
      claimsRefused += claim.gateway == us ? 0 : 1
      return false
    }
    budget -= 1
    return true
  }
}

extension Gateway {
  /// Whether somebody has come who may not know of us yet.
  package func isNews(_ neighbour: Neighbour) -> Bool {
    neighbour.simulated == settings.gateway.simulated && triggers.arbitration.isNews(neighbour)
  }
}
