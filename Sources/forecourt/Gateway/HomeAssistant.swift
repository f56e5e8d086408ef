import Core
import Host

/// Home Assistant discovery: announces regions and triggers at once, identities when they are first heard, and removes what is gone.
/// The courier retains the messages, and publishes them again to a broker that has lost them.
struct HomeAssistant {
  private enum Change {
    case announced(Announced)
    case withdrawn(Announced)
  }

  /// Three entities each: with 64 regions and 64 triggers this is what the courier can retain.
  private static let identitiesMost = 100
  private static let pause = Interval.seconds(1)
  private static let patience = Interval.seconds(2)
  private static let rhythm = Interval.seconds(60)
  /// Until the next look at a ring that was half full: its courier may hang.
  private static let respite = Interval.milliseconds(50)

  private var discovery: Discovery
  private var isOn = false
  /// Those that are announced.
  private(set) var identities: [Identity] = []
  private(set) var announced: [Announced] = []
  private var pending: [Change] = []
  private var lastTurn = Instant.zero
  /// Announced, and not spoken of since: of an entity that it does not know yet Home Assistant hears nothing.
  private var newcomers: [Identity] = []
  private var toldAll = Instant.zero
  /// The device table's arrivals at the last look.
  private var arrivals: UInt64 = 0
  private var lastLook = Instant.zero

  init(_ settings: borrowing Settings) {
    discovery = Discovery(settings, version: Name(release))
    announceAll(settings)
  }

  /// Announces everything anew, and withdraws what the new settings do not ask for. The gateway has them already.
  mutating func reload(_ devices: borrowing Devices, _ settings: borrowing Settings) {
    let before = announced
    identities.removeAll { !Self.isWanted($0, devices, settings) }
    discovery = Discovery(settings, version: Name(release))
    announceAll(settings)
    withdraw(before, devices, settings)
    arrivals = 0
  }

  /// Of what was announced before: what nothing asks for now. Whoever is looked for, but was not heard yet, stays.
  @inline(never)
  mutating func withdraw(_ before: [Announced], _ devices: borrowing Devices, _ settings: borrowing Settings) {
    for one in before where !announced.contains(one) {
      if case .state = one { continue }
      if isOn, case .device(let identity) = one, Self.isWanted(identity, devices, settings), identities.count < Self.identitiesMost {
        introduce(identity)
      } else {
        pending.append(.withdrawn(one))
      }
    }
  }

  /// Something may ask for another of its names, and the device knows them. But without its key nobody comes back.
  private static func isWanted(_ identity: Identity, _ devices: borrowing Devices, _ settings: borrowing Settings) -> Bool {
    guard settings.canKnow(identity) else { return false }
    return devices.find(identity).map { devices[$0].interest.isMatched } ?? settings.interest(in: identity).isMatched
  }

  private mutating func announceAll(_ settings: borrowing Settings) {
    (pending, announced) = ([], [])
    isOn = settings.publish.homeAssistant && !settings.gateway.simulated
    guard isOn else { return }
    for index in settings.regions.indices { announce(.region(settings.regions[index].name)) }
    for index in settings.triggers.indices { announce(.trigger(settings.triggers[index].name)) }
    for identity in identities { announce(.device(identity)) }
  }

  private mutating func announce(_ one: Announced) {
    pending.append(.announced(one))
    announced.append(one)
  }

  private mutating func introduce(_ identity: Identity) {
    identities.append(identity)
    announce(.device(identity))
    newcomers.append(identity)
  }

  /// Of whom to say now how near they are: of newcomers once Home Assistant knows them, and now and then of all, for it may have been
  /// started anew.
  mutating func dueToTell(at now: Instant) -> [Identity] {
    guard now >= tellingDue else { return [] }
    if newcomers.isEmpty || now >= toldAll + Self.rhythm { (toldAll, newcomers) = (now, identities) }
    defer { newcomers = [] }
    return newcomers
  }

  private var tellingDue: Instant {
    guard isOn, pending.isEmpty, !identities.isEmpty else { return .never }
    return min(newcomers.isEmpty ? .never : lastLook + Self.patience, toldAll + Self.rhythm)
  }

  private func messages(_ change: Change, _ settings: borrowing Settings) -> [Message] {
    switch change {
    case .announced(let one): return messages(one, settings)
    case .withdrawn(let one):
      var all = messages(one, settings)
      for index in all.indices { all[index].payload = Payload() }
      return all
    }
  }

  private func messages(_ one: Announced, _ settings: borrowing Settings) -> [Message] {
    switch one {
    case .region(let name): return [discovery.region(name)]
    case .trigger(let name): return [discovery.trigger(name)]
    case .device(let identity):
      let name = settings.deviceName(of: identity)
      return [discovery.tracker(identity, named: name), discovery.distance(identity, named: name), discovery.level(identity, named: name)]
    case .state: return []
    }
  }

  func nextDeadline(_ devices: borrowing Devices) -> Instant {
    let handing: Instant = pending.isEmpty ? .never : lastTurn + Self.respite
    return min(isBehind(devices) ? lastLook + Self.pause : .never, min(tellingDue, handing))
  }

  private func isBehind(_ devices: borrowing Devices) -> Bool {
    isOn && arrivals != devices.arrivals && identities.count < Self.identitiesMost
  }

  /// Once a turn: hands over as much as the courier takes at once.
  mutating func turned(_ gateway: borrowing Gateway, into ring: Ring<Message>, at now: Instant) {
    lastTurn = now
    if isBehind(gateway.devices), now >= lastLook + Self.pause { findNewIdentities(gateway, at: now) }
    while hasWork(ring), let change = pending.first {
      for var message in messages(change, gateway.settings) {
        message.at = now
        _ = ring.push(message)
      }
      pending.removeFirst()
    }
  }

  /// Half the ring stays free for messages that cannot wait.
  func hasWork(_ ring: Ring<Message>) -> Bool { !pending.isEmpty && ring.count < ring.capacity / 2 }

  private mutating func findNewIdentities(_ gateway: borrowing Gateway, at now: Instant) {
    (arrivals, lastLook) = (gateway.devices.arrivals, now)
    // However many visitors come, whoever has a name of its own finds a place.
    var kept = gateway.settings.ownNames
    for identity in identities where gateway.settings.hasOwnName(identity) { kept -= 1 }
    for slot in 0..<gateway.devices.capacity where gateway.devices.isUsed(slot) && gateway.devices[slot].interest.isMatched {
      let identity = gateway.devices[slot].identity
      // An address that changes would never come back, nor would who has lost its key and is not forgotten yet.
      guard gateway.addressStays(of: identity) != false, !identities.contains(identity) else { continue }
      guard gateway.settings.canKnow(identity) else { continue }
      let isNamed = gateway.settings.hasOwnName(identity)
      guard identities.count + (isNamed ? 0 : max(kept, 0)) < Self.identitiesMost else { continue }
      if isNamed { kept -= 1 }
      introduce(identity)
    }
  }
}
