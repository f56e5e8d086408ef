/// The constants of the channel. README.md says where each comes from.
package struct Air: BitwiseCopyable, Sendable {
  package var pathLossExponent = 2.0
  /// The deviation of the shadow, and over which distance it changes.
  package var shadowing = 3.0
  package var shadowReach = 3.0
  /// How much the three advertising channels differ at one place, and over which distance that changes.
  package var channelSpread = 2.7
  package var channelReach = 0.5
  /// The power of the straight ray over that of all reflections, and half a wavelength.
  package var ricianFactor = 3.0
  package var fadeReach = 0.06
  /// The air moves even at rest: m/s added to every way.
  package var stir = 0.05
  /// Whether shadows change at rest, too, as where people and cars come and go.
  package var stirsShadows = true
  /// The share of packets that other radios destroy.
  package var interference = 0.05
  /// A receiver's error from packet to packet.
  package var reportError = 1.0
  /// The loss of a body or a car in the line.
  package var personInLine = 5.0
  package var carInLine = 8.0
  /// The loss of a car around the phone.
  package var carShell = 7.0

  package init() {}
}
