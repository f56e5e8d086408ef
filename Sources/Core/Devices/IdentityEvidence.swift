/// How an identity is known, the most specific first.
package enum Evidence: UInt8, Comparable, BitwiseCopyable, Sendable {
  case irk, peer, eid, iBeacon, altBeacon, eddystone
  /// The advertisement names the service.
  case service
  /// The service's bit is set in Apple's overflow area. One other service in 128 has the same bit: a hint.
  case overflow
  case name
  /// Its sender had to shorten the name; it must not alternate with the whole one.
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

  /// The address alone decides: the same evidence means the same identity.
  var isBoundToAddress: Bool { self == .irk || self == .peer || self == .address }
}
