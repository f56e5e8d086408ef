/// What a reload keeps of what asks for a device: it may be by a name that the device says rarely, or has said before it fell silent.
struct KeptInterest {
  private let regions: Renumbering
  private let triggers: Renumbering
  private let isMeasuredAlike: Bool
  /// Other keys and services give other names: then each must be heard again.
  private let isNamedAlike: Bool

  init(_ old: borrowing Settings, _ new: borrowing Settings) {
    regions = old.renumberedRegions(in: new)
    triggers = old.renumberedTriggers(in: new)
    isMeasuredAlike = old.measuresAlike(new)
    isNamedAlike = old.identifiesAlike(new)
  }

  func part(of interest: Interest) -> Interest {
    var kept = Interest()
    guard isNamedAlike else { return kept }
    kept.regions = moved(interest.regions, regions)
    kept.triggers = moved(interest.triggers, triggers)
    if isMeasuredAlike { kept.calibration = interest.calibration }
    return kept
  }

  private func moved(_ bits: UInt64, _ numbers: Renumbering) -> UInt64 {
    var (left, moved) = (bits, 0 as UInt64)
    while left != 0 {
      if let number = numbers[left.trailingZeroBitCount] { moved |= 1 << UInt64(number) }
      left &= left - 1
    }
    return moved
  }
}

extension Interest {
  mutating func join(_ other: Interest) {
    regions |= other.regions
    triggers |= other.triggers
    calibration = calibration ?? other.calibration
  }
}

extension Settings {
  /// Whether every device is measured as before.
  fileprivate func measuresAlike(_ next: borrowing Settings) -> Bool {
    guard calibration.devices.count == next.calibration.devices.count else { return false }
    for index in calibration.devices.indices {
      guard calibration.devices[index].measuredPower == next.calibration.devices[index].measuredPower,
        matchesAlike(calibration.devices[index].match, next, next.calibration.devices[index].match)
      else { return false }
    }
    return true
  }
}
