/// How far an encounter has come.
extension Encounter {
  package enum Stage: BitwiseCopyable, Equatable {
    case absent
    /// Within `arm_m`: the device approaches.
    case armed
    /// Evidence grows that the device stands here.
    case dwelling(since: Instant)
    /// The evidence suffices, and the neighbours are asked.
    case claiming(since: Instant, dwelling: Instant)
    case fired(at: Instant)
    /// Beyond `leave_m` since then.
    case leaving(since: Instant, fired: Instant)

    /// The neighbours' word about the device decides something now.
    var isDecisive: Bool { self != .absent && self != .armed }

    /// What our claims say of it.
    var standing: Claim.Standing {
      switch self {
      case .absent: .withdrawn
      case .armed, .dwelling: .candidate
      case .claiming: .holding
      case .fired, .leaving: .fired
      }
    }
  }
}

extension Encounter {
  package var hasFired: Bool {
    switch stage {
    case .fired, .leaving: true
    case .absent, .armed, .dwelling, .claiming: false
    }
  }

  /// How long the device has stood here, by the evidence.
  package func dwell(at now: Instant) -> Interval {
    switch stage {
    case .absent, .armed: .zero
    case .dwelling(let since), .claiming(_, let since), .fired(let since), .leaving(_, let since): now - since
    }
  }

  /// It was served, and may not be served again yet.
  var isServedOrMustBeAway: Bool { hasFired || mustBeAway }
}
