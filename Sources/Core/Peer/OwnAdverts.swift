// The bytes of our own adverts. Core Supplement, Part A; each kind's own specification.

/// The data of one legacy advert.
typealias AdvertData = Text<31>

extension TransmitSettings {
  /// The calibrated level at a metre; Eddystone wants it at 0 m, which is 41 dB more.
  var advert: AdvertData {
    let measured = Int8(clamping: Int(measuredPower.value.rounded()))
    let atZero = Int8(clamping: Int(measured) + Int(EddystoneFrame.firstMeter))
    var data = AdvertData()
    data.appendFlags()
    switch kind {
    case .iBeacon:
      data.append(field: 0xFF, of: 25)
      data.append(little: UInt64(AppleMessages.company), bytes: 2)
      data.append(byte: AppleMessages.Kind.iBeacon)
      data.append(byte: 21)
      data.append(content)
      data.append(byte: UInt8(bitPattern: measured))
    case .altBeacon:
      data.append(field: 0xFF, of: 26)
      data.append(little: UInt64(company), bytes: 2)
      data.append(byte: 0xBE)
      data.append(byte: 0xAC)
      data.append(content)
      data.append(byte: UInt8(bitPattern: measured))
      data.append(byte: 0)
    case .eddystoneUID:
      data.appendEddystone(0x00, of: content.count + 4, atZero)
      data.append(content)
      // Reserved.
      data.append(little: 0, bytes: 2)
    case .eddystoneURL:
      data.appendEddystone(0x10, of: content.count + 2, atZero)
      data.append(content)
    }
    return data
  }
}

extension TransmitSettings {
  /// What whoever hears it takes it for; nil for a URL, which names nobody.
  package var identity: Identity? {
    switch kind {
    case .iBeacon: Identity(.iBeacon, content.bytes)
    case .altBeacon: Identity(.altBeacon, content.bytes)
    case .eddystoneUID: Identity(.eddystone, content.bytes)
    case .eddystoneURL: nil
    }
  }
}

extension Settings {
  /// Whether it is one of our own beacons.
  @_optimize(size)
  @export(interface) package func transmits(_ identity: Identity) -> Bool {
    for index in transmissions.indices where transmissions[index].identity == identity { return true }
    return false
  }
}

extension PeerSettings {
  /// Apps find this gateway by it.
  var advert: AdvertData {
    var data = AdvertData()
    data.appendFlags()
    data.append(field: 0x07, of: 16)
    data.append(onAir: service)
    return data
  }
}

extension AdvertData {
  /// General discoverable, no BR/EDR.
  fileprivate mutating func appendFlags() {
    append(field: 0x01, of: 1)
    append(byte: 0x06)
  }

  fileprivate mutating func append(field type: UInt8, of count: Int) {
    append(byte: UInt8(count + 1))
    append(byte: type)
  }

  fileprivate mutating func appendEddystone(_ frame: UInt8, of count: Int, _ power: Int8) {
    append(field: 0x03, of: 2)
    append(little: 0xFEAA, bytes: 2)
    append(field: 0x16, of: 2 + count)
    append(little: 0xFEAA, bytes: 2)
    append(byte: frame)
    append(byte: UInt8(bitPattern: power))
  }
}
