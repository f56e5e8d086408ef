import Core
import Host

/// Home Assistant discovery: announces regions and triggers at once, identities when they are first heard, and removes what is gone.
/// The courier retains the messages, and publishes them again to a broker that has lost them.
struct HomeAssistant {
  private enum Announcement {
    case region(Name)
    case trigger(Name)
    case device(Identity, Name)
    case removed(Topic)
  }

  /// Three entities each: with 64 regions and 64 triggers this is what the courier can retain.
  private static let identitiesMost = 100
  private static let pause = Interval.seconds(1)

  private var discovery: Discovery?
  /// Those that are announced.
  private(set) var identities: [Identity] = []
  private var announced: [Topic] = []
  private var pending: [Announcement] = []
  /// The device table's arrivals at the last look.
  private var arrivals: UInt64 = 0
  private var lastLook = Instant.zero

  init(_ settings: borrowing Settings) { announce(settings) }

  /// Announces everything anew, and removes what the new settings do not ask for. The gateway has them already.
  mutating func reload(_ devices: borrowing Devices, _ settings: borrowing Settings) {
    let before = announced
    identities.removeAll { !Self.isWanted($0, devices, settings) }
    announce(settings)
    for topic in before where !announced.contains(topic) { pending.append(.removed(topic)) }
    arrivals = 0
  }

  /// Something may ask for another of its names, and the device knows them.
  private static func isWanted(_ identity: Identity, _ devices: borrowing Devices, _ settings: borrowing Settings) -> Bool {
    devices.find(identity).map { devices[$0].interest.isMatched } ?? settings.interest(in: identity).isMatched
  }

  private mutating func announce(_ settings: borrowing Settings) {
    (pending, announced, discovery) = ([], [], nil)
    guard settings.publish.homeAssistant, !settings.gateway.simulated else { return }
    discovery = Discovery(settings, version: Name(release))
    for index in settings.regions.indices { announce(.region(settings.regions[index].name)) }
    for index in settings.triggers.indices { announce(.trigger(settings.triggers[index].name)) }
    for identity in identities { announce(.device(identity, settings.deviceName(of: identity))) }
  }

  private mutating func announce(_ announcement: Announcement) {
    pending.append(announcement)
    for message in messages(announcement) { announced.append(message.topic) }
  }

  private func messages(_ announcement: Announcement) -> [Message] {
    if case .removed(let topic) = announcement {
      var message = Message()
      message.care = .state
      message.topic = topic
      return [message]
    }
    guard let discovery else { return [] }
    switch announcement {
    case .region(let name): return [discovery.region(name)]
    case .trigger(let name): return [discovery.trigger(name)]
    case .device(let identity, let name):
      return [discovery.tracker(identity, named: name), discovery.distance(identity, named: name), discovery.level(identity, named: name)]
    case .removed: return []
    }
  }

  func nextDeadline(_ devices: borrowing Devices) -> Instant { isBehind(devices) ? lastLook + Self.pause : .never }

  private func isBehind(_ devices: borrowing Devices) -> Bool {
    discovery != nil && arrivals != devices.arrivals && identities.count < Self.identitiesMost
  }

  /// Once a turn: hands over as much as the courier takes at once.
  mutating func turned(_ devices: borrowing Devices, _ settings: borrowing Settings, into ring: Ring<Message>, at now: Instant) {
    if isBehind(devices), now >= lastLook + Self.pause { findNewIdentities(devices, settings, at: now) }
    // Half the ring stays free for messages that cannot wait.
    while let announcement = pending.first, ring.count < ring.capacity / 2 {
      for var message in messages(announcement) {
        message.at = now
        _ = ring.push(message)
      }
      pending.removeFirst()
    }
  }

  var hasWork: Bool { !pending.isEmpty }

  private mutating func findNewIdentities(_ devices: borrowing Devices, _ settings: borrowing Settings, at now: Instant) {
    (arrivals, lastLook) = (devices.arrivals, now)
    for slot in 0..<devices.capacity where devices.isUsed(slot) && devices[slot].interest.isMatched {
      let identity = devices[slot].identity
      guard !identity.isBoundToAddress, identities.count < Self.identitiesMost, !identities.contains(identity) else { continue }
      identities.append(identity)
      announce(.device(identity, settings.deviceName(of: identity)))
    }
  }
}
