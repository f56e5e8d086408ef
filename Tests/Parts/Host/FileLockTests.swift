import CLinux
import Core
import Foundation
import Synchronization
import Testing

@testable import Host

@Suite("a lock on the outbox", .serialized) struct FileLockTests {
  @Test("only its owner writes it, and only its group reads it") func mode() throws {
    let scratch = Scratch()
    _ = try FileLock(scratch["lock"])
    let attributes = try FileManager.default.attributesOfItem(atPath: scratch.path + "/lock")
    #expect((attributes[.posixPermissions] as? NSNumber)?.intValue == 0o640)
  }

  @Test("check sees that a gateway uses the outbox, leaves its radio's line alone, and creates nothing") func held() throws {
    let scratch = Scratch()
    #expect(!FileLock.isHeld(scratch["lock"]) && !FileManager.default.fileExists(atPath: scratch.path + "/lock"))
    var lock: FileLock? = try FileLock(scratch["lock"])
    #expect(FileLock.isHeld(scratch["lock"]))
    // Opening this line would fail.
    for (isInUse, words) in [(true, "left alone: a gateway with this outbox runs"), (false, "unix:")] {
      let examined = Examined.adapter(.unix(path: scratch.path + "/line"), "radio", isInUse: isInUse)
      #expect(examined.isBad == !isInUse && examined.words.contains(words), "\(examined.words)")
    }
    var host = HostSettings()
    host.outbox.path = scratch["lock"]
    for (isInUse, words) in [(true, ": a running gateway has it; a second one would keep its events"), (false, ": can be written")] {
      let examined = Examined.outbox(host, as: "nobody", isInUse: isInUse)[0]
      let isGood = if case .good = examined.verdict { true } else { false }
      #expect(examined.words.contains(words) && isGood == (!isInUse || Examined.gatewayRuns), "\(examined)")
    }
    _ = lock.take()
    #expect(!FileLock.isHeld(scratch["lock"]))
  }

  @Test("a refused lock closes its own descriptor, once, and no other") func refused() throws {
    let scratch = Scratch()
    let lock = try FileLock(scratch["lock"])
    let isOver = Atomic<Bool>(false)
    let stolen = Atomic<Int>(0)
    // Opens and closes all the time: a descriptor that is gone before it is closed here was closed by the lock.
    let other = Thread("other") {
      while !isOver.load(ordering: .relaxed) {
        let descriptor = linux_open("/dev/null", O_RDONLY | O_CLOEXEC, 0)
        for _ in 0..<50 where fcntl(descriptor, F_GETFD) < 0 { stolen.add(1, ordering: .relaxed) }
        close(descriptor)
      }
    }
    for _ in 0..<20_000 { #expect(throws: StoreFault.self) { _ = try FileLock(scratch["lock"]) } }
    isOver.store(true, ordering: .relaxed)
    other.join()
    #expect(stolen.load(ordering: .relaxed) == 0)
    _ = consume lock
  }
}
