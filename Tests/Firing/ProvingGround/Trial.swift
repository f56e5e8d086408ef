import Core
import Host
import Simulation

/// One run of one scenario: the packets as the contestants see them, what our own gateways made of them, and the truth.
struct Trial {
  let scenario: Scenario
  let visits: [Stay]
  let site: Site
  private(set) var samples: [Sample] = []
  /// What our gateways said: fires, leaves, and how often they were undecided.
  private(set) var fires: [Fire] = []
  private(set) var leaves: [Fire] = []
  private(set) var undecided = 0
  /// What the gateways knew at the end.
  private(set) var learnt: [Gateways.Learnt] = []
  private var places: [[Point]] = []

  private static let step = 0.1

  init(
    _ scene: Scenario, seed: UInt64, isCalibrated: Bool, isPlaced: Bool = false, after earlier: [Gateways.Learnt] = [],
    cipher: @escaping Cipher, _ change: (inout Settings) -> Void = { _ in }
  ) {
    scenario = isCalibrated || isPlaced || scene.lies ? scene : scene.withoutCalibration
    var world = World(scenario, seed: seed, cipher: cipher)
    visits = world.visits
    site = Site(gateways: scenario.gateways.count, phones: scenario.phones.count, powers: scenario.phones.map(\.power))
    let phones = scenario.phones
    let gateways = Gateways(scenario, seed: seed, isPlaced: isPlaced, cipher: cipher) {
      $0.know(phones, isCalibrated: isCalibrated && !scene.lies)
      change(&$0)
    }
    gateways.learnt = earlier
    var packet = Packet()
    while let gateway = world.next(into: &packet) {
      // Bystanders are in the air that the others are heard through; nobody listens to them.
      guard world.speaker < world.witnessed else { continue }
      gateways.receive(packet, gateway: gateway)
      collect(from: gateways, world)
      add(packet, gateway: gateway, phone: world.speaker)
    }
    gateways.end(at: scenario.seconds + 30)
    collect(from: gateways, world)
    learnt = gateways.learnt
    for phone in phones {
      places.append((0...Int(scenario.seconds / Self.step)).map { world.posture(of: phone.bearer, at: Double($0) * Self.step).place })
    }
  }

  func place(of phone: Int, at time: Double) -> Point { places[phone][min(max(Int(time / Self.step), 0), places[phone].count - 1)] }

  private mutating func collect(from gateways: Gateways, _ world: borrowing World) {
    let events = gateways.takeEvents()
    precondition(scenario.lies || !events.contains { $0.name == "anomaly" }, "an honest visitor was taken for another")
    for event in events {
      let written = Text<128>(event.identity)
      guard let identity = try? Identity(written: written.bytes), let phone = world.phone(meantBy: identity) else { continue }
      guard phone < world.witnessed else { continue }
      let said = Fire(gateway: event.gateway, phone: phone, time: event.time)
      switch event.name {
      case "fire": fires.append(said)
      case "leave": leaves.append(said)
      case "undecided": undecided += 1
      default: break
      }
    }
  }

  /// Adverts only: the peers take no second sample from a scan response.
  private mutating func add(_ packet: Packet, gateway: Int, phone: Int) {
    let isExtended = packet.bytes[3] == 0x0D
    if isExtended, packet.bytes[5] == 0x1B { return }
    let level = isExtended ? packet.bytes[18] : packet.bytes[packet.bytes.count - 1]
    let time = Double(packet.at.microseconds) * 1e-6 - scenario.gateways[gateway].clock
    samples.append(Sample(gateway: gateway, phone: phone, time: time, level: Double(Int8(bitPattern: level))))
  }
}

extension Scenario {
  /// A device claims a wrong power. Then the adverts' claims are all that is known.
  fileprivate var lies: Bool { phones.contains { Double($0.claimedPower) != $0.power } }

  /// Phones of another power each, that say nothing of it.
  fileprivate var withoutCalibration: Scenario {
    var scenario = self
    for index in phones.indices {
      scenario.phones[index].powerSpread = 8
      scenario.phones[index].says = .named(phones[index].name)
    }
    return scenario
  }
}

extension Settings {
  fileprivate mutating func know(_ phones: [Phone], isCalibrated: Bool) {
    for phone in phones {
      if let service = phone.says.service, !services.indices.contains(where: { services[$0] == service }) { _ = services.append(service) }
      guard case .resolvable(let key, _) = phone.address else { continue }
      var known = KeySettings()
      known.alias = phone.name
      known.key = key
      _ = keys.append(known)
    }
    guard isCalibrated else { return }
    var everybody = DeviceCalibration()
    everybody.match = Slice(start: 0, count: 1)
    _ = calibration.devices.append(everybody)
  }
}

extension Advert {
  fileprivate var service: ServiceUUID? {
    switch self {
    case .service(let uuid), .background(let uuid): uuid
    case .beacon, .named, .nearby: nil
    }
  }
}
