import Core

/// Under which other addresses the followed device's visit began, and goes on.
struct SuccessionRecord {
  struct Renewal {
    let at: Instant
    let other: Identity
    /// The visit began under the other address.
    let isFromOther: Bool
    let wasServed: Bool

    func words(_ settings: borrowing Settings) -> String {
      guard isFromOther else { return "the visit goes on as " + named(other, settings) }
      return joined("it takes over the visit of ", named(other, settings), wasServed ? ", which was served" : "")
    }
  }
  /// The last of each kind.
  private(set) var fromOther: Renewal?
  private(set) var toOther: Renewal?

  /// Where the device is at the trigger. Returns what is new.
  mutating func observe(_ place: Int32, at moment: Instant, _ gateway: borrowing Gateway) -> Renewal? {
    let wasServed = gateway.triggers.encounters[place].hasFired
    if let other = gateway.triggers.predecessor(of: place, gateway.devices), other != fromOther?.other {
      fromOther = Renewal(at: moment, other: other, isFromOther: true, wasServed: wasServed)
      return fromOther
    }
    if let other = gateway.triggers.successor(of: place, gateway.devices), other != toOther?.other {
      toOther = Renewal(at: moment, other: other, isFromOther: false, wasServed: wasServed)
      return toOther
    }
    return nil
  }
}
