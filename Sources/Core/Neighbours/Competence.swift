// Whether our silence about a device says that it is not here. Otherwise a neighbour must not take it for consent.

extension Triggers {
  /// What changed while a radio was deaf nobody knows: it is as at a start. It may start seconds after the gateway.
  package mutating func radio(_ radio: Int, isDeaf: Bool, at now: Instant) {
    guard !isDeaf else { return deafSince[radio] = min(deafSince[radio], now) }
    defer { deafSince[radio] = .never }
    let wasDeaf = deafSince[radio] != .never
    if wasDeaf { listensFrom[radio] = now }
    guard heardFrom[radio] == .never || wasDeaf && now - deafSince[radio] >= Limits.shortestSilence else { return }
    heardFrom[radio] = now
    // Its first adverts may have overtaken its word.
    encounters.wereHereAtStart(of: radio)
    if wasDeaf { encounters.wereUnheard(on: radio, until: now) }
  }

  /// Whether some trigger of the group has heard nobody since then or longer, or may not.
  func isDeaf(in group: Name, _ settings: borrowing Settings, since moment: Instant = .never) -> Bool {
    guard settings.gateway.authorization == .always else { return settings.hasTrigger(in: group) }
    for index in settings.triggers.indices where settings.triggers[index].group == group {
      if isDeaf(settings.triggers[index].radio, of: settings.radios.count, since: moment) { return true }
    }
    return false
  }

  private func isDeaf(_ radio: Int8?, of radios: Int, since moment: Instant) -> Bool {
    for index in own(radio, of: radios) where deafSince[index] == .never || deafSince[index] > moment { return false }
    return true
  }

  /// Whether some trigger of the group could not know whether a device is here that was last `heard` then: it may not listen, or has
  /// listened for so short a time that whoever is here may not have been heard yet.
  func couldMiss(_ heard: Instant?, in group: Name, _ settings: borrowing Settings, at now: Instant) -> Bool {
    guard settings.gateway.authorization == .always else { return settings.hasTrigger(in: group) }
    for index in settings.triggers.indices where settings.triggers[index].group == group {
      if couldMiss(heard, settings.triggers[index].radio, of: settings.radios.count, at: now) { return true }
    }
    return false
  }

  /// Three adverts of a phone that sends one a second.
  private static let settling = Interval.seconds(3)

  private func couldMiss(_ heard: Instant?, _ radio: Int8?, of radios: Int, at now: Instant) -> Bool {
    for index in own(radio, of: radios) where deafSince[index] == .never {
      if pauses.mayHide(heard, from: index, at: now) { continue }
      let from = listensFrom[index]
      if from == .never || now - from >= Self.settling { return false }
      if let heard, heard >= from { return false }
    }
    return true
  }

  /// Since when a trigger's radio has listened, or the first of all; now, while none does.
  func listensSince(_ radio: Int8?, of radios: Int, at now: Instant) -> Instant {
    var since = now
    for index in own(radio, of: radios) where deafSince[index] == .never {
      since = min(since, listensFrom[index] == .never ? .zero : listensFrom[index])
    }
    return since
  }

  private func own(_ radio: Int8?, of radios: Int) -> Range<Int> { radio.map { Int($0)..<Int($0) + 1 } ?? 0..<max(radios, 1) }

  /// Whether every trigger of the group hears somebody at the moment.
  func isHearing(in group: Name, _ devices: borrowing Devices, _ settings: borrowing Settings, at now: Instant) -> Bool {
    for index in settings.triggers.indices where settings.triggers[index].group == group {
      if let radio = settings.triggers[index].radio, !devices.isHearing(Int(radio), at: now) { return false }
    }
    for radio in 0..<devices.radios where devices.isHearing(radio, at: now) { return true }
    return false
  }
}

extension Settings {
  /// Whether its device would have this identity here, too. Keys and services may be configured at one gateway only; and an EID holds for
  /// a time, so the two clocks must agree.
  func couldRecognise(_ claim: Claim, unixTime: Int64?) -> Bool {
    let identity = claim.identity
    switch identity.kind {
    case .irk, .eid:
      for index in keys.indices where Identity(identity.kind, keys[index].alias.bytes) == identity {
        guard case .eid(let exponent, _) = keys[index].kind else { return true }
        guard let unixTime else { return false }
        return claim.unixTime.map { ($0 - unixTime).magnitude <= 1 << UInt64(exponent) } ?? true
      }
      return false
    case .service:
      for index in services.indices where identity.names(services[index]) { return true }
      return false
    case .peer: return peer.identify
    case .iBeacon, .altBeacon, .eddystone, .name, .address: return true
    }
  }
}

extension Identity {
  fileprivate func names(_ service: ServiceUUID) -> Bool {
    for index in 0..<16 where bytes[index] != service.byte(index) { return false }
    return true
  }
}
