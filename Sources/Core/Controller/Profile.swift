/// What a controller told of itself during bring-up. Whoever sends it commands of his own begins here.
package struct Profile: BitwiseCopyable, Sendable {
  /// Counts the resets: connections, advertising sets and lists of an earlier generation are gone.
  package var generation: UInt32 = 0
  /// Bring-up is over: the rest is true, and commands are taken.
  package var isWhole = false
  package var version: UInt8 = 0
  package var manufacturer: UInt16 = 0xFFFF
  /// Public, or the static random address that was given to a controller without one.
  package var address = Address(0, type: 0)
  package var features: UInt64 = 0
  /// Extended commands for scanning, advertising and connecting; otherwise only legacy ones. Never both.
  package var isExtended = false
  package var hasCodedPhy = false
  /// Data for connections: how long a packet may be, and how many may be on their way. Zero: no connections.
  package var aclLength = 0
  package var aclCount = 0
  package var shortfalls = Shortfalls()

  package init() {}

  package var ownAddressType: UInt8 { address.kind == .random ? 1 : 0 }

  /// Core 6.0, Vol 6, Part B, 4.6.
  static let codedPhy: UInt64 = 1 << 11
  static let extendedAdvertising: UInt64 = 1 << 12
}

/// What a controller refused, and what it costs.
///
/// Not an `OptionSet`: that would bring arrays into Core.
package struct Shortfalls: Equatable, BitwiseCopyable, Sendable {
  private(set) var rawValue: UInt16 = 0

  package init() {}
  private init(rawValue: UInt16) { self.rawValue = rawValue }

  package func contains(_ other: Shortfalls) -> Bool { rawValue & other.rawValue == other.rawValue }
  package func intersection(_ other: Shortfalls) -> Shortfalls { Shortfalls(rawValue: rawValue & other.rawValue) }
  package mutating func insert(_ other: Shortfalls) { rawValue |= other.rawValue }
  package mutating func remove(_ other: Shortfalls) { rawValue &= ~other.rawValue }

  /// Nothing depends on it; telemetry says 0.
  package static let version = Shortfalls(rawValue: 1)
  /// A random address is used.
  package static let address = Shortfalls(rawValue: 2)
  /// Legacy scanning.
  package static let commands = Shortfalls(rawValue: 4)
  /// Legacy scanning.
  package static let features = Shortfalls(rawValue: 8)
  /// No connections.
  package static let buffers = Shortfalls(rawValue: 16)
  /// The controller's own masks stay; should reports be masked out, the silence is noticed. Legacy scanning: its reports are on by default.
  package static let masks = Shortfalls(rawValue: 32)
  /// Passive scanning: an active one would need an address to ask from.
  package static let randomAddress = Shortfalls(rawValue: 64)
  /// Legacy scanning, after a reset.
  package static let extended = Shortfalls(rawValue: 128)
  /// The 1M PHY alone.
  package static let coded = Shortfalls(rawValue: 256)
}
