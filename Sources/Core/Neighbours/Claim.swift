/// What one gateway publishes about one device at one of its triggers, so that the gateways of a group can arbitrate.
///
/// Ages, never absolute times: the clocks of a site may differ by minutes.
package struct Claim: BitwiseCopyable, Sendable {
  package enum Standing: UInt8, BitwiseCopyable, Sendable {
    /// Heard, like any other candidate.
    case candidate
    /// About to fire unless a neighbour objects: every competitor must answer.
    case holding
    case fired
    /// Not here: left, lost, or never near. Also the answer of a gateway that does not hear the device.
    case withdrawn

    /// What a gateway says of several encounters is the strongest.
    var strength: Int { self == .withdrawn ? -1 : Int(rawValue) }

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
  /// Rises with each message of the gateway since it started; `boot` tells its runs apart.
  package var sequence: UInt32 = 0
  package var boot = Text<16>()
  /// Our highest claim that its gateway had received when it published this.
  package var echo: UInt32 = 0
  /// Without the receiver's offset, so that the levels of two gateways compare. nil: not heard.
  package var level: Decibels?
  /// The same, looking further back.
  package var steady: Decibels?
  /// Samples a second.
  package var rate: Float = 0
  /// Only in an answer: it hears the device, or somebody else, so that its silence about the device says something.
  package var isListening = false
  /// Where the radio that heard this stands.
  package var point: PlanPoint?
  /// After a fire: how long its group still rests; nil from an older version, which does not say.
  package var rest: Interval?
  package var samples = 0
  package var dwell = Interval.zero
  /// How old the newest sample was at that moment.
  package var age = Interval.zero
  /// Its gateway's clock, of an EID.
  package var unixTime: Int64?
  /// From a rehearsal: a real gateway ignores it.
  package var simulated = false

  package init() {}

  // What a claim may say: its writer keeps within, its reader refuses more.
  package static let faintest: Float = -127
  package static let loudest: Float = 20
  package static let longestDwell = Interval.hours(24)
  package static let oldest = Interval.hours(1)
  package static let longestRest = Interval.hours(24)
}

extension Claim {
  /// Levels that no receiver measures are refused.
  package var isPlausible: Bool {
    if let level, !(Self.faintest...Self.loudest ~= level.value) { return false }
    return !gateway.isEmpty && !group.isEmpty && identity.length > 0
  }
}
