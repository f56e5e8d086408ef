import CLinux
package import Core

/// What the core loop serves: the gateway, a recording, the table of `scan`.
package protocol Listener: ~Copyable {
  /// The beginning of each turn, before packets are received.
  mutating func woke(at moment: Instant)
  /// The thread did not run when it should have.
  mutating func overslept(since due: Instant, at moment: Instant)
  mutating func receive(_ packet: RawSpan, radio: Int, at moment: Instant)
  /// A radio's state has changed.
  mutating func reported(_ status: Radio.Status, radio: Int)
  mutating func asked(_ order: Signals.Order)
  mutating func tick(at moment: Instant)
  var nextDeadline: Instant { get }
  /// Whether there is work for another turn at once.
  var hasWork: Bool { get }
  /// The end of each turn: other work, and waking other threads. False ends the loop.
  mutating func turned(at moment: Instant) -> Bool
}

extension Listener where Self: ~Copyable {
  package mutating func woke(at moment: Instant) {}
  package mutating func overslept(since due: Instant, at moment: Instant) {}
}

/// The core thread: sleeps in one place, takes packets from the radios, and does what is due.
package struct CoreLoop<Served: Listener & ~Copyable>: ~Copyable {
  package var listener: Served
  private let bell: Doorbell
  private let radios: [Radio]
  private let signals: Signals
  /// Whether there may be a signal: one may have come before the start.
  private var isSignalled = true

  /// How long a packet takes from its stamp to here. Deadlines wait so long, so that no earlier packet comes after them.
  private static var passage: Interval { Gathering.longestOfRadio + .milliseconds(5) }

  /// All that have something for the listener ring `bell`.
  package init(_ listener: consuming Served, _ bell: Doorbell, _ radios: [Radio], _ signals: Signals) {
    self.listener = listener
    self.bell = bell
    self.radios = radios
    self.signals = signals
  }

  package mutating func run() {
    var now = Clock.now()
    while true {
      listener.woke(at: now)
      for index in 0..<radios.count {
        while let status = radios[index].statuses.pop() { listener.reported(status, radio: index) }
      }
      while isSignalled, let order = signals.next() { listener.asked(order) }
      drain()
      listener.tick(at: now - Self.passage)
      now = Clock.now()
      guard listener.turned(at: now) else { return }
      let due = sleep(since: now)
      now = Clock.now()
      if now - due > Self.oversleep { listener.overslept(since: due, at: now) }
    }
  }

  /// The oldest packet of all radios first. At most as many as fill the rings once: a flood must not delay deadlines.
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

  /// More than a busy machine's delay.
  private static var oversleep: Interval { .seconds(5) }

  /// Sleeps until somebody rings, a signal comes, or something is due; returns when that is at the latest.
  private mutating func sleep(since now: Instant) -> Instant {
    bell.willSleep()
    defer { bell.didWake() }
    // What came before `willSleep` has not rung.
    isSignalled = true
    if listener.hasWork { return now }
    for radio in radios where radio.packets.count > 0 || radio.statuses.count > 0 { return now }
    let deadline = listener.nextDeadline
    let limit = deadline == .never ? nil : max(deadline + Self.passage - now, .zero)
    isSignalled = wait(bell.descriptor, Awaited(signals.descriptor), forAtMost: limit).toRead
    return limit.map { now + $0 } ?? .never
  }
}
