/// Who is behind an address, for as long as the address lives: what it said last, and which device that made it.
///
/// Beacons repeat themselves. What was read once is not read again: a report is first compared, byte by byte, with the one before.
///
///     let (slot, device, isRepeated, isLater) = book.resolve(report, at: now, keys)
///     if !isRepeated || the device is gone {
///       let recognition = services.recognise(report.data)
///       if let identity = book.learn(recognition, from: report, in: slot, …) {
///         book.assign(slot, to: the device of that identity, …)
///       }
///     }
///     if isLater { book.touch(slot) }
///     book[slot].device was heard
package struct AddressBook: ~Copyable {
  private var records: Lent<AddressRecord>
  private var index: HashIndex
  private var recency: Recency
  private let seed: UInt64
  package private(set) var evictions: UInt64 = 0

  package init(capacity: Int, seed: UInt64, in arena: inout Arena) {
    records = arena.take(capacity, of: AddressRecord.self)
    index = HashIndex(slots: capacity, in: &arena)
    recency = Recency(slots: capacity, in: &arena)
    self.seed = seed
  }

  package static func bytes(capacity: Int) -> Int {
    Arena.bytes(for: capacity, of: AddressRecord.self) + HashIndex.bytes(for: capacity) + Recency.bytes(for: capacity)
  }

  package var count: Int { records.count - recency.count(of: .free) }

  package subscript(slot: Int) -> AddressRecord {
    _read { yield records[slot] }
  }

  package func find(_ address: Address) -> Int? { index.find(hash(address)) { records[$0].address == address } }

  /// The line of the sender, its device, whether the report says what the last of its kind said, and, once in a second or so, that
  /// it is time to `touch` the line. A stranger gets the line of whoever was not heard for longest; its keys are tried then, once.
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

  /// It was heard lately: all others go before it.
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

  /// Takes in what a report says. Gives the identity to settle, or nothing when the device stays who it is.
  package mutating func learn(
    _ recognition: borrowing Recognition, from report: Report, in slot: Int, _ services: borrowing WatchedServices,
    _ keys: inout IdentityKeys, unixTime: Int64?
  ) -> Identity? {
    records[slot].record(recognition, report)
    let record = records[slot]
    if record.key >= 0 { return record.device == .none ? keys.identity(ofResolver: Int(record.key)) : nil }
    if let ephemeral = recognition.ephemeral, let alias = keys.resolve(ephemeral: ephemeral, unixTime: unixTime) {
      guard accept(.eid, 0, in: slot) else { return nil }
      return alias
    }
    guard accept(recognition.evidence, recognition.rank, in: slot) else { return nil }
    return recognition.identity(at: record.address, services)
  }

  /// Whether this evidence may change who the line's device is: it is better than what was known, or another beacon's. Names that
  /// come with an address do not take turns: the better of them stays.
  private mutating func accept(_ evidence: Evidence, _ rank: UInt8, in slot: Int) -> Bool {
    let record = records[slot]
    if record.device != .none {
      if evidence > record.evidence || evidence == record.evidence && evidence.isBoundToAddress { return false }
      if evidence == record.evidence, evidence.kind.isBoundToAddress, rank >= record.rank { return false }
    }
    (records[slot].evidence, records[slot].rank) = (evidence, rank)
    return true
  }

  /// Whoever looks for one of a sender's names. An anonymous advertisement is nobody's next time.
  mutating func widen(_ slot: Int, by interest: Interest) {
    if records[slot].address.kind != .anonymous { records[slot].widen(by: interest) }
  }

  /// The caller found out which device the identity is; `isMatched` when somebody in the config wants it.
  package mutating func assign(_ slot: Int, to device: DeviceReference, isMatched: Bool) {
    // An anonymous advertisement is nobody's next time.
    if records[slot].address.kind == .anonymous { return }
    if records[slot].device != device { records[slot].becomes(device) }
    recency.touch(slot, in: isMatched ? .matched : .unmatched)
  }

  /// A connection told the installation id: from now on this address is that peer.
  package mutating func assign(_ slot: Int, toPeer device: DeviceReference, isMatched: Bool) {
    records[slot].evidence = .peer
    assign(slot, to: device, isMatched: isMatched)
  }

  /// The device is gone from its table: the next report settles anew who this is.
  package mutating func release(_ slot: Int) { records[slot].forgetDevice() }

  /// Other keys and other services: who everybody is must be settled anew.
  package mutating func releaseAll(_ keys: borrowing IdentityKeys) {
    for slot in 0..<records.count where recency.list(of: slot) != .free {
      records[slot] = AddressRecord(records[slot].address, heard: records[slot].heard)
      if let key = keys.resolve(records[slot].address) { records[slot].resolved(by: key) }
    }
  }

  /// Strangers choose their addresses; without the seed they cannot choose their place.
  private func hash(_ address: Address) -> UInt32 {
    let product = (address.word ^ seed).multipliedFullWidth(by: 0x9E37_79B9_7F4A_7C15)
    return UInt32(truncatingIfNeeded: product.high ^ product.low)
  }
}
