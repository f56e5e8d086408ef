/// One thing to tell subscribers: what the courier delivers, and what `replay` prints.
package struct Message: BitwiseCopyable, Sendable {
  /// What the courier owes it. CONTRACT, Topics.
  package enum Care: UInt8, BitwiseCopyable, Sendable {
    /// QoS 0, dropped while the broker is away.
    case fleeting
    /// QoS 1, retained: only the latest counts.
    case state
    /// QoS 1, through the durable outbox: never lost, never twice with two ids.
    case event
    /// QoS 1, not retained, not durable: a reply to whoever asked.
    case reply
  }

  /// What an event says of somebody's stay.
  package enum VisitEdge: UInt8, BitwiseCopyable, Sendable { case none, begins, ends }

  package var care = Care.fleeting
  /// Somebody waits for it at a pump: it goes before whatever is not so.
  package var isUrgent = false
  package var visit = VisitEdge.none
  package var at = Instant.zero
  /// After this an event is history: kept, never delivered.
  package var expires = Instant.never
  /// The SEQ of an event's `event_id`; zero for everything else.
  package var sequence: UInt64 = 0
  /// The gateways of the site go by it: it says who made it, where they have a key.
  package var isForSite = false
  package var topic = Topic()
  package var payload = Payload()

  package init() {}

  package var qos: Int { care == .fleeting ? 0 : 1 }
  package var isRetained: Bool { care == .state }
}
