/// A phone that renews its address is one visitor, whatever names it.
///
/// The old address falls silent as the new one begins, at the same levels, and nobody sees the new one come. Whether the old one is silent for
/// good is known only after a while; until then the newcomer does not fire. Then it goes on where the other one stood, served or not. Somebody
/// else is seen coming, or the old address is heard again: then they are two.
struct Succession: BitwiseCopyable {
  /// Nothing of the rest counts while this is false, as it is in memory that nobody has touched.
  var isKnown = false
  /// The name under which a fire was told, if the device has another one by now.
  var servedAs: Identity?
  /// Since when the newcomer has been heard.
  var first = Instant.zero
  /// The encounter that it may go on with, and the one that it did; and which went on with this one.
  var suspect: Int32 = -1
  /// Its level when few samples had been heard: who walks is elsewhere when all is known.
  var early = Decibels(0)
  var predecessor: Int32 = -1
  var successor: Int32 = -1
  var owesArm = false
}

extension Triggers {
  /// Who is heard for the first time, and near, was not seen coming.
  private static let sudden = Interval.seconds(3)
  /// Eight adverts in a row are lost in one of a thousand times where 40 % are.
  private static let advertsMissed: Int64 = 8
  private static let patience = Interval.seconds(1.5)...Interval.seconds(15)
  /// Between two addresses a phone leaves out an advert or two.
  private static let advertsBetween: Int64 = 6
  private static let between = Interval.seconds(2)...Interval.seconds(10)
  /// Packets of two radios cross in the rings.
  private static let crossing = Interval.milliseconds(20)
  private static let samples = 4
  /// Two averages of a second differ by that much at the very most, bodies that turn meanwhile among it.
  private static let alike: Float = 15
  /// Where two may be meant, the one who was served is, for in doubt nobody fires; and the one who fell silent last.
  private static let preference: Float = 6
  private static let perSecond: Float = 20

  /// Whether a beginning encounter may be the rest of another one.
  mutating func markNewcomer(_ place: Int32, _ devices: borrowing Devices) {
    let slot = Int(encounters[place].device)
    let first = devices.beginning(of: slot)
    guard devices[slot].identity.hasPrivateAddress, devices[slot].heard - first < Self.sudden else { return }
    encounters[successionOf: place].first = first
    encounters[successionOf: place].suspect = -1
    encounters[place].isNewcomer = true
  }

  /// Nobody is told of a newcomer before it is known who it is.
  mutating func withholds(_ event: Encounter.Event, _ place: Int32) -> Bool {
    guard encounters[place].isNewcomer, event == .arm else { return false }
    encounters[successionOf: place].owesArm = true
    return true
  }

  mutating func resolveNewcomer(
    _ place: Int32, _ evidence: TriggerEvidence, at now: Instant, _ devices: borrowing Devices, _ settings: borrowing Settings,
    _ publisher: inout Publisher
  ) {
    if encounters[place].approach.samples <= Self.samples { encounters[successionOf: place].early = encounters[place].approach.level }
    let suspect = encounters[successionOf: place].suspect
    if suspect >= 0, isSuspect(suspect, place, devices), !isSilent(suspect, at: now, devices) { return }
    let likeliest = likeliest(place, devices)
    encounters[successionOf: place].suspect = likeliest
    if likeliest < 0 {
      encounters[place].isNewcomer = false
      guard encounters[successionOf: place].owesArm, encounters[place].isPresent else { return }
      publish(.arm, encounters[place], evidence, at: now, devices, settings, &publisher)
    } else if encounters[place].approach.samples >= Self.samples, isSilent(likeliest, at: now, devices) {
      succeed(Int(encounters[likeliest].device), by: Int(encounters[place].device), devices)
    }
  }

  /// Whether an encounter's device fell silent as the newcomer began, and differs from it by its address alone.
  private func isSuspect(_ other: Int32, _ place: Int32, _ devices: borrowing Devices) -> Bool {
    let (mine, theirs) = (encounters[place].device, encounters[other].device)
    guard theirs >= 0, theirs != mine, !encounters[other].isSucceeded else { return false }
    guard encounters[other].trigger == encounters[place].trigger else { return false }
    let gap = encounters[successionOf: place].first - devices[Int(theirs)].heard
    guard gap >= Interval.zero - Self.crossing else { return false }
    let interval = encounters[other].approach.interval ?? .zero
    guard gap <= min(max(interval * Self.advertsBetween, Self.between.lowerBound), Self.between.upperBound) else { return false }
    return devices[Int(mine)].identity.mayBeSamePhone(to: devices[Int(theirs)].identity)
  }

  private func isSilent(_ other: Int32, at now: Instant, _ devices: borrowing Devices) -> Bool {
    let interval = encounters[other].approach.interval ?? .zero
    let patience = min(max(interval * Self.advertsMissed, Self.patience.lowerBound), Self.patience.upperBound)
    return now - devices[Int(encounters[other].device)].heard >= patience
  }

  /// The encounter that the newcomer most likely goes on with; -1 when there is none.
  private func likeliest(_ place: Int32, _ devices: borrowing Devices) -> Int32 {
    var (best, least) = (Int32(-1), Float.infinity)
    for other in 0..<Int32(encounters.used) where isSuspect(other, place, devices) {
      let difference = difference(other, place, devices)
      guard difference <= Self.alike else { continue }
      let gap = encounters[successionOf: place].first - devices[Int(encounters[other].device)].heard
      let unlikeness = difference + Self.perSecond * Float(gap.seconds) - (encounters[other].hasFired ? Self.preference : 0)
      if unlikeness < least { (best, least) = (other, unlikeness) }
    }
    return best
  }

  /// By how much the levels differ, at the radio that differs most. While few samples speak for the newcomer, by nothing.
  private func difference(_ other: Int32, _ place: Int32, _ devices: borrowing Devices) -> Float {
    let (mine, theirs) = (encounters[place].approach, encounters[other].approach)
    guard mine.samples >= Self.samples else { return 0 }
    let early = encounters[successionOf: place].early
    var worst = min((mine.steady - theirs.steady).value.magnitude, (early - theirs.level).value.magnitude)
    for radio in 0..<devices.radios where devices.radios > 1 {
      let (new, old) = (devices[Int(encounters[place].device), radio], devices[Int(encounters[other].device), radio])
      guard new.samples >= Self.samples, old.samples >= Self.samples else { continue }
      worst = max(worst, (new.level - old.level).value.magnitude)
    }
    return worst
  }

  /// At all triggers at once.
  private mutating func succeed(_ predecessor: Int, by successor: Int, _ devices: borrowing Devices) {
    renewed = Int32(predecessor)
    var other = devices[predecessor].encounters
    while other >= 0 {
      let place = encounters.find(trigger: Int(encounters[other].trigger), from: devices[successor].encounters)
      if place >= 0, encounters[place].isNewcomer {
        encounters.handOver(other, to: place, devices[predecessor].identity)
        stale |= 1 << UInt64(encounters[place].trigger)
      }
      other = encounters[other].nextOfDevice
    }
  }

  /// A device turned out to be another one: what stands between it and the triggers goes on.
  package mutating func transfer(from slot: Int, to successor: Int, devices: inout Devices) {
    rejoin(slot, successor, &devices)
    guard devices[successor].encounters < 0 else { return }
    devices[successor].encounters = devices[slot].encounters
    devices[slot].encounters = -1
    var place = devices[successor].encounters
    while place >= 0 {
      encounters[place].device = Int32(successor)
      if encounters[place].isPresent { stale |= 1 << UInt64(encounters[place].trigger) }
      if encounters[place].hasFired {
        encounters[successionOf: place].servedAs = encounters[successionOf: place].servedAs ?? devices[slot].identity
      } else {
        markNewcomer(place, devices)
      }
      place = encounters[place].nextOfDevice
    }
  }

  /// It turned out to be the very one whose encounter it went on with.
  private mutating func rejoin(_ slot: Int, _ successor: Int, _ devices: inout Devices) {
    var place = devices[slot].encounters
    while place >= 0 {
      let following = encounters[place].nextOfDevice
      let predecessor = encounters[successionOf: place].predecessor
      if predecessor >= 0, Int(encounters[predecessor].device) == successor {
        encounters[predecessor].isSucceeded = false
        remove(place, &devices)
      }
      place = following
    }
  }
}

extension Encounters {
  /// One goes on where the other stood, whose device was told of under that name.
  mutating func handOver(_ other: Int32, to place: Int32, _ name: Identity) {
    self[place].takeOver(from: self[other])
    self[other].isSucceeded = true
    self[successionOf: place].servedAs = self[other].hasFired ? self[successionOf: other].servedAs ?? name : nil
    self[successionOf: place].predecessor = other
    self[successionOf: other].successor = place
  }

  /// It is heard again, after all: whoever went on for it is somebody else.
  mutating func reclaim(_ place: Int32) {
    self[place].isSucceeded = false
    let successor = self[successionOf: place].successor
    guard successor >= 0 else { return }
    if self[successionOf: successor].servedAs != nil {
      self[successor].startAnew()
      self[successionOf: successor].servedAs = nil
    }
    unlink(place)
  }

  mutating func unlink(_ place: Int32) {
    let (predecessor, successor) = (self[successionOf: place].predecessor, self[successionOf: place].successor)
    if predecessor >= 0 { self[successionOf: predecessor].successor = -1 }
    if successor >= 0 { self[successionOf: successor].predecessor = -1 }
    (self[successionOf: place].predecessor, self[successionOf: place].successor) = (-1, -1)
  }
}

extension Identity {
  /// Core 6.0, Vol 6, Part B, 1.3.2: private addresses begin with the bits 00 or 01. Public ones that do are never renewed, and nobody waits long.
  var hasPrivateAddress: Bool { isBoundToAddress && length >= 6 && bytes[Int(length) - 6] < 0x80 }

  /// Whether one phone may have both names, before and after it renewed its address: the same kind of private address, and all else alike.
  func mayBeSamePhone(to other: Identity) -> Bool {
    if other.kind == .peer { return kind == .service }
    guard kind == other.kind, length == other.length, hasPrivateAddress, other.hasPrivateAddress else { return false }
    let address = Int(length) - 6
    for index in 0..<address where bytes[index] != other.bytes[index] { return false }
    return bytes[address] >> 6 == other.bytes[address] >> 6
  }
}
