// What comes from outside the radios: from an earlier run, from the neighbours, from the broker's connection.

extension Gateway {
  /// A power that an earlier run has learnt.
  package mutating func restore(_ record: LearntPowers.Record) { triggers.learnt.keep(record) }

  /// What an earlier run has learnt of a receiver.
  package mutating func restore(_ record: ReceiverRecord) { triggers.plan.restore(record) }

  /// What an earlier run has learnt of visitors at one receiver's place, as another one hears them.
  package mutating func restore(_ record: PlaceRecord) { triggers.unplaced.restore(record, at: now) }

  /// A receiver that hears otherwise than it did, once.
  package mutating func takeMoved() -> MovedReceiver? { triggers.plan.takeMoved() ?? triggers.unplaced.takeMoved() }

  /// Counts what visits teach, for the file that keeps it.
  package var learntChanges: UInt64 { triggers.learnt.changes &+ triggers.plan.changes &+ triggers.unplaced.changes }

  /// A neighbour's claim. Its form has been checked at the door; its truth has not.
  @export(interface) package mutating func receive(claim: Claim, at moment: Instant) {
    tick(at: moment)
    triggers.receive(claim, of: another(than: claim.identity), at: now, devices: devices, settings: settings, publisher: &publisher)
  }

  /// The device that sends from an identity's address, if it is known here by another id.
  @_optimize(size)
  private func another(than identity: Identity) -> Int? {
    guard let bits = identity.addressBits else { return nil }
    for type in Address.Kind.public.rawValue...Address.Kind.random.rawValue {
      guard let line = addresses.find(Address(bits, type: type)), let slot = devices.slot(of: addresses[line].device) else { continue }
      return devices[slot].identity == identity ? nil : slot
    }
    return nil
  }

  /// A neighbour's retained status.
  @export(interface) package mutating func receive(status neighbour: Neighbour, at moment: Instant) {
    tick(at: moment)
    // A rehearsal never waits for a real gateway, nor a real gateway for a rehearsal; and no goodbye of the one is the other's.
    guard neighbour.simulated == settings.gateway.simulated else { return }
    triggers.membership.receive(status: neighbour, at: now)
  }

  /// A hello: from a neighbour, or our own that came back.
  @export(interface) package mutating func receive(hello: Neighbour, at moment: Instant) {
    tick(at: moment)
    guard hello.simulated == settings.gateway.simulated else { return }
    if hello.name == settings.gateway.name {
      guard hello.boot == publisher.boot else { return triggers.membership.suspectTwin(at: now) }
      triggers.membership.receiveOwnHello(hello.sequence, at: now)
    } else {
      let isNews = hello.servedID.map { !triggers.membership.serves($0) } ?? false
      triggers.membership.receive(hello: hello, at: now)
      // Our radio may have read it before.
      if isNews, let id = hello.servedID, triggers.membership.serves(id) { dismiss(installation: id) }
      believeProven(by: hello.name)
    }
  }

  /// Where messages are signed, a recorded one must not pass for a new one.
  func believes(_ peer: KnownPeer) -> Bool {
    guard settings.site.isAuthenticated else { return true }
    return triggers.membership.find(peer.gateway).map { triggers.membership.members[$0].vouches(for: peer) } ?? false
  }

  /// The broker has a status in our name of another run, or gave our connection to another gateway.
  @export(interface) package mutating func suspectTwin(at moment: Instant) {
    tick(at: moment)
    triggers.membership.suspectTwin(at: now)
  }

  /// Whether another gateway has our site and name.
  package var hasTwin: Bool { triggers.membership.hasTwin(at: now) }

  /// Whether we and the neighbours that matter hear each other.
  package var hearing: SiteHearing { triggers.membership.hearing }

  /// A neighbour whose at_m cannot be right beside ours.
  package var planFault: PlanFault? { triggers.membership.planFault(at: now) }

  /// A neighbour that an earlier run knew.
  package mutating func restore(neighbour name: Name, _ groups: GroupList) {
    if name != settings.gateway.name { triggers.membership.restore(name, groups) }
  }

  /// A neighbour that will not come back: no trigger waits for it any more. False when no neighbour has that name.
  package mutating func forget(_ name: Name) -> Bool { triggers.membership.forget(name) }

  /// Whether this neighbour has just appeared and may not know of us yet.
  package func isNews(_ neighbour: Neighbour) -> Bool {
    neighbour.simulated == settings.gateway.simulated && triggers.membership.isNews(neighbour, at: now)
  }

  /// The broker's connection came or went. Never called where there is no broker: then no trigger waits for a neighbour.
  @export(interface) package mutating func connected(_ isConnected: Bool, at moment: Instant) {
    tick(at: moment)
    // It takes a while until a dead line is noticed.
    let lost = now - (triggers.membership.lineAge(at: now) ?? .zero) - .seconds(60)
    triggers.connected(isConnected, at: now)
    guard isConnected else { return }
    proximity.publishMissed(since: lost, at: now, &devices, settings, &publisher)
    for index in unsaid.indices { proximity.publishAgain(unsaid[index], at: now, devices, settings, &publisher) }
    unsaid.removeAll()
  }
}
