/// Apple's messages in the manufacturer data of 0x004C: one after another, each a type, a length and its bytes.
///
/// Apple has published only the iBeacon; the rest is common observation. Two kinds break the rule of the length: the overflow area has
/// none, and HomeKit's byte also holds three other bits.
package struct AppleMessages: ~Escapable {
  package static let company: UInt16 = 0x004C

  package enum Kind {
    package static let overflow: UInt8 = 0x01
    package static let iBeacon: UInt8 = 0x02
    package static let homeKit: UInt8 = 0x06
  }

  private var cursor: Cursor

  @_lifetime(copy data)
  package init(_ data: RawSpan) { cursor = Cursor(data) }

  /// nil after the last, and where the rest makes no sense. That is Apple's affair: no damage is counted.
  @_lifetime(copy self)
  @_lifetime(self: copy self)
  package mutating func next() -> AppleMessage? {
    guard let kind = try? cursor.byte() else { return nil }
    if kind == Kind.overflow && cursor.remaining == 16 { return AppleMessage(kind: kind, content: takeRest()) }
    guard kind != Kind.overflow, let length = try? cursor.byte(),
      let content = try? cursor.take(Int(kind == Kind.homeKit ? length & 0x1F : length))
    else {
      _ = takeRest()
      return nil
    }
    return AppleMessage(kind: kind, content: content)
  }

  @_lifetime(copy self)
  @_lifetime(self: copy self)
  private mutating func takeRest() -> RawSpan {
    let rest = cursor.unread
    cursor = Cursor(rest.extracting(first: 0))
    return rest
  }
}

package struct AppleMessage: ~Escapable {
  package let kind: UInt8
  package let content: RawSpan

  @_lifetime(copy content)
  fileprivate init(kind: UInt8, content: RawSpan) {
    self.kind = kind
    self.content = content
  }

  /// Its common name; nil for an unknown kind.
  package var name: StaticString? {
    switch kind {
    case 0x01: "overflow"
    case 0x02: "ibeacon"
    case 0x03: "airprint"
    case 0x05: "airdrop"
    case 0x06: "homekit"
    case 0x07: "proximity-pairing"
    case 0x08: "hey-siri"
    case 0x09: "airplay-target"
    case 0x0A: "airplay-source"
    case 0x0B: "magic-switch"
    case 0x0C: "handoff"
    case 0x0D: "tethering-target"
    case 0x0E: "tethering-source"
    case 0x0F: "nearby-action"
    case 0x10: "nearby-info"
    case 0x12: "find-my"
    default: nil
    }
  }
}

/// UUID, major, minor, and the level at 1 m. Apple, "Proximity Beacon Specification", release R1.
package struct IBeacon: ~Escapable {
  /// The twenty bytes of its identity.
  package let id: RawSpan
  package let measuredPower: Int8

  @_lifetime(copy message)
  package init?(_ message: AppleMessage) {
    guard message.kind == AppleMessages.Kind.iBeacon, message.content.byteCount >= 21 else { return nil }
    id = message.content.extracting(first: 20)
    measuredPower = message.content.signed(at: 20)
  }
}

/// Radius Networks' open answer to the iBeacon: manufacturer data of any company. github.com/AltBeacon/spec.
package struct AltBeacon: ~Escapable {
  /// The twenty bytes of its identity.
  package let id: RawSpan
  package let measuredPower: Int8

  /// Some beacons omit the last byte, which is the manufacturer's own.
  @_lifetime(copy data)
  package init?(_ data: RawSpan) {
    guard data.byteCount >= 23, data.big16(at: 0) == 0xBEAC else { return nil }
    id = data.extracting(2..<22)
    measuredPower = data.signed(at: 22)
  }
}
