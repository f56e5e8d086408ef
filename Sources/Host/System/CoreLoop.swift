import CLinux
package import Core

/// What a station serves: the gateway, a recorder, a table of the air.
package protocol Listener: ~Copyable {
  /// The beginning of each turn, before what was heard is told.
  mutating func woke()
  mutating func receive(_ packet: RawSpan, radio: Int, at moment: Instant)
  /// How a radio is, whenever that changed.
  mutating func reported(_ report: Radio.Status, radio: Int)
  mutating func asked(_ request: Signals.Order)
  mutating func tick(at moment: Instant)
  var nextDeadline: Instant { get }
  /// Whether somebody has left something to be done in the next turn.
  var hasWork: Bool { get }
  /// The end of each turn: whatever else waits, and whoever else is to be woken. False ends the station.
  mutating func turned(at moment: Instant) -> Bool
}

extension Listener where Self: ~Copyable {
  package mutating func woke() {}
}

/// The core thread: sleeps in one place, takes what the radios have heard, and does what falls due.
package struct CoreLoop<Served: Listener & ~Copyable>: ~Copyable {
  package var listener: Served
  private let bell: Doorbell
  private let radios: [Radio]
  private let signals: Signals

  /// A packet's way from its stamp to here. What falls due waits so long, lest a packet come after what it was to come before.
  private static var passage: Interval { .milliseconds(5) }

  /// `bell` is the one that everybody rings who has something for the listener.
  package init(_ listener: consuming Served, _ bell: Doorbell, _ radios: [Radio], _ signals: Signals) {
    self.listener = listener
    self.bell = bell
    self.radios = radios
    self.signals = signals
  }

  package mutating func run() {
    repeat {
      let now = Clock.now()
      listener.woke()
      for index in 0..<radios.count {
        while let report = radios[index].reports.pop() { listener.reported(report, radio: index) }
      }
      while let request = signals.next() { listener.asked(request) }
      drain()
      listener.tick(at: now - Self.passage)
    } while listener.turned(at: Clock.now()) && sleep()
  }

  /// The oldest of all radios first. No more than fill the rings once: whatever falls due is not kept waiting by a flood.
  private mutating func drain() {
    var left = Limits.packetsQueued * radios.count
    while left > 0, let oldest = oldest() {
      _ = radios[oldest].packets.take { listener.receive($0.bytes.bytes, radio: oldest, at: $0.at) }
      left -= 1
    }
  }

  private borrowing func oldest() -> Int? {
    if radios.count == 1 { return radios[0].packets.count > 0 ? 0 : nil }
    var oldest: (index: Int, at: Instant)?
    for index in 0..<radios.count {
      guard let at = radios[index].packets.peek({ $0.at }), oldest.map({ at < $0.at }) ?? true else { continue }
      oldest = (index, at)
    }
    return oldest?.index
  }

  /// Until somebody rings, a signal comes, or something falls due.
  private borrowing func sleep() -> Bool {
    bell.settle()
    defer { bell.rise() }
    // Whoever left something before the bell was set has not rung.
    if listener.hasWork { return true }
    for radio in radios where radio.packets.count > 0 || radio.reports.count > 0 { return true }
    let deadline = listener.nextDeadline
    let limit = deadline == .never ? nil : max(deadline + Self.passage - Clock.now(), .zero)
    wait(bell.descriptor, Awaited(signals.descriptor), forAtMost: limit)
    return true
  }
}
