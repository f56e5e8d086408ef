/// A phone that renews its address is one visitor, whatever names it.
///
/// The old address falls silent as the new one begins, at the same levels, and nobody sees the new one come. Whether the old one is silent for
/// good is known only after a while; until then the newcomer does not fire. Then it goes on where the other one stood, served or not. Somebody
/// else is seen coming, or the old address is heard again: then they are two.
struct Kin: BitwiseCopyable {
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
  var forebear: Int32 = -1
  var heir: Int32 = -1
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
  mutating func doubt(_ place: Int32, _ devices: borrowing Devices) {
    let slot = Int(encounters[place].device)
    let first = devices.beginning(of: slot)
    guard devices[slot].identity.hasPrivateAddress, devices[slot].heard - first < Self.sudden else { return }
    encounters[kinOf: place].first = first
    encounters[kinOf: place].suspect = -1
    encounters[place].isNewcomer = true
  }

  /// Nobody is told of a newcomer before it is known who it is.
  mutating func withholds(_ event: Encounter.Event, _ place: Int32) -> Bool {
    guard encounters[place].isNewcomer, event == .arm else { return false }
    encounters[kinOf: place].owesArm = true
    return true
  }

  mutating func consider(
    _ place: Int32, _ sight: TriggerEvidence, at now: Instant, _ devices: borrowing Devices, _ settings: borrowing Settings,
    _ publisher: inout Publisher
  ) {
    if encounters[place].approach.samples <= Self.samples { encounters[kinOf: place].early = encounters[place].approach.level }
    let suspect = encounters[kinOf: place].suspect
    if suspect >= 0, isSuspect(suspect, place, devices), !isSilent(suspect, at: now, devices) { return }
    let likeliest = likeliest(place, devices)
    encounters[kinOf: place].suspect = likeliest
    if likeliest < 0 {
      encounters[place].isNewcomer = false
      guard encounters[kinOf: place].owesArm, encounters[place].isPresent else { return }
      tell(.arm, encounters[place], sight, at: now, devices, settings, &publisher)
    } else if encounters[place].approach.samples >= Self.samples, isSilent(likeliest, at: now, devices) {
      succeed(Int(encounters[likeliest].device), by: Int(encounters[place].device), devices)
    }
  }

  /// Whether an encounter's device fell silent as the newcomer began, and differs from it by its address alone.
  private func isSuspect(_ other: Int32, _ place: Int32, _ devices: borrowing Devices) -> Bool {
    let (mine, theirs) = (encounters[place].device, encounters[other].device)
    guard theirs >= 0, theirs != mine, !encounters[other].isSucceeded else { return false }
    guard encounters[other].trigger == encounters[place].trigger else { return false }
    let gap = encounters[kinOf: place].first - devices[Int(theirs)].heard
    guard gap >= Interval.zero - Self.crossing else { return false }
    let interval = encounters[other].approach.interval ?? .zero
    guard gap <= min(max(interval * Self.advertsBetween, Self.between.lowerBound), Self.between.upperBound) else { return false }
    return devices[Int(mine)].identity.isKindred(to: devices[Int(theirs)].identity)
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
      let gap = encounters[kinOf: place].first - devices[Int(encounters[other].device)].heard
      let unlikeness = difference + Self.perSecond * Float(gap.seconds) - (encounters[other].hasFired ? Self.preference : 0)
      if unlikeness < least { (best, least) = (other, unlikeness) }
    }
    return best
  }

  /// By how much the levels differ, at the radio that differs most. While few samples speak for the newcomer, by nothing.
  private func difference(_ other: Int32, _ place: Int32, _ devices: borrowing Devices) -> Float {
    let (mine, theirs) = (encounters[place].approach, encounters[other].approach)
    guard mine.samples >= Self.samples else { return 0 }
    let early = encounters[kinOf: place].early
    var worst = min((mine.steady - theirs.steady).value.magnitude, (early - theirs.level).value.magnitude)
    for radio in 0..<devices.radios where devices.radios > 1 {
      let (new, old) = (devices[Int(encounters[place].device), radio], devices[Int(encounters[other].device), radio])
      guard new.samples >= Self.samples, old.samples >= Self.samples else { continue }
      worst = max(worst, (new.level - old.level).value.magnitude)
    }
    return worst
  }

  /// At all triggers at once.
  private mutating func succeed(_ forebear: Int, by heir: Int, _ devices: borrowing Devices) {
    renewed = Int32(forebear)
    var other = devices[forebear].encounters
    while other >= 0 {
      let place = encounters.find(trigger: Int(encounters[other].trigger), from: devices[heir].encounters)
      if place >= 0, encounters[place].isNewcomer {
        encounters.hand(other, to: place, devices[forebear].identity)
        stale |= 1 << UInt64(encounters[place].trigger)
      }
      other = encounters[other].nextOfDevice
    }
  }

  /// A device turned out to be another one: what stands between it and the triggers goes on.
  package mutating func bequeath(from slot: Int, to heir: Int, devices: inout Devices) {
    rejoin(slot, heir, &devices)
    guard devices[heir].encounters < 0 else { return }
    devices[heir].encounters = devices[slot].encounters
    devices[slot].encounters = -1
    var place = devices[heir].encounters
    while place >= 0 {
      encounters[place].device = Int32(heir)
      if encounters[place].isPresent { stale |= 1 << UInt64(encounters[place].trigger) }
      if encounters[place].hasFired {
        encounters[kinOf: place].servedAs = encounters[kinOf: place].servedAs ?? devices[slot].identity
      } else {
        doubt(place, devices)
      }
      place = encounters[place].nextOfDevice
    }
  }

  /// It turned out to be the very one whose encounter it went on with.
  private mutating func rejoin(_ slot: Int, _ heir: Int, _ devices: inout Devices) {
    var place = devices[slot].encounters
    while place >= 0 {
      let following = encounters[place].nextOfDevice
      let forebear = encounters[kinOf: place].forebear
      if forebear >= 0, Int(encounters[forebear].device) == heir {
        encounters[forebear].isSucceeded = false
        dissolve(place, &devices)
      }
      place = following
    }
  }
}

extension Encounters {
  /// One goes on where the other stood, whose device was told of under that name.
  mutating func hand(_ other: Int32, to place: Int32, _ name: Identity) {
    self[place].goOn(from: self[other])
    self[other].isSucceeded = true
    self[kinOf: place].servedAs = self[other].hasFired ? self[kinOf: other].servedAs ?? name : nil
    self[kinOf: place].forebear = other
    self[kinOf: other].heir = place
  }

  /// It is heard again, after all: whoever went on for it is somebody else.
  mutating func reclaim(_ place: Int32) {
    self[place].isSucceeded = false
    let heir = self[kinOf: place].heir
    guard heir >= 0 else { return }
    if self[kinOf: heir].servedAs != nil {
      self[heir].beginAnew()
      self[kinOf: heir].servedAs = nil
    }
    unlink(place)
  }

  mutating func unlink(_ place: Int32) {
    let (forebear, heir) = (self[kinOf: place].forebear, self[kinOf: place].heir)
    if forebear >= 0 { self[kinOf: forebear].heir = -1 }
    if heir >= 0 { self[kinOf: heir].forebear = -1 }
    (self[kinOf: place].forebear, self[kinOf: place].heir) = (-1, -1)
  }
}

extension Identity {
  /// Core 6.0, Vol 6, Part B, 1.3.2: private addresses begin with the bits 00 or 01. Public ones that do are never renewed, and nobody waits long.
  var hasPrivateAddress: Bool { isBoundToAddress && length >= 6 && bytes[Int(length) - 6] < 0x80 }

  /// Whether one phone may have both names, before and after it renewed its address: the same kind of private address, and all else alike.
  func isKindred(to other: Identity) -> Bool {
    if other.kind == .peer { return kind == .service }
    guard kind == other.kind, length == other.length, hasPrivateAddress, other.hasPrivateAddress else { return false }
    let address = Int(length) - 6
    for index in 0..<address where bytes[index] != other.bytes[index] { return false }
    return bytes[address] >> 6 == other.bytes[address] >> 6
  }
}
