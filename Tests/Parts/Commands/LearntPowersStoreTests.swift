import Foundation
import Testing

@testable import Core
@testable import Host
@testable import forecourt

@Suite("What visits taught, beside the outbox") struct LearntPowersStoreTests {
  @Test("what a disk that failed has not taken is written a minute later, or at the end", arguments: [false, true])
  func retried(atEnd: Bool) throws {
    let (program, disk) = (try Program(), DiskThread(waking: Doorbell()))
    let thread = disk.start()
    defer {
      disk.stop()
      thread.join()
      program.remove()
    }
    var machine = try Machine("[[trigger]]\nname = \"pump\"\nmatch = \"*\"\n")
    machine.gateway.restore(LearntPowers.Record(Identity(installation: 1), power: Decibels(-50), visits: 3))
    let folder = program.folder.path + "/sub"
    let log = Log(LogSettings(level: .error, format: .text))
    var store = LearntPowersStore(beside: folder + "/outbox.db", isKept: true)
    func isThere(after seconds: Double, isOver: Bool = false) -> Bool {
      store.turned(&machine.gateway, isOver: isOver, at: .zero + .seconds(seconds), disk, log)
      for _ in 0..<500 where disk.isBusy(.learnt) { usleep(10_000) }
      return FileManager.default.fileExists(atPath: folder + "/learnt-powers.jsonl")
    }
    #expect(!isThere(after: 1))
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    #expect(!isThere(after: 60.9))
    #expect(isThere(after: atEnd ? 60.95 : 61, isOver: atEnd))
    try FileManager.default.removeItem(atPath: folder + "/learnt-powers.jsonl")
    #expect(!isThere(after: 200, isOver: true), "once")
  }
}
