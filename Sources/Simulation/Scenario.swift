package import Core

/// A scenario: where everything stands, who comes by, and how bad the air is. All in SI units and dB.
package struct Scenario: Sendable {
  package var name = Name()
  package var seconds = 60.0
  package var air = Air()
  package var gateways: [Station] = []
  package var pumps: [Pump] = []
  package var travellers: [Traveller] = []
  package var phones: [Phone] = []
  package var bystanders = Bystanders()

  package init() {}
}

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

/// Where a gateway stands: its controller, its antenna and its clock.
package struct Station: BitwiseCopyable, Sendable {
  package var name = Name()
  package var place = Point.zero
  package var height = 1.5
  package var gain = 0.0
  /// The level at which half of the packets are lost.
  package var sensitivity = -94.0
  package var interval = 0.060
  package var window = 0.060
  package var activeScan = true
  package var extended = true
  /// The time on its clock when the scenario begins.
  package var clock = 0.0
  /// When its radio is dead.
  package var silentFrom = Double.infinity
  package var silentTo = Double.infinity

  package init() {}

  func isDeaf(at time: Double) -> Bool { time >= silentFrom && time < silentTo }
}

/// A place where a trigger is meant to fire, and how near counts as standing there.
package struct Pump: BitwiseCopyable, Sendable {
  package var name = Name()
  package var place = Point.zero
  package var radius = 1.5

  package init() {}
}

/// A crowd without a part: phones that walk about in a rectangle.
package struct Bystanders: BitwiseCopyable, Sendable {
  package var count = 0
  package var corner = Point(-30, -30)
  package var opposite = Point(30, 30)
  package var fastest = 1.5
  /// The share that stands still.
  package var standing = 0.5
  package var shortestInterval = 0.15
  package var longestInterval = 1.0
  package var power = -62.0
  package var powerSpread = 6.0

  package init() {}
}
