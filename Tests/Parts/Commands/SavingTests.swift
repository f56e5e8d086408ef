import Foundation
import Testing

@testable import Core
@testable import Host
@testable import forecourt

@Suite("A file beside the outbox") struct SavingTests {
  private let disk = DiskThread(waking: Doorbell())
  private let log = Log(LogSettings(level: .error, format: .text))

  private func due(_ saving: Saving, _ isChanged: Bool, isOver: Bool = false, at seconds: Double) -> Bool {
    saving.isDue(isChanged, isOver: isOver, at: .zero + .seconds(seconds), disk)
  }

  @Test("what changes while a slow disk still writes waits, and is not lost") func slow() throws {
    let program = try Program()
    defer { program.remove() }
    var saving = Saving(.learnt, "learnt", beside: program.folder.path + "/outbox.db")
    #expect(due(saving, true, at: 1) && !due(saving, false, at: 1))
    saving.write(Array("old".utf8), at: .zero + .seconds(1), disk, log)
    #expect(!due(saving, true, at: 100) && !due(saving, true, isOver: true, at: 100))
    let thread = disk.start()
    disk.stop()
    thread.join()
    #expect(due(saving, true, at: 100) && (try? String(contentsOfFile: saving.path, encoding: .utf8)) == "old")
  }

  @Test("what could not be written is tried again after a minute, or at the end") func failed() {
    var saving = Saving(.learnt, "learnt", beside: "/nowhere/outbox.db")
    saving.write([1], at: .zero + .seconds(1), disk, log)
    let thread = disk.start()
    disk.stop()
    thread.join()
    #expect(!due(saving, true, at: 60.9) && due(saving, false, isOver: true, at: 60.9) && due(saving, false, at: 61))
  }
}
