/// Why bytes were refused. Each reason is counted; nothing else happens to malformed input.
package enum Malformed: UInt8, Error, BitwiseCopyable, Sendable {
  /// Something ended before it was complete.
  case truncated
  /// A length or a value that its field cannot have.
  case impossible
  /// An H4 packet type that no controller sends.
  case unknownPacket

  package static let reasons = 3
}

/// What happened, for telemetry. Written by the core thread alone.
package struct Counters: BitwiseCopyable, Sendable {
  package var packets: UInt64 = 0
  package var reports: UInt64 = 0
  /// RSSI 127 ("not available") and levels no receiver can measure.
  package var levelsDiscarded: UInt64 = 0
  package var clockStepsBack: UInt64 = 0
  package var evictions: UInt64 = 0
  package var messagesDropped: UInt64 = 0
  /// Approaches that found no room, and neighbours' claims that made no sense or came too often.
  package var encountersRefused: UInt64 = 0
  package var claimsRefused: UInt64 = 0
  /// Adverts that claim a power that no transmitter has.
  package var implausiblePowers: UInt64 = 0
  /// Sightings that found no room for one more visit of a region, and adverts in pieces whose last one never came.
  package var visitsRefused: UInt64 = 0
  package var fragmentsDropped: UInt64 = 0
  private var malformed = InlineArray<3, UInt64>(repeating: 0)

  package init() {}

  package subscript(reason: Malformed) -> UInt64 { malformed[Int(reason.rawValue)] }
  package mutating func count(_ reason: Malformed) { malformed[Int(reason.rawValue)] += 1 }
}
