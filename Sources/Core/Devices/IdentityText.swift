// The written form of identities: `ibeacon:UUID:MAJOR:MINOR` and the others.

extension Identity {
  package static func prefix(of kind: Kind) -> StaticString {
    switch kind {
    case .irk: "irk:"
    case .peer: "peer:"
    case .eid: "eid:"
    case .iBeacon: "ibeacon:"
    case .altBeacon: "altbeacon:"
    case .eddystone: "eddystone:"
    case .service: "service:"
    case .name: "name:"
    case .address: "address:"
    }
  }
}

extension Text {
  package mutating func append(_ identity: Identity) {
    append(Identity.prefix(of: identity.kind))
    let length = Int(identity.length)
    switch identity.kind {
    case .irk, .eid: append(raw: identity, 0..<length)
    case .peer: append(hex: identity, 0..<length, upperCase: true)
    case .altBeacon: append(hex: identity, 0..<length)
    case .iBeacon:
      append(uuid: identity)
      append(number: identity, at: 16)
      append(number: identity, at: 18)
    case .eddystone:
      append(hex: identity, 0..<10)
      append(byte: UInt8(ascii: ":"))
      append(hex: identity, 10..<16)
    case .service:
      append(uuid: identity)
      append(byte: UInt8(ascii: "@"))
      append(address: identity, at: 16)
    case .name:
      append(name: identity, length - 7)
      append(byte: UInt8(ascii: "@"))
      append(address: identity, at: length - 6)
    case .address: append(address: identity, at: 0)
    }
  }

  package mutating func append(decimal value: UInt64) {
    var digits = InlineArray<20, UInt8>(repeating: 0)
    var first = 20
    var rest = value
    repeat {
      first -= 1
      digits[first] = UInt8(ascii: "0") + UInt8(truncatingIfNeeded: rest % 10)
      rest /= 10
    } while rest > 0
    for index in first..<20 { append(byte: digits[index]) }
  }

  package mutating func append(hex byte: UInt8, upperCase: Bool = false) {
    append(digit: byte >> 4, upperCase)
    append(digit: byte & 15, upperCase)
  }

  private mutating func append(digit: UInt8, _ upperCase: Bool) {
    let letter: UInt8 = upperCase ? UInt8(ascii: "A") : UInt8(ascii: "a")
    append(byte: digit < 10 ? UInt8(ascii: "0") + digit : letter + digit - 10)
  }

  private mutating func append(number identity: Identity, at start: Int) {
    append(byte: UInt8(ascii: ":"))
    append(decimal: UInt64(identity.bytes[start]) << 8 | UInt64(identity.bytes[start + 1]))
  }

  private mutating func append(raw identity: Identity, _ range: Range<Int>) {
    for index in range { append(byte: identity.bytes[index]) }
  }

  /// Whoever reads it must get the same bytes: JSON and topics keep no byte that is no UTF-8, a selector takes a `*` at the end for any rest,
  /// and a `%` says that the next two digits are such a byte.
  private mutating func append(name identity: Identity, _ length: Int) {
    var name = Text<40>()
    name.append(raw: identity, 0..<length)
    var index = 0
    while index < length {
      let count = name.bytes.characterLength(at: index)
      let isLastStar = name[index] == UInt8(ascii: "*") && index == length - 1
      if count == 0 || name[index] == UInt8(ascii: "%") || isLastStar {
        append(byte: UInt8(ascii: "%"))
        append(hex: name[index], upperCase: true)
      } else {
        append(name.bytes.extracting(index..<index + count))
      }
      index += max(count, 1)
    }
  }

  private mutating func append(hex identity: Identity, _ range: Range<Int>, upperCase: Bool = false) {
    for index in range { append(hex: identity.bytes[index], upperCase: upperCase) }
  }

  private mutating func append(uuid identity: Identity) {
    for index in 0..<16 {
      if index == 4 || index == 6 || index == 8 || index == 10 { append(byte: UInt8(ascii: "-")) }
      append(hex: identity.bytes[index])
    }
  }

  private mutating func append(address identity: Identity, at start: Int) {
    for index in 0..<6 {
      if index > 0 { append(byte: UInt8(ascii: ":")) }
      append(hex: identity.bytes[start + index])
    }
  }
}
