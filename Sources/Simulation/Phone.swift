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
