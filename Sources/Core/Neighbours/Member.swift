/// A gateway of the site as we know it: what it published, and whether we hear each other now.
///
/// A run of it is *proven* once it has echoed one of our own recent numbers: no recording can. From then on only such an echo makes another
/// run the current one; a retained status, which may be old, cannot.
package struct Member: BitwiseCopyable, Sendable {
  package private(set) var name: Name
  /// The roster lists it: it must be heard, whatever its status says.
  package private(set) var isRostered = false
  package private(set) var boot = Text<16>()
  package private(set) var isProven = false
  /// Counts its runs: numbers of different runs do not compare.
  package private(set) var run: UInt8 = 0
  /// The highest number of its current run.
  package private(set) var sequence: UInt32 = 0
  private var groups = GroupList()
  /// Its groups on the roster. If the roster names none it competes everywhere, until its own hello names them.
  private var rostered = GroupList()
  /// Groups that it named, or that came in its name, a short time ago: dropping a group too early would fire twice.
  private var formerGroups = GroupList()
  private var formerSince = Instant.zero
  private var isSaidOffline = false
  /// It went while our line was down, or before this run, and may have fired before: until when that matters.
  private var doubtedUntil = Instant.zero
  /// Its run's age at its last hello.
  private var uptime = Interval.zero
  /// It has continued or ended all that the run before left open.
  var isSettled: Bool { uptime >= .seconds(30) }
  /// It has run long enough to have heard us, and has not said goodbye.
  var owesEcho: Bool { uptime >= .seconds(5) && !isSaidOffline }
  /// It hears nobody, and so consents to nothing.
  package private(set) var isDeaf = false
  /// The installation id that it serves itself; another run keeps it.
  private(set) var servedID: UInt32?
  private var heard: Instant?
  private var echoed: Instant?
  /// Another run under this name that has not echoed one of our numbers yet.
  private var contender = Text<16>()
  private var contenderSequence: UInt32 = 0
  private var contenderHeard: Instant?
  /// What is wrong with its at_m, and of which of its triggers.
  var planFault: PlanFault.Kind?
  var faultyTrigger = Name()
  private var claimsLeft = 0
  private var claimsSince: Instant?

  /// Two lost hellos in a row are normal.
  package static let patience = Interval.seconds(3.5)
  private static let formerKept = Interval.seconds(30)

  package init(_ name: Name) { self.name = name }

  /// The place is free.
  package var isFree: Bool { name.isEmpty }

  mutating func vacate() { become(Name()) }

  /// Another gateway takes the place, and inherits nothing.
  mutating func become(_ name: Name) {
    let run = run &+ 1
    self = Member(name)
    self.run = run
  }

  // MARK: What we know

  package func isHeard(at now: Instant) -> Bool { heard.map { now - $0 < Self.patience } ?? false }

  /// Whether it has echoed a number that we sent since `moment`.
  func hearsUs(since moment: Instant) -> Bool { echoed.map { $0 >= moment } ?? false }

  /// It said goodbye, and has been silent since: nobody waits for it, unless the roster lists it.
  package func isGone(at now: Instant) -> Bool { !isRostered && isSaidOffline && !isHeard(at: now) }

  package func concerns(_ group: Name, at now: Instant) -> Bool {
    if groups.has(group) || (now - formerSince < Self.formerKept && formerGroups.has(group)) { return true }
    return isRostered && (rostered.isEverything ? heard == nil : rostered.has(group))
  }

  package func competes(in group: Name, at now: Instant) -> Bool { !isGone(at: now) && concerns(group, at: now) }

  package func isAway(from group: Name, at now: Instant) -> Bool { now < doubtedUntil && isGone(at: now) && concerns(group, at: now) }

  package var groupsKnown: GroupList { groups }

  /// No message ever came under this name: it may be evicted.
  package var isHearsay: Bool { heard == nil && contenderHeard == nil && !isRostered }

  /// Whether its proven run read the id within the life of an address; otherwise this is a recording.
  func vouches(for peer: KnownPeer) -> Bool {
    isProven && boot == peer.boot && (Interval.zero - .seconds(10))...Candidates.lifetime ~= uptime - peer.uptime
  }

  /// What our hello echoes of it: a run that is not proven yet comes first.
  package func toEcho(at now: Instant) -> (boot: Text<16>, sequence: UInt32)? {
    if let contenderHeard, now - contenderHeard < Self.patience { return (contender, contenderSequence) }
    return sequence > 0 && isHeard(at: now) ? (boot, sequence) : nil
  }

  // MARK: What it says

  /// From an earlier run's file.
  package mutating func restore(_ groups: GroupList) { self.groups.append(groups) }

  /// From the roster.
  mutating func enroll(_ groups: GroupList) { (isRostered, rostered) = (true, groups) }

  mutating func strikeOff() { isRostered = false }

  /// Its retained status, which may be old. `restored`: when our line came back, if it was down.
  package mutating func receive(status word: Neighbour, restored: Instant?, at now: Instant) {
    let isCurrent = boot == word.boot || boot.isEmpty
    if !word.isOnline {
      // A will names its run; older gateways' wills do not.
      guard isCurrent || word.boot.isEmpty || !isProven else { return }
      // The broker has lost whom we have met: it may be cut off, crashed or robbed of its client id, and a driver may stand there.
      if word.isLost, heard != nil || !groups.isEmpty { return }
      // Another run's: it came back meanwhile.
      if !isSaidOffline || !isCurrent, let restored { doubtedUntil = (heard ?? .zero) < restored ? .never : .zero }
      // The run before met it. It may only be starting anew, as we do, and then says itself whom it has served.
      if boot.isEmpty, heard == nil, !groups.isEmpty, !isSaidOffline { doubtedUntil = now + Membership.youth }
      if boot.isEmpty { startRun(word.boot) }
      isSaidOffline = true
      return
    }
    // Of a run that has said goodbye this may be a recording, or what the broker retained before: its hello takes the goodbye back.
    if isSaidOffline, isCurrent, isProven { return }
    (isSaidOffline, doubtedUntil) = (false, .zero)
    if !isCurrent, isProven { return remember(word.groups, at: now) }
    if !isCurrent || boot.isEmpty { startRun(word.boot) }
    replace(word.groups, at: now)
  }

  /// Its hello. `spoken`: when we sent the number that it echoes, if that is recent. False when it contains nothing new: a replay.
  package mutating func receive(hello word: Neighbour, repeating spoken: Instant?, at now: Instant) -> Bool {
    if boot != word.boot {
      guard spoken != nil || !isProven else {
        guard word.boot != contender || word.sequence > contenderSequence else { return false }
        (contender, contenderSequence, contenderHeard) = (word.boot, word.sequence, now)
        remember(word.groups, at: now)
        return true
      }
      startRun(word.boot)
    }
    guard word.sequence > sequence else { return false }
    sequence = word.sequence
    (uptime, isDeaf, servedID) = (word.uptime, word.isDeaf, word.servedID)
    heard = now
    (isSaidOffline, doubtedUntil) = (false, .zero)
    replace(word.groups, at: now)
    prove(spoken)
    return true
  }

  /// A claim of its current run, at most `window` numbers late: QoS 0 may reorder, a recording comes later.
  package mutating func receive(claim number: UInt32, repeating spoken: Instant?, at now: Instant) -> Bool {
    guard number > sequence || sequence - number < Self.window else { return false }
    if claimsSince.map({ now - $0 >= .seconds(1) }) ?? true { (claimsLeft, claimsSince) = (Limits.claimsPerSecond, now) }
    guard claimsLeft > 0 else { return false }
    claimsLeft -= 1
    // An old one is no sign of life.
    if number > sequence { (sequence, heard) = (number, now) }
    prove(spoken)
    return true
  }

  private mutating func prove(_ spoken: Instant?) {
    guard let spoken else { return }
    isProven = true
    echoed = max(echoed ?? spoken, spoken)
  }

  private static let window: UInt32 = 1_024

  private mutating func startRun(_ boot: Text<16>) {
    self.boot = boot
    (isProven, sequence, echoed, contenderHeard) = (false, 0, nil, nil)
    run &+= 1
  }

  private mutating func replace(_ new: GroupList, at now: Instant) {
    guard new != groups else { return }
    remember(groups, at: now)
    groups = new
  }

  private mutating func remember(_ old: GroupList, at now: Instant) {
    if now - formerSince >= Self.formerKept { formerGroups = GroupList() }
    formerGroups.append(old)
    formerSince = now
  }
}
