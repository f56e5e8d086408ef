import Core
import Foundation
import Synchronization
import Testing

@testable import Host

@Suite("the clerk", .serialized) struct DiskThreadTests {
  /// What a piece of work leaves: the clerk's until it is done.
  private final class Result: @unchecked Sendable { var done: [Int] = [] }

  private func until(_ test: () -> Bool) -> Bool {
    let limit = Clock.now() + .seconds(10)
    while Clock.now() < limit {
      if test() { return true }
      usleep(1_000)
    }
    return false
  }

  @Test("does one of each kind at a time, in the asker's order, and whoever asks never waits") func work() {
    let bell = Doorbell()
    let diskThread = DiskThread(waking: bell)
    let thread = diskThread.start()
    let result = Result()
    for number in 0..<200 {
      #expect(until { diskThread.submit(.configuration, at: Clock.now()) { result.done.append(number) } })
      #expect(until { !diskThread.isBusy(.configuration) })
    }
    #expect(result.done == Array(0..<200))
    // What a piece of work holds goes with it.
    weak var held: Result?
    do {
      let result = Result()
      held = result
      #expect(diskThread.submit(.configuration, at: Clock.now()) { result.done.append(0) })
    }
    #expect(until { !diskThread.isBusy(.configuration) } && held == nil)
    let isHeld = Mutex(true)
    #expect(diskThread.submit(.metrics, at: .zero) { while isHeld.withLock({ $0 }) { usleep(1_000) } })
    #expect(!diskThread.submit(.metrics, at: .zero) {} && diskThread.late(at: .zero + .seconds(4)) == nil)
    #expect(diskThread.late(at: .zero + .seconds(5)) == .metrics && diskThread.nextDeadline(after: .zero) == .zero + .seconds(5))
    // What was asked before the end is done before it.
    let last = Result()
    #expect(diskThread.submit(.learnt, at: .zero) { last.done.append(1) })
    diskThread.stop()
    isHeld.withLock { $0 = false }
    thread.join()
    #expect(last.done == [1] && !diskThread.isBusy(.metrics) && diskThread.nextDeadline(after: .zero) == .never)
  }
  @Test("whoever waits long is told by name what the disk is doing, and when the next job becomes late") func late() {
    let words: [(DiskThread.Job, String)] = [
      (.configuration, "the configuration is being read"), (.learnt, "the learnt powers are being written"),
      (.neighbours, "the known neighbours are being written"), (.adapters, "the adapters' addresses are being written"),
      (.announced, "the announced devices are being written"), (.metrics, "metrics_file is being written"),
    ]
    // Nobody works.
    let diskThread = DiskThread(waking: Doorbell())
    func at(_ seconds: Double) -> Instant { .zero + .seconds(seconds) }
    for (index, (job, said)) in words.enumerated() {
      #expect("\(job.words)" == said)
      // The first in order is submitted last.
      #expect(diskThread.submit(words[5 - index].0, at: at(Double(index))) {} && diskThread.isBusy(words[5 - index].0))
    }
    #expect(diskThread.late(at: at(4.999)) == nil && diskThread.nextDeadline(after: at(4.999)) == at(5))
    for (index, (job, _)) in words.reversed().enumerated() {
      let due = Double(index) + 5
      #expect(diskThread.late(at: at(due)) == job, "the first in order")
      #expect(diskThread.nextDeadline(after: at(due)) == (index < 5 ? at(due + 1) : .never))
    }
  }

  @Test("what waits together is done in order, whenever it was submitted") func order() {
    let diskThread = DiskThread(waking: Doorbell())
    let result = Result()
    for job in [DiskThread.Job.metrics, .learnt, .announced, .configuration, .adapters, .neighbours] {
      #expect(diskThread.submit(job, at: .zero) { result.done.append(job.rawValue) })
    }
    diskThread.stop()
    diskThread.start().join()
    #expect(result.done == [0, 1, 2, 3, 4, 5])
  }
}
