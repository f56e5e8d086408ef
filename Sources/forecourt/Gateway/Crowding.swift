import Core
import Host

/// Whether more happens than can be told. It is said while it lasts, and for a while after.
struct Crowding {
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
