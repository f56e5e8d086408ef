package import Core

/// The door for what the broker brings. Nothing is believed: topics, sizes, shapes, values and rates are checked here, and only
/// what passes reaches another thread.
package final class Intake {
  private var settings: CourierSettings
  private var topics: Topics
  private let toCore: Outlet
  private let figures: CourierCounters
  private let say: Say

  private var commandPace = Intake.freshCommandPace
  private var complaintPace = TokenBucket(burst: 2, pace: .seconds(1))
  private var warningPace = TokenBucket(burst: 1, pace: .seconds(60))
  private var talkers = Talkers()
  private var remembered = Remembered()
  private var replies: [Message] = []
  private var tickets: UInt64 = 0

  /// People and scripts type no faster.
  private static let freshCommandPace = TokenBucket(burst: 10, pace: .milliseconds(200))

  package init(_ settings: CourierSettings, toCore: Outlet, _ figures: CourierCounters, say: @escaping Say = { _, _ in }) {
    self.settings = settings
    topics = settings.topics
    self.toCore = toCore
    self.figures = figures
    self.say = say
  }

  func adopt(_ new: CourierSettings) {
    settings = new
    topics = new.topics
  }

  /// Replies of the door itself; the others come from those who carry commands out.
  package func takeReplies() -> [Message] {
    guard !replies.isEmpty else { return [] }
    defer { replies.removeAll() }
    return replies
  }

  /// A reply on its way out: asked again, the same request gets the same one.
  func remember(_ reply: borrowing Message) { remembered.answer(reply) }

  /// `left`: how long it still counts, as the broker says; MQTT 3 does not.
  package func receive(_ topic: RawSpan, _ payload: RawSpan, isRetained: Bool, left: Interval? = nil) {
    let now = Clock.now()
    var levels = Levels(topic)
    if levels.skip(topics.command.bytes) {
      command(levels.rest, payload, isRetained: isRetained, at: now)
    } else if levels.skip(topics.siteChecks.bytes) {
      // Somebody examines its way to us.
    } else if levels.skip(topics.hellos.bytes) {
      hello(levels.rest, topic, payload, isRetained: isRetained, at: now)
    } else if levels.skip(topics.claim.bytes) {
      claim(&levels, topic, payload, isRetained: isRetained, at: now)
    } else if levels.skip(topics.peer.bytes) {
      peer(&levels, topic, payload, isRetained: isRetained, left: left, at: now)
    } else if levels.skip(topics.neighbour.bytes) {
      neighbour(&levels, topic, payload, isRetained: isRetained, at: now)
    } else {
      figures.requestsRefused.add()
    }
  }

  // MARK: Commands

  private func command(_ name: RawSpan, _ payload: RawSpan, isRetained: Bool, at now: Instant) {
    figures.commands.add()
    guard settings.commands else { return figures.requestsRefused.add() }
    guard let kind = RemoteCommand.Kind(named: name) else {
      // Nobody can be answered on a topic of their own making.
      return figures.requestsRefused.add()
    }
    var ticket = Ticket(kind, number: nextTicket())
    // A command that the broker keeps would be carried out at every connection.
    guard !isRetained else { return refuse(ticket, "a command must not be retained", at: now) }
    guard commandPace.take(at: now) else {
      figures.requestsLimited.add()
      return complain(ticket, "too many commands", at: now)
    }
    do throws(Refused) {
      let command = try RemoteCommand(kind, payload, &ticket)
      if !ticket.request.isEmpty {
        switch remembered.find(ticket) {
        case .answered(let reply): return replies.append(reply)
        case .pending: return
        case .unknown: remembered.begin(ticket)
        }
      }
      hand(.command(command, ticket), ticket)
    } catch { refuse(ticket, error.words, at: now) }
  }

  private func nextTicket() -> UInt64 {
    tickets += 1
    return tickets
  }

  private func hand(_ request: Request, _ ticket: Ticket) {
    if toCore.requests.push(request) != nil {
      figures.requestsLimited.add()
      remembered.forget(ticket)
      replies.append(.reply(to: ticket, from: topics, refusing: "busy; try again"))
    }
    toCore.bell.ring()
  }

  private func refuse(_ ticket: Ticket, _ words: StaticString, at now: Instant) {
    figures.requestsRefused.add()
    complain(ticket, words, at: now)
  }

  /// A flood of nonsense must not become a flood of replies.
  private func complain(_ ticket: Ticket, _ words: StaticString, at now: Instant) {
    guard complaintPace.take(at: now) else { return }
    replies.append(.reply(to: ticket, from: topics, refusing: words))
  }

  // MARK: Neighbours

  /// Nothing is read that nobody of the site has said, where that can be known; nor too much of what one name says.
  private func mayTalk(_ gateway: RawSpan, _ topic: RawSpan, _ payload: RawSpan, at now: Instant) -> Bool {
    if !isOnRoster(gateway) {
      figures.strangers.add()
      return false
    }
    if !settings.siteKeys.isEmpty, !settings.siteKeys.isProven(topic, payload) {
      figures.forged.add()
      // Once a minute: whoever forges could fill the log.
      if warningPace.take(at: now) {
        var words = Sentence("a word in the name of ")
        words.append(Name(gateway))
        words.append(" was not said with this site's key, and is not believed: does it have another key, or does somebody forge?")
        say(.warning, words)
      }
      return false
    }
    if talkers.mayTalk(gateway, at: now) { return true }
    figures.requestsLimited.add()
    return false
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
    // MQTT 3 brings our own words back.
    if gateway.equals(settings.name.bytes) { return }
    figures.claims.add()
    guard settings.claims, !isRetained, !levels.isBroken, !gateway.contains(UInt8(ascii: "/")) else { return figures.requestsRefused.add() }
    guard mayTalk(gateway, topic, payload, at: now) else { return }
    do throws(Refused) {
      var claim = try Claim(payload, to: settings)
      // What the topic says is what the broker's ACL has looked at.
      guard claim.matches(group: group, identity: identity, gateway: gateway) else { throw Refused("the topic says otherwise") }
      claim.at = now
      if toCore.requests.push(.claim(claim)) != nil { figures.requestsLimited.add() }
      toCore.bell.ring()
    } catch { figures.requestsRefused.add() }
  }

  /// Our own are news, too: they show that what we say is carried.
  private func hello(_ gateway: RawSpan, _ topic: RawSpan, _ payload: RawSpan, isRetained: Bool, at now: Instant) {
    guard settings.claims, !isRetained, !gateway.contains(UInt8(ascii: "/")) else { return figures.requestsRefused.add() }
    guard mayTalk(gateway, topic, payload, at: now) else { return }
    do throws(Refused) {
      let hello = try Neighbour(gateway, hello: payload, to: settings)
      if toCore.requests.push(.hello(hello)) != nil { figures.requestsLimited.add() }
      toCore.bell.ring()
    } catch { figures.requestsRefused.add() }
  }

  /// Who else is at the site, and whether it is there: retained, so it is known as soon as we are connected.
  private func neighbour(_ levels: inout Levels, _ topic: RawSpan, _ payload: RawSpan, isRetained: Bool, at now: Instant) {
    let gateway = levels.next()
    let status = Name("status")
    if gateway.equals(settings.name.bytes) { return }
    guard settings.claims, !levels.isBroken, levels.rest.equals(status.bytes) else { return figures.requestsRefused.add() }
    if isRetained, isOurs(toTakeAway: gateway, payload) { return takeAway(topic) }
    // Somebody took it away: what was heard of it counts on.
    if payload.byteCount == 0 && !settings.siteKeys.isEmpty { return }
    guard mayTalk(gateway, topic, payload, at: now) else { return }
    do throws(Refused) {
      let neighbour = try Neighbour(gateway, status: payload)
      if toCore.requests.push(.neighbour(neighbour)) != nil { figures.requestsLimited.add() }
      toCore.bell.ring()
    } catch { figures.requestsRefused.add() }
  }

  /// The broker keeps the last word of a gateway that is no longer on the roster: the first on it clears up, unless it is still there.
  private func isOurs(toTakeAway gateway: RawSpan, _ payload: RawSpan) -> Bool {
    guard !settings.roster.isEmpty, settings.roster[0] == settings.name, !isOnRoster(gateway), payload.byteCount > 0 else { return false }
    guard let last = try? Neighbour(gateway, status: payload) else { return false }
    return !last.isOnline && last.simulated == settings.simulated
  }

  private func takeAway(_ topic: RawSpan) {
    // Whatever somebody has heaped up at the broker: the rest goes at the next connection.
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
    guard settings.peers, !levels.isBroken, !gateway.contains(UInt8(ascii: "/")) else { return figures.requestsRefused.add() }
    // An empty one takes a word back: the broker has forgotten it, and so will the cache.
    if payload.byteCount == 0 { return }
    // Kept without an end, it may be from last year: the address is somebody else's by now. Such a phone is asked again.
    if isRetained && left == nil { return }
    guard mayTalk(gateway, topic, payload, at: now) else { return }
    do throws(Refused) {
      var peer = try KnownPeer(address: address, payload)
      peer.gateway = Name(gateway)
      if let left { peer.age = max(Candidates.lifetime - left, .zero) }
      if toCore.requests.push(.peer(peer)) != nil { figures.requestsLimited.add() }
      toCore.bell.ring()
    } catch { figures.requestsRefused.add() }
  }
}

/// A topic, read level by level.
struct Levels: ~Escapable {
  private(set) var rest: RawSpan
  private(set) var isBroken = false

  @_lifetime(copy topic)
  init(_ topic: RawSpan) { rest = topic }

  /// Whether it began so; then that much is read.
  @_lifetime(self: copy self)
  mutating func skip(_ prefix: RawSpan) -> Bool {
    guard rest.byteCount >= prefix.byteCount, rest.extracting(first: prefix.byteCount).equals(prefix) else { return false }
    rest = rest.extracting(prefix.byteCount..<rest.byteCount)
    return true
  }

  /// The next level; broken when nothing follows it.
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
