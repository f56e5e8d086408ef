import CLinux
package import Core

/// When to look at a line again. Waking up costs a thousand times what a packet costs: below some tens a second each is read at once, and
/// above that they come together.
package struct Gathering: BitwiseCopyable {
  private static let window = Interval.milliseconds(500)

  /// Packets come together for so long.
  private let longest: Interval
  /// Packets a second that make a line lively; three quarters of them leave it so.
  private let many: Int64
  /// All lines of a gateway are looked at in the same moments, and wake the core thread once; gateways on one machine take turns.
  private let phase: Interval
  private var windowBegan = Instant.zero
  private var count: Int64 = 0
  package private(set) var isLively = false
  /// Until then nobody looks.
  package private(set) var end = Instant.zero

  package init(for longest: Interval, from many: Int64, phase: Interval = Interval(microseconds: Int64(getpid()) * 617)) {
    (self.longest, self.many, self.phase) = (longest, many, phase)
  }

  /// So long packets of a radio wait. A trigger decides in seconds: ten milliseconds are free.
  package static let longestOfRadio = Interval.milliseconds(10)
  package static var radio: Self { Self(for: longestOfRadio, from: 80) }
  /// The line to the broker: what the neighbours say of devices comes together.
  package static var broker: Self { Self(for: .milliseconds(40), from: 40) }

  /// So many packets came. `isAll`: nothing is left on the line.
  package mutating func observe(_ packets: Int, isAll: Bool = true, at now: Instant) {
    let passed = now - windowBegan
    if passed >= Self.window {
      isLively = count * 1_000_000 >= (isLively ? many * 3 / 4 : many) * passed.microseconds
      (windowBegan, count) = (now, 0)
    }
    count += Int64(packets)
    // When nothing came, the next packet is the first of a batch, and may wake us.
    end = isLively && isAll && packets > 0 ? nextEnd(after: now) : now
  }

  private func nextEnd(after now: Instant) -> Instant {
    let since = (now.microseconds + phase.microseconds) % longest.microseconds
    return now + (longest - Interval(microseconds: since))
  }
}
