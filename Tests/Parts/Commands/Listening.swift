import Testing

@testable import Core
@testable import Host
@testable import forecourt

/// What a command does with what its radios hear: without radios, and at the test's own moments.
final class Listening<Kind: Listener & ~Copyable> {
  var listener: Kind

  init(_ listener: consuming Kind) { self.listener = listener }

  var nextDeadline: Instant { listener.nextDeadline }
  func turned(at moment: Instant) -> Bool { listener.turned(at: moment) }
  func asked(_ order: Signals.Order) { listener.asked(order) }

  func receive(_ packet: [UInt8], at moment: Instant) {
    listener.receive(packet.span.bytes, radio: 0, at: moment)
    listener.tick(at: moment)
  }

  func reported(_ condition: Condition) {
    var report = Radio.Status()
    report.condition = condition
    listener.reported(report, radio: 0)
  }

  /// Waits for so many seconds, and no microsecond less; its clock began between these two moments.
  func expectEnd(after seconds: Double, _ first: Instant, _ last: Instant) {
    #expect(turned(at: first) && turned(at: first + .seconds(seconds) - Interval(microseconds: 1)))
    #expect(!turned(at: last + .seconds(seconds)))
  }
}

/// With a trigger for every iBeacon, unless given.
func offlineGateway(_ toml: String = "[[trigger]]\nname = \"pump\"\nmatch = \"ibeacon:*\"\n") throws -> OfflineGateway {
  OfflineGateway(try Machine.configuration(toml), epoch: nil, started: Clock.now())
}

/// Of one radio, which plays a capture.
func captureConditions() -> RadioConditions { RadioConditions([.capture(file: "a")]) }
