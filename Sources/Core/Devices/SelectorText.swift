/// Why a text is no selector.
package enum Unreadable: UInt8, Error, BitwiseCopyable, Sendable {
  case empty, kind, uuid, number, hex, address, alias, name, nameTooLong
  /// A `*` inside a part of an identity, or something behind the last part.
  case ending
}

extension Selector {
  /// Reads the written form: an identity, or a prefix of one with a `*` in place of the rest.
  @_optimize(size)
  @export(interface) package init(written text: RawSpan) throws(Unreadable) {
    guard text.byteCount > 0 else { throw .empty }
    guard text.byteCount > 1 || text[0] != UInt8(ascii: "*") else {
      self = .any
      return
    }
    guard let (kind, start) = Identity.Kind.written(at: text) else { throw .kind }
    var reading = SelectorCursor(text, from: start, kind)
    try reading.read()
    self.init(kind: kind, isWhole: reading.isWhole, prefix: reading.identity)
  }

  /// The service that it matches, if it matches one.
  package var service: ServiceUUID? { kind == .service && prefix.length >= 16 ? ServiceUUID(of: prefix) : nil }
}

extension Identity {
  @export(interface) package init(written text: RawSpan) throws(Unreadable) {
    let selector = try Selector(written: text)
    guard selector.isWhole else { throw .ending }
    self = selector.prefix
  }

  /// The bytes left for a name beside its zero and its address.
  package static let mostNameBytes = mostBytes - 7
}

extension Identity.Kind {
  fileprivate static func written(at text: RawSpan) -> (Self, Int)? {
    let kinds = all
    for index in kinds.indices {
      let prefix = Text<16>(Identity.prefix(of: kinds[index]))
      if text.byteCount >= prefix.count, text.extracting(first: prefix.count).equals(prefix.bytes) { return (kinds[index], prefix.count) }
    }
    return nil
  }
}

extension ServiceUUID {
  fileprivate init(of identity: Identity) {
    self.init()
    for index in 0..<8 {
      high = high << 8 | UInt64(identity.bytes[index])
      low = low << 8 | UInt64(identity.bytes[index + 8])
    }
  }

  /// With or without hyphens; 4 or 8 digits are on the Bluetooth base UUID.
  @export(interface) package init(written text: RawSpan) throws(Unreadable) {
    var digits = 0
    self.init()
    for index in 0..<text.byteCount {
      if text[index] == UInt8(ascii: "-") {
        guard text.byteCount == 36, index == 8 || index == 13 || index == 18 || index == 23 else { throw .uuid }
        continue
      }
      guard let digit = hexDigit(text[index]) else { throw .uuid }
      high = high << 4 | low >> 60
      low = low << 4 | UInt64(digit)
      digits += 1
    }
    switch digits {
    case 4 where text.byteCount == 4, 8 where text.byteCount == 8: self.init(short: UInt32(low))
    case 32: break
    default: throw .uuid
    }
  }
}

/// The reader of a selector, behind its kind.
private struct SelectorCursor: ~Escapable {
  let text: RawSpan
  var index: Int
  var identity: Identity
  var isWhole = true

  @_lifetime(copy text)
  init(_ text: RawSpan, from index: Int, _ kind: Identity.Kind) {
    self.text = text
    self.index = index
    identity = Identity(kind)
  }

  mutating func read() throws(Unreadable) {
    if isOpen() { return }
    switch identity.kind {
    case .irk, .eid: try alias()
    case .peer: try hex(4)
    case .altBeacon: try hex(20)
    case .iBeacon:
      try uuid()
      for _ in 0..<2 where isWhole {
        try separator(UInt8(ascii: ":"), else: .number)
        if !isOpen() { try number() }
      }
    case .eddystone:
      try hex(10)
      try separator(UInt8(ascii: ":"), else: .ending)
      if !isOpen() { try hex(6) }
    case .service:
      try uuid()
      try separator(UInt8(ascii: "@"), else: .ending)
      if !isOpen() { try address() }
    case .name: try name()
    case .address: try address()
    }
    if isWhole && index != text.byteCount { throw .ending }
  }

  /// Whether only a `*` is left.
  private mutating func isOpen() -> Bool {
    guard index == text.byteCount - 1, text[index] == UInt8(ascii: "*") else { return false }
    isWhole = false
    return true
  }

  private mutating func separator(_ byte: UInt8, else fault: Unreadable) throws(Unreadable) {
    guard index < text.byteCount, text[index] == byte else { throw fault }
    index += 1
  }

  private func end(of separator: UInt8) -> Int {
    var end = index
    while end < text.byteCount, text[end] != separator { end += 1 }
    return end
  }

  private mutating func alias() throws(Unreadable) {
    guard index < text.byteCount, text.byteCount - index <= Name.capacity else { throw .alias }
    identity.append(text.extracting(index..<text.byteCount))
    index = text.byteCount
  }

  private mutating func hex(_ count: Int) throws(Unreadable) {
    for _ in 0..<count { identity.append(try pair(else: .hex)) }
  }

  private mutating func pair(else fault: Unreadable) throws(Unreadable) -> UInt8 {
    guard index + 1 < text.byteCount, let high = hexDigit(text[index]), let low = hexDigit(text[index + 1]) else { throw fault }
    index += 2
    return high << 4 | low
  }

  private mutating func uuid() throws(Unreadable) {
    let end = end(of: UInt8(ascii: identity.kind == .service ? "@" : ":"))
    guard identity.kind == .service || end - index >= 32 else { throw .uuid }
    let uuid = try ServiceUUID(written: text.extracting(index..<end))
    for byte in 0..<16 { identity.append(uuid.byte(byte)) }
    index = end
  }

  private mutating func number() throws(Unreadable) {
    let end = end(of: UInt8(ascii: ":"))
    var value = 0
    guard index < end, end - index <= 5 else { throw .number }
    for place in index..<end {
      guard UInt8(ascii: "0")...UInt8(ascii: "9") ~= text[place] else { throw .number }
      value = value * 10 + Int(text[place] - UInt8(ascii: "0"))
    }
    guard value <= 0xFFFF else { throw .number }
    identity.append(UInt8(value >> 8))
    identity.append(UInt8(value & 0xFF))
    index = end
  }

  private mutating func address() throws(Unreadable) {
    for byte in 0..<6 {
      if byte > 0 { try separator(UInt8(ascii: ":"), else: .address) }
      if isOpen() { return }
      identity.append(try pair(else: .address))
    }
  }

  /// `NAME@ADDRESS`, `NAME@*`, or `NAM*@*`. Addresses contain no `@`, so the last one separates.
  private mutating func name() throws(Unreadable) {
    var at = text.byteCount - 1
    while at > index, text[at] != UInt8(ascii: "@") { at -= 1 }
    guard at > index else { throw .name }
    let isPrefix = text[at - 1] == UInt8(ascii: "*")
    let end = isPrefix ? at - 1 : at
    while index < end {
      let byte = nameByte(before: end)
      guard byte != 0 else { throw .name }
      guard identity.length < Identity.mostNameBytes else { throw .nameTooLong }
      identity.append(byte)
    }
    index = at + 1
    if isPrefix {
      guard isOpen() else { throw .ending }
    } else {
      identity.append(0)
      if !isOpen() { try address() }
    }
  }
}

extension SelectorCursor {
  /// `%E9` is a byte that cannot be written otherwise; any other `%` stands for itself, as people write it.
  fileprivate mutating func nameByte(before end: Int) -> UInt8 {
    let byte = text[index]
    index += 1
    guard byte == UInt8(ascii: "%"), index + 1 < end, let high = hexDigit(text[index]), let low = hexDigit(text[index + 1]) else {
      return byte
    }
    index += 2
    return high << 4 | low
  }
}

package func hexDigit(_ byte: UInt8) -> UInt8? {
  switch byte {
  case UInt8(ascii: "0")...UInt8(ascii: "9"): byte - UInt8(ascii: "0")
  case UInt8(ascii: "a")...UInt8(ascii: "f"): byte - UInt8(ascii: "a") + 10
  case UInt8(ascii: "A")...UInt8(ascii: "F"): byte - UInt8(ascii: "A") + 10
  default: nil
  }
}
