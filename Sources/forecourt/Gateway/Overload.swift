import Core
import Host

/// Whether more happens than can be published: a trouble in `status` while it lasts, and for ten minutes after.
struct Overload {
  private var leftOut: UInt64 = 0
  private var until = Instant.zero

  private static let memory = Interval.seconds(600)

  mutating func troubles(_ troubles: Troubles, _ publisher: borrowing Publisher, at now: Instant) -> Troubles {
    var troubles = troubles
    if publisher.eventsLeftOut != leftOut { (leftOut, until) = (publisher.eventsLeftOut, now + Self.memory) }
    if now < until { troubles.insert(.crowded) }
    if publisher.eventsDropped > 0 { troubles.insert(.lost) }
    return troubles
  }
}
