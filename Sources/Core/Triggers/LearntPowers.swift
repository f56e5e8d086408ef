/// What visits teach about transmitters whose power nobody measured, in lent memory.
///
/// A device that was served, stands still, and is so much nearer to us than to any rival that no power explains it, reveals its power. A
/// stronger transmitter than assumed is believed at once: that puts the device further off. A weaker one brings it nearer, so two visits
/// must agree. A visit that disagrees withdraws the belief: no device can make the doubt larger than it was before its first visit.
package struct LearntPowers: ~Copyable {
  package struct Record: BitwiseCopyable, Sendable {
    package var identity: Identity
    /// The level at 1 m, the mean of the visits.
    package var power: Decibels
    package var visits: UInt8

    package init(_ identity: Identity, power: Decibels, visits: UInt8) {
      (self.identity, self.power, self.visits) = (identity, power, visits)
    }
  }

  /// Two visits differ by that much: another spot, another pocket.
  private static let agreement = Decibels(6)
  /// 5 % and 95 % of 551 phone models lie so far from the middle.
  private static let plausible: ClosedRange<Float> = -8...20
  /// A pocket and an antenna may take as much again. Only the pattern of all receivers believes that.
  private static let thinkable: ClosedRange<Float> = -24...20
  static let weakest = Decibels(8)
  /// The mean keeps following a phone that is carried differently.
  private static let visitsCounted: UInt8 = 8

  private var records: Lent<Record>
  private var index: HashIndex
  private let seed: UInt64
  package private(set) var count = 0
  /// The record evicted last: the next search starts behind it.
  private var hand = 0
  /// Counts changes, for the file that keeps the records.
  package private(set) var changes: UInt64 = 0

  package init(seed: UInt64, in arena: inout Arena) {
    records = arena.take(Limits.learntPowers, of: Record.self)
    index = HashIndex(slots: Limits.learntPowers, in: &arena)
    self.seed = seed
  }

  package static var bytes: Int { Arena.bytes(for: Limits.learntPowers, of: Record.self) + HashIndex.bytes(for: Limits.learntPowers) }

  package subscript(place: Int) -> Record { records[place] }

  /// The power to believe, for a device that would otherwise count as `assumed`.
  package func power(of identity: Identity, assumed: Decibels) -> Decibels? {
    guard count > 0, let place = find(identity) else { return nil }
    let record = records[place]
    guard (record.power - assumed).value >= Self.plausible.lowerBound else { return nil }
    return record.visits >= 2 || record.visits == 1 && record.power > assumed ? record.power : nil
  }

  /// For the pattern, which one visit suffices.
  func record(of identity: Identity) -> Record? {
    guard count > 0, let place = find(identity), records[place].visits > 0 else { return nil }
    return records[place]
  }

  /// A device that was not served can only withdraw a belief.
  mutating func learn(_ power: Decibels, of identity: Identity, assumed: Decibels, wasServed: Bool, isPattern: Bool = false) {
    guard (isPattern ? Self.thinkable : Self.plausible).contains((power - assumed).value) else { return }
    let known = find(identity)
    if let place = known, (records[place].power - power).value.magnitude <= Self.agreement.value {
      if wasServed { confirm(place, power) }
    } else if wasServed {
      keep(Record(identity, power: power, visits: 1))
    } else if let place = known {
      records[place].visits = 0
      changes &+= 1
    }
  }

  private mutating func confirm(_ place: Int, _ power: Decibels) {
    records[place].visits = min(records[place].visits + 1, Self.visitsCounted)
    let step = (power - records[place].power).value / Float(records[place].visits)
    records[place].power = Decibels(records[place].power.value + step)
    changes &+= 1
  }

  /// Replaces what was known of the identity. Without room, the record with the fewest visits is evicted.
  package mutating func keep(_ record: Record) {
    var record = record
    record.visits = min(record.visits, Self.visitsCounted)
    changes &+= 1
    if let place = find(record.identity) {
      records[place] = record
      return
    }
    let place = count < records.count ? count : leastKnown()
    if place < count { index.remove(records[place].identity.hash(seed: seed), slot: place) } else { count += 1 }
    records[place] = record
    index.insert(record.identity.hash(seed: seed), slot: place)
  }

  private mutating func leastKnown() -> Int {
    var least = (hand + 1) % count
    for step in 2...count {
      let place = (hand + step) % count
      if records[place].visits < records[least].visits { least = place }
    }
    hand = least
    return least
  }

  private func find(_ identity: Identity) -> Int? { index.find(identity.hash(seed: seed)) { records[$0].identity == identity } }
}

extension Triggers {
  /// Devices stop before the very edge of `fire_m`.
  private static let standing: Float = 0.7

  mutating func learnPower(from level: Decibels, _ place: Int32, _ devices: inout Devices, _ settings: borrowing Settings) {
    let slot = Int(encounters[place].device)
    guard settings.calibration.learns, devices[slot].power.isImprecise else { return }
    let stood = Meters(settings.triggers[Int(encounters[place].trigger)].fire.value * Self.standing)
    let power = level + PathLoss(settings.calibration).loss(at: stood)
    learnt.learn(
      power, of: devices[slot].identity, assumed: settings.calibration.measuredPower, wasServed: encounters[place].hasFired)
    applyLearntPower(to: slot, &devices, settings)
  }

  /// Applies what is believed of the device's power, or withdraws it.
  package func applyLearntPower(to slot: Int, _ devices: inout Devices, _ settings: borrowing Settings) {
    let assumed = settings.calibration.measuredPower
    let power = settings.calibration.learns ? learnt.power(of: devices[slot].identity, assumed: assumed) : nil
    devices[slot].power.teach(power, orElse: assumed)
  }
}
