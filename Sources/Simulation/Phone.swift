package import Core

/// Something that advertises: a phone, a tag, a key ring.
package struct Phone: BitwiseCopyable, Sendable {
  package var name = Name()
  /// The index of its traveller.
  package var bearer = 0
  package var says = Advert.nearby
  package var address = AddressLife.fixed
  /// The level at 1 m with nothing between, and its deviation from run to run.
  package var power = -59.0
  package var powerSpread = 0.0
  /// The power at 1 m that it claims, if its adverts have such a byte.
  package var claimedPower: Int8 = -59
  package var interval = 0.1
  package var height = 1.1
  package var carried = Carried.inHand

  package init() {}
}

package enum Advert: BitwiseCopyable, Sendable {
  /// An iBeacon, an AltBeacon or an Eddystone-UID, by the identity's kind.
  case beacon(Identity)
  case named(Name)
  case service(ServiceUUID)
  /// An iOS app in the background: its service is one bit of a mask.
  case background(ServiceUUID)
  /// A phone without an app: Apple's "nearby" messages.
  case nearby
}

package enum AddressLife: BitwiseCopyable, Sendable {
  case fixed
  /// A private address that no key resolves, renewed at this interval.
  case rotating(seconds: Double)
  /// A private address that the key resolves.
  case resolvable(key: Block, seconds: Double)
}

/// Where the bearer carries the phone.
package enum Carried: UInt8, BitwiseCopyable, Sendable {
  case inHand, inFrontPocket, inBackPocket, inBag, onRoof, onMount

  /// The loss in any direction.
  var loss: Double {
    switch self {
    case .inHand, .onRoof, .onMount: 0
    case .inFrontPocket, .inBackPocket: 4
    case .inBag: 5
    }
  }

  /// The additional loss when the bearer's body is wholly in the line.
  var body: Double {
    switch self {
    case .inHand: 6
    case .inFrontPocket, .inBackPocket: 10
    case .inBag: 6
    case .onRoof, .onMount: 0
    }
  }

  /// The direction of the phone, seen from the bearer: 1 ahead, -1 behind.
  var facing: Double { self == .inBackPocket ? -1 : 1 }

  /// A roof and a handlebar are outside even if the bearer sits inside.
  var isOutside: Bool { self == .onRoof || self == .onMount }
}
