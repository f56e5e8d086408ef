import Core

// Signs of another gateway with our site and name, as a copied card makes one. The broker ends the connection of the one as soon as the
// other connects, so neither hears what the other says: it finds what the other has left.

extension Intake {
  func suspectTwin() {
    if !push(.twin) { counters.requestsLimited.add() }
  }

  /// A status in our own name: ours, of another run of ours, or another gateway's.
  func receive(ownStatus payload: RawSpan, _ gateway: RawSpan, _ topic: RawSpan, at now: Instant) {
    guard settings.claims, payload.byteCount > 0, sitePaces.allows(.status, of: gateway, at: now) else { return }
    guard settings.siteKeys.isEmpty || settings.siteKeys.isProven(topic, payload) else { return }
    guard let status = try? Neighbour(gateway, status: payload), status.simulated == settings.simulated else { return }
    // Whoever said goodbye is gone.
    if !status.boot.isEmpty, status.boot != settings.boot, status.isOnline || status.isLost { suspectTwin() }
  }
}
