package import Core
import Synchronization

/// Does what may have to wait for a disk, so that the core thread never waits: it submits a job and looks later.
package final class DiskThread: Sendable {
  /// The jobs: one of each kind at a time, done in this order.
  package enum Job: Int {
    case configuration, learnt, neighbours, adapters, announced, metrics

    fileprivate static let count = 6

    /// As it follows "a disk does not answer: ".
    package var words: StaticString {
      switch self {
      case .configuration: "the configuration is being read"
      case .learnt: "the learnt powers are being written"
      case .neighbours: "the known neighbours are being written"
      case .adapters: "the adapters' addresses are being written"
      case .announced: "the announced devices are being written"
      case .metrics: "metrics_file is being written"
      }
    }
  }

  /// Belongs to the owner until a job is submitted, then to the disk thread until it is done.
  private final class Slot: @unchecked Sendable {
    var work: (@Sendable () -> Void)?
    let isSubmitted = Atomic<Bool>(false)
    /// When it was submitted, in microseconds. Only the owner writes and reads it.
    let since = Atomic<Int64>(0)
  }

  /// How long a disk may take.
  private static let patience = Interval.seconds(5)
  /// As large as a main thread's: a configuration is long, and unused pages cost nothing.
  private static let stack = 8 << 20

  private let slots = (0..<Job.count).map { _ in Slot() }
  private let bell = Doorbell()
  /// Wakes the thread that submits.
  private let owner: Doorbell
  private let stopping = Atomic<Bool>(false)

  package init(waking owner: Doorbell) { self.owner = owner }

  /// Ends after `stop`, when all jobs submitted before are done.
  package func start() -> Thread { Thread("disk", stack: Self.stack) { self.run() } }

  // MARK: The owner's thread

  /// False while another job of its kind is under way.
  package func submit(_ job: Job, at now: Instant, _ work: @escaping @Sendable () -> Void) -> Bool {
    guard !isBusy(job) else { return false }
    let slot = slots[job.rawValue]
    slot.work = work
    slot.since.store(now.microseconds, ordering: .relaxed)
    slot.isSubmitted.store(true, ordering: .releasing)
    bell.ring()
    return true
  }

  package func isBusy(_ job: Job) -> Bool { slots[job.rawValue].isSubmitted.load(ordering: .acquiring) }

  /// A job that takes longer than a disk should.
  package func late(at now: Instant) -> Job? {
    for index in slots.indices where slots[index].isSubmitted.load(ordering: .acquiring) && now >= due(slots[index]) {
      return Job(rawValue: index)
    }
    return nil
  }

  /// When the next job becomes late.
  package func nextDeadline(after now: Instant) -> Instant {
    var next = Instant.never
    for slot in slots where slot.isSubmitted.load(ordering: .acquiring) && due(slot) > now { next = min(next, due(slot)) }
    return next
  }

  private func due(_ slot: Slot) -> Instant { Instant(microseconds: slot.since.load(ordering: .relaxed)) + Self.patience }

  package func stop() {
    stopping.store(true, ordering: .releasing)
    bell.ring()
  }

  // MARK: Its own

  private func run() {
    while true {
      // Read this before looking for work: what was submitted before `stop` is done.
      let isOver = stopping.load(ordering: .acquiring)
      if work() { continue }
      if isOver { return }
      bell.willSleep()
      if !isSubmitted && !stopping.load(ordering: .acquiring) { wait(bell.descriptor, nil, forAtMost: nil) }
      bell.didWake()
    }
  }

  private var isSubmitted: Bool { slots.contains { $0.isSubmitted.load(ordering: .acquiring) } }

  /// One job, the first in order; false when there is none.
  private func work() -> Bool {
    for slot in slots where slot.isSubmitted.load(ordering: .acquiring) {
      slot.work?()
      slot.work = nil
      slot.isSubmitted.store(false, ordering: .releasing)
      owner.ring()
      return true
    }
    return false
  }
}
