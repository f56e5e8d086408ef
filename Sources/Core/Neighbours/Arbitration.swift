/// Who of several gateways may fire, settled by claims that may come late, twice or never.
///
/// A gateway that wants to fire says so (`intent`) and fires only when every neighbour that competes has answered *that* claim or
/// a later one without wanting to fire itself. Answers are told by the number of the claim they echo, and by the run that made it, so
/// neither clocks nor delays nor recordings matter. Of two that want it at once the one with the lower level gives way. A neighbour
/// that does not answer keeps it from firing: if in doubt, nobody fires, and the driver can still ask for the pump by its number.
package struct Arbitration: ~Copyable {
  /// Ours, in the order in which they were made.
  package private(set) var sequence: UInt32 = 0
  package private(set) var members = Bounded<64, Member>(filledWith: Member(Name()))
  /// The configuration says who is there: nobody else is.
  private var hasRoster = false
  /// nil: nobody has told of a broker, as in a replay; then there are no neighbours either.
  private var connectedSince: Instant?
  package private(set) var isConnected = true
  /// When our own hello came back first on this connection, and when it did last.
  private var returnedSince: Instant?
  private var returned = Instant.zero
  /// The last hellos, newest first: an echo of an older word tells nothing of now.
  private var marks = InlineArray<8, Mark>(repeating: Mark())
  /// When the next hello is due; never where nobody is to be met.
  package private(set) var due = Instant.never
  private var speaks = false
  /// Where the list of a hello begins, when it does not hold all.
  var listStart = 0
  package private(set) var refused = Refusals()
  /// As of the last hello.
  package internal(set) var hearing = SiteHearing()

  private struct Mark: BitwiseCopyable {
    var number: UInt32 = 0
    var at = Instant.zero
  }

  /// What was said in a neighbour's name and not believed.
  package struct Refusals: BitwiseCopyable, Sendable {
    /// Senseless, too many, of another run, or of somebody whom the roster does not have.
    package var claims: UInt64 = 0
    /// Said before.
    package var replayed: UInt64 = 0
    package var strangers: UInt64 = 0
    /// The last one whom the roster does not have, or for whom there was no room.
    package var stranger = Name()
  }

  private static let helloPace = Interval.seconds(1)
  /// Alone, a hello only shows that it comes back; who comes says hello first.
  private static let lonelyPace = Interval.seconds(10)
  /// Two hellos of everybody who is there.
  private static let acquaintance = Interval.seconds(3)

  package init() {}

  // MARK: The line

  package mutating func connected(_ isConnected: Bool, at now: Instant) {
    if !isConnected || !self.isConnected || connectedSince == nil {
      connectedSince = now
      returnedSince = nil
    }
    self.isConnected = isConnected
    due = speaks && isConnected ? now : .never
  }

  package mutating func reload(_ settings: borrowing Settings) {
    // Who is on the roster is waited for, whether it competes or not.
    speaks = !settings.groups.isEmpty || settings.site.roster.count > 1
    due = speaks && isConnected && connectedSince != nil ? .zero : .never
    hasRoster = !settings.site.roster.isEmpty
    guard hasRoster else {
      for index in members.indices { members[index].strikeOff() }
      return
    }
    for index in members.indices where settings.site.place(of: members[index].name) == nil { members[index].vacate() }
    for index in settings.site.roster.indices where settings.site.roster[index].name != settings.gateway.name {
      let entry = settings.site.roster[index]
      let place = find(entry.name) ?? add(entry.name)
      guard let place else { continue }
      members[place].enroll(entry.groups)
    }
  }

  mutating func nextHello(at now: Instant) -> UInt32 {
    for index in (1..<marks.count).reversed() { marks[index] = marks[index - 1] }
    let number = nextSequence()
    marks[0] = Mark(number: number, at: now)
    due = now + (isAlone && returnedSince != nil ? Self.lonelyPace : Self.helloPace)
    return number
  }

  /// Our own hello came back: what we say is carried, and what is carried we hear.
  mutating func receiveOwnHello(_ number: UInt32, at now: Instant) {
    guard spoken(number) != nil else { return }
    if returnedSince == nil { returnedSince = now }
    returned = now
  }

  /// Whether our own words come back, now.
  package func hearsItself(at now: Instant) -> Bool {
    returnedSince != nil && now - returned < (isAlone ? Self.lonelyPace : Self.helloPace) + Member.patience
  }

  /// The roster says that nobody else is to be heard.
  var isRosteredAlone: Bool { hasRoster && isAlone }

  /// For how long the line has been as it is.
  func lineAge(at now: Instant) -> Interval? { connectedSince.map { now - $0 } }

  /// Whether we know who else is there, and would hear it.
  package func isAcquainted(at now: Instant) -> Bool {
    guard connectedSince != nil else { return true }
    guard isConnected else { return false }
    if isRosteredAlone { return true }
    guard let returnedSince else { return false }
    return now - returnedSince >= Self.acquaintance && hearsItself(at: now)
  }

  // MARK: Who is there

  package func find(_ name: Name) -> Int? {
    for index in members.indices where members[index].name == name { return index }
    return nil
  }

  package mutating func receive(status word: Neighbour, at now: Instant) {
    // A goodbye of somebody whom we have never met tells of nobody to wait for, but of somebody who may have fired.
    guard let index = place(of: word.name) else { return }
    members[index].receive(status: word, at: now)
  }

  package mutating func receive(hello word: Neighbour, at now: Instant) {
    guard let index = place(of: word.name) else { return }
    let isNew = !members[index].isHeard(at: now)
    if !members[index].receive(hello: word, repeating: spoken(word.echo), at: now) { refused.replayed += 1 }
    // A newcomer waits for our answer.
    if isNew, due != .never { due = min(due, now + .milliseconds(200)) }
  }

  /// From our own file: who was there in an earlier run must be heard, or say goodbye.
  package mutating func restore(_ name: Name, _ groups: GroupList) {
    guard !hasRoster, let index = place(of: name) else { return }
    members[index].restore(groups)
  }

  /// False when nobody of that name is known.
  package mutating func forget(_ name: Name) -> Bool {
    guard !name.isEmpty, let index = find(name) else { return false }
    members[index].vacate()
    return true
  }

  private mutating func place(of name: Name) -> Int? {
    if let known = find(name) { return known }
    guard !hasRoster, let place = add(name) else {
      refused.strangers += 1
      refused.stranger = name
      return nil
    }
    return place
  }

  /// In a free place, or in that of a name under which nobody has ever spoken. Places never move: rivals' words name them.
  private mutating func add(_ name: Name) -> Int? {
    for index in members.indices where members[index].isFree {
      members[index].become(name)
      return index
    }
    if members.append(Member(name)) == nil { return members.count - 1 }
    for index in members.indices where members[index].isHearsay {
      members[index].become(name)
      return index
    }
    return nil
  }

  /// Whether this run of it has just come, and will be remembered: two that greet each other must not go on for ever.
  package func isNews(_ word: Neighbour, at now: Instant) -> Bool {
    guard word.isOnline else { return false }
    guard let known = find(word.name) else { return !hasRoster && hasRoom }
    return members[known].isGone(at: now) || members[known].boot != word.boot && !members[known].isProven
  }

  private var hasRoom: Bool {
    for index in members.indices where members[index].isFree || members[index].isHearsay { return true }
    return !members.isFull
  }

  /// Nobody else is known.
  var isAlone: Bool {
    for index in members.indices where !members[index].isFree { return false }
    return true
  }

  package func hasCompetitor(in group: Name, at now: Instant) -> Bool {
    for index in members.indices where members[index].competes(in: group, at: now) { return true }
    return false
  }

  package func isAnybodyAway(from group: Name, at now: Instant) -> Bool {
    for index in members.indices where members[index].isAway(from: group, at: now) { return true }
    return false
  }

  // MARK: Words

  package mutating func nextSequence() -> UInt32 {
    sequence &+= 1
    return sequence
  }

  /// When this number was ours, at the latest; nil when that is long ago, or never was.
  private func spoken(_ number: UInt32) -> Instant? {
    guard number > 0, number <= sequence else { return nil }
    for index in marks.indices where marks[index].number > 0 && marks[index].number <= number { return marks[index].at }
    return nil
  }

  /// Claims are strangers' words: what makes no sense, comes too often or came before is refused and counted. Who made it.
  package mutating func admit(_ claim: Claim, from us: Name, simulated: Bool, at now: Instant) -> Int? {
    guard claim.gateway != us else { return nil }
    guard claim.isPlausible, claim.simulated == simulated, let index = find(claim.gateway), members[index].boot == claim.boot,
      members[index].receive(claim: claim.sequence, repeating: spoken(claim.echo), at: now)
    else {
      refused.claims += 1
      return nil
    }
    return index
  }
}
