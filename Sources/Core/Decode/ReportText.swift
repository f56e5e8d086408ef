// A report as JSON: everything in its bytes, and nothing else.

extension Text {
  /// The members of one report, inside an open object.
  package mutating func members(of report: Report) {
    member("form", report.form.name)
    if report.address.kind == .anonymous {
      memberNull("address")
    } else {
      member("address", report.address)
      member("address_type", report.address.kind.name)
    }
    traits(of: report)
    if report.isAudible { member("rssi", Int64(report.level)) } else { memberNull("rssi") }
    if let power = report.txPower { member("tx_power_dbm", Int64(power)) }
    if report.form == .extended {
      member("primary_phy", report.primaryPhy.name)
      if let phy = report.secondaryPhy { member("secondary_phy", phy.name) }
      if let set = report.set { member("set", Int64(set)) }
      member("status", report.completeness.name)
    }
    if let target = report.target { member("target", target) }
    member("data", hex: report.data)
    fields(of: report.data)
  }

  private mutating func traits(of report: Report) {
    let traits = report.traits
    array("traits")
    if traits.contains(.connectable) { element("connectable") }
    if traits.contains(.scannable) { element("scannable") }
    if traits.contains(.directed) { element("directed") }
    if traits.contains(.scanResponse) { element("scan-response") }
    if traits.contains(.legacy) { element("legacy") }
    closeArray()
  }

  private mutating func fields(of data: RawSpan) {
    array("fields")
    var fields = Fields(data)
    while let field = fields.next() {
      openObject()
      members(of: field)
      closeObject()
    }
    closeArray()
    if let damage = fields.damage { member("damage", damage.name) }
  }

  private mutating func member(_ key: StaticString, _ address: Address) {
    self.key(key)
    append(byte: UInt8(ascii: "\""))
    for index in 0..<6 {
      if index > 0 { append(byte: UInt8(ascii: ":")) }
      append(hex: address.written(index))
    }
    append(byte: UInt8(ascii: "\""))
  }

  package mutating func member(_ key: StaticString, hex bytes: RawSpan) {
    self.key(key)
    append(byte: UInt8(ascii: "\""))
    for index in 0..<bytes.byteCount { append(hex: bytes[index]) }
    append(byte: UInt8(ascii: "\""))
  }
}

extension Report.Form {
  fileprivate var name: StaticString {
    switch self {
    case .legacy: "legacy"
    case .directed: "directed"
    case .extended: "extended"
    }
  }
}

extension Address.Kind {
  fileprivate var name: StaticString {
    switch self {
    case .public: "public"
    case .random: "random"
    case .publicIdentity: "public-identity"
    case .randomIdentity: "random-identity"
    case .anonymous: "anonymous"
    }
  }
}

extension Report.Phy {
  fileprivate var name: StaticString {
    switch self {
    case .oneMegabit: "1m"
    case .twoMegabit: "2m"
    case .coded: "coded"
    case .codedS2: "coded-s2"
    }
  }
}

extension Report.Completeness {
  fileprivate var name: StaticString {
    switch self {
    case .complete: "complete"
    case .moreToCome: "more-to-come"
    case .truncated: "truncated"
    }
  }
}

extension Malformed {
  package var name: StaticString {
    switch self {
    case .truncated: "truncated"
    case .impossible: "impossible"
    case .unknownPacket: "unknown-packet"
    }
  }
}
