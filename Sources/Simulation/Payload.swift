import Core

/// What a phone sends: its advert, and its scan response.
struct PhonePayload: BitwiseCopyable, Sendable {
  var advert = Text<31>()
  var response = Text<31>()
  /// Phones are connectable, beacons are not.
  var isConnectable = false

  init(_ phone: Phone) {
    switch phone.says {
    case .beacon(let identity):
      advert.append(flags: 0x06)
      append(beacon: identity, power: phone.claimedPower)
    case .named(let name):
      isConnectable = true
      advert.append(flags: 0x06)
      response.append(name: name)
    case .service(let uuid):
      isConnectable = true
      advert.append(flags: 0x1A)
      advert.append(services: uuid)
    case .background(let uuid):
      // A phone that also sends "nearby" has its overflow area in the scan response.
      isConnectable = true
      advert.append(flags: 0x1A)
      advert.appendNearby()
      response.append(overflow: uuid)
    case .nearby:
      isConnectable = true
      advert.append(flags: 0x1A)
      advert.appendNearby()
    }
  }

  private mutating func append(beacon identity: Identity, power: Int8) {
    let power = UInt8(bitPattern: power)
    switch identity.kind {
    case .iBeacon:
      advert.append(bytes: 0x1A, 0xFF, 0x4C, 0x00, 0x02, 0x15)
      advert.append(bytesOf: identity)
      advert.append(byte: power)
    case .altBeacon:
      advert.append(bytes: 0x1B, 0xFF, 0x18, 0x01, 0xBE, 0xAC)
      advert.append(bytesOf: identity)
      advert.append(bytes: power, 0x00)
    case .eddystone:
      // Eddystone states the power at 0 m: 41 dB above the one at 1 m.
      advert.append(bytes: 0x03, 0x03, 0xAA, 0xFE, 0x17, 0x16, 0xAA, 0xFE, 0x00, power &+ 41)
      advert.append(bytesOf: identity)
      advert.append(bytes: 0x00, 0x00)
    case .irk, .peer, .eid, .service, .name, .address: preconditionFailure("no beacon has such an identity")
    }
  }
}

extension Text {
  fileprivate mutating func append(bytes: UInt8...) { for byte in bytes { append(byte: byte) } }

  fileprivate mutating func append(flags: UInt8) { append(bytes: 0x02, 0x01, flags) }

  fileprivate mutating func append(bytesOf identity: Identity) {
    for index in 0..<Int(identity.length) { append(byte: identity.bytes[index]) }
  }

  fileprivate mutating func append(name: Name) {
    let length = min(name.count, 29)
    append(bytes: UInt8(length + 1), 0x09)
    for index in 0..<length { append(byte: name[index]) }
  }

  fileprivate mutating func append(services uuid: ServiceUUID) {
    append(bytes: 0x11, 0x07)
    for index in 0..<16 { append(byte: uuid.byte(15 - index)) }
  }

  fileprivate mutating func append(overflow uuid: ServiceUUID) {
    append(bytes: 0x14, 0xFF, 0x4C, 0x00, 0x01)
    let position = uuid.overflowPosition
    for index in 0..<16 { append(byte: index == Int(position / 8) ? 0x80 >> (position % 8) : 0) }
  }

  fileprivate mutating func appendNearby() { append(bytes: 0x0A, 0xFF, 0x4C, 0x00, 0x10, 0x05, 0x01, 0x18, 0x44, 0x00, 0x00) }
}
