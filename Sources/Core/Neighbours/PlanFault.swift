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

  /// Radios nearer than this stand at one place.
  package static let onePlace: Float = 1

  package init(_ kind: Kind, _ gateway: Name) { (self.kind, self.gateway) = (kind, gateway) }
}

extension PlanFault.Kind {
  /// `claim`: of a phone that the neighbour hears, in a group of ours.
  fileprivate init?(_ claim: Claim, _ radios: borrowing PerRadio<RadioSettings>) {
    var (isPlaced, isShared) = (false, false)
    for index in radios.indices {
      guard let own = radios[index].point else { continue }
      isPlaced = true
      if let point = claim.point, point.distance(to: own) < PlanFault.onePlace { isShared = true }
    }
    guard isShared || isPlaced != (claim.point != nil) else { return nil }
    self = isShared ? .shared : .uneven
  }
}

extension Membership {
  /// Keeps a fault until a claim of the same trigger is right.
  @_optimize(size)
  mutating func examinePlan(_ claim: Claim, of neighbour: Int, _ settings: borrowing Settings) {
    guard claim.level != nil, settings.hasTrigger(in: claim.group) else { return }
    if members[neighbour].planFault != nil, members[neighbour].faultyTrigger != claim.trigger { return }
    members[neighbour].planFault = PlanFault.Kind(claim, settings.radios)
    members[neighbour].faultyTrigger = claim.trigger
  }

  func planFault(at now: Instant) -> PlanFault? {
    for index in members.indices where !members[index].isGone(at: now) {
      if let kind = members[index].planFault { return PlanFault(kind, members[index].name) }
    }
    return nil
  }
}
