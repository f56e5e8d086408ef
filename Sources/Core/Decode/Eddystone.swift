/// A frame of Google's open beacon format: the service data of 0xFEAA. github.com/google/eddystone, protocol-specification.md.
package enum EddystoneFrame: ~Escapable {
  /// Ten bytes of namespace and six of instance.
  case uid(powerAtZero: Int8, id: RawSpan)
  case url(powerAtZero: Int8, EddystoneURL)
  case telemetry(EddystoneTelemetry)
  /// Telemetry that needs the beacon's key, or of an unknown version.
  case sealedTelemetry(RawSpan)
  case ephemeral(powerAtZero: Int8, id: UInt64)
  case unknown(RawSpan)

  package static let service = ServiceUUID(short: 0xFEAA)

  /// Eddystone states the level at 0 m; the first metre takes 41 dB. protocol-specification.md, "Tx Power".
  package static let firstMeter: Int8 = 41

  /// nil: shorter than its type requires.
  @inline(always) @_lifetime(copy data)
  package init?(_ data: RawSpan) {
    guard data.byteCount >= 2 else { return nil }
    switch data[0] {
    case 0x00:
      guard data.byteCount >= 18 else { return nil }
      self = .uid(powerAtZero: data.signed(at: 1), id: data.extracting(2..<18))
    case 0x10:
      guard data.byteCount >= 3 else { return nil }
      self = .url(powerAtZero: data.signed(at: 1), EddystoneURL(encoded: data.extracting(droppingFirst: 2)))
    case 0x20:
      guard data[1] == 0 else {
        self = .sealedTelemetry(data.extracting(droppingFirst: 2))
        return
      }
      guard data.byteCount >= 14 else { return nil }
      self = .telemetry(EddystoneTelemetry(data))
    case 0x30:
      guard data.byteCount >= 10 else { return nil }
      self = .ephemeral(powerAtZero: data.signed(at: 1), id: data.big64(at: 2))
    default: self = .unknown(data)
    }
  }
}

/// A beacon's own health. eddystone-tlm/tlm-plain.md.
package struct EddystoneTelemetry: BitwiseCopyable, Sendable {
  /// In millivolts; zero where the beacon has no battery.
  package let voltage: UInt16
  /// In 1/256 °C; -128 °C where the beacon cannot tell.
  package let temperature: Int16
  /// Adverts since it started: the true count, from which losses follow.
  package let adverts: UInt32
  /// In tenths of a second.
  package let uptime: UInt32

  @inline(always) fileprivate init(_ data: RawSpan) {
    voltage = data.big16(at: 2)
    temperature = Int16(bitPattern: data.big16(at: 4))
    adverts = data.big32(at: 6)
    uptime = data.big32(at: 10)
  }

  /// In hundredths of a degree, towards zero; nil where the beacon cannot tell.
  package var centidegrees: Int16? { temperature == Int16.min ? nil : Int16(Int32(temperature) * 100 / 256) }
}

/// A URL in Eddystone's compressed form. eddystone-url/README.md.
package struct EddystoneURL: ~Escapable {
  private let encoded: RawSpan

  @_lifetime(copy encoded)
  fileprivate init(encoded: RawSpan) { self.encoded = encoded }

  @_optimize(size)
  package func write<let capacity: Int>(to text: inout Text<capacity>) {
    switch encoded[0] {
    case 0: text.append("http://www.")
    case 1: text.append("https://www.")
    case 2: text.append("http://")
    case 3: text.append("https://")
    default: text.append(byte: encoded[0])
    }
    for index in 1..<encoded.byteCount { text.append(expanding: encoded[index]) }
  }
}

extension Text {
  fileprivate mutating func append(expanding byte: UInt8) {
    switch byte {
    case 0: append(".com/")
    case 1: append(".org/")
    case 2: append(".edu/")
    case 3: append(".net/")
    case 4: append(".info/")
    case 5: append(".biz/")
    case 6: append(".gov/")
    case 7: append(".com")
    case 8: append(".org")
    case 9: append(".edu")
    case 10: append(".net")
    case 11: append(".info")
    case 12: append(".biz")
    case 13: append(".gov")
    default: append(byte: byte)
    }
  }
}
