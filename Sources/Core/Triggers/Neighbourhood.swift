// What triggers are told from outside: by an earlier run, by the neighbours, by the line to them.

extension Gateway {
  /// What an earlier run has learnt.
  package mutating func recall(_ record: LearntPowers.Record) { triggers.learnt.keep(record) }

  /// What a neighbour says of a device. The rim has checked its form, nobody its truth.
  @export(interface) package mutating func claimed(_ claim: Claim, at moment: Instant) {
    tick(at: moment)
    triggers.claimed(claim, at: now, devices: devices, settings: settings, publisher: &publisher)
  }

  /// A neighbour's retained status.
  @export(interface) package mutating func met(_ neighbour: Neighbour, at moment: Instant) {
    tick(at: moment)
    // Nobody waits for a rehearsal, nor a rehearsal for anybody.
    var neighbour = neighbour
    if neighbour.simulated != settings.gateway.simulated { neighbour.isOnline = false }
    triggers.met(neighbour)
  }

  /// The broker is there, or gone. Never called where there is none: then no neighbour is waited for.
  @export(interface) package mutating func connected(_ isConnected: Bool, at moment: Instant) {
    tick(at: moment)
    triggers.connected(isConnected, at: now)
  }
}
