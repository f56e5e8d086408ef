/// One field of an advertisement, its bytes borrowed from the packet. Assigned Numbers, 2.3; Core Supplement, Part A.
package enum Field: ~Escapable {
  case flags(UInt8)
  case services(UUIDList)
  /// Services that the sender looks for.
  case solicitations(UUIDList)
  case name(RawSpan, isComplete: Bool)
  case txPower(Int8)
  case serviceData(ServiceUUID, RawSpan)
  case manufacturer(company: UInt16, RawSpan)
  case appearance(UInt16)
  case uri(RawSpan)
  case unknown(type: UInt8, RawSpan)
}

/// The fields of an advertisement, in order. A damaged field ends them; the fields before it count.
///
///     while let field = fields.next() { … }
///     if let damage = fields.damage { … }
package struct Fields: ~Escapable {
  private var cursor: Cursor
  /// What was wrong: a length beyond the end, or less than the field's type needs.
  package private(set) var damage: Malformed?

  @_lifetime(copy data)
  package init(_ data: RawSpan) { cursor = Cursor(data) }

  @inline(always) @_lifetime(copy self)
  @_lifetime(self: copy self)
  package mutating func next() -> Field? {
    // A length of zero ends the fields early: what follows is padding. Core 6.0, Vol 3, Part C, 11.
    guard let length = try? cursor.byte(), length > 0 else { return nil }
    guard let structure = try? cursor.take(Int(length)) else {
      cursor = Cursor(cursor.unread.extracting(first: 0))
      damage = .truncated
      return nil
    }
    let content = structure.extracting(droppingFirst: 1)
    if let field = Field(type: structure[0], content) { return field }
    damage = .impossible
    return .unknown(type: structure[0], content)
  }
}

extension Field {
  /// nil: the content is too short, or has an impossible length for the type.
  @inline(always) @_lifetime(copy content)
  fileprivate init?(type: UInt8, _ content: RawSpan) {
    switch type {
    case 0x01:
      guard content.byteCount >= 1 else { return nil }
      self = .flags(content[0])
    case 0x02, 0x03, 0x04, 0x05, 0x06, 0x07:
      guard let list = UUIDList(content, width: type < 4 ? 2 : type < 6 ? 4 : 16, isComplete: type & 1 == 1) else { return nil }
      self = .services(list)
    case 0x14, 0x15, 0x1F:
      guard let list = UUIDList(content, width: type == 0x14 ? 2 : type == 0x15 ? 16 : 4, isComplete: true) else { return nil }
      self = .solicitations(list)
    case 0x08, 0x09: self = .name(content, isComplete: type == 0x09)
    case 0x0A:
      guard content.byteCount == 1 else { return nil }
      self = .txPower(content.signed(at: 0))
    case 0x16:
      guard content.byteCount >= 2 else { return nil }
      self = .serviceData(ServiceUUID(short: UInt32(content.little16(at: 0))), content.inner(from: 2, leavingOut: 0))
    case 0x20, 0x21:
      let width = type == 0x20 ? 4 : 16
      guard content.byteCount >= width else { return nil }
      self = .serviceData(ServiceUUID(onAir: content.extracting(first: width)), content.extracting(droppingFirst: width))
    case 0xFF:
      guard content.byteCount >= 2 else { return nil }
      self = .manufacturer(company: content.little16(at: 0), content.extracting(droppingFirst: 2))
    case 0x19:
      guard content.byteCount == 2 else { return nil }
      self = .appearance(content.little16(at: 0))
    case 0x24: self = .uri(content)
    default: self = .unknown(type: type, content)
    }
  }
}

/// Service UUIDs, all of one width, as they lie in an advertisement.
package struct UUIDList: ~Escapable {
  private var rest: RawSpan
  private let width: Int
  package let isComplete: Bool

  /// nil when the last one is cut.
  @_lifetime(copy bytes)
  fileprivate init?(_ bytes: RawSpan, width: Int, isComplete: Bool) {
    guard bytes.byteCount & (width - 1) == 0 else { return nil }
    rest = bytes
    self.width = width
    self.isComplete = isComplete
  }

  @_lifetime(self: copy self)
  package mutating func next() -> ServiceUUID? {
    guard rest.byteCount >= width else { return nil }
    let uuid = ServiceUUID(onAir: rest.extracting(first: width))
    rest = rest.extracting(droppingFirst: width)
    return uuid
  }
}
