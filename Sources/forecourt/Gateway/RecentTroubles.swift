import Core
import Host

/// Whether more happens than can be published, or more devices come than there is room for: a trouble in `status` while it lasts, and for
/// ten minutes after.
struct Overload {
  private var leftOut: UInt64 = 0
  private var until = Instant.zero
  private var refused: UInt64 = 0
  private var fullUntil = Instant.zero

  private static let memory = Interval.seconds(600)

  mutating func troubles(_ troubles: Troubles, _ publisher: borrowing Publisher, refused: UInt64, at now: Instant) -> Troubles {
    var troubles = troubles
    if refused != self.refused { (self.refused, fullUntil) = (refused, now + Self.memory) }
    if now < fullUntil { troubles.insert(.full) }
    if publisher.eventsLeftOut != leftOut { (leftOut, until) = (publisher.eventsLeftOut, now + Self.memory) }
    if now < until { troubles.insert(.crowded) }
    if publisher.eventsDropped > 0 { troubles.insert(.lost) }
    return troubles
  }
}
