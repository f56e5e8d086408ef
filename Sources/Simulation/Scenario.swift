package import Core

/// A scenario: where everything stands, who comes by, and how bad the air is. All in SI units and dB.
package struct Scenario: Sendable {
  package var seconds = 60.0
  package var air = Air()
  package var gateways: [Station] = []
  package var pumps: [Pump] = []
  package var travellers: [Traveller] = []
  package var phones: [Phone] = []
  package var bystanders = Bystanders()

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

  /// From the scenario's time to its clock's.
  package var ahead: Interval { Interval(microseconds: Int64(clock * 1e6)) }

  func isDeaf(at time: Double) -> Bool { time >= silentFrom && time < silentTo }
}

/// A place where a trigger is meant to fire, and how near counts as standing there.
package struct Pump: BitwiseCopyable, Sendable {
  package var name = Name()
  package var place = Point.zero
  package var radius = 1.5

  package init() {}
}
