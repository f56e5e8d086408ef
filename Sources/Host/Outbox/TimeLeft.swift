package import Core

/// How long an event may still be delivered.
package enum TimeLeft: BitwiseCopyable, Sendable, Equatable {
  case unlimited
  /// Not positive once it has expired.
  case span(Interval)
  /// It was stored before the machine started, and this board does not know yet what time it is: neither delivered nor given up.
  case untold

  /// Within one start of the machine its clock decides. Across a start only the time of day can, and only where it is trusted, now and
  /// when the event was `stored`, which `expires` remembers: a board without a battery resumes at the time it was switched off, and would
  /// deliver late. What cannot be known is over.
  package init(until deadline: Instant, sameStart: Bool, stored: Int64?, expires: Int64?, at now: Moment) {
    if sameStart {
      self = .span(deadline - now.at)
    } else if let stored, let expires, Interval(microseconds: expires - stored) > now.at - .zero {
      self = .untold
      guard let time = now.trustedWall else { return }
      self = .span(time < stored ? .zero : Interval(microseconds: expires - time))
    } else {
      // Without a time of day, or the machine alone has run for longer than the event had.
      self = .span(.zero)
    }
  }

  package var isOver: Bool {
    if case .span(let left) = self { left <= .zero } else { false }
  }
}
