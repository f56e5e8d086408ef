extension Gateway {
  /// Whether the address that this identity is bound to stays: a public or a static one. nil: it is bound to none.
  /// Core 6.0, Vol 6, Part B, 1.3.2: the two most significant bits of a random address are 11 if it is static.
  package func addressStays(of identity: Identity) -> Bool? {
    guard let bits = identity.addressBits else { return nil }
    if addresses.find(Address(bits, type: Address.Kind.public.rawValue)) != nil { return true }
    return bits >> 46 & 0b11 == 0b11
  }
}
