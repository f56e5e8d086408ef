/// Which installation is behind which address, as a gateway of the site has read it; valid while the address lives.
struct KnownPeers: ~Copyable {
  private struct Record: BitwiseCopyable {
    let address: Address
    var id: UInt32
    var learnt: Instant
  }

  private var records: Lent<Record>
  private var index: HashIndex
  /// The oldest is overwritten first.
  private var next = 0
  private var count = 0
  var unproven: UnprovenPeers

  init(in arena: inout Arena) {
    records = arena.take(Limits.knownPeers, of: Record.self)
    index = HashIndex(slots: Limits.knownPeers, in: &arena)
    unproven = UnprovenPeers(in: &arena)
  }

  static var bytes: Int {
    Arena.bytes(for: Limits.knownPeers, of: Record.self) + HashIndex.bytes(for: Limits.knownPeers) + UnprovenPeers.bytes
  }

  func id(behind address: Address, at now: Instant) -> UInt32? {
    guard count > 0, let slot = find(address), now - records[slot].learnt <= Candidates.lifetime else { return nil }
    return records[slot].id
  }

  mutating func learn(_ peer: KnownPeer, at now: Instant) {
    let learnt = now - peer.age
    if let slot = find(peer.address) {
      (records[slot].id, records[slot].learnt) = (peer.id, learnt)
      return
    }
    if count == records.count { index.remove(hash(records[next].address), slot: next) } else { count += 1 }
    records[next] = Record(address: peer.address, id: peer.id, learnt: learnt)
    index.insert(hash(peer.address), slot: next)
    next = (next + 1) % records.count
  }

  /// Forgets this id behind one address, and returns that; nil when it is known behind none.
  mutating func forget(_ id: UInt32, at now: Instant) -> Address? {
    for slot in 0..<count where records[slot].id == id && now - records[slot].learnt <= Candidates.lifetime {
      records[slot].learnt = now - Candidates.lifetime - .seconds(1)
      return records[slot].address
    }
    return nil
  }

  private func find(_ address: Address) -> Int? { index.find(hash(address)) { records[$0].address == address } }

  /// Only the site's own gateways write here, so the hash needs no secret.
  private func hash(_ address: Address) -> UInt32 { UInt32(truncatingIfNeeded: (address.word &* 0x9E37_79B9_7F4A_7C15) >> 32) }
}

extension Identity {
  package init(installation id: UInt32) {
    self.init(.peer)
    for byte in 0..<4 { append(UInt8(truncatingIfNeeded: id >> UInt32(24 - byte * 8))) }
  }
}
