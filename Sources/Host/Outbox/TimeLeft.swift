package import Core

/// How long an event may still be delivered.
package enum TimeLeft: BitwiseCopyable, Sendable, Equatable {
  case unlimited
  /// Zero or negative: expired.
  case span(Interval)
  /// Unknown: it was stored before this start of the machine, and the clock is not set yet. Neither delivered nor expired.
  case unknown

  /// Within one start of the machine its clock decides. Across starts only the time of day can, if it is trusted now and was when the event
  /// was `stored` (`expires` is NULL otherwise): a board without a battery resumes at the time of its power cut, and would deliver late.
  /// If nobody can know, it has expired.
  package init(until deadline: Instant, sameStart: Bool, stored: Int64?, expires: Int64?, at now: Moment) {
    if sameStart {
      self = .span(deadline - now.at)
    } else if let stored, let expires, Interval(microseconds: expires &- stored) > now.at - .zero {
      self = .unknown
      guard let time = now.trustedWall else { return }
      self = .span(time < stored ? .zero : Interval(microseconds: expires &- time))
    } else {
      // No time of day, or the machine has already run for longer than the event's lifetime.
      self = .span(.zero)
    }
  }

  package var isOver: Bool {
    if case .span(let left) = self { left <= .zero } else { false }
  }
}
