import CLinux
import Core
import Foundation
import Testing

@testable import Host

@Suite("a new file") struct NewFileTests {
  let scratch = Scratch()

  @Test("of what has its place nothing is removed later, even if somebody begins another file beside it") func kept() throws {
    for manner in [NewFile.Manner.own, .asked(force: true)] {
      let path = scratch.path + "/file"
      var next: NewFile?
      do {
        let file = try NewFile(creating: path, manner)
        file.write([1, 2])
        #expect(file.keep() == 0)
        next = try NewFile(creating: path, manner)
      }
      next?.write([3])
      #expect(next?.keep() == 0 && scratch.names == ["file"])
      next = nil
      #expect(try Data(contentsOf: URL(fileURLWithPath: path)) == Data([3]) && scratch.names == ["file"])
    }
  }

  @Test("what the disk takes only a part of is a failure, not a shorter file") func partly() async {
    await #expect(processExitsWith: .success) {
      let scratch = Scratch()
      signal(SIGXFSZ, SIG_IGN)
      // The system writes up to here, and says how much that was.
      var most = rlimit(rlim_cur: 50_000, rlim_max: 50_000)
      precondition(setrlimit(__rlimit_resource_t(1), &most) == 0)
      let file = try NewFile(creating: scratch.path + "/file", .own)
      file.write([UInt8](repeating: 7, count: 40_000))
      precondition(file.failure == 0)
      file.write([UInt8](repeating: 7, count: 40_000))
      precondition(file.failure == EFBIG && file.keep() == EFBIG && scratch.names == ["file.new"])
    }
  }
}
