// A device that has been heard turns out to be another one, which may be known: its id was read, or its key.

extension Triggers {
  /// A device turned out to be another one: its encounters move to that one.
  @inline(never) @_optimize(size)
  package mutating func transfer(from slot: Int, to successor: Int, devices: inout Devices) {
    rejoin(slot, successor, &devices)
    var place = devices[slot].encounters
    devices[slot].encounters = -1
    while place >= 0 {
      let following = encounters[place].nextOfDevice
      let known = encounters.find(trigger: Int(encounters[place].trigger), from: devices[successor].encounters)
      let owner = known < 0 ? successor : slot
      encounters[place].nextOfDevice = devices[owner].encounters
      devices[owner].encounters = place
      if known < 0 {
        move(place, from: slot, to: successor, devices)
      } else if encounters[place].hasFired, !encounters[place].isSucceeded, !encounters[known].hasFired {
        encounters.handBack(place, to: known, devices[slot].identity)
        stale |= 1 << UInt64(encounters[place].trigger)
        remove(place, &devices)
      } else {
        encounters[known].owe(as: encounters[place])
      }
      place = following
    }
  }

  /// Whether every trigger at which the device is hears it from this sender alone.
  func hearOnly(_ sender: Int, as slot: Int, _ devices: borrowing Devices) -> Bool {
    var place = devices[slot].encounters
    while place >= 0 {
      guard encounters[place].clones.isAlone(sender) else { return false }
      place = encounters[place].nextOfDevice
    }
    return true
  }

  private mutating func move(_ place: Int32, from slot: Int, to successor: Int, _ devices: borrowing Devices) {
    encounters[place].device = Int32(successor)
    // The neighbours were asked about another identity.
    encounters[place].yield()
    if encounters[place].isPresent { stale |= 1 << UInt64(encounters[place].trigger) }
    if encounters[place].hasFired {
      encounters[successionOf: place].servedAs = encounters[successionOf: place].servedAs ?? devices[slot].identity
    } else {
      markNewcomer(place, devices)
    }
  }

  /// The newcomer turned out to be the very device that it succeeded.
  private mutating func rejoin(_ slot: Int, _ successor: Int, _ devices: inout Devices) {
    var place = devices[slot].encounters
    while place >= 0 {
      let following = encounters[place].nextOfDevice
      let predecessor = encounters[successionOf: place].predecessor
      if predecessor >= 0, Int(encounters[predecessor].device) == successor {
        encounters.handBack(place, to: predecessor, devices[slot].identity)
        stale |= 1 << UInt64(encounters[place].trigger)
        remove(place, &devices)
      }
      place = following
    }
  }
}

extension Encounters {
  /// The visit goes on at another encounter of the same visitor, which may have ended in silence. `name` is the identity in what was
  /// published of `place`.
  mutating func handBack(_ place: Int32, to other: Int32, _ name: Identity) {
    self[other].takeOver(from: self[place])
    self[other].hears(as: self[place])
    self[other].isSucceeded = false
    // Between the two may stand another address: it ends without this visit.
    let successor = self[successionOf: other].successor
    if successor >= 0 { self[successionOf: successor].predecessor = -1 }
    self[successionOf: other].successor = -1
    self[successionOf: other].servedAs = self[place].hasFired ? self[successionOf: place].servedAs ?? name : nil
  }
}
