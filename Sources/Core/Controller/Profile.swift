/// What a controller said of itself during bring-up: the basis for every further command.
package struct Profile: BitwiseCopyable, Sendable {
  /// Counts the resets: connections, advertising sets and lists of earlier generations are gone.
  package var generation: UInt32 = 0
  /// Counts the silences without a connection: after each the controller may have restarted by itself.
  package var silences: UInt32 = 0
  /// Bring-up is over: the rest is true, and commands are accepted.
  package var isWhole = false
  package var manufacturer: UInt16 = 0xFFFF
  /// Public, or the static random address that we gave a controller without one.
  package var address = Address(0, type: 0)
  package var features: UInt64 = 0
  /// Extended commands for scanning, advertising and connecting, or legacy ones; never both.
  package var isExtended = false
  package var hasCodedPhy = false
  /// For connections: the longest packet, and how many may be under way.
  package var aclLength = 0
  package var aclCount = 0
  /// It has none for Low Energy alone.
  var sharesBuffers = false
  package var shortfalls = Shortfalls()

  package init() {}

  package var connects: Bool { aclLength > 0 && aclCount > 0 }
  package var ownAddressType: UInt8 { address.kind == .random ? 1 : 0 }

  /// Core 6.0, Vol 6, Part B, 4.6.
  static let codedPhy: UInt64 = 1 << 11
  static let extendedAdvertising: UInt64 = 1 << 12
}

/// What a controller refused. Each comment says what that costs.
///
/// Not an `OptionSet`, which would bring arrays into Core.
package struct Shortfalls: Equatable, BitwiseCopyable, Sendable {
  private(set) var rawValue: UInt16 = 0

  package init() {}
  private init(rawValue: UInt16) { self.rawValue = rawValue }

  package func contains(_ other: Shortfalls) -> Bool { rawValue & other.rawValue == other.rawValue }
  package func intersection(_ other: Shortfalls) -> Shortfalls { Shortfalls(rawValue: rawValue & other.rawValue) }
  package mutating func insert(_ other: Shortfalls) { rawValue |= other.rawValue }
  package mutating func remove(_ other: Shortfalls) { rawValue &= ~other.rawValue }

  /// Nothing; telemetry shows 0.
  package static let version = Shortfalls(rawValue: 1)
  /// A random address is used.
  package static let address = Shortfalls(rawValue: 2)
  /// Legacy scanning.
  package static let commands = Shortfalls(rawValue: 4)
  /// Legacy scanning.
  package static let features = Shortfalls(rawValue: 8)
  /// No connections, and our own services are not advertised.
  package static let buffers = Shortfalls(rawValue: 16)
  /// The controller keeps its own masks; if they exclude reports, the silence is noticed. Legacy scanning: its reports are on by default.
  package static let masks = Shortfalls(rawValue: 32)
  /// Passive scanning: active scanning needs an address.
  package static let randomAddress = Shortfalls(rawValue: 64)
  /// Legacy scanning, after a reset.
  package static let extended = Shortfalls(rawValue: 128)
  /// The 1M PHY alone.
  package static let coded = Shortfalls(rawValue: 256)
}
