package import Core

/// One moment on both clocks.
package struct Moment: BitwiseCopyable, Sendable {
  package var at: Instant
  package var wall: Int64?
  /// For tests; nil asks the machine.
  package var isTrusted: Bool?

  package init(at: Instant, wall: Int64?, isTrusted: Bool? = nil) {
    self.at = at
    self.wall = wall
    self.isTrusted = isTrusted
  }

  package static func now() -> Moment { Moment(at: Clock.now(), wall: Clock.wall()) }

  package var trustedWall: Int64? { isTrusted ?? Clock.isTrusted ? wall : nil }
}
