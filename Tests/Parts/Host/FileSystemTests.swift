import Core
import Foundation
import Testing

@testable import Host

@Suite("what is asked of the file system") struct FileSystemTests {
  let scratch = Scratch()

  @Test("a full disk has no bytes left, which is not the same as knowing nothing") func room() throws {
    // Nothing fits into /proc.
    #expect(FileSystem.freeBytes(Text("/proc")) == 0)
    #expect(FileSystem.freeBytes(scratch["none"]) == nil)
    #expect(try #require(FileSystem.freeBytes(Text(scratch.path))) > 4_096)
  }

  @Test("what is there, since when, and whether it is the same as before") func imprints() throws {
    let path = scratch["file"]
    #expect(FileSystem.written(path) == nil && FileSystem.imprint(of: path) == nil)
    #expect(!FileSystem.exists(path) && !FileSystem.isEmpty(path) && !FileSystem.isFolder(path) && FileSystem.isFolder(Text(scratch.path)))
    var imprints: [FileSystem.Imprint] = []
    func change(_ how: () throws -> Void) throws {
      try how()
      let imprint = try #require(FileSystem.imprint(of: path))
      #expect(!imprints.contains(imprint) && imprint == FileSystem.imprint(of: path), "\(imprint)")
      imprints.append(imprint)
    }
    func date(_ seconds: Int, _ nanoseconds: Int) {
      let times = [timespec(tv_sec: 0, tv_nsec: 0), timespec(tv_sec: seconds, tv_nsec: nanoseconds)]
      #expect(utimensat(AT_FDCWD, String(path), times, 0) == 0)
    }
    try change { scratch.write("file", []) }
    #expect(FileSystem.exists(path) && FileSystem.isEmpty(path) && !FileSystem.isFolder(path))
    try change { date(1_790_000_000, 123_456_789) }
    #expect(FileSystem.written(path) == 1_790_000_000_123_456)
    try change { date(1_790_000_000, 123_456_790) }
    try change { date(1_790_000_001, 123_456_790) }
    try change {
      scratch.write("file", [1])
      date(1_790_000_001, 123_456_790)
    }
    #expect(!FileSystem.isEmpty(path))
    try change {
      scratch.write("other", [1])
      #expect(FileSystem.replace(String(path), by: scratch.path + "/other") == 0)
      date(1_790_000_001, 123_456_790)
    }
    #expect(scratch.names == ["file"])
  }

  @Test("files are removed, replaced and renamed; what fails says why") func changes() {
    scratch.write("a", [1])
    scratch.write("b", [2])
    let (a, b, c) = (scratch.path + "/a", scratch.path + "/b", scratch.path + "/c")
    #expect(FileSystem.renameIfFree(a, to: b) == EEXIST && FileSystem.renameIfFree(c, to: a) == ENOENT)
    #expect(FileSystem.renameIfFree(a, to: c) == 0 && scratch.names == ["b", "c"])
    #expect(FileSystem.replace(c, by: b) == 0 && FileSystem.replace(c, by: b) == ENOENT && scratch.names == ["c"])
    FileSystem.rename(scratch["c"], scratch["d"], suffix: "-wal")
    #expect(scratch.names == ["c"], "only the file with the suffix")
    scratch.write("c-wal", [3])
    FileSystem.rename(scratch["c"], scratch["d"], suffix: "-wal")
    FileSystem.rename(scratch["c"], scratch["d"], suffix: "")
    #expect(scratch.names == ["d", "d-wal"])
    FileSystem.remove(scratch["d"])
    #expect(scratch.names == ["d-wal"])
    FileSystem.remove(scratch.path + "/d-wal")
    FileSystem.remove(scratch["none"])
    #expect(scratch.names == [])
  }

  @Test("a path's folder, and whether two paths lead to one file") func paths() throws {
    for (path, folder) in [("a", "."), ("/a", "/"), ("/a/b", "/a"), ("a/b/c", "a/b"), ("/a/", "/a")] {
      #expect(FileSystem.folder(of: path) == folder)
    }
    scratch.write("a", [1])
    scratch.write("b", [1])
    let (a, b, link) = (scratch.path + "/a", scratch.path + "/b", scratch.path + "/link")
    try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: a)
    #expect(FileSystem.isSame(a, a) && FileSystem.isSame(a, link) && FileSystem.isSame(a, scratch.path + "/./a"))
    #expect(!FileSystem.isSame(a, b) && !FileSystem.isSame(b, link) && !FileSystem.isSame(a, scratch.path + "/none"))
    #expect(!FileSystem.isSame(scratch.path + "/none", a) && FileSystem.isSame("none", "none"))
    // What is not there yet would be one file, too.
    let folder = scratch.path + "/folder"
    try FileManager.default.createSymbolicLink(atPath: folder, withDestinationPath: scratch.path)
    for (one, other, isSame) in [
      ("none", "./none", true), (scratch.path + "/none", folder + "/../" + scratch.path.split(separator: "/").last! + "/none", true),
      (scratch.path + "/none", folder + "/none", true), ("no/none", "./no/none", true), ("none", "nine", false), ("none", "/none", false),
      ("no/none", "none", false), ("no/none", "on/none", false), (".", "no/.", false), ("/", "no/", false),
    ] {
      #expect(FileSystem.isSame(one, other) == isSame && FileSystem.isSame(other, one) == isSame, "\(one) \(other)")
    }
  }

  @Test("a place is free unless a file or another run's part is there, or force takes it; a pipe always is") func places() throws {
    let path = scratch.path + "/a"
    func refusal(force: Bool = false) -> String? {
      do {
        try FileSystem.mustBeFree(path, force: force)
        return nil
      } catch { return error.sentence.components(separatedBy: ":")[0] }
    }
    #expect(refusal() == nil)
    scratch.write("a.part", [1])
    #expect(refusal()?.hasPrefix("has a .part file beside it") == true && refusal(force: true) == nil)
    scratch.write("a", [1])
    #expect(refusal() == "is there already" && refusal(force: true) == nil)
    try FileManager.default.removeItem(atPath: path)
    try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: false)
    #expect(refusal() == "is a folder, not a file")
    try FileManager.default.removeItem(atPath: path)
    #expect(mkfifo(path, 0o600) == 0 && refusal() == nil)
    let (isStream, isDevice, isFile) = try (
      FileSystem.isStream(path), FileSystem.isStream("/dev/null"), FileSystem.isStream(scratch.path + "/a.part")
    )
    #expect(isStream && isDevice && !isFile)
  }
}
