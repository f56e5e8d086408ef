import CLinux
package import Core

/// When to look at a line again. Waking up costs a thousand times what a packet costs: below some tens a second each is read at once, and
/// above that they come together for up to ten milliseconds.
package struct Gathering: BitwiseCopyable {
  package static let longest = Interval.milliseconds(10)
  private static let window = Interval.milliseconds(500)
  /// Packets a second that make a line lively, and those that leave it so.
  private static let (many, few): (Int64, Int64) = (80, 60)

  /// All radios of a gateway look at the same moments, and wake the core thread once; gateways on one machine take turns.
  private let phase: Interval
  private var windowBegan = Instant.zero
  private var count: Int64 = 0
  private var isLively = false
  /// Until then nobody looks.
  package private(set) var end = Instant.zero

  package init(phase: Interval = Interval(microseconds: Int64(getpid()) * 617)) { self.phase = phase }

  /// So many packets came. `isAll`: nothing is left on the line.
  package mutating func observe(_ packets: Int, isAll: Bool = true, at now: Instant) {
    let passed = now - windowBegan
    if passed >= Self.window {
      isLively = count * 1_000_000 >= (isLively ? Self.few : Self.many) * passed.microseconds
      (windowBegan, count) = (now, 0)
    }
    count += Int64(packets)
    // When nothing came, the next packet is the first of a batch, and may wake us.
    end = isLively && isAll && packets > 0 ? nextEnd(after: now) : now
  }

  private func nextEnd(after now: Instant) -> Instant {
    let since = (now.microseconds + phase.microseconds) % Self.longest.microseconds
    return now + (Self.longest - Interval(microseconds: since))
  }
}
