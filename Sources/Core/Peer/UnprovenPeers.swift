/// What gateways have read whose runs nothing proves yet. Where messages are signed it may be recorded; it counts as soon as a hello proves
/// the run. Without it a gateway that has just started, and cannot read a phone itself, takes it for somebody else.
struct UnprovenPeers: ~Copyable {
  private struct Entry: BitwiseCopyable {
    let peer: KnownPeer
    let arrived: Instant

    func isOver(at now: Instant) -> Bool { peer.age + (now - arrived) > Candidates.lifetime }

    func isReplaced(by other: KnownPeer) -> Bool {
      peer.address == other.address && peer.gateway == other.gateway && peer.boot == other.boot
    }
  }

  private var entries: Lent<Entry>
  private var count = 0

  private static let most = 64

  init(in arena: inout Arena) { entries = arena.take(Self.most, of: Entry.self) }

  static var bytes: Int { Arena.bytes(for: most, of: Entry.self) }

  /// One too many takes the place of the last: whoever floods us hides nobody who was read before. A gateway's later word of an address
  /// takes the place of its earlier one, and what is older than an address lives makes room.
  @_optimize(size)
  mutating func keep(_ peer: KnownPeer, at now: Instant) {
    for index in (0..<count).reversed() where entries[index].isOver(at: now) || entries[index].isReplaced(by: peer) { remove(index) }
    if count < Self.most { count += 1 }
    entries[count - 1] = Entry(peer: peer, arrived: now)
  }

  mutating func take(of gateway: Name, at now: Instant) -> KnownPeer? {
    for index in 0..<count where entries[index].peer.gateway == gateway {
      var peer = entries[index].peer
      peer.age = peer.age + (now - entries[index].arrived)
      remove(index)
      return peer
    }
    return nil
  }

  private mutating func remove(_ index: Int) {
    count -= 1
    entries[index] = entries[count]
  }
}
