/// The advertising reports of one event, in order: legacy, directed and extended.
///
///     while let report = try reports.next() { … }
package struct Reports: ~Escapable, BitwiseCopyable {
  package let form: Report.Form
  private var left: UInt8
  private var cursor: Cursor

  @_lifetime(copy reports)
  init(_ form: Report.Form, count: UInt8, _ reports: RawSpan) throws(Malformed) {
    // An event without reports is impossible.
    guard count > 0 else { throw .impossible }
    self.form = form
    left = count
    cursor = Cursor(reports)
  }

  package var isEmpty: Bool { left == 0 }

  /// nil after the last. After a throw the rest of the event is lost.
  @_lifetime(copy self)
  @_lifetime(self: copy self)
  package mutating func next() throws(Malformed) -> Report? { isEmpty ? nil : try take() }

  /// `next` for the hot path: an optional report would first be assembled in memory.
  @inline(always) @_lifetime(copy self)
  @_lifetime(self: copy self)
  package mutating func take() throws(Malformed) -> Report {
    precondition(left > 0, "no report is left")
    left &-= 1
    let rest = cursor.unread
    switch form {
    case .legacy:
      guard rest.byteCount >= 10 else { throw .truncated }
      return try Report.legacy(cursor.take(10 &+ Int(rest[8])))
    case .extended:
      guard rest.byteCount >= Report.extendedHeadBytes else { throw .truncated }
      return try Report.extended(cursor.take(Report.extendedHeadBytes &+ Int(rest[23])))
    case .directed: return try Report.directed(cursor.take(16))
    }
  }
}

/// One advertisement or scan response as one radio received it: a view of the report's own bytes, checked when it is made.
package struct Report: ~Escapable, BitwiseCopyable {
  static let extendedHeadBytes = 24
  private static let legacyHeadBytes = 9, directedBytes = 16

  /// Core 6.0, Vol 4, Part E, 7.7.65.2, 7.7.65.11 and 7.7.65.13.
  package enum Form: UInt8, BitwiseCopyable, Sendable {
    case legacy = 0x02
    case directed = 0x0B
    case extended = 0x0D
  }

  /// The length of what precedes the data; it also tells the form.
  private let headBytes: UInt8
  package let level: Int8
  package let address: Address
  private let bytes: RawSpan

  // It cannot fail, so that a report is never assembled in memory: the checks come before.
  @inline(always) @_lifetime(copy bytes)
  private init(headBytes: Int, level: Int8, address: Address, _ bytes: RawSpan) {
    self.headBytes = UInt8(truncatingIfNeeded: headBytes)
    self.level = level
    self.address = address
    self.bytes = bytes
  }

  /// `bytes` are exactly the report. In a legacy one the level follows the data.
  @inline(always) @_lifetime(copy bytes)
  fileprivate static func legacy(_ bytes: RawSpan) throws(Malformed) -> Report {
    guard bytes[0] <= 4, bytes[1] <= 3 else { throw .impossible }
    let address = Address(bytes.little48(at: 2), type: bytes[1])
    return Report(headBytes: legacyHeadBytes, level: bytes.signed(at: bytes.byteCount &- 1), address: address, bytes)
  }

  @inline(always) @_lifetime(copy bytes)
  fileprivate static func extended(_ bytes: RawSpan) throws(Malformed) -> Report {
    guard bytes[2] <= 3 || bytes[2] == 0xFF, bytes[9] == 1 || bytes[9] == 3, bytes[10] <= 4, bytes[0] & 0x60 != 0x60 else {
      throw .impossible
    }
    let address = Address(bytes.little48(at: 3), type: smaller(bytes[2], 4))
    return Report(headBytes: extendedHeadBytes, level: bytes.signed(at: 13), address: address, bytes)
  }

  @_lifetime(copy bytes)
  fileprivate static func directed(_ bytes: RawSpan) throws(Malformed) -> Report {
    guard bytes[0] == 1, bytes[1] <= 3 else { throw .impossible }
    return Report(headBytes: directedBytes, level: bytes.signed(at: 15), address: Address(bytes.little48(at: 2), type: bytes[1]), bytes)
  }

  /// False for 127, "not available", and for levels that no receiver measures. Core 6.0, Vol 4, Part E, 7.7.65.2.
  package var isAudible: Bool { level <= 20 }

  /// Legacy data over 31 bytes is accepted: some stacks merge an advert and its scan response.
  package var data: RawSpan {
    @inline(always) @_lifetime(copy self)
    get { bytes.inner(from: Int(headBytes), leavingOut: isLegacy ? 1 : 0) }
  }

  /// What precedes the data.
  var head: RawSpan {
    @_lifetime(copy self)
    get { bytes.extracting(first: Int(headBytes)) }
  }

  @inline(always) private var isLegacy: Bool { headBytes == Self.legacyHeadBytes }
  package var form: Form { isLegacy ? .legacy : headBytes == Self.extendedHeadBytes ? .extended : .directed }

  /// Of a legacy one's types, 0 to 4, only the scan response's has this bit.
  @inline(always) package var isScanResponse: Bool { bytes[0] & (isLegacy ? 4 : Traits.scanResponse.bits) != 0 }

  package var traits: Traits {
    switch form {
    case .legacy: Traits(legacyEvent: bytes[0])
    case .directed: .legacy | .connectable | .directed
    case .extended: Traits(bits: bytes[0] & 0x1F)
    }
  }
}

/// What only extended reports contain.
extension Report {
  /// A reassembled one: its data may exceed what the length byte can say.
  @_lifetime(copy bytes)
  package init(whole bytes: RawSpan) throws(Malformed) {
    guard bytes.byteCount >= Self.extendedHeadBytes else { throw .truncated }
    self = try Self.extended(bytes)
  }

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

  /// The target of a directed advertisement, where the event has room for it.
  package var target: Address? {
    switch form {
    case .legacy: nil
    case .directed: Address(bytes.little48(at: 9), type: bytes[8])
    case .extended: traits.contains(.directed) ? Address(bytes.little48(at: 17), type: bytes[16]) : nil
    }
  }
}

extension Report {
  /// What the advertiser permits, and how it was received.
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
