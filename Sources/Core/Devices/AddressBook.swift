/// What was last heard from each address, and which device sends from it, for as long as the address lives.
///
/// Beacons repeat themselves, and an advert is parsed only once: each report is first compared, byte by byte, with the one before.
///
///     let (slot, device, isRepeated, isLater) = book.resolve(report, at: now, keys)
///     if !isRepeated || the device is gone {
///       let recognition = services.recognise(report.data)
///       if let identity = book.learn(recognition, from: report, in: slot, …) {
///         book.assign(slot, to: the device of that identity, …)
///       }
///     }
///     if isLater { book.touch(slot) }
///     // book[slot].device is the sender
package struct AddressBook: ~Copyable {
  private var records: Lent<AddressRecord>
  private var index: HashIndex
  private var recency: EvictionOrder
  private let seed: UInt64
  package private(set) var evictions: UInt64 = 0

  package init(capacity: Int, seed: UInt64, in arena: inout Arena) {
    records = arena.take(capacity, of: AddressRecord.self)
    index = HashIndex(slots: capacity, in: &arena)
    recency = EvictionOrder(slots: capacity, in: &arena)
    self.seed = seed
  }

  package static func bytes(capacity: Int) -> Int {
    Arena.bytes(for: capacity, of: AddressRecord.self) + HashIndex.bytes(for: capacity) + EvictionOrder.bytes(for: capacity)
  }

  package var count: Int { records.count - recency.count(of: .free) }

  package subscript(slot: Int) -> AddressRecord { records[slot] }

  package func find(_ address: Address) -> Int? { index.find(hash(address)) { records[$0].address == address } }

  /// The sender's line, its device, whether the report repeats the last of its kind, and, about once a second, that it is time to `touch`
  /// the line. A new address evicts the longest unheard one; its keys are tried once, now.
  @inline(always)
  package mutating func resolve(_ report: Report, at now: Instant, _ keys: borrowing IdentityKeys) -> (
    Int, DeviceReference, isRepeated: Bool, isLater: Bool
  ) {
    let hash = hash(report.address)
    guard let slot = index.find(hash, where: { records[$0].address == report.address }) else {
      return (insert(report.address, hash, at: now, keys), .none, isRepeated: false, isLater: true)
    }
    let (device, isRepeated, isLater) = records[slot].receive(report, at: now)
    return (slot, device, isRepeated, isLater)
  }

  /// The line becomes the newest.
  package mutating func touch(_ slot: Int) { recency.touch(slot) }

  @inline(never)
  private mutating func insert(_ address: Address, _ hash: UInt32, at now: Instant, _ keys: borrowing IdentityKeys) -> Int {
    let slot = recency.slotToReuse()
    if recency.list(of: slot) != .free {
      index.remove(self.hash(records[slot].address), slot: slot)
      evictions += 1
    }
    records[slot] = AddressRecord(address, heard: now)
    if let key = keys.resolve(address) { records[slot].resolved(by: key) }
    index.insert(hash, slot: slot)
    recency.touch(slot, in: .unmatched)
    return slot
  }

  /// Records what a report says. Returns the identity to resolve, or nil when the sender's device stays the same.
  package mutating func learn(
    _ recognition: borrowing Recognition, from report: Report, in slot: Int, at now: Instant, _ services: borrowing WatchedServices,
    _ keys: inout IdentityKeys, unixTime: Int64?
  ) -> Identity? {
    if records[slot].isUnproven(at: now) { release(slot) }
    // An ephemeral id proves something for its period only: nothing that its sender says is taken for known.
    let isEphemeral = recognition.ephemeral != nil && keys.haveBeacons || records[slot].evidence == .eid
    records[slot].record(recognition, report, isKept: !isEphemeral)
    let record = records[slot]
    if record.key >= 0 { return record.device == .none ? keys.identity(ofResolver: Int(record.key)) : nil }
    if let ephemeral = recognition.ephemeral, let alias = keys.resolve(ephemeral: ephemeral, unixTime: unixTime) {
      guard accept(.eid, 0, in: slot) else { return nil }
      records[slot].prove(at: now)
      return alias
    }
    guard accept(recognition.evidence, recognition.rank, in: slot) else { return nil }
    return recognition.identity(at: record.address, services)
  }

  /// Whether this evidence may change the line's device: it is better than the present evidence, or from another beacon. Names bound to an
  /// address do not alternate: the better one stays.
  private mutating func accept(_ evidence: Evidence, _ rank: UInt8, in slot: Int) -> Bool {
    let record = records[slot]
    if record.device != .none {
      if evidence > record.evidence || evidence == record.evidence && evidence.isBoundToAddress { return false }
      if evidence == record.evidence, evidence.kind.isBoundToAddress, rank >= record.rank { return false }
    }
    (records[slot].evidence, records[slot].rank) = (evidence, rank)
    return true
  }

  /// Records which regions and triggers match one of the sender's names. An anonymous advertisement has no next report.
  mutating func widen(_ slot: Int, by interest: Interest) {
    if records[slot].address.kind != .anonymous { records[slot].widen(by: interest) }
  }

  /// It is another device from now on.
  mutating func narrow(_ slot: Int, to interest: Interest) { records[slot].narrow(to: interest) }

  /// The caller has resolved the identity to a device; `isMatched` when the configuration asks for it.
  package mutating func assign(_ slot: Int, to device: DeviceReference, isMatched: Bool) {
    // An anonymous advertisement has no next report.
    if records[slot].address.kind == .anonymous { return }
    if records[slot].device != device { records[slot].becomes(device) }
    recency.touch(slot, in: isMatched ? .matched : .unmatched)
  }

  /// A connection read the installation id: from now on this address is that peer.
  package mutating func assign(_ slot: Int, toPeer device: DeviceReference, isMatched: Bool) {
    records[slot].evidence = .peer
    assign(slot, to: device, isMatched: isMatched)
    // What its adverts say, the new device must hear again, too: who looks for it may do so by another of its names.
    records[slot].forgetCopies()
  }

  /// The device has left its table: the next report resolves the sender anew.
  package mutating func release(_ slot: Int) { records[slot].forgetDevice() }

  package var lines: Range<Int> { 0..<records.count }
  func isUsed(_ slot: Int) -> Bool { recency.list(of: slot) != .free }

  /// Whether nobody else has sent as this device within the span.
  func isAlone(_ slot: Int, as device: DeviceReference, within span: Interval, of now: Instant) -> Bool {
    for other in lines where other != slot && isUsed(other) && records[other].device == device && now - records[other].heard < span {
      return false
    }
    return true
  }

  /// New settings: what the sender says must be read again. `isSame`: by the same keys and services, so it remains the same device.
  mutating func renew(_ slot: Int, isSame: Bool, _ keys: borrowing IdentityKeys) {
    if isSame { return records[slot].forgetInterest() }
    records[slot] = AddressRecord(records[slot].address, heard: records[slot].heard)
    if let key = keys.resolve(records[slot].address) { records[slot].resolved(by: key) }
  }

  /// nil where no key resolves the address.
  func identity(of slot: Int, by keys: borrowing IdentityKeys) -> Identity? {
    records[slot].key >= 0 ? keys.identity(ofResolver: Int(records[slot].key)) : nil
  }

  /// Senders choose their addresses. Without the seed they cannot choose their place in the table.
  private func hash(_ address: Address) -> UInt32 {
    let product = (address.word ^ seed).multipliedFullWidth(by: 0x9E37_79B9_7F4A_7C15)
    return UInt32(truncatingIfNeeded: product.high ^ product.low)
  }
}
