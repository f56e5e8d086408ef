// What triggers are told from outside: by an earlier run, by the neighbours, by the line to them.

extension Gateway {
  /// What an earlier run has learnt.
  package mutating func restore(_ record: LearntPowers.Record) { triggers.learnt.keep(record) }

  /// What a neighbour says of a device. The rim has checked its form, nobody its truth.
  @export(interface) package mutating func receive(claim: Claim, at moment: Instant) {
    tick(at: moment)
    triggers.receive(claim, at: now, devices: devices, settings: settings, publisher: &publisher)
  }

  /// A neighbour's retained status.
  @export(interface) package mutating func receive(status neighbour: Neighbour, at moment: Instant) {
    tick(at: moment)
    // Nobody waits for a rehearsal, nor a rehearsal for anybody.
    var neighbour = neighbour
    if neighbour.simulated != settings.gateway.simulated { neighbour.isOnline = false }
    triggers.arbitration.receive(status: neighbour, at: now)
  }

  /// A hello: a neighbour's, or our own that came back.
  @export(interface) package mutating func receive(hello: Neighbour, at moment: Instant) {
    tick(at: moment)
    guard hello.simulated == settings.gateway.simulated else { return }
    if hello.name == settings.gateway.name {
      if hello.boot == publisher.boot { triggers.arbitration.receiveOwnHello(hello.sequence, at: now) }
    } else {
      triggers.arbitration.receive(hello: hello, at: now)
    }
  }

  /// Where words prove who said them, an old one must not pass for a new one.
  func believes(_ peer: KnownPeer) -> Bool {
    guard settings.site.isAuthenticated else { return true }
    return triggers.arbitration.find(peer.gateway).map { triggers.arbitration.members[$0].vouches(for: peer) } ?? false
  }

  /// Whether the neighbours that matter hear us, and we them.
  package var hearing: SiteHearing { triggers.arbitration.hearing }

  /// Who was there in an earlier run.
  package mutating func restore(neighbour name: Name, _ groups: GroupList) {
    if name != settings.gateway.name { triggers.arbitration.restore(name, groups) }
  }

  /// Somebody who will not come back: nobody waits for it any more. False when nobody of that name is known.
  package mutating func forget(_ name: Name) -> Bool { triggers.arbitration.forget(name) }

  /// Whether somebody has come who may not know of us yet.
  package func isNews(_ neighbour: Neighbour) -> Bool {
    neighbour.simulated == settings.gateway.simulated && triggers.arbitration.isNews(neighbour, at: now)
  }

  /// The broker is there, or gone. Never called where there is none: then no neighbour is waited for.
  @export(interface) package mutating func connected(_ isConnected: Bool, at moment: Instant) {
    tick(at: moment)
    triggers.connected(isConnected, at: now)
  }
}
