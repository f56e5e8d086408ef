package import Core

/// Receives what the broker brings, and trusts none of it: it checks topics, sizes, shapes, values and rates, and only what passes
/// reaches another thread.
package final class Intake {
  private(set) var settings: CourierSettings
  private var topics: Topics
  private let toCore: Outlet
  let counters: CourierCounters
  private let log: CourierLog

  private var paces = CommandPaces()
  private var warningPace = TokenBucket(burst: 1, pace: .seconds(60))
  var sitePaces = SitePaces()
  private var held = HeldStatuses()
  private var recent = RecentRequests()
  private var replies: [Message] = []
  private var tickets: UInt64 = 0

  package init(_ settings: CourierSettings, toCore: Outlet, _ counters: CourierCounters, log: @escaping CourierLog = { _, _ in }) {
    self.settings = settings
    topics = settings.topics
    self.toCore = toCore
    self.counters = counters
    self.log = log
  }

  func reload(_ new: CourierSettings) {
    settings = new
    topics = new.topics
  }

  /// The intake's own replies, mostly refusals; the core thread sends the others.
  package func takeReplies() -> [Message] {
    guard !replies.isEmpty else { return [] }
    defer { replies.removeAll() }
    return replies
  }

  /// Whether statuses wait for room in the core's ring.
  var holdsStatuses: Bool { !held.isEmpty }

  /// After what came together, and while something is held: the core thread wakes once for all of it.
  package func ring() {
    held.hand(to: toCore.requests)
    if toCore.requests.count > 0 { toCore.bell.ring() }
  }

  /// A reply on its way out: the same request, asked again, gets it again.
  func record(_ reply: borrowing Message) { recent.record(reply) }

  /// `left`: until the message expires, as the broker says; MQTT 3 does not.
  package func receive(_ topic: RawSpan, _ payload: RawSpan, isRetained: Bool, left: Interval? = nil) {
    let now = Clock.now()
    var levels = Levels(topic)
    if levels.skip(topics.command.bytes) {
      command(levels.rest, payload, isRetained: isRetained, at: now)
    } else if levels.skip(topics.siteChecks.bytes) {
      // A gateway's `check` tests whether its messages come back.
    } else if levels.skip(topics.hellos.bytes) {
      hello(levels.rest, topic, payload, isRetained: isRetained, at: now)
    } else if levels.skip(topics.claim.bytes) {
      claim(&levels, topic, payload, isRetained: isRetained, at: now)
    } else if levels.skip(topics.peer.bytes) {
      peer(&levels, topic, payload, isRetained: isRetained, left: left, at: now)
    } else if levels.skip(topics.neighbour.bytes) {
      neighbour(&levels, topic, payload, isRetained: isRetained, at: now)
    } else {
      counters.requestsRefused.add()
    }
  }

  /// False when there is no room. Nothing overtakes what is held.
  func push(_ request: Request) -> Bool {
    held.hand(to: toCore.requests)
    return held.isEmpty && toCore.requests.push(request) == nil
  }

  // MARK: Commands

  private func command(_ name: RawSpan, _ payload: RawSpan, isRetained: Bool, at now: Instant) {
    counters.commands.add()
    guard settings.commands else { return counters.requestsRefused.add() }
    guard let kind = RemoteCommand.Kind(named: name) else {
      // No reply: its topic would be one that a stranger made up.
      return counters.requestsRefused.add()
    }
    var ticket = Ticket(kind, number: nextTicket())
    // Read first: whoever is refused must learn which of its requests it was.
    let command: RemoteCommand?
    var fault: StaticString = ""
    do throws(Refused) { command = try RemoteCommand(kind, payload, &ticket) } catch { (command, fault) = (nil, error.words) }
    // A retained command would be carried out at every connection.
    guard !isRetained else {
      counters.requestsRefused.add()
      return complain(ticket, "a command must not be retained", at: now)
    }
    guard paces.allows(kind, at: now) else {
      counters.requestsLimited.add()
      return complain(ticket, "too many commands", at: now)
    }
    guard let command else {
      counters.requestsRefused.add()
      return refuse(ticket, fault)
    }
    if !ticket.request.isEmpty, !kind.mayRepeat {
      switch recent.find(command, ticket.request, at: now) {
      case .answered(let reply): return replies.append(reply)
      case .pending: return
      case .unknown: recent.record(command, ticket, at: now)
      }
    }
    recent.forget(supersededBy: command)
    hand(.command(command, ticket), ticket)
  }

  private func nextTicket() -> UInt64 {
    tickets += 1
    return tickets
  }

  private func hand(_ request: Request, _ ticket: Ticket) {
    if !push(request) {
      counters.requestsLimited.add()
      recent.remove(ticket)
      refuse(ticket, "busy; try again")
    }
  }

  private func refuse(_ ticket: Ticket, _ words: StaticString) {
    replies.append(.reply(to: ticket, from: topics, refusing: words, simulated: settings.simulated))
  }

  /// A flood must not become a flood of replies.
  private func complain(_ ticket: Ticket, _ words: StaticString, at now: Instant) {
    if paces.allowsComplaint(about: ticket.command, at: now) { refuse(ticket, words) }
  }

  // MARK: Neighbours

  /// Whether a message may be read: its gateway is on the roster, its proof is right, and it does not flood.
  private func mayReceive(
    _ kind: SitePaces.Kind, of gateway: RawSpan, _ topic: RawSpan, _ payload: RawSpan, at now: Instant
  ) -> Bool {
    guard isAdmitted(gateway, topic, payload, at: now) else { return false }
    if sitePaces.allows(kind, of: gateway, at: now) { return true }
    counters.requestsLimited.add()
    return false
  }

  private func isAdmitted(_ gateway: RawSpan, _ topic: RawSpan, _ payload: RawSpan, at now: Instant) -> Bool {
    if !isOnRoster(gateway) {
      counters.strangers.add()
      return false
    }
    if !settings.siteKeys.isEmpty, !settings.siteKeys.isProven(topic, payload) {
      counters.forged.add()
      // Once a minute: a forger could fill the log.
      if warningPace.take(at: now) {
        var words = Sentence("a message in the name of ")
        words.append(Name(gateway))
        words.append(" fails authentication with this site's key and is ignored: does that gateway have another key, or is it forged?")
        log(.warning, words)
      }
      return false
    }
    return true
  }

  private func isOnRoster(_ gateway: RawSpan) -> Bool {
    if settings.roster.isEmpty { return true }
    for index in settings.roster.indices where settings.roster[index].bytes.equals(gateway) { return true }
    return false
  }

  private func claim(_ levels: inout Levels, _ topic: RawSpan, _ payload: RawSpan, isRetained: Bool, at now: Instant) {
    let group = levels.next()
    let identity = levels.next()
    let gateway = levels.rest
    // MQTT 3 brings our own messages back.
    if gateway.equals(settings.name.bytes) { return }
    counters.claims.add()
    guard settings.claims, !isRetained, !levels.isBroken, !gateway.contains(UInt8(ascii: "/")) else {
      return counters.requestsRefused.add()
    }
    guard mayReceive(.claim, of: gateway, topic, payload, at: now) else { return }
    do throws(Refused) {
      let claim = try Claim(payload, to: settings)
      // The broker's ACL has checked the topic, so the payload must agree with it.
      guard claim.matches(group: group, identity: identity, gateway: gateway) else { throw Refused("the topic says otherwise") }
      if !push(.claim(claim)) { counters.requestsLimited.add() }
    } catch { counters.requestsRefused.add() }
  }

  /// Our own count, too: they show that the broker carries our messages.
  private func hello(_ gateway: RawSpan, _ topic: RawSpan, _ payload: RawSpan, isRetained: Bool, at now: Instant) {
    guard settings.claims, !isRetained, !gateway.contains(UInt8(ascii: "/")) else { return counters.requestsRefused.add() }
    guard mayReceive(.hello, of: gateway, topic, payload, at: now) else { return }
    do throws(Refused) {
      let hello = try Neighbour(gateway, hello: payload, to: settings)
      if !push(.hello(hello)) { counters.requestsLimited.add() }
    } catch { counters.requestsRefused.add() }
  }

  /// A neighbour's status: whether it is online. Retained, so we know it as soon as we are connected.
  private func neighbour(_ levels: inout Levels, _ topic: RawSpan, _ payload: RawSpan, isRetained: Bool, at now: Instant) {
    let gateway = levels.next()
    let status = Name("status")
    if gateway.equals(settings.name.bytes) {
      if levels.rest.equals(status.bytes) { receive(ownStatus: payload, gateway, topic, at: now) }
      return
    }
    guard settings.claims, !levels.isBroken, levels.rest.equals(status.bytes) else { return counters.requestsRefused.add() }
    if isRetained, isOurs(toClear: gateway, payload) { return clear(topic) }
    // Somebody cleared it: what we know of the neighbour still counts.
    if payload.byteCount == 0 && !settings.siteKeys.isEmpty { return }
    guard mayReceive(.status, of: gateway, topic, payload, at: now) else { return }
    do throws(Refused) {
      var neighbour = try Neighbour(gateway, status: payload)
      neighbour.isRetained = isRetained
      if !push(.neighbour(neighbour)), !held.put(neighbour) { counters.requestsLimited.add() }
    } catch { counters.requestsRefused.add() }
  }

  /// The broker retains the last status of a gateway that left the roster. The roster's first gateway clears it, if that gateway is offline.
  private func isOurs(toClear gateway: RawSpan, _ payload: RawSpan) -> Bool {
    guard settings.retains, !settings.roster.isEmpty, settings.roster[0] == settings.name else { return false }
    guard !isOnRoster(gateway), payload.byteCount > 0 else { return false }
    guard let last = try? Neighbour(gateway, status: payload) else { return false }
    return !last.isOnline && last.simulated == settings.simulated
  }

  private func clear(_ topic: RawSpan) {
    // There may be many: the rest go at the next connection.
    guard replies.count < Roster.capacity else { return }
    var message = Message()
    message.care = .state
    message.topic = Topic(topic)
    replies.append(message)
  }

  private func peer(_ levels: inout Levels, _ topic: RawSpan, _ payload: RawSpan, isRetained: Bool, left: Interval?, at now: Instant) {
    let address = levels.next()
    let gateway = levels.rest
    if gateway.equals(settings.name.bytes) { return }
    guard settings.peers, !levels.isBroken, !gateway.contains(UInt8(ascii: "/")) else { return counters.requestsRefused.add() }
    // An empty one clears the retained id; ours expires by itself.
    if payload.byteCount == 0 { return }
    // Retained without an expiry it may be a year old, and its address another phone's by now: ask that phone again.
    if isRetained && left == nil { return }
    guard mayReceive(.peer, of: gateway, topic, payload, at: now) else { return }
    do throws(Refused) {
      guard var peer = try KnownPeer(address: address, payload, to: settings) else { return }
      peer.gateway = Name(gateway)
      if let left { peer.age = max(Candidates.lifetime - left, .zero) }
      if !push(.peer(peer)) { counters.requestsLimited.add() }
    } catch { counters.requestsRefused.add() }
  }
}

/// Reads a topic level by level.
struct Levels: ~Escapable {
  private(set) var rest: RawSpan
  private(set) var isBroken = false

  @_lifetime(copy topic)
  init(_ topic: RawSpan) { rest = topic }

  /// Whether the rest starts with this; if so, passes it.
  @_lifetime(self: copy self)
  mutating func skip(_ prefix: RawSpan) -> Bool {
    guard rest.byteCount >= prefix.byteCount, rest.extracting(first: prefix.byteCount).equals(prefix) else { return false }
    rest = rest.extracting(prefix.byteCount..<rest.byteCount)
    return true
  }

  /// The next level; `isBroken` if no further level follows.
  @_lifetime(self: copy self)
  @_lifetime(copy self)
  mutating func next() -> RawSpan {
    var end = 0
    while end < rest.byteCount, rest[end] != UInt8(ascii: "/") { end += 1 }
    let level = rest.extracting(0..<end)
    isBroken = isBroken || end == rest.byteCount
    rest = rest.extracting(min(end + 1, rest.byteCount)..<rest.byteCount)
    return level
  }
}

extension RawSpan {
  func contains(_ byte: UInt8) -> Bool {
    for index in 0..<byteCount where self[index] == byte { return true }
    return false
  }
}
