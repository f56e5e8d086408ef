/// What one advertisement says about its sender. Its proof is borrowed from the packet.
package struct Recognition: ~Escapable {
  /// The most specific identity that the advertisement carries; addresses and keys are not looked at here.
  package private(set) var evidence = Evidence.address
  private var proof: RawSpan
  /// The first configured service that it offers, whatever else it says.
  package private(set) var service: Int?
  /// Whether that service was only a bit in the overflow area.
  package private(set) var isServiceHinted = false
  /// The level at 1 m.
  package private(set) var measuredPower: Int8?
  /// What its antenna is given, by its own words.
  package private(set) var txPower: Int8?
  /// The identifier of an Eddystone beacon that hides behind a key.
  package private(set) var ephemeral: UInt64?
  package private(set) var attributes = Attributes()
  /// Something in it could not be read; the rest counts.
  package private(set) var damage: Malformed?

  @_lifetime(copy data)
  fileprivate init(nothingYetIn data: RawSpan) { proof = data.extracting(first: 0) }

  /// nil where the identity would need an address and there is none.
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

  @_lifetime(self: copy self, copy bytes)
  private mutating func claim(_ evidence: Evidence, _ bytes: RawSpan) {
    guard evidence < self.evidence else { return }
    self.evidence = evidence
    proof = bytes
  }
}

/// Sensor values that came along, for those who ask. They say nothing about who it is.
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

  package var isEmpty: Bool { battery == nil && voltage == nil && temperature == nil && adverts == nil }

  /// What is not said again is as it was.
  package mutating func update(_ newer: Attributes) {
    battery = newer.battery ?? battery
    voltage = newer.voltage ?? voltage
    temperature = newer.temperature ?? temperature
    adverts = newer.adverts ?? adverts
  }
}

extension WatchedServices {
  /// What a controller had to cut short is not the sender's fault.
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
    while let field = fields.next() { recognition.note(field, self) }
    recognition.note(fields.damage)
    return recognition
  }
}

extension Recognition {
  fileprivate mutating func pardon() { damage = nil }

  fileprivate mutating func note(_ damage: Malformed?) { if let damage { self.damage = damage } }

  @inline(always) @_lifetime(self: copy self, copy field)
  fileprivate mutating func note(_ field: Field, _ services: borrowing WatchedServices) {
    switch field {
    case .manufacturer(let company, let data): note(company, data, services)
    case .serviceData(let uuid, let data):
      note(uuid, services)
      note(uuid, data)
    case .services(var list): while !services.isEmpty, let uuid = list.next() { note(uuid, services) }
    case .name(let name, let isComplete):
      let text = name.nameBytes
      if text.byteCount > 0 { claim(isComplete ? .name : .shortName, text) }
    case .txPower(let power): txPower = power
    case .flags, .solicitations, .appearance, .uri, .unknown: break
    }
  }

  @_lifetime(self: copy self, copy data)
  private mutating func note(_ company: UInt16, _ data: RawSpan, _ services: borrowing WatchedServices) {
    if let beacon = AltBeacon(data) {
      measured(beacon.measuredPower)
      claim(.altBeacon, beacon.id)
    }
    guard company == AppleMessages.company else { return }
    var messages = AppleMessages(data)
    while let message = messages.next() {
      if let beacon = IBeacon(message) {
        measured(beacon.measuredPower)
        claim(.iBeacon, beacon.id)
      } else if message.kind == AppleMessages.Kind.overflow, let hit = services.first(in: message.content) {
        offered(hit, isHinted: true)
      }
    }
  }

  private mutating func note(_ uuid: ServiceUUID, _ services: borrowing WatchedServices) {
    if let hit = services.first(equal: uuid) { offered(hit, isHinted: false) }
  }

  private mutating func offered(_ hit: Int, isHinted: Bool) {
    if let service, isServiceHinted == isHinted ? service <= hit : isHinted { return }
    service = hit
    isServiceHinted = isHinted
    claim(isHinted ? .overflow : .service, proof.extracting(first: 0))
  }

  @_lifetime(self: copy self, copy data)
  private mutating func note(_ uuid: ServiceUUID, _ data: RawSpan) {
    if uuid == EddystoneFrame.service {
      guard let frame = EddystoneFrame(data) else { return note(.impossible) }
      note(frame)
    } else if uuid == BTHome.service {
      guard var measurements = BTHome(data) else { return }
      while let measurement = measurements.next() { attributes.note(measurement) }
      note(measurements.damage)
    } else if uuid == ServiceUUID(short: 0x180F), data.byteCount >= 1 {
      attributes.battery = data[0]
    }
  }

  @inline(always) @_lifetime(self: copy self, copy frame)
  private mutating func note(_ frame: EddystoneFrame) {
    switch frame {
    case .uid(let power, let id):
      measured(power, atZero: true)
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

  /// At 1 m a beacon cannot be heard at 0 dBm or more: a byte that says so was never set.
  private mutating func measured(_ power: Int8, atZero: Bool = false) {
    let level = atZero ? Int(power) - Int(EddystoneFrame.firstMeter) : Int(power)
    if level < 0 { measuredPower = Int8(clamping: level) }
  }
}

extension Attributes {
  fileprivate mutating func note(_ measurement: BTHomeMeasurement) {
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
  /// Up to the first zero, which some stacks pad with; no more than an identity has room for.
  fileprivate var nameBytes: RawSpan {
    @_lifetime(copy self)
    get {
      var length = 0
      while length < min(byteCount, Identity.mostNameBytes), self[length] != 0 { length += 1 }
      return extracting(first: length)
    }
  }
}
