// Installation ids: a connection of ours or of a neighbour's read one, and from then on the device is known by it.

extension Gateway {
  /// What one of our radios found out.
  mutating func learn(_ news: PeerNews, radio: Int) {
    guard isListening else { return }
    switch news {
    case .identified(let peer):
      if triggers.membership.serves(peer.id) { return learn(stranger: peer.address) }
      learn(peer)
      // The id of somebody whom nothing here names stays here.
      guard settings.publish.unknown == .publish || settings.interest(in: Identity(installation: peer.id)).isMatched else { return }
      publisher.publish(peer, settings, at: now)
    case .level(let address, let level):
      // It counts like an advert.
      guard let sender = addresses.find(address), let slot = devices.slot(of: addresses[sender].device) else { return }
      observe(slot, level: level, radio: radio, from: sender, isLater: true)
    case .stranger(let address): learn(stranger: address)
    case .failed, .offers, .sends, .withheld: break
    }
  }

  /// A neighbour has read an id. Returns whether it is believed: otherwise our radio must ask the phone itself.
  @discardableResult
  @export(interface) package mutating func receive(peer: KnownPeer, at moment: Instant) -> Bool {
    tick(at: moment)
    guard settings.peer.identify else { return false }
    guard believes(peer) else {
      installations.unproven.keep(peer, at: now)
      return false
    }
    believe(peer)
    return true
  }

  private mutating func believe(_ peer: KnownPeer) {
    if triggers.membership.serves(peer.id) { learn(stranger: peer.address) } else { learn(peer) }
  }

  /// A hello may have proven what came before it.
  @_optimize(size)
  mutating func believeProven(by gateway: Name) {
    guard let member = triggers.membership.find(gateway), triggers.membership.members[member].isProven else { return }
    while let peer = installations.unproven.take(of: gateway, at: now) {
      if triggers.membership.members[member].vouches(for: peer) { believe(peer) }
    }
  }

  /// A gateway of the site has said that it serves this id. Who was known by it is that gateway: it ends like a device that makes room.
  @_optimize(size)
  mutating func dismiss(installation id: UInt32) {
    while let address = installations.forget(id, at: now) { learn(stranger: address) }
    if let slot = devices.find(Identity(installation: id)) { retire(slot, because: .evicted) }
  }

  /// Our own radio has asked it, and it is nobody whom a neighbour could ask about. Of a name that others may use this says nothing.
  private mutating func learn(stranger address: Address) {
    triggers.noteStranger(address, at: now)
    guard let sender = addresses.find(address), let slot = devices.slot(of: addresses[sender].device) else { return }
    if devices[slot].identity.isBoundToAddress { triggers.forgetUnread(devices.reference(to: slot)) }
  }

  /// A key identifies better than an id does: then the id is one more name. Otherwise the id becomes the device's identity, and its averages
  /// move along.
  private mutating func learn(_ peer: KnownPeer) {
    installations.learn(peer, at: now)
    guard let sender = addresses.find(peer.address), let known = devices.slot(of: addresses[sender].device) else { return }
    guard addresses[sender].evidence >= .peer else {
      let id = Identity(installation: peer.id)
      let interest = settings.interest(in: id)
      addresses.widen(sender, by: interest)
      devices.note(id, of: known)
      return widen(known, sender, interest)
    }
    // It may never be heard again, and what it takes over must end all the same.
    check(resolve(sender, asInstallation: peer.id, succeeding: known))
  }

  mutating func resolve(_ sender: Int, asInstallation id: UInt32, succeeding known: Int?) -> Int {
    let slot = resolve(Identity(installation: id), of: sender, succeeding: known)
    addresses.assign(sender, toPeer: devices.reference(to: slot), isMatched: devices[slot].interest.isMatched)
    if let power = addresses[sender].power { devices[slot].power.learn(power) }
    return slot
  }
}
