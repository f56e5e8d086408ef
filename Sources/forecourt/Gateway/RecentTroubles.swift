import Core
import Host

/// Adds to the courier's troubles what `status` says for a while: that more happens than can be published, or more devices come than there is
/// room for (while it lasts, and for ten minutes after), and that neighbours' messages fail authentication.
struct RecentTroubles {
  private var leftOut: UInt64 = 0
  private var until = Instant.zero
  private var refused: UInt64 = 0
  private var fullUntil = Instant.zero
  private var forgery = Forgery()

  private static let memory = Interval.seconds(600)

  mutating func troubles(_ counters: CourierCounters, _ gateway: borrowing Gateway, refused: UInt64, at now: Instant) -> Troubles {
    var troubles = counters.troubles
    if gateway.lacksTime { troubles.insert(.timeless) }
    if gateway.hasTwin { troubles.insert(.twin) }
    if forgery.lasts(counters.forged.count, at: now) { troubles.insert(.unproven) }
    if refused != self.refused { (self.refused, fullUntil) = (refused, now + Self.memory) }
    if now < fullUntil { troubles.insert(.full) }
    if gateway.publisher.eventsLeftOut != leftOut { (leftOut, until) = (gateway.publisher.eventsLeftOut, now + Self.memory) }
    if now < until { troubles.insert(.crowded) }
    if gateway.publisher.eventsDropped > 0 { troubles.insert(.lost) }
    return troubles
  }
}
