/// The configured keys, and what they unlock: resolvable private addresses and Eddystone's ephemeral identifiers.
///
/// Each address is tried against the keys once. Ephemeral identifiers work the other way round: the few that each key can produce now are
/// computed once for each period, and a received identifier is looked up among them.
package struct IdentityKeys: ~Copyable {
  private struct Resolver: BitwiseCopyable {
    var key = Block(repeating: 0)
    var alias = Name()
  }

  /// A beacon's identifiers of the last, this and the next period, because clocks drift.
  private struct Beacon: BitwiseCopyable {
    var key = Block(repeating: 0)
    var alias = Name()
    var exponent: UInt8 = 0
    /// Seconds since 1970 when the beacon's own clock stood at zero.
    var clock: UInt32 = 0
    var period: UInt32?
    var identifiers: (UInt64, UInt64, UInt64) = (0, 0, 0)

    func knows(_ identifier: UInt64) -> Bool {
      period != nil && (identifier == identifiers.0 || identifier == identifiers.1 || identifier == identifiers.2)
    }
  }

  private let cipher: Cipher
  private var resolvers: Lent<Resolver>
  private var beacons: Lent<Beacon>
  private var resolverCount = 0
  private var beaconCount = 0

  package init(_ keys: borrowing KeyList, cipher: @escaping Cipher, in arena: inout Arena) {
    self.cipher = cipher
    resolvers = arena.take(KeyList.capacity, of: Resolver.self)
    beacons = arena.take(KeyList.capacity, of: Beacon.self)
    reload(keys)
  }

  package static var bytes: Int {
    Arena.bytes(for: KeyList.capacity, of: Resolver.self) + Arena.bytes(for: KeyList.capacity, of: Beacon.self)
  }

  /// Keys of new settings replace the old ones.
  package mutating func reload(_ keys: borrowing KeyList) {
    (resolverCount, beaconCount) = (0, 0)
    for index in keys.indices {
      switch keys[index].kind {
      case .irk:
        resolvers[resolverCount] = Resolver(key: keys[index].key, alias: keys[index].alias)
        resolverCount += 1
      case .eid(let exponent, let clock):
        beacons[beaconCount] = Beacon(key: keys[index].key, alias: keys[index].alias, exponent: min(exponent, 15), clock: clock)
        beaconCount += 1
      }
    }
  }

  /// The key that made this address, if one did. Core 6.0, Vol 3, Part H, 2.2.2 and Vol 6, Part B, 1.3.2.3.
  package func resolve(_ address: Address) -> Int? {
    guard address.isResolvable else { return nil }
    var plain = Block(repeating: 0)
    for index in 0..<3 { plain[13 + index] = address.written(index) }
    for index in 0..<resolverCount {
      let hash = cipher(resolvers[index].key, plain)
      if hash[13] == address.written(3), hash[14] == address.written(4), hash[15] == address.written(5) { return index }
    }
    return nil
  }

  package func identity(ofResolver index: Int) -> Identity { Identity(.irk, resolvers[index].alias.bytes) }

  var haveBeacons: Bool { beaconCount > 0 }

  /// The beacon behind an ephemeral identifier. `unixTime` in seconds; without it nothing can be resolved.
  package mutating func resolve(ephemeral identifier: UInt64, unixTime: Int64?) -> Identity? {
    guard let unixTime else { return nil }
    for index in 0..<beaconCount {
      let counter = UInt32(truncatingIfNeeded: unixTime) &- beacons[index].clock
      let period = counter >> UInt32(beacons[index].exponent)
      if beacons[index].period != period { prepare(index, for: period) }
      if beacons[index].knows(identifier) { return Identity(.eid, beacons[index].alias.bytes) }
    }
    return nil
  }

  private mutating func prepare(_ index: Int, for period: UInt32) {
    let beacon = beacons[index]
    beacons[index].identifiers = (identifier(of: beacon, period &- 1), identifier(of: beacon, period), identifier(of: beacon, period &+ 1))
    beacons[index].period = period
  }

  /// github.com/google/eddystone, eddystone-eid/eid-computation.md.
  private func identifier(of beacon: Beacon, _ period: UInt32) -> UInt64 {
    let time = period << UInt32(beacon.exponent)
    var plain = Block(repeating: 0)
    plain[11] = 0xFF
    plain[14] = UInt8(truncatingIfNeeded: time >> 24)
    plain[15] = UInt8(truncatingIfNeeded: time >> 16)
    let temporary = cipher(beacon.key, plain)
    plain[11] = beacon.exponent
    plain[12] = UInt8(truncatingIfNeeded: time >> 24)
    plain[13] = UInt8(truncatingIfNeeded: time >> 16)
    plain[14] = UInt8(truncatingIfNeeded: time >> 8)
    plain[15] = UInt8(truncatingIfNeeded: time)
    let block = cipher(temporary, plain)
    var identifier: UInt64 = 0
    for place in 0..<8 { identifier = identifier << 8 | UInt64(block[place]) }
    return identifier
  }
}
