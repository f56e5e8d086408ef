package import Core

/// A person on the way, as the scenario describes it.
package struct Traveller: Sendable {
  package var name = Name()
  package var start = Point.zero
  /// When it sets out, and the deviation of that from run to run.
  package var delay = 0.0
  package var delaySpread = 1.0
  /// The deviation of its stops from run to run, in metres.
  package var stray = 0.15
  /// The share by which its speeds vary from run to run.
  package var haste = 0.1
  package var begins = Conveyance.foot
  package var steps: [JourneyStep] = []

  package init() {}
}

package enum Conveyance: UInt8, BitwiseCopyable, Sendable { case foot, car, open }

package enum JourneyStep: BitwiseCopyable, Sendable {
  case move(to: Point, pace: JourneyPace, by: Conveyance)
  /// Without a place to look at, the heading changes every few seconds.
  case stay(seconds: Double, facing: Point?, in: Conveyance)
}

package enum JourneyPace: BitwiseCopyable, Sendable {
  case speed(Double)
  case within(seconds: Double)
}

/// Where a traveller is at one moment, and in what surroundings.
package struct Whereabouts: BitwiseCopyable, Sendable {
  package var place = Point.zero
  package var heading = Point(1, 0)
  package var conveyance = Conveyance.foot
  package var isMoving = false
  /// The distance travelled so far, in metres.
  package var way = 0.0
  /// The car that it came in and will leave in.
  package var car: Point?
}
