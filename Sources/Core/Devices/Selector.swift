/// A pattern over identities: one identity, or a prefix. `ibeacon:UUID:*` is the kind and the UUID's sixteen bytes.
package struct Selector: Equatable, BitwiseCopyable, Sendable {
  /// nil matches every kind.
  package var kind: Identity.Kind?
  /// Nothing may follow the bytes.
  package var isWhole: Bool
  package var prefix: Identity

  package static let any = Selector(kind: nil, isWhole: false, prefix: Identity(.address))

  package init(kind: Identity.Kind?, isWhole: Bool, prefix: Identity) {
    self.kind = kind
    self.isWhole = isWhole
    self.prefix = prefix
  }

  package func matches(_ identity: Identity) -> Bool {
    guard let kind else { return true }
    guard kind == identity.kind, prefix.length <= identity.length else { return false }
    if isWhole && prefix.length != identity.length { return false }
    for index in 0..<Int(prefix.length) where prefix.bytes[index] != identity.bytes[index] { return false }
    return true
  }

  /// Whether every identity that the other matches is matched by this one.
  @inline(never) package func covers(_ other: Selector) -> Bool {
    guard kind != nil else { return true }
    return isWhole ? self == other : matches(other.prefix) && kind == other.kind
  }
}

extension Settings {
  package func isMatched(_ identity: Identity, by match: Slice) -> Bool {
    for index in match.range where selectors[index].matches(identity) { return true }
    return false
  }

  /// Whether the device that was published under this identity may match, by it or by another name that it had beside it: none of a better
  /// kind, or it would have been published under that; and none of the same kind, unless it may have several of it.
  func mayMatch(_ identity: Identity, by match: Slice) -> Bool {
    guard canKnow(identity) else { return false }
    for index in match.range {
      if selectors[index].matches(identity) { return true }
      guard let kind = selectors[index].kind, kind.rawValue >= identity.kind.rawValue else { continue }
      if kind != identity.kind || kind == .service || kind == .name { return true }
    }
    return false
  }

  /// Whether a key gives this identity. Of one that no key gives, always.
  package func canKnow(_ identity: Identity) -> Bool {
    guard identity.kind == .irk || identity.kind == .eid else { return true }
    for index in keys.indices where keys[index].kind.resolves(identity.kind) {
      if Identity(identity.kind, keys[index].alias.bytes) == identity { return true }
    }
    return false
  }

  /// A bit for each kind that a selector names.
  var kindsNamed: UInt16 {
    var kinds: UInt16 = 0
    for index in selectors.indices { if let kind = selectors[index].kind { kinds |= 1 << UInt16(kind.rawValue) } }
    return kinds
  }

  /// What in the configuration asks for an identity.
  package func interest(in identity: Identity) -> Interest {
    var interest = Interest()
    for region in regions.indices where isMatched(identity, by: regions[region].match) { interest.regions |= 1 << UInt64(region) }
    for trigger in triggers.indices where isMatched(identity, by: triggers[trigger].match) { interest.triggers |= 1 << UInt64(trigger) }
    for index in calibration.devices.indices.reversed() where isMatched(identity, by: calibration.devices[index].match) {
      interest.calibration = calibration.devices[index].measuredPower
    }
    // Our own beacon, heard by another of our radios, arrives nowhere.
    if interest.triggers != 0, transmits(identity) { interest.triggers = 0 }
    return interest
  }
}

extension KeySettings.Kind {
  package func resolves(_ kind: Identity.Kind) -> Bool {
    switch self {
    case .irk: kind == .irk
    case .eid: kind == .eid
    }
  }
}
