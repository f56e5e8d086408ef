/// All devices heard, by identity, in lent memory. Each has an average for each radio.
package struct Devices: ~Copyable {
  private var table: Lent<Device>
  private var tracks: Lent<Average>
  /// When each was first heard, in milliseconds modulo 49 days.
  private var beginnings: Lent<UInt32>
  private var index: HashIndex
  private var recency: EvictionOrder
  package let radios: Int
  /// When each radio last heard anything.
  private var hearing = InlineArray<4, Instant>(repeating: .never)
  var average = AverageSettings()
  var otherNames: OtherNames
  private let seed: UInt64
  package private(set) var evictions: UInt64 = 0
  /// Counts devices that may be new to the table and that the configuration asks for.
  package private(set) var arrivals: UInt64 = 0

  package init(capacity: Int, radios: Int, seed: UInt64, in arena: inout Arena) {
    table = arena.take(capacity, of: Device.self)
    tracks = arena.take(capacity * radios, of: Average.self)
    beginnings = arena.take(capacity, of: UInt32.self)
    index = HashIndex(slots: capacity, in: &arena)
    recency = EvictionOrder(slots: capacity, in: &arena)
    otherNames = OtherNames(in: &arena)
    self.radios = radios
    self.seed = seed
  }

  package static func bytes(capacity: Int, radios: Int) -> Int {
    Arena.bytes(for: capacity, of: Device.self) + Arena.bytes(for: capacity * radios, of: Average.self)
      + Arena.bytes(for: capacity, of: UInt32.self) + HashIndex.bytes(for: capacity) + EvictionOrder.bytes(for: capacity)
      + OtherNames.bytes
  }

  package var capacity: Int { table.count }
  package var count: Int { capacity - recency.count(of: .free) }

  // Addresses, not coroutines: a coroutine would copy the row for every field.
  package subscript(slot: Int) -> Device {
    // SAFETY: the table checks the slot.
    unsafeAddress { unsafe UnsafePointer(table.place(of: slot)) }
    unsafeMutableAddress { unsafe table.place(of: slot) }
  }

  package subscript(slot: Int, radio: Int) -> Average {
    // SAFETY: the table checks the place.
    unsafeAddress { unsafe UnsafePointer(tracks.place(of: place(slot, radio))) }
    unsafeMutableAddress { unsafe tracks.place(of: place(slot, radio)) }
  }

  /// One radio's averages lie together: their start is known before the slot is.
  private func place(_ slot: Int, _ radio: Int) -> Int { radio &* table.count &+ slot }

  package func isUsed(_ slot: Int) -> Bool { recency.list(of: slot) != .free }

  /// The slot of a reference, if its device still lives there.
  package func slot(of reference: DeviceReference) -> Int? { isHere(reference) ? Int(reference.slot) : nil }

  /// Whether the device still lives in its slot.
  @inline(__always) package func isHere(_ reference: DeviceReference) -> Bool {
    UInt(bitPattern: Int(reference.slot)) < UInt(bitPattern: table.count)
      && table[Int(reference.slot)].generation == reference.generation
  }

  package func reference(to slot: Int) -> DeviceReference {
    DeviceReference(slot: Int32(slot), generation: table[slot].generation)
  }

  package func find(_ identity: Identity) -> Int? {
    index.find(identity.hash(seed: seed)) { table[$0].identity == identity }
  }

  /// The slot that the next new device takes. If it is used, its device must be retired first: end its visits, then `remove`.
  package var slotToReuse: Int { recency.slotToReuse() }
  package func newer(than slot: Int) -> Int? { recency.newer(than: slot) }

  /// When it was first heard, to the millisecond.
  package func beginning(of slot: Int) -> Instant {
    table[slot].heard - .milliseconds(Int64(table[slot].heard.briefly &- beginnings[slot]))
  }

  /// It is heard now, and was first heard then, as far as matters.
  mutating func beginAnew(_ slot: Int, from first: Instant, at now: Instant) {
    (table[slot].heard, beginnings[slot]) = (now, first.briefly)
  }

  /// Puts a new device into a free slot.
  package mutating func insert(_ identity: Identity, _ settings: borrowing Settings, at now: Instant = .zero) -> Int {
    let slot = recency.slotToReuse()
    precondition(!isUsed(slot), "the old device is removed before a new one is settled")
    let generation = table[slot].generation &+ 1
    table[slot] = Device(identity: identity)
    table[slot].generation = generation
    beginnings[slot] = now.briefly
    reconsider(slot, settings)
    for radio in 0..<radios { self[slot, radio] = Average() }
    index.insert(identity.hash(seed: seed), slot: slot)
    touch(slot)
    return slot
  }

  /// The same device under another identity: it keeps its averages.
  package mutating func transfer(from old: Int, to new: Int) {
    for radio in 0..<radios { self[new, radio] = self[old, radio] }
    table[new].heard = table[old].heard
    beginnings[new] = beginnings[old]
    table[new].attributes = table[old].attributes
    table[new].isRenamed = true
  }

  /// Looks up again what asks for a device, and what power is known of it. `kept`: what asks for another of its names.
  package mutating func reconsider(_ slot: Int, _ settings: borrowing Settings, keeping kept: Interest = Interest()) {
    var interest = settings.interest(in: table[slot].identity)
    interest.join(kept)
    table[slot].interest = interest
    table[slot].isWatched = interest.isMatched || settings.publish.unknown != .ignore
    if interest.isMatched { arrivals &+= 1 }
    if let calibration = interest.calibration {
      table[slot].power = .calibrated(calibration)
    } else {
      table[slot].power.forgetConfig(settings.calibration.measuredPower)
    }
  }

  /// Adds what matches another of its names. True when the device was not matched before.
  mutating func widen(_ slot: Int, by interest: Interest) -> Bool {
    let before = table[slot].interest
    table[slot].interest.regions |= interest.regions
    table[slot].interest.triggers |= interest.triggers
    if before.calibration == nil, let calibration = interest.calibration {
      table[slot].interest.calibration = calibration
      table[slot].power = .calibrated(calibration)
    }
    guard table[slot].interest.isMatched, !before.isMatched else { return false }
    table[slot].isWatched = true
    arrivals &+= 1
    return true
  }

  package mutating func remove(_ slot: Int) {
    index.remove(table[slot].identity.hash(seed: seed), slot: slot)
    table[slot].generation &+= 1
    recency.touch(slot, in: .free)
    evictions += 1
  }

  /// The observed time between adverts, at the radio that hears the device most often; not at one that hears it no longer.
  package func interval(of slot: Int) -> Interval? {
    var shortest: Interval?
    for radio in 0..<radios {
      guard let interval = self[slot, radio].interval else { continue }
      guard radios == 1 || table[slot].heard - self[slot, radio].heard <= .silence(after: interval) else { continue }
      shortest = min(shortest ?? interval, interval)
    }
    return shortest
  }

  @inline(always)
  mutating func observe(_ slot: Int, level: Int8, radio: Int, at now: Instant) {
    (table[slot].heard, table[slot].level) = (now, level)
    hearing[radio] = now
    self[slot, radio].observe(level, at: now, average)
  }

  /// A radio that has heard nothing at all for two seconds may be deaf: that it does not hear a device says nothing.
  func isHearing(_ radio: Int, at now: Instant) -> Bool { hearing[radio] != .never && now - hearing[radio] < .seconds(2) }

  /// The device becomes the newest of its list.
  mutating func touch(_ slot: Int) { recency.touch(slot, in: table[slot].interest.isMatched ? .matched : .unmatched) }
}

extension Instant {
  fileprivate var briefly: UInt32 { UInt32(truncatingIfNeeded: microseconds / 1_000) }
}
