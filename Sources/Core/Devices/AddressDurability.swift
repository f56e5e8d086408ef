extension Gateway {
  /// Whether the address that this identity is bound to stays: a public or a static one. nil: it is bound to none.
  /// Core 6.0, Vol 6, Part B, 1.3.2: the two most significant bits of a random address are 11 if it is static.
  package func addressStays(of identity: Identity) -> Bool? {
    guard identity.isBoundToAddress, identity.length >= 6 else { return nil }
    var bits: UInt64 = 0
    for index in 0..<6 { bits = bits << 8 | UInt64(identity.bytes[Int(identity.length) - 6 + index]) }
    if addresses.find(Address(bits, type: Address.Kind.public.rawValue)) != nil { return true }
    return bits >> 46 & 0b11 == 0b11
  }
}
