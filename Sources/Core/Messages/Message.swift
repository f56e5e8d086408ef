/// One MQTT message: the courier publishes it, `replay` prints it.
package struct Message: BitwiseCopyable, Sendable {
  /// How the courier delivers it. README.md, Topics.
  package enum Care: UInt8, BitwiseCopyable, Sendable {
    /// QoS 0, dropped while the broker is away.
    case fleeting
    /// QoS 1, retained: only the latest counts.
    case state
    /// QoS 1, through the durable outbox: never lost, never twice with two ids.
    case event
    /// QoS 1, not retained, not durable: the reply to a command.
    case reply
  }

  /// Whether an event starts or ends a visit.
  package enum VisitEdge: UInt8, BitwiseCopyable, Sendable { case none, begins, ends }

  package var care = Care.fleeting
  /// Somebody waits for it at a pump: it overtakes what is not urgent.
  package var isUrgent = false
  package var visit = VisitEdge.none
  /// Means something where a visit starts or ends: another lasting name of the device, by which the next run may know it first.
  package var otherName: Identity?
  package var at = Instant.zero
  /// After this an event is too late: it is kept, and never delivered.
  package var expires = Instant.never
  /// The SEQ of an event's `event_id`; zero for other messages.
  package var sequence: UInt64 = 0
  /// The site's other gateways act on it: it is signed where the site has a key.
  package var isForSite = false
  package var topic = Topic()
  package var payload = Payload()

  package init() {}

  package var qos: Int { care == .fleeting ? 0 : 1 }
  package var isRetained: Bool { care == .state }
}
