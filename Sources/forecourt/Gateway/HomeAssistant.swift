import Core
import Host

/// Tells Home Assistant what there is: regions and triggers at once, identities from their first meeting on; and takes back what is
/// there no more. The courier keeps what was told, and tells it again whenever the broker has forgotten.
struct HomeAssistant {
  private enum Word {
    case region(Name)
    case trigger(Name)
    case device(Identity)
    case gone(Topic)
  }

  /// Three entities each: with 64 regions and 64 triggers this is what the courier keeps for us.
  private static let identitiesMost = 100
  private static let pause = Interval.seconds(1)

  private var discovery: Discovery?
  private var identities: [Identity] = []
  private var told: [Topic] = []
  private var pending: [Word] = []
  /// What the device table had counted when it was looked through last.
  private var arrivals: UInt64 = 0
  private var looked = Instant.zero

  init(_ settings: borrowing Settings) { announce(settings) }

  /// New settings: told anew, and what they do not name any more is taken back.
  mutating func adopt(_ settings: borrowing Settings) {
    let before = told
    identities.removeAll { !settings.interest(in: $0).isMatched }
    announce(settings)
    for topic in before where !told.contains(topic) { pending.append(.gone(topic)) }
    arrivals = 0
  }

  private mutating func announce(_ settings: borrowing Settings) {
    (pending, told, discovery) = ([], [], nil)
    guard settings.publish.homeAssistant, !settings.gateway.simulated else { return }
    discovery = Discovery(settings, version: Name(release))
    for index in settings.regions.indices { tell(.region(settings.regions[index].name)) }
    for index in settings.triggers.indices { tell(.trigger(settings.triggers[index].name)) }
    for identity in identities { tell(.device(identity)) }
  }

  private mutating func tell(_ word: Word) {
    pending.append(word)
    for message in messages(word) { told.append(message.topic) }
  }

  private func messages(_ word: Word) -> [Message] {
    if case .gone(let topic) = word {
      var message = Message()
      message.care = .state
      message.topic = topic
      return [message]
    }
    guard let discovery else { return [] }
    switch word {
    case .region(let name): return [discovery.region(name)]
    case .trigger(let name): return [discovery.trigger(name)]
    case .device(let identity): return [discovery.tracker(identity), discovery.distance(identity), discovery.level(identity)]
    case .gone: return []
    }
  }

  func isDue(_ devices: borrowing Devices) -> Instant { isBehind(devices) ? looked + Self.pause : .never }

  private func isBehind(_ devices: borrowing Devices) -> Bool {
    discovery != nil && arrivals != devices.arrivals && identities.count < Self.identitiesMost
  }

  /// Once a turn: as much as the courier takes at once.
  mutating func turned(_ devices: borrowing Devices, into ring: Ring<Message>, at now: Instant) {
    if isBehind(devices), now >= looked + Self.pause { look(devices, at: now) }
    // Half a ring is left to those who cannot wait.
    while let word = pending.first, ring.count < ring.capacity / 2 {
      for message in messages(word) { _ = ring.push(message) }
      pending.removeFirst()
    }
  }

  var hasWork: Bool { !pending.isEmpty }

  private mutating func look(_ devices: borrowing Devices, at now: Instant) {
    (arrivals, looked) = (devices.arrivals, now)
    for slot in 0..<devices.capacity where devices.isUsed(slot) && devices[slot].interest.isMatched {
      let identity = devices[slot].identity
      guard !identity.isBoundToAddress, identities.count < Self.identitiesMost, !identities.contains(identity) else { continue }
      identities.append(identity)
      tell(.device(identity))
    }
  }
}
