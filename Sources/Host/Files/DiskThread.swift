package import Core
import Synchronization

/// A thread for what may have to wait for a disk, so that the core thread never does: that one asks, looks, and goes on.
package final class DiskThread: Sendable {
  /// What it is asked for; each kind one at a time, in this order.
  package enum Errand: Int {
    case configuration, learnt, neighbours, metrics

    fileprivate static let count = 4

    /// As it follows "a disk does not answer: ".
    package var words: StaticString {
      switch self {
      case .configuration: "the configuration is being read"
      case .learnt: "what visits taught is being written"
      case .neighbours: "which neighbours were met is being written"
      case .metrics: "metrics_file is being written"
      }
    }
  }

  /// The asker's until it is asked, the clerk's until it is done.
  private final class Desk: @unchecked Sendable {
    var work: (@Sendable () -> Void)?
    let isAsked = Atomic<Bool>(false)
    /// When it was asked, in microseconds. Written and read by the asker.
    let since = Atomic<Int64>(0)
  }

  /// So long a disk may take.
  private static let patience = Interval.seconds(5)
  /// As a process's first thread has: a configuration is long, and only what is used of it costs memory.
  private static let stack = 8 << 20

  private let desks = (0..<Errand.count).map { _ in Desk() }
  private let bell = Doorbell()
  /// Wakes whoever asked.
  private let asker: Doorbell
  private let stopping = Atomic<Bool>(false)

  package init(waking asker: Doorbell) { self.asker = asker }

  /// Ends after `stop`, once all is done that was asked before.
  package func start() -> Thread { Thread("clerk", stack: Self.stack) { self.run() } }

  // MARK: The asker's thread

  /// False while the last of its kind is under way.
  package func ask(_ errand: Errand, at now: Instant, _ work: @escaping @Sendable () -> Void) -> Bool {
    guard !isAtWork(errand) else { return false }
    let desk = desks[errand.rawValue]
    desk.work = work
    desk.since.store(now.microseconds, ordering: .relaxed)
    desk.isAsked.store(true, ordering: .releasing)
    bell.ring()
    return true
  }

  package func isAtWork(_ errand: Errand) -> Bool { desks[errand.rawValue].isAsked.load(ordering: .acquiring) }

  /// What takes longer than any disk should.
  package func late(at now: Instant) -> Errand? {
    for index in desks.indices where desks[index].isAsked.load(ordering: .acquiring) && now >= due(desks[index]) {
      return Errand(rawValue: index)
    }
    return nil
  }

  /// When to ask next whether something is late.
  package func nextDeadline(after now: Instant) -> Instant {
    var next = Instant.never
    for desk in desks where desk.isAsked.load(ordering: .acquiring) && due(desk) > now { next = min(next, due(desk)) }
    return next
  }

  private func due(_ desk: Desk) -> Instant { Instant(microseconds: desk.since.load(ordering: .relaxed)) + Self.patience }

  package func stop() {
    stopping.store(true, ordering: .releasing)
    bell.ring()
  }

  // MARK: Its own

  private func run() {
    while true {
      // Looked at before the work is: whatever was asked before the end is done.
      let isOver = stopping.load(ordering: .acquiring)
      if work() { continue }
      if isOver { return }
      bell.settle()
      if !isAsked && !stopping.load(ordering: .acquiring) { wait(bell.descriptor, nil, forAtMost: nil) }
      bell.rise()
    }
  }

  private var isAsked: Bool { desks.contains { $0.isAsked.load(ordering: .acquiring) } }

  /// One errand, the first in order; false when there is none.
  private func work() -> Bool {
    for desk in desks where desk.isAsked.load(ordering: .acquiring) {
      desk.work?()
      desk.work = nil
      desk.isAsked.store(false, ordering: .releasing)
      asker.ring()
      return true
    }
    return false
  }
}
