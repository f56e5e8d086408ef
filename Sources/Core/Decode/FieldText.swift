// A field of an advertisement as JSON.

extension Text {
  /// The members of one field, inside an open object.
  mutating func members(of field: borrowing Field) {
    switch field {
    case .flags(let value):
      member("field", "flags")
      member("value", Int64(value))
    case .services(let list):
      member("field", "services")
      member("complete", list.isComplete)
      uuids(list)
    case .solicitations(let list):
      member("field", "solicitations")
      uuids(list)
    case .name(let text, let isComplete):
      member("field", "name")
      member("complete", isComplete)
      member("text", text: text)
    case .txPower(let power):
      member("field", "tx_power")
      member("value", Int64(power))
    case .serviceData(let uuid, let data):
      member("field", "service_data")
      member("uuid", uuid)
      member("data", hex: data)
      meaning(of: data, under: uuid)
    case .manufacturer(let company, let data):
      member("field", "manufacturer")
      member("company", Int64(company))
      member("data", hex: data)
      meaning(of: data, from: company)
    case .appearance(let value):
      member("field", "appearance")
      member("value", Int64(value))
    case .uri(let text):
      member("field", "uri")
      member("text", text: text)
    case .unknown(let type, let data):
      member("field", "unknown")
      member("type", Int64(type))
      member("data", hex: data)
    }
  }

  private mutating func uuids(_ list: UUIDList) {
    array("uuids")
    var list = list
    while let uuid = list.next() {
      separate()
      append(uuid)
    }
    closeArray()
  }

  private mutating func member(_ key: StaticString, _ uuid: ServiceUUID) {
    self.key(key)
    append(uuid)
  }

  /// With four or eight digits if it is on Bluetooth's base UUID.
  private mutating func append(_ uuid: ServiceUUID) {
    append(byte: UInt8(ascii: "\""))
    let base = ServiceUUID(short: 0)
    let isShort = uuid.low == base.low && uuid.high & 0xFFFF_FFFF == base.high
    for index in isShort ? (uuid.high >> 48 == 0 ? 2..<4 : 0..<4) : 0..<16 {
      if !isShort, index == 4 || index == 6 || index == 8 || index == 10 { append(byte: UInt8(ascii: "-")) }
      append(hex: uuid.byte(index))
    }
    append(byte: UInt8(ascii: "\""))
  }

  // MARK: What the bytes mean

  private mutating func meaning(of data: RawSpan, from company: UInt16) {
    if let beacon = AltBeacon(data) {
      object("altbeacon")
      member("id", hex: beacon.id)
      member("measured_power_dbm", Int64(beacon.measuredPower))
      closeObject()
    }
    guard company == AppleMessages.company else { return }
    array("apple")
    var messages = AppleMessages(data)
    while let message = messages.next() {
      openObject()
      member("type", Int64(message.kind))
      if let name = message.name { member("name", name) }
      member("data", hex: message.content)
      if let beacon = IBeacon(message) {
        member("uuid", ServiceUUID(beacon.id.big64(at: 0), beacon.id.big64(at: 8)))
        member("major", Int64(beacon.id.big16(at: 16)))
        member("minor", Int64(beacon.id.big16(at: 18)))
        member("measured_power_dbm", Int64(beacon.measuredPower))
      }
      closeObject()
    }
    closeArray()
  }

  private mutating func meaning(of data: RawSpan, under uuid: ServiceUUID) {
    if uuid == EddystoneFrame.service, let frame = EddystoneFrame(data) {
      object("eddystone")
      members(of: frame)
      closeObject()
    } else if uuid == BTHome.service, let measurements = BTHome(data) {
      object("bthome")
      members(of: measurements)
      closeObject()
    }
  }

  private mutating func members(of frame: EddystoneFrame) {
    switch frame {
    case .uid(let power, let id):
      member("frame", "uid")
      member("namespace", hex: id.extracting(first: 10))
      member("instance", hex: id.extracting(droppingFirst: 10))
      member("power_at_0m_dbm", Int64(power))
    case .url(let power, let url):
      member("frame", "url")
      var text = Text<512>()
      url.write(to: &text)
      member("url", text: text.bytes)
      member("power_at_0m_dbm", Int64(power))
    case .telemetry(let telemetry):
      member("frame", "tlm")
      member("voltage_mv", Int64(telemetry.voltage))
      if let temperature = telemetry.centidegrees { member("temperature_c", Int64(temperature), decimals: 2) }
      member("adverts", Int64(telemetry.adverts))
      member("uptime_s", Int64(telemetry.uptime), decimals: 1)
    case .sealedTelemetry(let data):
      member("frame", "sealed-tlm")
      member("sealed", hex: data)
    case .ephemeral(let power, let id):
      member("frame", "eid")
      key("id")
      append(byte: UInt8(ascii: "\""))
      for index in 0..<8 { append(hex: UInt8(truncatingIfNeeded: id >> UInt64(8 * (7 - index)))) }
      append(byte: UInt8(ascii: "\""))
      member("power_at_0m_dbm", Int64(power))
    case .unknown(let data):
      member("frame", "unknown")
      member("content", hex: data)
    }
  }

  private mutating func members(of measurements: BTHome) {
    var measurements = measurements
    member("encrypted", measurements.isEncrypted)
    array("measurements")
    while let measurement = measurements.next() {
      openObject()
      member("name", measurement.object.name)
      if measurement.isNumber {
        member("value", measurement.value, decimals: Int(measurement.object.decimals))
      } else if measurement.object.isText {
        member("text", text: measurement.content)
      } else {
        member("data", hex: measurement.content)
      }
      closeObject()
    }
    closeArray()
    if let damage = measurements.damage { member("damage", damage.name) }
  }
}
