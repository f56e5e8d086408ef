/// What one advertisement says about its sender. The bytes of the identity are borrowed from the packet.
package struct Recognition: ~Escapable {
  /// The best evidence in the advertisement; addresses and keys are handled elsewhere.
  package private(set) var evidence = Evidence.address
  private var proof: RawSpan
  // Its other names; each is empty if absent.
  private var iBeacon: RawSpan
  private var altBeacon: RawSpan
  private var eddystone: RawSpan
  private var name: RawSpan
  /// A bit for each configured service that it offers, openly or in the overflow area.
  private var offers: UInt16 = 0
  /// The first configured service that it offers.
  package private(set) var service: Int?
  /// Whether that service is only a bit in the overflow area.
  package private(set) var isServiceHinted = false
  /// The level at 1 m.
  package private(set) var measuredPower: Int8?
  private var isPowerImplausible = false
  /// Its transmit power, as it states it.
  package private(set) var txPower: Int8?
  /// The identifier of an Eddystone beacon that needs a key.
  package private(set) var ephemeral: UInt64?
  package private(set) var attributes = Attributes()
  /// Some of it could not be read; the rest counts.
  package private(set) var damage: Malformed?

  @_lifetime(copy data)
  fileprivate init(nothingYetIn data: RawSpan) {
    proof = data.extracting(first: 0)
    (iBeacon, altBeacon, eddystone, name) = (proof, proof, proof, proof)
  }

  /// nil where the identity needs an address and there is none.
  package func identity(at address: Address, _ services: borrowing WatchedServices) -> Identity? {
    switch evidence {
    case .irk, .peer, .eid: return nil
    case .iBeacon, .altBeacon, .eddystone: return Identity(evidence.kind, proof)
    case .service, .overflow, .name, .shortName, .address: break
    }
    guard address.kind != .anonymous else { return nil }
    var identity = Identity(evidence.kind)
    if evidence == .name || evidence == .shortName {
      identity.append(proof)
      identity.append(0)
    } else if let service {
      identity.append(services[service])
    }
    identity.append(address)
    return identity
  }

  func offers(_ service: ServiceUUID, _ services: borrowing WatchedServices) -> Bool {
    services.first(equal: service).map { offers & 1 << UInt16($0) != 0 } ?? false
  }

  /// One of the sender's names, of the given kind; a service by its number.
  func name(_ kind: Identity.Kind, at address: Address, service number: Int = 0, _ services: borrowing WatchedServices) -> Identity? {
    switch kind {
    case .irk, .peer, .eid: return nil
    case .iBeacon: return iBeacon.byteCount > 0 ? Identity(kind, iBeacon) : nil
    case .altBeacon: return altBeacon.byteCount > 0 ? Identity(kind, altBeacon) : nil
    case .eddystone: return eddystone.byteCount > 0 ? Identity(kind, eddystone) : nil
    case .service, .name, .address: break
    }
    guard address.kind != .anonymous else { return nil }
    var identity = Identity(kind)
    if kind == .name {
      guard name.byteCount > 0 else { return nil }
      identity.append(name)
      identity.append(0)
    } else if kind == .service {
      guard offers >> UInt16(number) & 1 == 1 else { return nil }
      identity.append(services[number])
    }
    identity.append(address)
    return identity
  }

  /// Among names of its kind: the service first in the configuration, the longest name.
  var rank: UInt8 {
    switch evidence {
    case .service, .overflow: UInt8(truncatingIfNeeded: service ?? 0)
    case .name, .shortName: UInt8(truncatingIfNeeded: Identity.mostNameBytes - name.byteCount)
    case .irk, .peer, .eid, .iBeacon, .altBeacon, .eddystone, .address: 0
    }
  }

  /// Beacons are sold with -40 to +20 dBm, which is -100 to -39 at 1 m, give or take an antenna and what a site assumes. Claims beyond that
  /// are impossible. `power` comes from the report's head.
  func isImplausible(_ power: Int8?) -> Bool {
    if isPowerImplausible { return true }
    guard measuredPower == nil, let power = txPower ?? power else { return false }
    return !Self.plausible.contains(Int(power) - Int(EddystoneFrame.firstMeter))
  }

  private static let plausible = -90 ... -20

  @_lifetime(self: copy self, copy bytes)
  private mutating func claim(_ evidence: Evidence, _ bytes: RawSpan) {
    guard evidence < self.evidence else { return }
    self.evidence = evidence
    proof = bytes
  }
}

/// Sensor values in the advertisement. They do not identify the sender.
package struct Attributes: BitwiseCopyable, Sendable {
  /// Adverts sent since the beacon started.
  package var adverts: UInt32?
  /// In percent.
  package var battery: UInt8?
  /// In millivolts.
  package var voltage: UInt16?
  /// In hundredths of a degree Celsius.
  package var temperature: Int16?

  package init() {}

  /// A value that the new advert lacks stays.
  package mutating func update(_ newer: Attributes) {
    battery = newer.battery ?? battery
    voltage = newer.voltage ?? voltage
    temperature = newer.temperature ?? temperature
    adverts = newer.adverts ?? adverts
  }
}

extension WatchedServices {
  /// What the controller had to cut is not the sender's fault.
  @inline(__always) @_lifetime(copy report)
  package func recognise(_ report: Report) -> Recognition {
    var recognition = recognise(report.data)
    if report.completeness == .truncated { recognition.pardon() }
    return recognition
  }

  /// One pass over an advertisement's data.
  @_lifetime(copy data)
  package func recognise(_ data: RawSpan) -> Recognition {
    var recognition = Recognition(nothingYetIn: data)
    var fields = Fields(data)
    while let field = fields.next() { recognition.record(field, self) }
    recognition.record(fields.damage)
    return recognition
  }
}

extension Recognition {
  fileprivate mutating func pardon() { damage = nil }

  fileprivate mutating func record(_ damage: Malformed?) { if let damage { self.damage = damage } }

  @inline(always) @_lifetime(self: copy self, copy field)
  fileprivate mutating func record(_ field: Field, _ services: borrowing WatchedServices) {
    switch field {
    case .manufacturer(let company, let data): record(company, data, services)
    case .serviceData(let uuid, let data):
      record(uuid, services)
      record(uuid, data)
    case .services(var list): while !services.isEmpty, let uuid = list.next() { record(uuid, services) }
    case .name(let name, let isComplete):
      let text = name.nameBytes
      if text.byteCount > self.name.byteCount { self.name = text }
      if text.byteCount > 0 { claim(isComplete ? .name : .shortName, text) }
    case .txPower(let power): txPower = power
    case .flags, .solicitations, .appearance, .uri, .unknown: break
    }
  }

  @_lifetime(self: copy self, copy data)
  private mutating func record(_ company: UInt16, _ data: RawSpan, _ services: borrowing WatchedServices) {
    if let beacon = AltBeacon(data) {
      measured(beacon.measuredPower)
      altBeacon = beacon.id
      claim(.altBeacon, beacon.id)
    }
    guard company == AppleMessages.company else { return }
    var messages = AppleMessages(data)
    while let message = messages.next() {
      if let beacon = IBeacon(message) {
        measured(beacon.measuredPower)
        iBeacon = beacon.id
        claim(.iBeacon, beacon.id)
      } else if message.kind == AppleMessages.Kind.overflow {
        let hits = services.all(in: message.content)
        offers |= hits
        if hits != 0 { offered(hits.trailingZeroBitCount, isHinted: true) }
      }
    }
  }

  private mutating func record(_ uuid: ServiceUUID, _ services: borrowing WatchedServices) {
    if let hit = services.first(equal: uuid) { offered(hit, isHinted: false) }
  }

  private mutating func offered(_ hit: Int, isHinted: Bool) {
    offers |= 1 << UInt16(hit)
    if let service, isServiceHinted == isHinted ? service <= hit : isHinted { return }
    service = hit
    isServiceHinted = isHinted
    claim(isHinted ? .overflow : .service, proof.extracting(first: 0))
  }

  @_lifetime(self: copy self, copy data)
  private mutating func record(_ uuid: ServiceUUID, _ data: RawSpan) {
    if uuid == EddystoneFrame.service {
      guard let frame = EddystoneFrame(data) else { return record(.impossible) }
      record(frame)
    } else if uuid == BTHome.service {
      guard var measurements = BTHome(data) else { return }
      while let measurement = measurements.next() { attributes.record(measurement) }
      record(measurements.damage)
    } else if uuid == ServiceUUID(short: 0x180F), data.byteCount >= 1 {
      attributes.battery = data[0]
    }
  }

  @inline(always) @_lifetime(self: copy self, copy frame)
  private mutating func record(_ frame: EddystoneFrame) {
    switch frame {
    case .uid(let power, let id):
      measured(power, atZero: true)
      eddystone = id
      claim(.eddystone, id)
    case .url(let power, _): measured(power, atZero: true)
    case .telemetry(let telemetry):
      if telemetry.voltage > 0 { attributes.voltage = telemetry.voltage }
      attributes.temperature = telemetry.centidegrees
      attributes.adverts = telemetry.adverts
    case .ephemeral(let power, let id):
      measured(power, atZero: true)
      ephemeral = id
    case .sealedTelemetry, .unknown: break
    }
  }

  /// At 1 m no beacon reaches 0 dBm: such a byte was never set.
  private mutating func measured(_ power: Int8, atZero: Bool = false) {
    let level = atZero ? Int(power) - Int(EddystoneFrame.firstMeter) : Int(power)
    guard level < 0 else { return }
    guard Self.plausible.contains(level) else { return isPowerImplausible = true }
    measuredPower = Int8(clamping: level)
  }
}

extension Attributes {
  fileprivate mutating func record(_ measurement: BTHomeMeasurement) {
    switch measurement.object.id {
    case 0x01: battery = UInt8(clamping: measurement.value)
    case 0x02: temperature = Int16(clamping: measurement.value)
    case 0x45: temperature = Int16(clamping: measurement.value * 10)
    case 0x57: temperature = Int16(clamping: measurement.value * 100)
    case 0x58: temperature = Int16(clamping: measurement.value)
    case 0x0C: voltage = UInt16(clamping: measurement.value)
    case 0x4A: voltage = UInt16(clamping: measurement.value * 100)
    default: break
    }
  }
}

extension RawSpan {
  /// Up to the first zero, which some stacks use as padding, and within an identity's room.
  fileprivate var nameBytes: RawSpan {
    @_lifetime(copy self)
    get {
      var length = 0
      while length < min(byteCount, Identity.mostNameBytes), self[length] != 0 { length += 1 }
      return extracting(first: length)
    }
  }
}
