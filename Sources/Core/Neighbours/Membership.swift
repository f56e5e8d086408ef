/// The gateways of the site: which of them exist, and which hear us.
package struct Membership: ~Copyable {
  /// The number of our last message to the site.
  package private(set) var sequence: UInt32 = 0
  package internal(set) var members: Members
  /// The configuration lists the gateways: there are no others.
  private var hasRoster = false
  /// nil: there is no broker, as in a replay, and so there are no neighbours.
  private var connectedSince: Instant?
  /// When the line came back, if it was ever down; a first connection may take a moment.
  private var restored: Instant?
  private var firstConnected: Instant?
  package private(set) var isConnected = true
  /// When our own hello first came back on this connection, and when it last did.
  private var returnedSince: Instant?
  private var returned = Instant.zero
  /// How soon after that the next one was due.
  private var pace = Self.lonelyPace
  /// Our last hellos, newest first: an echo of an older message says nothing about now.
  private var marks = InlineArray<8, Mark>(repeating: Mark())
  /// When the next hello is due; never where there are no neighbours.
  package private(set) var due = Instant.never
  private var speaks = false
  /// Our first hello since there is somebody to say it to: a reload may bring the first group long after the connection.
  private(set) var greetsSince: Instant?
  /// Where the next hello's list begins, if one hello does not hold all.
  var listStart = 0
  package private(set) var refused = Refusals()
  /// As of the last hello.
  package internal(set) var hearing = SiteHearing()
  private var twin = Twin()
  /// The installation id that we serve ourselves.
  private(set) var servedID: UInt32?

  private struct Mark: BitwiseCopyable {
    var number: UInt32 = 0
    var at = Instant.zero
  }

  /// What came in a neighbour's name and was refused.
  package struct Refusals: BitwiseCopyable, Sendable {
    /// Implausible, too many, of another run, or of a gateway that the roster does not list.
    package var claims: UInt64 = 0
    /// Received before.
    package var replayed: UInt64 = 0
    /// Of gateways that the roster does not list, or that found no room.
    package var strangers: UInt64 = 0
  }

  /// Alone, a hello only checks that it comes back; a new gateway says hello first.
  private static let lonelyPace = Interval.seconds(10)
  /// Two hellos of every neighbour.
  private static let acquaintance = Interval.seconds(3)
  /// Whoever is here before that was here at the start.
  private static let firstMoment = Interval.seconds(3)

  package init(in arena: inout Arena) { members = Members(in: &arena) }

  // MARK: The line

  package mutating func connected(_ isConnected: Bool, at now: Instant) {
    if isConnected, let down = connectedSince, !self.isConnected, firstConnected != nil || now - down >= Self.firstMoment { restored = now }
    if isConnected, firstConnected == nil { firstConnected = now }
    if !isConnected || !self.isConnected || connectedSince == nil {
      connectedSince = now
      returnedSince = nil
    }
    self.isConnected = isConnected
    due = speaks && isConnected ? now : .never
  }

  @_optimize(size)
  package mutating func reload(_ settings: borrowing Settings) {
    // A gateway on the roster is waited for, whether we compete or not.
    speaks = !settings.groups.isEmpty || settings.site.roster.count > 1
    // When it speaks again, it must get to know its neighbours again.
    if !speaks { (greetsSince, returnedSince) = (nil, nil) }
    due = speaks && isConnected && connectedSince != nil ? .zero : .never
    hasRoster = !settings.site.roster.isEmpty
    for index in members.indices { members[index].planFault = nil }
    // It is fixed at start, and settings that are read later lack it.
    if servedID == nil, settings.peer.serve { servedID = settings.peer.ownID }
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
    if greetsSince == nil { greetsSince = now }
    due = now + (returnedSince != nil ? calmPace : Self.helloPace)
    return number
  }

  /// Our own hello came back: the broker carries what we publish, and we receive what it carries.
  mutating func receiveOwnHello(_ number: UInt32, at now: Instant) {
    guard spoken(number) != nil else { return }
    if returnedSince == nil { returnedSince = now }
    (returned, pace) = (now, calmPace)
  }

  /// Something came in our own name, of another run. In the first moment it may be what the run before left.
  mutating func suspectTwin(at now: Instant) {
    if let firstConnected, now - firstConnected >= Self.firstMoment { twin.suspect(at: now) }
  }

  /// Whether another gateway has our name: what it hears we cannot know.
  package func hasTwin(at now: Instant) -> Bool { twin.isThere(at: now) }

  private var calmPace: Interval { isAlone ? Self.lonelyPace : Self.helloPace }

  /// Whether our own hellos come back now.
  package func hearsItself(at now: Instant) -> Bool {
    returnedSince != nil && now - returned < pace + Member.patience
  }

  /// The roster lists us alone.
  var isRosteredAlone: Bool { hasRoster && isAlone }

  /// So long after a connection began somebody may come whom a neighbour has served that went before it.
  static let youth = Interval.seconds(120)

  /// How long the connection has been up, or down.
  func lineAge(at now: Instant) -> Interval? { connectedSince.map { now - $0 } }

  /// Whether we know which neighbours there are, and would hear them.
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
    // An unknown gateway's goodbye is recorded too: nobody needs to wait for it, but it may have fired.
    guard let index = place(of: word.name) else { return }
    members[index].receive(status: word, restored: restored, at: now)
  }

  package mutating func receive(hello word: Neighbour, at now: Instant) {
    guard let index = place(of: word.name) else { return }
    let isNew = !members[index].isHeard(at: now)
    if !members[index].receive(hello: word, repeating: spoken(word.echo), at: now) { refused.replayed += 1 }
    // A new neighbour waits for our answer.
    if isNew, due != .never { due = min(due, now + .milliseconds(200)) }
  }

  /// A neighbour that an earlier run knew: it must be heard, or say goodbye.
  package mutating func restore(_ name: Name, _ groups: GroupList) {
    guard !hasRoster, let index = place(of: name) else { return }
    members[index].restore(groups)
  }

  /// False when no neighbour has that name.
  package mutating func forget(_ name: Name) -> Bool {
    guard !name.isEmpty, let index = find(name) else { return false }
    members[index].vacate()
    return true
  }

  /// Whether a gateway of the site serves this installation id, we or another: then it is no customer's.
  func serves(_ id: UInt32) -> Bool {
    if servedID == id { return true }
    for index in members.indices where members[index].servedID == id { return true }
    return false
  }

  private mutating func place(of name: Name) -> Int? {
    if let known = find(name) { return known }
    guard !hasRoster, let place = add(name) else {
      refused.strangers += 1
      return nil
    }
    return place
  }

  /// Takes a free place, or that of a name that was never heard. Places never move: claims refer to them.
  private mutating func add(_ name: Name) -> Int? {
    for index in members.indices where members[index].isFree {
      members[index].become(name)
      return index
    }
    if let place = members.append(Member(name)) { return place }
    for index in members.indices where members[index].isHearsay {
      members[index].become(name)
      return index
    }
    return nil
  }

  /// Whether this run of it is new to us. Two gateways that greet each other must stop at some time.
  package func isNews(_ word: Neighbour, at now: Instant) -> Bool {
    guard word.isOnline else { return false }
    guard let known = find(word.name) else { return !hasRoster && hasRoom }
    return members[known].isGone(at: now) || members[known].boot != word.boot && !members[known].isProven
  }

  private var hasRoom: Bool {
    for index in members.indices where members[index].isFree || members[index].isHearsay { return true }
    return !members.isFull
  }

  /// No neighbour is known.
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

  /// The numbers last for years, and with 640 claims a second without a pause for eleven weeks. After the last one every message would be
  /// taken for an old one, and so nothing would fire: the process ends, and the next run has its own numbers and continues the visits.
  package mutating func nextSequence() -> UInt32 {
    precondition(sequence < .max, "this run has used all its numbers: the next one begins anew")
    sequence &+= 1
    return sequence
  }

  /// When we sent this number, at the latest; nil if that is too long ago, or never happened.
  private func spoken(_ number: UInt32) -> Instant? {
    guard number > 0, number <= sequence else { return nil }
    for index in marks.indices where marks[index].number > 0 && marks[index].number <= number { return marks[index].at }
    return nil
  }

  /// Claims come from outside. Implausible, too frequent and old ones are refused and counted. Returns the neighbour that sent it.
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
