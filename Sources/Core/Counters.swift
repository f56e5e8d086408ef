/// Why bytes were refused. Each reason is counted; malformed input has no other effect.
package enum Malformed: UInt8, Error, BitwiseCopyable, Sendable {
  /// The data ended too soon.
  case truncated
  /// A length or a value that its field cannot have.
  case impossible
  /// An H4 packet type that no controller sends.
  case unknownPacket
}

/// Counters for telemetry. Only the core thread writes them.
package struct Counters: BitwiseCopyable, Sendable {
  package var packets: UInt64 = 0
  package var reports: UInt64 = 0
  /// RSSI 127 ("not available") and levels no receiver can measure.
  package var levelsDiscarded: UInt64 = 0
  package var clockStepsBack: UInt64 = 0
  package var evictions: UInt64 = 0
  /// Encounters without room, and implausible or too frequent claims of neighbours.
  package var encountersRefused: UInt64 = 0
  package var claimsRefused: UInt64 = 0
  /// Adverts that claim an impossible power.
  package var implausiblePowers: UInt64 = 0
  /// Samples without room for another visit, and fragmented adverts whose last piece never came.
  package var visitsRefused: UInt64 = 0
  package var fragmentsDropped: UInt64 = 0
  private var malformed = InlineArray<3, UInt64>(repeating: 0)

  package init() {}

  package subscript(reason: Malformed) -> UInt64 { malformed[Int(reason.rawValue)] }
  package mutating func count(_ reason: Malformed) { malformed[Int(reason.rawValue)] += 1 }
}
