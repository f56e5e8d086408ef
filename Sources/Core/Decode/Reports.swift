/// The advertising reports of one event, one after another: legacy, directed and extended alike.
///
///     while let report = try reports.next() { … }
package struct Reports: ~Escapable {
  package let form: Report.Form
  private var left: UInt8
  private var cursor: Cursor

  @_lifetime(copy reports)
  init(_ form: Report.Form, count: UInt8, _ reports: RawSpan) throws(Malformed) {
    // A controller reports something or says nothing.
    guard count > 0 else { throw .impossible }
    self.form = form
    left = count
    cursor = Cursor(reports)
  }

  /// nil after the last; after a refusal the rest of the event cannot be found any more.
  @inline(__always) @_lifetime(copy self)
  @_lifetime(self: copy self)
  package mutating func next() throws(Malformed) -> Report? {
    guard left > 0 else { return nil }
    left &-= 1
    let rest = cursor.unread
    switch form {
    case .legacy:
      guard rest.byteCount >= 10 else { throw .truncated }
      return try Report(legacy: cursor.take(10 &+ Int(rest[8])))
    case .extended:
      guard rest.byteCount >= Report.extendedHeadBytes else { throw .truncated }
      return try Report(extended: cursor.take(Report.extendedHeadBytes &+ Int(rest[23])))
    case .directed: return try Report(directed: cursor.take(16))
    }
  }
}

/// One advertisement, or scan response, as one antenna heard it: a view of the report's own bytes, checked once when it is made.
package struct Report: ~Escapable {
  static let extendedHeadBytes = 24

  /// Core 6.0, Vol 4, Part E, 7.7.65.2, 7.7.65.11 and 7.7.65.13.
  package enum Form: UInt8, BitwiseCopyable, Sendable {
    case legacy = 0x02
    case directed = 0x0B
    case extended = 0x0D
  }

  package let form: Form
  package let level: Int8
  package let address: Address
  private let bytes: RawSpan

  /// A reassembled one: its data may be longer than its length byte can say.
  @_lifetime(copy bytes)
  package init(whole bytes: RawSpan) throws(Malformed) {
    guard bytes.byteCount >= Self.extendedHeadBytes else { throw .truncated }
    try self.init(extended: bytes)
  }

  /// `bytes` are the report, all of it and nothing else. In a legacy one the level comes after the data.
  @inline(__always) @_lifetime(copy bytes)
  fileprivate init(legacy bytes: RawSpan) throws(Malformed) {
    guard bytes[0] <= 4, bytes[1] <= 3 else { throw .impossible }
    form = .legacy
    level = bytes.signed(at: bytes.byteCount &- 1)
    address = Address(bytes.little48(at: 2), type: bytes[1])
    self.bytes = bytes
  }

  @inline(__always) @_lifetime(copy bytes)
  fileprivate init(extended bytes: RawSpan) throws(Malformed) {
    guard bytes[2] <= 3 || bytes[2] == 0xFF, bytes[9] == 1 || bytes[9] == 3, bytes[10] <= 4, bytes[0] & 0x60 != 0x60 else {
      throw .impossible
    }
    form = .extended
    level = bytes.signed(at: 13)
    address = Address(bytes.little48(at: 3), type: min(bytes[2], 4))
    self.bytes = bytes
  }

  @_lifetime(copy bytes)
  fileprivate init(directed bytes: RawSpan) throws(Malformed) {
    guard bytes[0] == 1, bytes[1] <= 3 else { throw .impossible }
    form = .directed
    level = bytes.signed(at: 15)
    address = Address(bytes.little48(at: 2), type: bytes[1])
    self.bytes = bytes
  }

  /// False for "not available", which is 127, and for what no receiver can measure. Core 6.0, Vol 4, Part E, 7.7.65.2.
  package var isAudible: Bool { level <= 20 }

  /// Legacy data over 31 bytes is let pass: some stacks hand an advert and its scan response on as one report.
  package var data: RawSpan {
    @inline(__always) @_lifetime(copy self)
    get {
      switch form {
      case .legacy: bytes.inner(from: 9, leavingOut: 1)
      case .directed: bytes.extracting(first: 0)
      case .extended: bytes.inner(from: Self.extendedHeadBytes, leavingOut: 0)
      }
    }
  }

  /// What stands before the data.
  var head: RawSpan {
    @_lifetime(copy self)
    get {
      switch form {
      case .legacy: bytes.extracting(first: 9)
      case .directed: bytes
      case .extended: bytes.extracting(first: Self.extendedHeadBytes)
      }
    }
  }

  package var traits: Traits {
    switch form {
    case .legacy: Traits(legacyEvent: bytes[0])
    case .directed: .legacy | .connectable | .directed
    case .extended: Traits(bits: bytes[0] & 0x1F)
    }
  }

  @inline(__always) package var isScanResponse: Bool { form == .legacy ? bytes[0] == 4 : traits.contains(.scanResponse) }
}

/// What only extended reports tell.
extension Report {
  package enum Phy: UInt8, BitwiseCopyable, Sendable { case oneMegabit = 1, twoMegabit, coded, codedS2 }

  package enum Completeness: UInt8, BitwiseCopyable, Sendable {
    case complete
    /// More of this advertisement follows in another report.
    case moreToCome
    /// The controller lost the rest.
    case truncated
  }

  package var completeness: Completeness {
    form == .extended ? Completeness(rawValue: (bytes[0] >> 5) & 3) ?? .complete : .complete
  }

  package var primaryPhy: Phy { form == .extended ? Phy(rawValue: bytes[9]) ?? .oneMegabit : .oneMegabit }

  /// nil: nothing was sent on a secondary channel.
  package var secondaryPhy: Phy? { form == .extended ? Phy(rawValue: bytes[10]) : nil }

  /// The advertising set (SID).
  package var set: UInt8? { form == .extended && bytes[11] != 0xFF ? bytes[11] : nil }

  package var txPower: Int8? { form == .extended && bytes[12] != 127 ? bytes.signed(at: 12) : nil }

  /// Whom a directed advertisement calls; known only where the event has room for it.
  package var target: Address? {
    switch form {
    case .legacy: nil
    case .directed: Address(bytes.little48(at: 9), type: bytes[8])
    case .extended: traits.contains(.directed) ? Address(bytes.little48(at: 17), type: bytes[16]) : nil
    }
  }
}

extension Report {
  /// What the advertiser lets others do, and how it was heard.
  package struct Traits: Equatable, BitwiseCopyable, Sendable {
    package var bits: UInt8

    package init(bits: UInt8) { self.bits = bits }

    /// Core 6.0, Vol 4, Part E, 7.7.65.2: ADV_IND, ADV_DIRECT_IND, ADV_SCAN_IND, ADV_NONCONN_IND, SCAN_RSP.
    fileprivate init(legacyEvent: UInt8) {
      switch legacyEvent {
      case 0: self = .legacy | .connectable | .scannable
      case 1: self = .legacy | .connectable | .directed
      case 2: self = .legacy | .scannable
      case 3: self = .legacy
      default: self = .legacy | .scanResponse
      }
    }

    // The bits of an extended report's event type.
    package static let connectable = Traits(bits: 1)
    package static let scannable = Traits(bits: 2)
    package static let directed = Traits(bits: 4)
    package static let scanResponse = Traits(bits: 8)
    package static let legacy = Traits(bits: 16)

    package func contains(_ other: Traits) -> Bool { bits & other.bits == other.bits }
    package static func | (a: Self, b: Self) -> Self { Traits(bits: a.bits | b.bits) }
  }
}
