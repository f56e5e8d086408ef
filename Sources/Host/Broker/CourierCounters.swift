package import Core
import Synchronization

/// What happened between us and the broker. The courier's thread writes them, any thread reads them.
package final class CourierCounters: Sendable {
  package let connections = Counter()
  package let failedAttempts = Counter()
  package let published = Counter()
  /// QoS 0 while the broker was away.
  package let droppedOffline = Counter()
  /// QoS 0 while the network was busy.
  package let droppedBusy = Counter()
  /// Longer than a payload may be: our own mistake.
  package let oversized = Counter()
  /// The table of states, or of waiting replies, was full.
  package let statesUnkept = Counter()
  package let repliesDropped = Counter()
  /// PUBACK with a refusal: mostly the broker's ACL.
  package let refused = Counter()
  package let eventsWaiting = Counter()
  package let eventsStored = Counter()
  package let eventsDelivered = Counter()
  package let eventsExpired = Counter()
  /// Evicted undelivered: the outbox was full, or memory was while the disk failed.
  package let eventsLost = Counter()
  package let storeFailures = Counter()
  package let commands = Counter()
  package let claims = Counter()
  /// Messages in a gateway's name that the site's key does not authenticate.
  package let forged = Counter()
  /// Messages from gateways that the roster does not name.
  package let strangers = Counter()
  /// Malformed, unknown, too large, too many.
  package let requestsRefused = Counter()
  package let requestsLimited = Counter()
  package let wakeUps = Counter()

  /// Since when the courier has been at work, in microseconds; 0 while it sleeps.
  private let busySince = Atomic<Int64>(0)
  private let standing = Atomic<UInt32>(0)
  private let online = Atomic<Bool>(false)

  /// Rings when `status` has something new to say.
  private let bell: Doorbell?

  package init(ringing bell: Doorbell? = nil) { self.bell = bell }

  func isBusy(since now: Instant) { busySince.store(now.microseconds, ordering: .relaxed) }

  /// It waits for a disk, and can say so to nobody.
  package func isHung(at now: Instant) -> Bool {
    let since = Instant(microseconds: busySince.load(ordering: .relaxed))
    return since > .zero && now - since >= .seconds(5)
  }

  package internal(set) var isOnline: Bool {
    get { online.load(ordering: .relaxed) }
    set {
      let before = online.exchange(newValue, ordering: .relaxed)
      if before != newValue { bell?.ring() }
    }
  }

  /// What `status` reports as the reason for `degraded`.
  package var troubles: Troubles { Troubles(rawValue: standing.load(ordering: .relaxed)) }

  func set(_ trouble: Troubles, _ present: Bool) {
    var now = troubles
    if present { now.insert(trouble) } else { now.remove(trouble) }
    let before = standing.exchange(now.rawValue, ordering: .relaxed)
    if before != now.rawValue { bell?.ring() }
  }
}

package struct Troubles: OptionSet, Sendable {
  package let rawValue: UInt32
  package init(rawValue: UInt32) { self.rawValue = rawValue }

  /// Events are kept in memory only.
  package static let store = Troubles(rawValue: 1)
  /// A damaged outbox was set aside since the start.
  package static let setAside = Troubles(rawValue: 2)
  /// The broker's ACL forbids something we need.
  package static let forbidden = Troubles(rawValue: 4)
  /// `tls_insecure`
  package static let insecure = Troubles(rawValue: 8)
  /// Events were lost since the start.
  package static let lost = Troubles(rawValue: 16)
  /// The signing key cannot be used; events go unsigned.
  package static let unsigned = Troubles(rawValue: 32)
  /// Names are so long that an event has no room for its signature.
  package static let cramped = Troubles(rawValue: 8_192)
  /// Somebody deleted or changed the outbox while it was in use.
  package static let touched = Troubles(rawValue: 64)
  /// Messages from the broker ended the last runs or connections: each subscription is tried alone.
  package static let tried = Troubles(rawValue: 128)
  /// One subscription ended it three times, and is left out.
  package static let leftOut = Troubles(rawValue: 256)
  /// More happens than can be published.
  package static let crowded = Troubles(rawValue: 512)

  /// There is no room for everybody who comes near a trigger.
  package static let full = Troubles(rawValue: 2_048)

  /// The clock is not set, and there are keys of EIDs.
  package static let timeless = Troubles(rawValue: 4_096)

  /// The last storing took more than a second.
  package static let slow = Troubles(rawValue: 1_024)

  /// The broker takes no message as long as one of ours at QoS 0.
  package static let tooLong = Troubles(rawValue: 16_384)

  /// The broker ends the connection for these messages at QoS 0, and they are left out.
  package static let noTelemetry = Troubles(rawValue: 32_768)
  package static let noProximity = Troubles(rawValue: 65_536)
  package static let noRanging = Troubles(rawValue: 131_072)
  package static let noClaims = Troubles(rawValue: 262_144)
  package static let noHellos = Troubles(rawValue: 524_288)

  /// Messages in neighbours' names go on failing authentication.
  package static let unproven = Troubles(rawValue: 1_048_576)

  /// Another gateway has our site and name.
  package static let twin = Troubles(rawValue: 2_097_152)

  package var words: StaticString? {
    if contains(.lost) { return "undelivered events were lost: the disk, the outbox or the memory could not hold them" }
    if contains(.full) { return "there is no room for some who come near a trigger or enter a region: raise [gateway] devices" }
    if contains(.crowded) { return "more happens than can be published: is somebody flooding a region? What is dropped is counted as lost" }
    if contains(.store) { return "the outbox cannot be written; events are kept in memory only: forecourt check says why" }
    if contains(.slow) { return "the disk takes more than a second to store events: they come late" }
    if contains(.twin) { return "another gateway has this site and name: no trigger in a group fires here; give each its own" }
    if contains(.noClaims) { return "the broker ends the connection at SITE/claim/+/+/NAME: left out, so no group fires; see its ACL" }
    if contains(.noHellos) {
      return "the broker ends the connection at SITE/claim/site/hello/NAME: left out, so no group fires; see its ACL"
    }
    if contains(.unproven) {
      return "messages in a neighbour's name fail authentication: it has another site key, and may serve the same driver; the log names it"
    }
    if contains(.noTelemetry) { return "the broker ends the connection at BASE/telemetry, which is left out: see its ACL" }
    if contains(.noProximity) { return "the broker ends the connection at BASE/proximity/+, which is left out: see its ACL" }
    if contains(.noRanging) { return "the broker ends the connection at BASE/ranging/+, which is left out: see its ACL" }
    if contains(.forbidden) { return "the broker refuses some messages or subscriptions of this gateway: see its ACL, limits and quota" }
    if contains(.tooLong) {
      return "a message is longer than this broker takes, and is left out: the log says which; raise the broker's limit"
    }
    if contains(.timeless) { return "the clock is not set: no EID is recognised" }
    if contains(.unsigned) { return "the signing key cannot be used; events are not signed" }
    if contains(.cramped) { return "an event has no room for its signature and goes unsigned: shorten the names, the log says which" }
    if contains(.leftOut) { return "a subscription is left out: what the broker retains there ended this gateway three times; see the log" }
    if contains(.tried) { return "a message from the broker ended this gateway: it now subscribes to one topic at a time" }
    if contains(.touched) { return "the outbox was deleted or changed while it was in use: waiting events were stored again" }
    if contains(.setAside) { return "an outbox that was damaged, or of another version, was set aside" }
    if contains(.insecure) { return "tls_insecure: the broker's name is not checked" }
    return nil
  }
}

/// One thread counts, any thread reads.
package struct Counter: ~Copyable, Sendable {
  private let value = Atomic<Int>(0)

  package var count: Int { value.load(ordering: .relaxed) }
  func add(_ amount: Int = 1) { value.store(value.load(ordering: .relaxed) &+ amount, ordering: .relaxed) }
  func set(_ amount: Int) { value.store(amount, ordering: .relaxed) }
}
