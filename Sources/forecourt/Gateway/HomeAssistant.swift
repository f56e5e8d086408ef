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

  private var discovery: Discovery
  private var isOn = false
  /// Those that are announced.
  private(set) var identities: [Identity] = []
  private(set) var announced: [Announced] = []
  private var pending: [Change] = []
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
  mutating func withdraw(_ before: [Announced], _ devices: borrowing Devices, _ settings: borrowing Settings) {
    for one in before where !announced.contains(one) {
      if isOn, case .device(let identity) = one, Self.isWanted(identity, devices, settings) { continue }
      pending.append(.withdrawn(one))
    }
  }

  /// Something may ask for another of its names, and the device knows them.
  private static func isWanted(_ identity: Identity, _ devices: borrowing Devices, _ settings: borrowing Settings) -> Bool {
    devices.find(identity).map { devices[$0].interest.isMatched } ?? settings.interest(in: identity).isMatched
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

  func nextDeadline(_ devices: borrowing Devices) -> Instant { isBehind(devices) ? lastLook + Self.pause : .never }

  private func isBehind(_ devices: borrowing Devices) -> Bool {
    isOn && arrivals != devices.arrivals && identities.count < Self.identitiesMost
  }

  /// Once a turn: hands over as much as the courier takes at once.
  mutating func turned(_ devices: borrowing Devices, _ settings: borrowing Settings, into ring: Ring<Message>, at now: Instant) {
    if isBehind(devices), now >= lastLook + Self.pause { findNewIdentities(devices, settings, at: now) }
    // Half the ring stays free for messages that cannot wait.
    while let change = pending.first, ring.count < ring.capacity / 2 {
      for var message in messages(change, settings) {
        message.at = now
        _ = ring.push(message)
      }
      pending.removeFirst()
    }
  }

  var hasWork: Bool { !pending.isEmpty }

  private mutating func findNewIdentities(_ devices: borrowing Devices, _ settings: borrowing Settings, at now: Instant) {
    (arrivals, lastLook) = (devices.arrivals, now)
    // However many visitors come, whoever has a name finds a place.
    var kept = settings.deviceNames.count
    for identity in identities where !settings.deviceName(of: identity).isEmpty { kept -= 1 }
    for slot in 0..<devices.capacity where devices.isUsed(slot) && devices[slot].interest.isMatched {
      let identity = devices[slot].identity
      guard !identity.isBoundToAddress, !identities.contains(identity) else { continue }
      let isNamed = !settings.deviceName(of: identity).isEmpty
      guard identities.count + (isNamed ? 0 : max(kept, 0)) < Self.identitiesMost else { continue }
      if isNamed { kept -= 1 }
      identities.append(identity)
      announce(.device(identity))
    }
  }
}
