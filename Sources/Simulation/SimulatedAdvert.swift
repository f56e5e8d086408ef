import Core

/// One advert as a controller reports it.
struct SimulatedAdvert: BitwiseCopyable, Sendable {
  enum Kind { case advert, response }

  var kind: Kind
  var isConnectable: Bool
  var address: Address
  var data: Text<31>
  var rssi: Int8
}

// Core 6.0, Vol 4, Part E, 7.7.65.2 and 7.7.65.13. The legacy reports of one event follow each other whole, as controllers send them.
extension Packet {
  private static let legacy: UInt8 = 0x02
  private static let extended: UInt8 = 0x0D

  /// Starts an event; adding reports corrects its lengths.
  mutating func startEvent(extended isExtended: Bool) {
    bytes = Text()
    for byte: UInt8 in [0x04, 0x3E, 2, isExtended ? Self.extended : Self.legacy, 0] { bytes.append(byte: byte) }
  }

  mutating func add(_ report: SimulatedAdvert) {
    let old = bytes
    let isExtended = old[3] == Self.extended
    var added = Text<60>()
    if isExtended { added.append(extended: report) } else { added.append(legacy: report) }
    bytes = Text()
    for index in 0..<old.count {
      switch index {
      case 2: bytes.append(byte: old[2] + UInt8(added.count))
      case 4: bytes.append(byte: old[4] + 1)
      default: bytes.append(byte: old[index])
      }
    }
    bytes.append(added)
  }
}

extension Text {
  fileprivate mutating func append(legacy report: SimulatedAdvert) {
    append(byte: report.kind == .response ? 0x04 : report.isConnectable ? 0x00 : 0x03)
    append(address: report.address)
    append(byte: UInt8(report.data.count))
    append(report.data)
    append(byte: UInt8(bitPattern: report.rssi))
  }

  fileprivate mutating func append(extended report: SimulatedAdvert) {
    append(byte: report.kind == .response ? 0x1B : report.isConnectable ? 0x13 : 0x10)
    append(byte: 0)
    append(address: report.address)
    // Primary PHY 1M, no secondary one, no set, power not known.
    for byte: UInt8 in [0x01, 0x00, 0xFF, 0x7F, UInt8(bitPattern: report.rssi)] { append(byte: byte) }
    // No periodic advertising, not directed.
    for _ in 0..<9 { append(byte: 0) }
    append(byte: UInt8(report.data.count))
    append(report.data)
  }

  private mutating func append(address: Address) {
    append(byte: address.kind.rawValue)
    for index in 0..<6 { append(byte: address.written(5 - index)) }
  }
}
