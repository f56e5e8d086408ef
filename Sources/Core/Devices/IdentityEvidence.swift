/// How an identity came to be known, the most specific first.
package enum Evidence: UInt8, Comparable, BitwiseCopyable, Sendable {
  case irk, peer, eid, iBeacon, altBeacon, eddystone
  /// The service stands in the advertisement.
  case service
  /// The service's bit is set in Apple's overflow area. One foreign service in 128 shares it: a hint.
  case overflow
  case name
  /// A name that its sender had to shorten must not take turns with the whole one.
  case shortName
  case address

  package static func < (a: Self, b: Self) -> Bool { a.rawValue < b.rawValue }

  package var kind: Identity.Kind {
    switch self {
    case .irk: .irk
    case .peer: .peer
    case .eid: .eid
    case .iBeacon: .iBeacon
    case .altBeacon: .altBeacon
    case .eddystone: .eddystone
    case .service, .overflow: .service
    case .name, .shortName: .name
    case .address: .address
    }
  }

  /// Whether the address alone decides: then the same evidence is the same identity.
  var isBoundToAddress: Bool { self == .irk || self == .peer || self == .address }
}
