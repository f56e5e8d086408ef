/// What one gateway says about one device that stands at one of its triggers, so that neighbours of the same group can arbitrate.
///
/// Ages, never absolute times: the clocks of a site may disagree by minutes.
package struct Claim: BitwiseCopyable, Sendable {
  package enum Standing: UInt8, BitwiseCopyable, Sendable {
    /// Heard, and a candidate like any other.
    case candidate
    /// About to fire, unless somebody objects: everybody who competes is to answer.
    case holding
    case fired
    /// Not here: left, lost, or never near. Also the answer of a gateway that does not hear the device at all.
    case withdrawn

    package var name: StaticString {
      switch self {
      case .candidate: "candidate"
      case .holding: "holding"
      case .fired: "fired"
      case .withdrawn: "withdrawn"
      }
    }

    package static let all: InlineArray<4, Self> = [.candidate, .holding, .fired, .withdrawn]
  }

  package var gateway = Name()
  package var trigger = Name()
  package var group = Name()
  package var identity = Identity(.address)
  package var standing = Standing.candidate
  /// Rises with each claim of its gateway since it started; `boot` tells its runs apart.
  package var sequence: UInt32 = 0
  package var boot = Text<16>()
  /// The highest of our own claims of this device that its gateway had seen when it spoke.
  package var echo: UInt32 = 0
  /// As a receiver without offset would have it: what two gateways hear of one transmitter is comparable. nil: not heard.
  package var level: Decibels?
  package var samples = 0
  package var dwell = Interval.zero
  /// How long ago the newest sample was heard when this was said.
  package var age = Interval.zero
  /// When the courier received it, on this gateway's clock.
  package var at = Instant.zero
  /// Said on a rehearsal: no reason for a real gateway to hold back.
  package var simulated = false

  package init() {}
}

extension Claim {
  /// Levels that no receiver measures are nobody's honest word.
  package var isPlausible: Bool {
    if let level, !(-127...20 ~= level.value) { return false }
    return !gateway.isEmpty && !group.isEmpty && identity.length > 0
  }
}
