// at_m is written by hand at each gateway, often in a copy of a neighbour's file. What cannot be right shows with the first phone.

/// What is wrong between our at_m and a neighbour's.
package struct PlanFault: BitwiseCopyable, Equatable, Sendable {
  package enum Kind: BitwiseCopyable, Sendable {
    /// A radio of it stands where one of ours does.
    case shared
    /// One has at_m and the other has none.
    case uneven
  }

  package let kind: Kind
  package let gateway: Name
  fileprivate let trigger: Name

  /// Radios nearer than this stand at one place.
  package static let onePlace: Float = 1

  /// `claim`: of a phone that the neighbour hears, in a group of ours.
  fileprivate init?(_ claim: Claim, _ radios: borrowing PerRadio<RadioSettings>) {
    var (isPlaced, isShared) = (false, false)
    for index in radios.indices {
      guard let own = radios[index].point else { continue }
      isPlaced = true
      if let point = claim.point, point.distance(to: own) < Self.onePlace { isShared = true }
    }
    guard isShared || isPlaced != (claim.point != nil) else { return nil }
    (kind, gateway, trigger) = (isShared ? .shared : .uneven, claim.gateway, claim.trigger)
  }

  package init(_ kind: Kind, _ gateway: Name) { (self.kind, self.gateway, trigger) = (kind, gateway, Name()) }
}

extension Membership {
  /// Keeps the first fault until a claim of the same trigger is right.
  mutating func examinePlan(_ claim: Claim, _ settings: borrowing Settings) {
    guard claim.level != nil, settings.hasTrigger(in: claim.group) else { return }
    if let planFault, planFault.gateway != claim.gateway || planFault.trigger != claim.trigger { return }
    planFault = PlanFault(claim, settings.radios)
  }
}
