package import Core

/// Somebody on the way, as the scenario tells it.
package struct Traveller: Sendable {
  package var name = Name()
  package var start = Point.zero
  /// When it sets out, and by how much that differs from run to run.
  package var delay = 0.0
  package var delaySpread = 1.0
  /// How far, as a deviation, the stops differ from run to run.
  package var stray = 0.15
  /// By what part its speeds differ from run to run.
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

/// Where somebody is at a moment, and what is around them.
package struct Whereabouts: BitwiseCopyable, Sendable {
  package var place = Point.zero
  package var heading = Point(1, 0)
  package var conveyance = Conveyance.foot
  package var isMoving = false
  /// The way gone so far, in metres.
  package var way = 0.0
  /// The car one came with and will leave with.
  package var car: Point?
}
