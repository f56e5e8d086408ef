/// BTHome version 2: measurements in the service data of 0xFCD2, in the clear. bthome.io/format.
///
///     while let measurement = measurements.next() { … }
package struct BTHome: ~Escapable {
  package static let service = ServiceUUID(short: 0xFCD2)

  package let isEncrypted: Bool
  private var cursor: Cursor
  /// The rest could not be read: it is cut, or contains an object newer than this table.
  package private(set) var damage: Malformed?

  /// nil for another version.
  @_lifetime(copy data)
  package init?(_ data: RawSpan) {
    guard data.byteCount >= 1, data[0] >> 5 == 2 else { return nil }
    isEncrypted = data[0] & 1 != 0
    cursor = Cursor(isEncrypted ? data.extracting(first: 0) : data.extracting(droppingFirst: 1))
  }

  @_lifetime(copy self)
  @_lifetime(self: copy self)
  package mutating func next() -> BTHomeMeasurement? {
    guard let id = try? cursor.byte() else { return nil }
    guard let object = BTHomeObject(id) else { return stop(.impossible) }
    var width = Int(object.bytes)
    if width == 0 {
      guard let length = try? cursor.byte() else { return stop(.truncated) }
      width = Int(length)
    }
    guard let content = try? cursor.take(width) else { return stop(.truncated) }
    return BTHomeMeasurement(object, content)
  }

  @_lifetime(copy self)
  @_lifetime(self: copy self)
  private mutating func stop(_ reason: Malformed) -> BTHomeMeasurement? {
    damage = reason
    cursor = Cursor(cursor.unread.extracting(first: 0))
    return nil
  }
}

package struct BTHomeMeasurement: ~Escapable {
  package let object: BTHomeObject
  /// For text and raw data, which have no value.
  package let content: RawSpan

  @_lifetime(copy content)
  fileprivate init(_ object: BTHomeObject, _ content: RawSpan) {
    self.object = object
    self.content = content
  }

  package var isNumber: Bool { object.bytes > 0 }

  /// In units of ten to the minus `object.decimals`.
  package var value: Int64 {
    var value: Int64 = 0
    for index in 0..<min(content.byteCount, 4) { value |= Int64(content[index]) << Int64(8 * index) }
    let isNegative = object.isSigned && content.byteCount > 0 && content[content.byteCount - 1] & 0x80 != 0
    if isNegative { value -= 1 << Int64(8 * content.byteCount) }
    return value * Int64(object.factor)
  }
}

/// The meaning of an object id.
package struct BTHomeObject: BitwiseCopyable, Sendable {
  package let id: UInt8
  package let name: StaticString
  /// Zero: a length precedes the content, which is no number.
  package let bytes: UInt8
  package let isSigned: Bool
  package let decimals: UInt8
  let factor: UInt8
  var isText: Bool { id == 0x53 }

  private init(_ id: UInt8, _ name: StaticString, _ bytes: UInt8, signed: Bool = false, decimals: UInt8 = 0, factor: UInt8 = 1) {
    self.id = id
    self.name = name
    self.bytes = bytes
    isSigned = signed
    self.decimals = decimals
    self.factor = factor
  }

  package init?(_ id: UInt8) {
    switch id {
    case 0x00: self.init(id, "packet_id", 1)
    case 0x01: self.init(id, "battery", 1)
    case 0x02: self.init(id, "temperature", 2, signed: true, decimals: 2)
    case 0x03: self.init(id, "humidity", 2, decimals: 2)
    case 0x04: self.init(id, "pressure", 3, decimals: 2)
    case 0x05: self.init(id, "illuminance", 3, decimals: 2)
    case 0x06: self.init(id, "mass_kg", 2, decimals: 2)
    case 0x07: self.init(id, "mass_lb", 2, decimals: 2)
    case 0x08: self.init(id, "dew_point", 2, signed: true, decimals: 2)
    case 0x09: self.init(id, "count", 1)
    case 0x0A: self.init(id, "energy", 3, decimals: 3)
    case 0x0B: self.init(id, "power", 3, decimals: 2)
    case 0x0C: self.init(id, "voltage", 2, decimals: 3)
    case 0x0D: self.init(id, "pm2_5", 2)
    case 0x0E: self.init(id, "pm10", 2)
    case 0x0F...0x11, 0x15...0x2D: self.init(id, Self.state(id), 1)
    case 0x12: self.init(id, "co2", 2)
    case 0x13: self.init(id, "tvoc", 2)
    case 0x14: self.init(id, "moisture", 2, decimals: 2)
    case 0x2E: self.init(id, "humidity", 1)
    case 0x2F: self.init(id, "moisture", 1)
    default: self.init(later: id)
    }
  }

  /// Objects added after the first edition.
  private init?(later id: UInt8) {
    switch id {
    case 0x3A: self.init(id, "button", 1)
    case 0x3C: self.init(id, "dimmer", 2)
    case 0x3D: self.init(id, "count", 2)
    case 0x3E: self.init(id, "count", 4)
    case 0x3F: self.init(id, "rotation", 2, signed: true, decimals: 1)
    case 0x40: self.init(id, "distance_mm", 2)
    case 0x41: self.init(id, "distance_m", 2, decimals: 1)
    case 0x42: self.init(id, "duration", 3, decimals: 3)
    case 0x43: self.init(id, "current", 2, decimals: 3)
    case 0x44: self.init(id, "speed", 2, decimals: 2)
    case 0x45: self.init(id, "temperature", 2, signed: true, decimals: 1)
    case 0x46: self.init(id, "uv_index", 1, decimals: 1)
    case 0x47: self.init(id, "volume_l", 2, decimals: 1)
    case 0x48: self.init(id, "volume_ml", 2)
    case 0x49: self.init(id, "volume_flow_rate", 2, decimals: 3)
    case 0x4A: self.init(id, "voltage", 2, decimals: 1)
    case 0x4B: self.init(id, "gas", 3, decimals: 3)
    case 0x4C: self.init(id, "gas", 4, decimals: 3)
    case 0x4D: self.init(id, "energy", 4, decimals: 3)
    case 0x4E: self.init(id, "volume_l", 4, decimals: 3)
    case 0x4F: self.init(id, "water", 4, decimals: 3)
    case 0x50: self.init(id, "timestamp", 4)
    case 0x51: self.init(id, "acceleration", 2, decimals: 3)
    case 0x52: self.init(id, "gyroscope", 2, decimals: 3)
    case 0x53: self.init(id, "text", 0)
    case 0x54: self.init(id, "raw", 0)
    case 0x55: self.init(id, "volume_storage", 4, decimals: 3)
    case 0x56: self.init(id, "conductivity", 2)
    case 0x57: self.init(id, "temperature", 1, signed: true)
    case 0x58: self.init(id, "temperature", 1, signed: true, decimals: 2, factor: 35)
    case 0x59: self.init(id, "count", 1, signed: true)
    case 0x5A: self.init(id, "count", 2, signed: true)
    case 0x5B: self.init(id, "count", 4, signed: true)
    case 0x5C: self.init(id, "power", 4, signed: true, decimals: 2)
    case 0x5D: self.init(id, "current", 2, signed: true, decimals: 3)
    case 0x5E: self.init(id, "direction", 2, decimals: 2)
    case 0x5F: self.init(id, "precipitation", 2, decimals: 1)
    case 0x60: self.init(id, "channel", 1)
    case 0x61: self.init(id, "rotational_speed", 2)
    case 0x62: self.init(id, "speed", 4, signed: true, decimals: 6)
    case 0x63: self.init(id, "acceleration", 4, signed: true, decimals: 6)
    case 0x64: self.init(id, "light_level", 1)
    case 0xF0: self.init(id, "device_type", 2)
    case 0xF1: self.init(id, "firmware_version", 4)
    case 0xF2: self.init(id, "firmware_version", 3)
    default: return nil
    }
  }

  /// Zero or one.
  private static func state(_ id: UInt8) -> StaticString {
    switch id {
    case 0x0F: "state"
    case 0x10: "power_on"
    case 0x11: "opening"
    case 0x15: "battery_low"
    case 0x16: "battery_charging"
    case 0x17: "carbon_monoxide"
    case 0x18: "cold"
    case 0x19: "connectivity"
    case 0x1A: "door"
    case 0x1B: "garage_door"
    case 0x1C: "gas_detected"
    case 0x1D: "heat"
    case 0x1E: "light"
    case 0x1F: "lock"
    case 0x20: "moisture_detected"
    case 0x21: "motion"
    case 0x22: "moving"
    case 0x23: "occupancy"
    case 0x24: "plug"
    case 0x25: "presence"
    case 0x26: "problem"
    case 0x27: "running"
    case 0x28: "safety"
    case 0x29: "smoke"
    case 0x2A: "sound"
    case 0x2B: "tamper"
    case 0x2C: "vibration"
    default: "window"
    }
  }
}
