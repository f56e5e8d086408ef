package import Core

/// How long an event may still be delivered.
package enum TimeLeft: BitwiseCopyable, Sendable, Equatable {
  case unlimited
  /// Not positive once it has expired.
  case span(Interval)
  /// It was stored before the machine started, and this board does not know yet what time it is: neither delivered nor given up.
  case untold

  /// Within one start of the machine its clock decides; across a start only the time of day can, and only where it is trusted:
  /// a board without a battery resumes at the time it was switched off, and would deliver late.
  package init(until deadline: Instant, sameStart: Bool, wall: Int64?, at now: Moment) {
    if sameStart {
      self = .span(deadline - now.at)
    } else if let wall {
      self = if let time = now.trustedWall { .span(Interval(microseconds: wall - time)) } else { .untold }
    } else {
      self = .span(.zero)
    }
  }

  package var isOver: Bool {
    if case .span(let left) = self { left <= .zero } else { false }
  }
}
