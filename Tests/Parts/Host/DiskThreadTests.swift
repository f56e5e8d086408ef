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
      #expect(until { diskThread.ask(.configuration, at: Clock.now()) { result.done.append(number) } })
      #expect(until { !diskThread.isAtWork(.configuration) })
    }
    #expect(result.done == Array(0..<200))
    let isHeld = Mutex(true)
    #expect(diskThread.ask(.metrics, at: .zero) { while isHeld.withLock({ $0 }) { usleep(1_000) } })
    #expect(!diskThread.ask(.metrics, at: .zero) {} && diskThread.late(at: .zero + .seconds(4)) == nil)
    #expect(diskThread.late(at: .zero + .seconds(5)) == .metrics && diskThread.nextDeadline(after: .zero) == .zero + .seconds(5))
    // What was asked before the end is done before it.
    let last = Result()
    #expect(diskThread.ask(.learnt, at: .zero) { last.done.append(1) })
    diskThread.stop()
    isHeld.withLock { $0 = false }
    thread.join()
    #expect(last.done == [1] && !diskThread.isAtWork(.metrics) && diskThread.nextDeadline(after: .zero) == .never)
  }
}
