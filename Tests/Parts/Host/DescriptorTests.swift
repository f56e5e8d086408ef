import Core
import Foundation
import Testing

@testable import Host

@Suite("what is opened is closed again, whatever comes of it") struct DescriptorTests {
  let scratch = Scratch()

  /// The files below our folder that this process has open.
  private var open: [String] {
    let links = (try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd")) ?? []
    let files = links.compactMap { try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/fd/" + $0) }
    return files.filter { $0.hasPrefix(scratch.path) }
  }

  @Test("doorbells and radios, with all that they hold") func bells() async {
    await #expect(processExitsWith: .success) {
      func isEvent(_ descriptor: CInt) -> Bool {
        (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/fd/\(descriptor)"))?.contains("eventfd") == true
      }
      func open() -> Int { (0..<1_024 as Range<CInt>).count(where: isEvent) }
      let before = open()
      for _ in 0..<200 {
        let bells = [Doorbell(), Doorbell()]
        precondition(bells.allSatisfy { isEvent($0.descriptor) } && bells[0].descriptor != bells[1].descriptor)
      }
      // Others come and go as the process starts, but not one for each ten rounds.
      precondition(open() < before + 20)
    }
  }

  @Test("signals, both those that are read and those that are watched") func signals() async {
    await #expect(processExitsWith: .success) {
      func isSignals(_ descriptor: CInt) -> Bool {
        (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/fd/\(descriptor)"))?.contains("signalfd") == true
      }
      func open() -> Int { (0..<1_024 as Range<CInt>).count(where: isSignals) }
      let before = open()
      for _ in 0..<20 {
        let signals = Signals()
        precondition(open() == before + 2 && signals.next() == nil)
      }
      precondition(open() == before)
    }
  }

  @Test("captures: written, given up, read, damaged and foreign ones") func captures() throws {
    let path = scratch.path + "/a.btsnoop"
    do {
      let file = try CaptureFile(creating: path, .own)
      for number in 0..<5 as Range<UInt8> { file.append([4, 0xFF, 1, number].span.bytes, at: .zero, dropped: 0) }
      #expect(open.count == 1)
      #expect(file.keep() == 0)
    }
    #expect(open == [] && scratch.names == ["a.btsnoop"])
    do { try CaptureFile(creating: scratch.path + "/b.btsnoop", .own).flush() }
    #expect(throws: FileRefusal.self) { _ = try CaptureFile(creating: path, .asked(force: false)) }
    #expect(open == [] && scratch.names == ["a.btsnoop"], "what is given up is gone")
    let whole = try Data(contentsOf: URL(fileURLWithPath: path))
    scratch.write("cut.btsnoop", Array(whole.dropLast(2)))
    scratch.write("text", Array("no capture".utf8))
    for (name, count) in [("a.btsnoop", 5), ("cut.btsnoop", 4), ("text", 0), ("none", 0)] {
      do {
        let captures = Captures(opening: [scratch.path + "/" + name])
        var (packet, heard) = (Packet(), 0)
        while captures.next(into: &packet) != nil { heard += 1 }
        #expect(heard == count && captures.faults.count == (count == 5 ? 0 : 1), "\(name)")
      }
      #expect(open == [], "\(name)")
    }
  }

  @Test("small files: read, too long, missing, written, and where no file can be") func files() throws {
    try NewFile.write([1, 2, 3], to: scratch.path + "/small")
    #expect(throws: FileRefusal.self) { try NewFile.write([1], to: scratch.path + "/no/small") }
    #expect(throws: FileRefusal.self) { try NewFile.write([1], to: scratch.path) }
    #expect(try File(reading: scratch.path + "/small", atMost: 3).bytes == [1, 2, 3])
    for (name, most) in [("small", 2), ("none", 3), ("", 3)] {
      #expect(throws: FileRefusal.self) { _ = try File(reading: scratch.path + "/" + name, atMost: most) }
    }
    let secret = try SecretFile.bytes(16, keptIn: scratch.path + "/secret")
    #expect(try SecretFile.bytes(16, keptIn: scratch.path + "/secret") == secret)
    #expect(try LearntFile.read(scratch.path + "/small") { _ in } == 1)
    #expect(try NeighbourFile.read(scratch.path + "/small").entries.isEmpty)
    #expect(open == [] && scratch.names == ["secret", "small"], "\(scratch.names)")
  }

  @Test("the outbox: closed, refused, foreign, damaged, moved, and its history") func outboxes() throws {
    var settings = OutboxSettings()
    settings.path = scratch["outbox.db"]
    do {
      let outbox = try Outbox(settings, machine: 1)
      let mine = open.count
      #expect(mine >= 2, "the file and its lock")
      for _ in 0..<3 { #expect(throws: StoreFault.self) { _ = try Outbox(settings, machine: 1) } }
      #expect(open.count == mine && outbox.waiting == 0)
      // SQLite keeps one descriptor: to close it would end its locks.
      for _ in 0..<5 { try OutboxHistory(path: String(settings.path)).read { _ in true } }
      #expect(open.count <= mine + 1)
    }
    #expect(open == [])
    try Database(path: scratch["foreign.db"]).run("CREATE TABLE accounts (id INTEGER)")
    settings.path = scratch["foreign.db"]
    #expect(throws: StoreFault.self) { _ = try Outbox(settings, machine: 1) }
    scratch.write("damaged.db", [UInt8](repeating: 7, count: 9_000))
    settings.path = scratch["damaged.db"]
    do { #expect(try Outbox(settings, machine: 1).setAside != nil) }
    #expect(open == [])
    do {
      var played = Played(scratch)
      let mine = open.count
      played.push(3)
      let busy = open.count
      for name in ["one.db", "two.db", "outbox.db"] { played.reload { $0.outbox.path = scratch[name] } }
      played.drain()
      #expect(played.delivered.count == 3 && mine >= 2 && open.count <= busy, "\(open)")
      played.store.close()
    }
    #expect(open == [])
  }
}
